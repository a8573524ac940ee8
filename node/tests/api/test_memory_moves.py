"""Memories are raised and lowered by name, tended, and tell what they wait for, over REST."""

from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.level_names import level_names
from csbond.protocol.memory.tier_policy import TierPolicy
from csbond_tests.requirements import requirement
from csbond_tests.small_world import NOW, small_world

PLACE = "/v1/memory/mem_1_a"


async def kept(client, **fields):
    answer = await client.post("/v1/memory", json={"content": "The key is under the mat.", "id": "mem_1_a", **fields})
    assert answer.status_code == 201, answer.text


@pytest.fixture
async def renamed(served, owner_of):
    """The owner's client of a home with names of its own for the tiers."""
    names = level_names({"hot": "此刻", "warm": "近来", "cold": "往昔"})
    async with owner_of(replace(served, names=names)) as client:
        yield client


@requirement("MEM-003-3.1-promote")
async def test_a_memory_is_raised_by_one_tier_or_to_a_named_one(owner):
    await kept(owner, level="cold")
    answer = await owner.patch(f"{PLACE}/promote")
    assert (answer.status_code, answer.json()["level"], answer.headers["etag"]) == (200, "warm", '"2"')
    answer = await owner.patch(f"{PLACE}/promote", json={})
    assert (answer.json()["level"], answer.headers["etag"]) == ("hot", '"3"')
    answer = await owner.patch(f"{PLACE}/promote", json={"to": "hot"})
    assert (answer.json()["level"], answer.headers["etag"]) == ("hot", '"3"'), "what is in the highest stays"


@requirement("MEM-003-3.1-demote")
async def test_a_memory_is_lowered_by_one_tier_or_to_a_named_one(owner):
    await kept(owner, level="hot")
    assert (await owner.patch(f"{PLACE}/demote")).json()["level"] == "warm"
    answer = await owner.patch(f"{PLACE}/demote", json={"to": "COLD"})
    assert (answer.json()["level"], answer.headers["etag"]) == ("cold", '"3"')
    answer = await owner.patch(f"{PLACE}/demote")
    assert (answer.json()["level"], answer.headers["etag"]) == ("cold", '"3"'), "what is in the lowest stays"


@requirement("MEM-001-1.2-every-door", "MEM-003-3.1-promote")
async def test_moves_take_and_show_the_names_of_the_home(renamed, world):
    await kept(renamed, level="往昔")
    assert (await renamed.patch(f"{PLACE}/promote", json={"to": "此刻"})).json()["level"] == "此刻"
    assert (await renamed.patch(f"{PLACE}/demote", json={"to": "warm"})).json()["level"] == "近来"
    world.clock.advance(90 * DAY_MS)
    outlook = (await renamed.get(PLACE, params={"outlook": "true"})).json()["outlook"]
    assert (outlook["level"], outlook["next_move"]["to"]) == ("近来", "往昔")
    tended = (await renamed.post("/v1/memory/tend", json={"as_of": world.clock.now() + 90 * DAY_MS})).json()
    assert [(move["previousLevel"], move["newLevel"]) for move in tended["moves"]] == [("近来", "往昔")]
    would = (await renamed.post("/v1/memory/forget", json={"filter": {"level": "往昔"}})).json()
    assert [entry["level"] for entry in would["memories"]] == ["往昔"]


@pytest.mark.parametrize(
    "path, body, field",
    [
        ("promote", {"to": "cold"}, "to"),
        ("demote", {"to": "hot"}, "to"),
        ("promote", {"to": "high"}, "to"),
        ("promote", {"to": ""}, "to"),
        ("promote", {"to": None}, "to"),
        ("promote", {"to": ["hot"]}, "to"),
        ("demote", {"level": "cold"}, "level"),
        ("tend", {"as_of": -1}, "as_of"),
        ("tend", {"as_of": NOW - 600_000}, "as_of"),
        ("tend", {"as_of": "tomorrow"}, "as_of"),
        ("tend", {"as_of": True}, "as_of"),
        ("tend", {"as_of": 10**15}, "as_of"),
        ("tend", {"dry_run": "yes"}, "dry_run"),
        ("tend", {"dryRun": True}, "dryRun"),
        ("tend", {"clear": None}, "clear"),
    ],
)
async def test_a_move_that_is_not_understood_is_refused_by_its_field(owner, ledger, path, body, field):
    await kept(owner)
    commits = len(ledger.changes)
    answer = await (
        owner.post("/v1/memory/tend", json=body) if path == "tend" else owner.patch(f"{PLACE}/{path}", json=body)
    )
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_params"), answer.text
    assert answer.json()["error"]["field"] == field
    assert len(ledger.changes) == commits


