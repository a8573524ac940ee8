"""What waits for a person is listed and answered, over REST (MEM-004 §4.4, MEM-005 §5.5)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.level_names import level_names
from csbond.protocol.memory.tier_policy import TierPolicy
from csbond.testing.ports import SetClock
from csbond_tests.requirements import requirement
from csbond_tests.small_world import NOW, small_world

REVIEWS = "/v1/memory/reviews"
LAMPS = {"name": "lamps", "match": {"tags": ["lamp"]}, "action": "soft_delete"}


async def kept(client, number):
    body = {"content": f"lamp {number}", "tags": ["lamp"], "id": f"mem_1_{number}", "timestamp": NOW - number}
    assert (await client.post("/v1/memory", json=body)).status_code == 201


@pytest.fixture
async def asked(owner):
    """Three questions whether to delete a memory, in human-only mode."""
    for number in range(3):
        await kept(owner, number)
    await owner.put("/v1/memory/forgetting", json={"rules": [LAMPS], "human_only": True})
    tended = (await owner.post("/v1/memory/tend")).json()
    assert (tended["moves"], len(tended["reviews"])) == ([], 3)
    return {review["memory_id"]: review["id"] for review in tended["reviews"]}


@requirement("MEM-005-5.5-queue", "MEM-005-5.5-human-only")
async def test_what_waits_for_a_person_is_listed_with_its_memory(owner, asked):
    page = (await owner.get(REVIEWS)).json()
    assert (page["total"], page["next_cursor"]) == (3, "")
    (review,) = [each for each in page["reviews"] if each["memory_id"] == "mem_1_0"]
    assert review.pop("memory")["content"] == "lamp 0"
    assert review == {
        "id": asked["mem_1_0"],
        "memory_id": "mem_1_0",
        "version": 1,
        "kind": "delete",
        "proposed": {"to": "deleted", "trigger": "rule", "rule_name": "lamps", "step": "rules"},
        "reason": "the rule lamps says so",
        "asked_at": NOW,
        "decided_at": 0,
        "verdict": "",
        "decided_by": "",
        "again_at": 0,
        "stale": False,
    }
    assert (await owner.post("/v1/memory/tend")).json()["reviews"] == [], "it is asked twice"


@requirement("MEM-005-5.5-queue")
async def test_an_approved_question_is_done_and_a_declined_one_rests(owner, world, asked):
    approved = await owner.post(f"{REVIEWS}/{asked['mem_1_0']}", json={"verdict": "approved"})
    declined = await owner.post(f"{REVIEWS}/{asked['mem_1_1']}", json={"verdict": "declined"})
    assert (approved.status_code, approved.json()["verdict"], approved.json()["decided_by"]) == (
        200,
        "approved",
        "owner",
    )
    assert approved.json()["memory"]["metadata"]["deleted"] is True
    assert (declined.json()["verdict"], declined.json()["again_at"]) == ("declined", NOW + 90 * DAY_MS)
    assert (await owner.get("/v1/memory/mem_1_0")).status_code == 404
    assert (await owner.get("/v1/memory/mem_1_1")).status_code == 200
    assert (await owner.post("/v1/memory/tend")).json()["reviews"] == []
    for state, expected in (("open", {"mem_1_2"}), ("decided", {"mem_1_0", "mem_1_1"}), ("all", set(asked))):
        page = (await owner.get(REVIEWS, params={"state": state})).json()
        assert {review["memory_id"] for review in page["reviews"]} == expected
        assert page["total"] == len(expected)
    world.clock.advance(90 * DAY_MS)
    assert [each["memory_id"] for each in (await owner.post("/v1/memory/tend")).json()["reviews"]] == ["mem_1_1"]


@requirement("MEM-005-5.5-queue")
async def test_a_question_is_answered_once(owner, asked):
    place = f"{REVIEWS}/{asked['mem_1_0']}"
    await owner.post(place, json={"verdict": "declined"})
    again = await owner.post(place, json={"verdict": "approved"})
    assert (again.status_code, again.json()["error"]["code"]) == (409, "version_conflict")
    assert (await owner.get("/v1/memory/mem_1_0")).status_code == 200


@requirement("MEM-005-5.5-queue")
async def test_a_question_about_a_memory_that_changed_is_closed_and_nothing_is_done(owner, asked):
    await owner.put("/v1/memory/mem_1_0", json={"content": "lamp of Ann"})
    page = (await owner.get(REVIEWS)).json()
    assert {each["memory_id"] for each in page["reviews"] if each["stale"]} == {"mem_1_0"}
    closed = (await owner.post(f"{REVIEWS}/{asked['mem_1_0']}", json={"verdict": "approved"})).json()
    assert closed["verdict"] == "stale"
    assert (await owner.get("/v1/memory/mem_1_0")).json()["content"] == "lamp of Ann"


@requirement("MEM-005-5.5-queue")
async def test_questions_are_listed_page_by_page(owner, asked):
    found, cursor = list[str](), ""
    while cursor or not found:
        page = (await owner.get(REVIEWS, params={"limit": 2, "cursor": cursor})).json()
        found += [review["memory_id"] for review in page["reviews"]]
        cursor = page["next_cursor"]
    assert sorted(found) == sorted(asked)


async def test_a_question_about_an_erased_memory_is_told_without_it(owner, asked):
    for answer in ("approved", "declined"):
        await owner.post(f"{REVIEWS}/{asked['mem_1_0']}", json={"verdict": answer})
    await owner.delete("/v1/memory/mem_1_0/hard")
    page = (await owner.get(REVIEWS, params={"state": "all"})).json()
    assert all(("memory" in review) == (review["memory_id"] != "mem_1_0") for review in page["reviews"])


@requirement("MEM-004-4.4-review", "MEM-001-1.2-every-door")
async def test_a_decision_waits_before_it_is_lowered_and_the_question_names_the_tier(served, ledger, owner_of):
    clock = SetClock()
    world = small_world(ledger, tiers=TierPolicy(review_decisions=True), clock=clock)
    names = level_names({"cold": "往昔"})
    async with owner_of(replace(served, world=world, names=names)) as client:
        body = {"content": "We take the train.", "type": "decision", "id": "mem_1_a"}
        assert (await client.post("/v1/memory", json=body)).status_code == 201
        clock.advance(91 * DAY_MS)
        await client.post("/v1/memory/tend")
        (review,) = (await client.get(REVIEWS)).json()["reviews"]
        assert (review["kind"], review["proposed"]["to"], review["memory"]["level"]) == ("lower", "往昔", "warm")
        await client.post(f"{REVIEWS}/{review['id']}", json={"verdict": "approved"})
        assert (await client.get("/v1/memory/mem_1_a")).json()["level"] == "往昔"


@pytest.mark.parametrize(
    "body, field",
    [
        ({}, "verdict"),
        ({"verdict": "yes"}, "verdict"),
        ({"verdict": "stale"}, "verdict"),
        ({"verdict": None}, "verdict"),
        ({"verdict": ["approved"]}, "verdict"),
        ({"verdict": "approved", "all": True}, "all"),
    ],
)
async def test_an_answer_that_is_none_is_refused_and_decides_nothing(owner, ledger, asked, body, field):
    commits = len(ledger.changes)
    answer = await owner.post(f"{REVIEWS}/{asked['mem_1_0']}", json=body)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)
    assert len(ledger.changes) == commits


@pytest.mark.parametrize(
    "params, field",
    [({"state": "waiting"}, "state"), ({"limit": "0"}, "limit"), ({"cursor": "x"}, "cursor"), ({"kind": "x"}, "kind")],
)
async def test_a_list_of_questions_that_is_not_understood_is_refused(owner, params, field):
    answer = await owner.get(REVIEWS, params=params)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


async def test_a_question_that_is_not_there_cannot_be_answered(owner):
    answer = await owner.post(f"{REVIEWS}/nobody", json={"verdict": "approved"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "review_not_found")
