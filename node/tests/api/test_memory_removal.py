"""Memories are erased, and forgotten many at a time, over REST."""

from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.protocol.memory.answer_size import ANSWER_BYTES
from csbond.protocol.memory.tier_policy import WhitespacePolicy
from csbond_tests.memories import tell
from csbond_tests.requirements import requirement
from csbond_tests.small_world import NOW, small_world

PLACE = "/v1/memory/mem_1_a"
FORGET = "/v1/memory/forget"


async def kept(client, content, **fields):
    answer = await client.post("/v1/memory", json={"content": content, **fields})
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


async def contents(client):
    return {entry["content"] for entry in (await client.get("/v1/memory")).json()["memories"]}


@pytest.fixture
async def several(owner):
    for number in range(3):
        await kept(owner, f"lamp {number}", tags=["lamp"], timestamp=NOW - number)
        await kept(owner, f"key {number}", tags=["key"], timestamp=NOW - number)


@requirement("MEM-003-3.1-hard")
async def test_a_memory_is_erased_and_leaves_a_record_with_its_reason(owner):
    await kept(owner, "The key is under the mat.", id="mem_1_a", level="hot", tags=["key"])
    answer = await owner.delete(f"{PLACE}/hard", params={"reason": "  asked by Ann "})
    body = {"id": "mem_1_a", "erased": True, "entries": ["mem_1_a"], "archived": True, "copies": []}
    assert (answer.status_code, answer.json()) == (200, body)
    assert (await owner.get(PLACE)).status_code == 404
    assert (await owner.patch(f"{PLACE}/restore")).status_code == 404
    record = (await owner.get("/v1/memory/archive/mem_1_a")).json()
    assert record["ethical_log"] == [
        {"reason": "asked by Ann", "operator": "owner", "timestamp": NOW, "trigger": "manual"}
    ]
    assert "key" not in str(record)


@requirement("MEM-003-3.1-hard", "MEM-005-5.2-copies-named")
async def test_a_text_is_erased_with_all_its_pieces_and_its_messages_are_named(owner, world):
    told = await tell(world, "".join(f"Murmur {number} of the tea. " for number in range(300)), task="task-1")
    assert len(told) > 3
    body = (await owner.delete(f"/v1/memory/{told[1].id}/hard")).json()
    assert set(body["entries"]) == {piece.id for piece in told}
    origin = told[0].origin
    assert body["copies"] == [
        {"thread_id": origin.thread_id, "message_id": origin.message_id, "task_id": "task-1"},
    ]


@requirement("MEM-003-3.1-hard")
async def test_a_memory_is_erased_only_from_the_version_that_if_match_names(owner):
    await kept(owner, "The key is under the mat.", id="mem_1_a")
    stale = await owner.delete(f"{PLACE}/hard", headers={"If-Match": '"2"'})
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "version_conflict")
    garbage = await owner.delete(f"{PLACE}/hard", headers={"If-Match": "now"})
    assert (garbage.status_code, garbage.json()["error"]["field"]) == (400, "If-Match")
    assert (await owner.get(PLACE)).status_code == 200
    assert (await owner.delete(f"{PLACE}/hard", headers={"If-Match": '"1"'})).json()["erased"] is True


@pytest.mark.parametrize("reason", ["", "   ", "x" * 257, "a\x00b"])
async def test_a_reason_that_cannot_be_kept_is_refused_and_nothing_is_erased(owner, reason):
    await kept(owner, "The key is under the mat.", id="mem_1_a")
    answer = await owner.delete(f"{PLACE}/hard", params={"reason": reason})
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "reason")
    assert (await owner.get(PLACE)).status_code == 200


@requirement("MEM-004-4.3-optional")
async def test_a_home_without_an_archive_says_that_nothing_is_left(served, ledger, owner_of):
    bare = replace(served, world=small_world(ledger, whitespace=WhitespacePolicy(enabled=False)))
    async with owner_of(bare) as client:
        await kept(client, "The key is under the mat.", id="mem_1_a")
        assert (await client.delete(f"{PLACE}/hard")).json()["archived"] is False
        assert (await client.get("/v1/memory/archive")).json()["archive"] == []
        assert (await client.delete(f"{PLACE}/hard")).status_code == 404


@requirement("MEM-005-5.3-dry-run", "MEM-005-report-01-bulk-delete")
async def test_forgetting_is_a_dry_run_unless_it_says_otherwise(owner, several, ledger):
    commits = len(ledger.changes)
    would = (await owner.post(FORGET, json={"filter": {"tag": "key"}})).json()
    assert (would["dry_run"], would["count"], would["next_cursor"]) == (True, 3, "")
    assert [entry["content"] for entry in would["memories"]] == ["key 0", "key 1", "key 2"]
    assert len(ledger.changes) == commits


@requirement("MEM-005-5.3-dry-run")
async def test_what_would_be_forgotten_is_listed_page_by_page(owner, several):
    body = {"filter": {"tag": "key"}, "limit": 2}
    first = (await owner.post(FORGET, json=body)).json()
    rest = (await owner.post(FORGET, json={**body, "cursor": first["next_cursor"]})).json()
    assert [entry["content"] for page in (first, rest) for entry in page["memories"]] == ["key 0", "key 1", "key 2"]
    assert (first["count"], rest["count"], rest["next_cursor"]) == (3, 3, "")