@pytest.mark.parametrize("raw, code", [("[]", "invalid_request"), ("{", "parse_error"), ('"\\ud800"', "parse_error")])
async def test_a_body_that_is_no_object_is_refused(owner, raw, code):
    await kept(owner)
    headers = {"Content-Type": "application/json"}
    for method, path in (("PATCH", f"{PLACE}/promote"), ("POST", "/v1/memory/tend")):
        answer = await owner.request(method, path, content=raw, headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    plain = await owner.patch(f"{PLACE}/promote", content="to=hot", headers={"Content-Type": "text/plain"})
    assert plain.status_code == 415


@requirement("MEM-003-3.1-promote", "MEM-003-3.1-demote")
@pytest.mark.parametrize("path", ["promote", "demote"])
async def test_a_move_with_if_match_is_made_only_from_that_version(owner, path):
    await kept(owner)
    stale = await owner.patch(f"{PLACE}/{path}", headers={"If-Match": '"7"'})
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "version_conflict")
    garbage = await owner.patch(f"{PLACE}/{path}", headers={"If-Match": "latest"})
    assert (garbage.status_code, garbage.json()["error"]["field"]) == (400, "If-Match")
    moved = await owner.patch(f"{PLACE}/{path}", headers={"If-Match": '"1"'})
    assert (moved.status_code, moved.headers["etag"]) == (200, '"2"')


@requirement("MEM-003-idempotent")
async def test_a_move_under_a_key_is_made_once(owner, world, ledger):
    await kept(owner, level="cold")
    key = {"Idempotency-Key": "once"}
    first = await owner.patch(f"{PLACE}/promote", headers=key)
    again = await owner.patch(f"{PLACE}/promote", headers=key)
    assert (again.status_code, again.json()) == (200, first.json())
    assert again.json()["level"] == "warm"
    for other in (
        await owner.patch(f"{PLACE}/demote", headers=key),
        await owner.patch(f"{PLACE}/promote", json={"to": "hot"}, headers=key),
        await owner.post("/v1/memory", json={"content": "else"}, headers=key),
    ):
        assert (other.status_code, other.json()["error"]["code"]) == (409, "already_exists")
    next_key = await owner.patch(f"{PLACE}/promote", headers={"Idempotency-Key": "twice"})
    assert next_key.json()["level"] == "hot"
    refused = await owner.patch(f"{PLACE}/demote", headers={"Idempotency-Key": "a b"})
    assert (refused.status_code, refused.json()["error"]["field"]) == (400, "Idempotency-Key")


async def test_the_same_key_of_another_caller_is_another_key(owner, editor):
    await kept(editor, level="cold")
    key = {"Idempotency-Key": "once"}
    assert (await editor.patch(f"{PLACE}/promote", headers=key)).json()["level"] == "warm"
    assert (await owner.patch(f"{PLACE}/promote", headers=key)).json()["level"] == "hot"


async def test_a_memory_that_is_not_there_is_not_moved(owner):
    for path in ("promote", "demote", "hard"):
        answer = await owner.request("DELETE" if path == "hard" else "PATCH", f"/v1/memory/mem_1_nobody/{path}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "memory_not_found")


@requirement("MEM-004-4.2-shown")
async def test_a_memory_tells_what_it_waits_for_and_when_it_would_move(owner, world):
    await kept(owner)
    assert "outlook" not in (await owner.get(PLACE)).json()
    world.clock.advance(DAY_MS)
    told = (await owner.get(PLACE, params={"outlook": "true"})).json()["outlook"]
    assert (told["uses"], told["uses_wanted"], told["unused_ms"], told["pinned"]) == (2, 3, 0, False)
    assert told["next_move"] == {"to": "cold", "at": NOW + 91 * DAY_MS, "because": "unused"}
    third = (await owner.get(PLACE, params={"outlook": "true"})).json()["outlook"]
    assert (third["uses"], third["frequency_factor"], third["score"]) == (3, 1, 1)
    assert third["next_move"] == {"to": "hot", "at": world.clock.now(), "because": "uses"}
    tended = (await owner.post("/v1/memory/tend")).json()
    assert [(move["memoryId"], move["newLevel"]) for move in tended["moves"]] == [("mem_1_a", "hot")]


@requirement("MEM-004-4.2-shown", "MEM-005-5.3-protected-tags")
async def test_the_outlook_knows_what_the_rules_protect(owner):
    await kept(owner, level="cold", metadata={"ttl": DAY_MS})
    due = (await owner.get(PLACE, params={"outlook": "true"})).json()["outlook"]["next_move"]
    assert due == {"to": "deleted", "at": NOW + DAY_MS, "because": "ttl"}
    rules = {"rules": [{"name": "keep", "match": {"type": "other"}, "action": "protect"}]}
    assert (await owner.put("/v1/memory/forgetting", json=rules)).status_code == 200
    assert (await owner.get(PLACE, params={"outlook": "true"})).json()["outlook"]["next_move"] is None


async def test_an_outlook_is_told_of_a_version_that_is_known_too(owner):
    await kept(owner)
    known = {"If-None-Match": '"1"'}
    assert (await owner.get(PLACE, headers=known)).status_code == 304
    answer = await owner.get(PLACE, params={"outlook": "true"}, headers=known)
    assert (answer.status_code, "outlook" in answer.json()) == (200, True)
    refused = await owner.get(PLACE, params={"outlook": "perhaps"})
    assert (refused.status_code, refused.json()["error"]["field"]) == (400, "outlook")


@requirement("MEM-005-tend")
async def test_tending_does_what_is_due_and_a_dry_run_only_tells_it(owner, world, ledger):
    await kept(owner)
    world.clock.advance(91 * DAY_MS)
    commits = len(ledger.changes)
    would = (await owner.post("/v1/memory/tend", json={"dry_run": True})).json()
    assert len(ledger.changes) == commits
    did = (await owner.post("/v1/memory/tend")).json()
    assert (would["dry_run"], did["dry_run"]) == (True, False)
    assert would["moves"] == did["moves"]
    assert did["moves"] == [
        {
            "action": "demote",
            "memoryId": "mem_1_a",
            "timestamp": world.clock.now(),
            "trigger": "ttl",
            "previousLevel": "warm",
            "newLevel": "cold",
            "step": "warm_ttl",
        }
    ]
    assert (did["as_of"], did["steps"]["warm_ttl"], did["reviews"], did["left_off"]) == (world.clock.now(), 1, [], 0)
    assert (await owner.get(PLACE)).json()["level"] == "cold"


@requirement("MEM-005-tend")
async def test_trying_out_the_future_removes_nothing_unless_it_is_asked_to(owner, world):
    await kept(owner, level="cold", metadata={"ttl": DAY_MS})
    ahead = {"as_of": NOW + 2 * DAY_MS}
    assert (await owner.post("/v1/memory/tend", json=ahead)).json()["moves"] == []
    assert (await owner.get(PLACE)).status_code == 200
    did = (await owner.post("/v1/memory/tend", json={**ahead, "clear": True})).json()
    assert [(move["newLevel"], move["timestamp"]) for move in did["moves"]] == [("deleted", NOW)]
    assert (await owner.get(PLACE)).status_code == 404


@requirement("MEM-003-3.1-bytes")
async def test_a_run_tells_no_more_moves_than_one_answer_holds(served, ledger, owner_of):
    few = replace(served, world=small_world(ledger, tiers=TierPolicy(warm_cap=1)))
    async with owner_of(few) as client:
        for start in range(0, 500, 100):
            memories = [
                {"content": f"key {number}", "id": f"mem_1_{'x' * 60}{number}"} for number in range(start, start + 100)
            ]
            assert (await client.post("/v1/memory/batch", json={"memories": memories})).status_code == 201
        answer = await client.post("/v1/memory/tend")
    tended = answer.json()
    assert len(answer.content) < 61_000
    assert tended["steps"]["warm_cap"] == 499 == len(tended["moves"]) + tended["left_off"]
    assert tended["left_off"] > 0


async def uses(client):
    return (await client.get(PLACE, params={"outlook": "true"})).json()["outlook"]["uses"]


@requirement("MEM-004-4.2-uses")
async def test_only_what_is_told_is_a_use(owner):
    await kept(owner)
    for _ in range(3):
        assert (await owner.get(PLACE, headers={"If-None-Match": '"1"'})).status_code == 304
        assert (await owner.get(PLACE, params={"cursor": "zz"})).status_code == 400
        assert (await owner.get(PLACE, params={"outlook": "maybe"})).status_code == 400
    assert await uses(owner) == 1


@requirement("MEM-004-4.2-uses")
async def test_what_a_viewer_reads_and_finds_raises_nothing(owner, ann, editor):
    await kept(owner, visibility="public")
    for _ in range(4):
        assert (await ann.get(PLACE)).status_code == 200
        found = await ann.post("/v1/memory/search", json={"query": "key"})
        assert found.json()["total"] == 1
    assert await uses(owner) == 1
    assert (await editor.get(PLACE)).status_code == 200
    assert await uses(owner) == 3


@pytest.mark.parametrize(
    "method, path, body",
    [
        ("POST", "/v1/memory/tend", {}),
        ("POST", "/v1/memory/forgetting/preview", {}),
        ("POST", "/v1/memory/forgetting/apply", {"plan": "all:0"}),
        ("POST", "/v1/memory/forget", {"filter": {"tag": "a"}}),
        ("POST", "/v1/memory/reviews/review_1_a", {"verdict": "approved"}),
    ],
)
@pytest.mark.parametrize("tag", ['"x"', '"1"'])
async def test_a_version_of_what_has_none_is_refused(owner, ledger, method, path, body, tag):
    commits = len(ledger.changes)
    answer = await owner.request(method, path, json=body, headers={"If-Match": tag})
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "If-Match")
    assert len(ledger.changes) == commits
    anyhow = await owner.request(method, path, json=body, headers={"If-Match": "*"})
    assert "If-Match" not in anyhow.text