@requirement("MEM-003-3.1-bytes")
async def test_a_dry_run_tells_no_more_than_one_answer_holds_and_goes_on(owner):
    for number in range(4):
        await kept(owner, f"key {number}", tags=["key"], note="n" * 25_000, timestamp=NOW - number)
    found, cursor = list[str](), ""
    while cursor or not found:
        answer = await owner.post(FORGET, json={"filter": {"tag": "key"}, **({"cursor": cursor} if cursor else {})})
        assert len(answer.content) <= ANSWER_BYTES + 1024
        found += [entry["content"] for entry in answer.json()["memories"]]
        cursor = answer.json()["next_cursor"]
    assert found == [f"key {number}" for number in range(4)]


@requirement("MEM-005-report-01-bulk-delete")
@pytest.mark.parametrize("mode", ["soft", "hard"])
async def test_what_fits_the_filter_is_forgotten_and_nothing_else(owner, several, mode):
    body = {"filter": {"tag": "key"}, "mode": mode, "dry_run": False, "expected": 3}
    did = (await owner.post(FORGET, json=body)).json()
    assert (did["dry_run"], did["count"], len(did["entries"]), did["left"]) == (False, 3, 3, 0)
    assert (did["erased"], did["copies"]) == (mode == "hard", [])
    assert await contents(owner) == {"lamp 0", "lamp 1", "lamp 2"}
    restored = await owner.patch(f"/v1/memory/{did['entries'][0]}/restore")
    assert restored.status_code == (200 if mode == "soft" else 404)


@requirement("MEM-005-5.3-dry-run")
async def test_nothing_is_forgotten_when_another_number_fits_now(owner, several):
    body = {"filter": {"tag": "key"}, "dry_run": False, "expected": 2}
    answer = await owner.post(FORGET, json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "version_conflict")
    assert len(await contents(owner)) == 6


async def test_what_was_deleted_before_is_erased_by_a_filter_that_asks_for_it(owner, several):
    body = {"filter": {"tag": "key"}, "dry_run": False, "expected": 3}
    await owner.post(FORGET, json=body)
    wanted = {"filter": {"tag": "key", "deleted": True}, "mode": "hard"}
    assert (await owner.post(FORGET, json=wanted)).json()["count"] == 3
    done = (await owner.post(FORGET, json={**wanted, "dry_run": False, "expected": 3, "reason": "spring"})).json()
    assert (done["count"], done["erased"]) == (3, True)
    assert (await owner.get("/v1/memory", params={"deleted": "true"})).json()["memories"] == []
    archive = (await owner.get("/v1/memory/archive")).json()["archive"]
    assert {record["ethical_log"][0]["reason"] for record in archive} == {"spring"}


@requirement("MEM-005-report-01-bulk-delete")
@pytest.mark.parametrize(
    "body, field",
    [
        ({}, "filter"),
        ({"filter": None}, "filter"),
        ({"filter": "key"}, "filter"),
        ({"filter": {}}, "filter"),
        ({"filter": {"deleted": False}}, "filter"),
        ({"filter": {"since": 0}}, "filter"),
        ({"filter": {"tag": ""}}, "filter.tag"),
        ({"filter": {"tag": None}}, "filter.tag"),
        ({"filter": {"tag": "key", "user_id": "ann"}}, "filter.user_id"),
        ({"filter": {"level": "high"}}, "filter.level"),
        ({"filter": {"since": 5, "until": 4}}, "filter.since"),
        ({"filter": {"text": "a\x00b"}}, "filter.text"),
        ({"filter": {"tag": "key", "deleted": True}}, "filter.deleted"),
        ({"filter": {"tag": "key"}, "mode": "gone"}, "mode"),
        ({"filter": {"tag": "key"}, "mode": ["hard"]}, "mode"),
        ({"filter": {"tag": "key"}, "dry_run": 0}, "dry_run"),
        ({"filter": {"tag": "key"}, "dry_run": None}, "dry_run"),
        ({"filter": {"tag": "key"}, "dryrun": False}, "dryrun"),
        ({"filter": {"tag": "key"}, "dry_run": False}, "expected"),
        ({"filter": {"tag": "key"}, "dry_run": False, "expected": -1}, "expected"),
        ({"filter": {"tag": "key"}, "dry_run": False, "expected": "3"}, "expected"),
        ({"filter": {"tag": "key"}, "dry_run": False, "expected": 3, "reason": 7}, "reason"),
        ({"filter": {"tag": "key"}, "dry_run": False, "expected": 3, "reason": " "}, "reason"),
        ({"filter": {"tag": "key"}, "limit": 0}, "limit"),
        ({"filter": {"tag": "key"}, "limit": 101}, "limit"),
        ({"filter": {"tag": "key"}, "cursor": "somewhere"}, "cursor"),
        ({"filter": {"tag": "key"}, "cursor": 5}, "cursor"),
        ({"tag": "key"}, "tag"),
    ],
)
async def test_a_call_that_is_not_understood_forgets_nothing(owner, several, ledger, body, field):
    commits = len(ledger.changes)
    answer = await owner.post(FORGET, json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_params"), answer.text
    assert answer.json()["error"]["field"] == field
    assert answer.json()["error"]["reason"].startswith(field)
    assert len(ledger.changes) == commits