@requirement("MEM-003-3.1-restore")
@pytest.mark.parametrize(
    "body, status", [(b"{", 400), (b'{"to": "hot"}', 400), (b"{}", 200), (b"", 200), (b"x" * 70_000, 413)]
)
async def test_what_a_restoration_does_not_understand_is_refused(owner, body, status):
    await kept(owner)
    assert (await owner.delete(PLACE)).status_code == 200
    json = {"Content-Type": "application/json"}
    assert (await owner.patch(f"{PLACE}/restore", content=body, headers=json)).status_code == status
    assert (await owner.get(PLACE)).status_code == (200 if status == 200 else 404)


async def test_the_present_time_of_a_client_is_now(owner, world):
    answer = await owner.post("/v1/memory/tend", json={"as_of": world.clock.now() - 1})
    assert (answer.status_code, answer.json()["as_of"]) == (200, world.clock.now())


@requirement("MEM-004-4.2-shown")
async def test_the_rule_that_takes_a_memory_next_is_named_to_the_owner_alone(owner, ann):
    await kept(owner, visibility="public", tags=["draft"])
    rules = {"rules": [{"name": "secret plan", "match": {"tags": ["draft"]}, "action": "archive"}]}
    assert (await owner.put("/v1/memory/forgetting", json=rules)).status_code == 200
    told, heard = [
        (await client.get(PLACE, params={"outlook": "true"})).json()["outlook"]["next_move"] for client in (owner, ann)
    ]
    assert told == {"to": "cold", "at": NOW, "because": "rule", "rule": "secret plan"}
    assert heard == {"to": "cold", "at": NOW, "because": "rule"}
