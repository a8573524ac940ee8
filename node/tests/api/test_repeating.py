"""Every state-changing route under `/v1` is asked twice, and does what its row says of repeating."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson
import pytest

from csbond.api.access import PRINCIPALS, ROUTES
from csbond.api.memory_access import MEMORY
from csbond.api.route_row import READS
from csbond_tests.requirements import requirement
from csbond_tests.small_world import NOW
from csbond_tests.snapshots import file_of, memory

KEY = {"content": "The key is under the mat.", "id": "mem_1_a"}
RULES = {"rules": [{"name": "all", "match": {"type": "other"}, "action": "soft_delete"}]}


@dataclass(frozen=True)
class Repeat:
    """A request, what must be there before it, and the statuses of the first and the second time."""

    method: str
    path: str
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    before: tuple[tuple[str, str, Any], ...] = ()
    statuses: tuple[int, int] = (200, 200)
    says: str = ""
    """Words of the row that promise it."""
    asks: tuple[str, str, Callable[[Any], Any]] | None = None
    """What is read before: what that gives is the body, or the name in the path."""
    differs: tuple[str, ...] = ()
    """What the second answer says of itself alone."""
    lines: int = 0
    """How many lines the second time adds to a log."""


REPEATS = {
    ("POST", "/v1/memory"): Repeat("POST", "/v1/memory", KEY, statuses=(201, 201), says="the entry of the first time"),
    ("POST", "/v1/memory/batch"): Repeat(
        "POST",
        "/v1/memory/batch",
        {"memories": [{"content": "one"}, {"content": "two"}]},
        {"Idempotency-Key": "k"},
        statuses=(201, 201),
        says="the entry of the first time",
    ),
    ("PUT", "/v1/memory/{id}"): Repeat(
        "PUT",
        "/v1/memory/mem_1_a",
        {"content": "new"},
        {"If-Match": '"1"'},
        before=(("POST", "/v1/memory", KEY),),
        says="makes no new version",
    ),
    ("DELETE", "/v1/memory/{id}"): Repeat(
        "DELETE", "/v1/memory/mem_1_a", before=(("POST", "/v1/memory", KEY),), says="the answer is the same"
    ),
    ("POST", "/v1/memory/link"): Repeat(
        "POST",
        "/v1/memory/link",
        {"source_id": "mem_1_a", "target_id": "agent:bo", "relation": "peer"},
        before=(("POST", "/v1/memory", KEY),),
        statuses=(201, 200),
        says="answered with 200 instead of 201",
    ),
    ("PATCH", "/v1/memory/{id}/link"): Repeat(
        "PATCH",
        "/v1/memory/mem_1_a/link",
        {"add": [{"target_id": "agent:bo"}], "remove": [{"target_id": "agent:cy"}]},
        before=(("POST", "/v1/memory", KEY),),
        says="no new version is made",
    ),
    ("PATCH", "/v1/memory/{id}/restore"): Repeat(
        "PATCH",
        "/v1/memory/mem_1_a/restore",
        before=(("POST", "/v1/memory", KEY), ("DELETE", "/v1/memory/mem_1_a", None)),
        says="What is there stays there",
    ),
    ("PATCH", "/v1/memory/{id}/promote"): Repeat(
        "PATCH",
        "/v1/memory/mem_1_a/promote",
        {},
        {"Idempotency-Key": "k"},
        before=(("POST", "/v1/memory", {**KEY, "level": "cold"}),),
        says="with the same Idempotency-Key",
    ),
    ("PATCH", "/v1/memory/{id}/demote"): Repeat(
        "PATCH",
        "/v1/memory/mem_1_a/demote",
        {"to": "cold"},
        before=(("POST", "/v1/memory", KEY),),
        says="in the tier the body names stays there",
    ),
    ("DELETE", "/v1/memory/{id}/hard"): Repeat(
        "DELETE", "/v1/memory/mem_1_a/hard", before=(("POST", "/v1/memory", KEY),), says="stays erased"
    ),
    ("POST", "/v1/memory/forget"): Repeat(
        "POST",
        "/v1/memory/forget",
        {"filter": {"text": "key"}, "dry_run": False, "expected": 1},
        before=(("POST", "/v1/memory", KEY),),
        statuses=(200, 409),
        says="refused with version_conflict",
    ),
    ("PUT", "/v1/memory/forgetting"): Repeat(
        "PUT", "/v1/memory/forgetting", RULES, {"If-Match": '"0"'}, says="no new version is made"
    ),
    ("POST", "/v1/memory/forgetting/apply"): Repeat(
        "POST",
        "/v1/memory/forgetting/apply",
        before=(("PUT", "/v1/memory/forgetting", RULES), ("POST", "/v1/memory", KEY)),
        asks=("POST", "/v1/memory/forgetting/preview", lambda answer: {"plan": answer["plan"]}),
        statuses=(200, 409),
        says="refused with version_conflict",
    ),
    ("POST", "/v1/memory/tend"): Repeat(
        "POST",
        "/v1/memory/tend",
        {"as_of": NOW},
        before=(("PUT", "/v1/memory/forgetting", RULES), ("POST", "/v1/memory", KEY)),
        says="a repeat changes nothing",
        differs=("steps", "moves"),
    ),
    ("POST", "/v1/memory/reviews/{id}"): Repeat(
        "POST",
        "/v1/memory/reviews/{id}",
        {"verdict": "approved"},
        before=(
            ("PUT", "/v1/memory/forgetting", {**RULES, "human_only": True}),
            ("POST", "/v1/memory", KEY),
            ("POST", "/v1/memory/tend", None),
        ),
        asks=("GET", "/v1/memory/reviews", lambda answer: answer["reviews"][0]["id"]),
        says="The same answer again changes nothing",
    ),
    ("POST", "/v1/memory/reindex"): Repeat(
        "POST", "/v1/memory/reindex", {}, statuses=(503, 503), says="it goes on and is not begun again"
    ),
    ("POST", "/v1/memory/snapshot"): Repeat(
        "POST",
        "/v1/memory/snapshot",
        {"description": "all"},
        {"Idempotency-Key": "k"},
        before=(("POST", "/v1/memory", KEY),),
        statuses=(201, 201),
        says="answered with the snapshot of the first time",
    ),
    ("DELETE", "/v1/memory/snapshot/{id}"): Repeat(
        "DELETE",
        "/v1/memory/snapshot/{id}",
        before=(("POST", "/v1/memory/snapshot", None),),
        asks=("GET", "/v1/memory/snapshots", lambda answer: answer["snapshots"][0]["id"]),
        statuses=(200, 404),
        says="snapshot_not_found",
    ),
    ("POST", "/v1/memory/snapshot/load"): Repeat(
        "POST",
        "/v1/memory/snapshot/load",
        orjson.loads(file_of(memory("mem_1_a"))),
        says="no memory changes, and the log has another line",
        differs=("counts", "loaded", "log_id"),
        lines=1,
    ),
    ("POST", "/v1/memory/export"): Repeat("POST", "/v1/memory/export", says="another record says so", lines=1),
    ("POST", "/v1/memory/import"): Repeat(
        "POST", "/v1/memory/import?format=json", [], says="unchanged the second time", lines=1
    ),
    ("POST", "/v1/memory/vector-maps"): Repeat(
        "POST", "/v1/memory/vector-maps", {"fingerprint": "f"}, statuses=(409, 409), says="Fits it anew"
    ),
    ("POST", "/v1/principals"): Repeat(
        "POST",
        "/v1/principals",
        {"name": "ann", "role": "viewer"},
        statuses=(201, 409),
        says="refused with already_exists",
    ),
    ("DELETE", "/v1/principals/{name}"): Repeat(
        "DELETE",
        "/v1/principals/ann",
        before=(("POST", "/v1/principals", {"name": "ann", "role": "viewer"}),),
        statuses=(200, 404),
        says="principal_not_found",
    ),
}
CHANGING = {(row.method, row.path): row for row in ROUTES if row.tag in (MEMORY, PRINCIPALS) and row.repeating != READS}


@requirement("MEM-003-idempotent")
async def test_the_same_memory_without_key_and_id_is_the_entry_that_is_there(owner):
    row = CHANGING["POST", "/v1/memory"]
    assert "without either, the same content in the same place answers the entry that is there" in row.repeating
    first, second = [await owner.post("/v1/memory", json={"content": "tea"}) for _ in range(2)]
    assert (first.status_code, second.status_code) == (201, 200)
    assert second.json() == {**first.json(), "merged": True}


def test_every_state_changing_route_of_memory_and_principals_is_repeated_here():
    assert REPEATS.keys() == CHANGING.keys()


@requirement("MEM-003-idempotent")
@pytest.mark.parametrize("route", REPEATS, ids=" ".join)
async def test_a_repeat_changes_nothing_and_answers_as_its_row_says(owner, ledger, route):
    repeat = REPEATS[route]
    assert repeat.says in CHANGING[route].repeating
    for method, path, body in repeat.before:
        await owner.request(method, path, json=body)
    path, body = repeat.path, repeat.body
    if repeat.asks:
        method, place, taken = repeat.asks
        found = taken((await owner.request(method, place)).json())
        path, body = (path.replace("{id}", found), body) if "{id}" in path else (path, found)
    first = await owner.request(repeat.method, path, json=body, headers=repeat.headers)
    commits = len(ledger.changes)
    second = await owner.request(repeat.method, path, json=body, headers=repeat.headers)
    assert (first.status_code, second.status_code) == repeat.statuses
    assert len(ledger.changes) == commits + repeat.lines
    if second.status_code < 400:
        both = first.json(), second.json()
        assert [{name: each for name, each in answer.items() if name not in repeat.differs} for answer in both] == [
            {name: each for name, each in both[0].items() if name not in repeat.differs}
        ] * 2
        assert all(both[0][name] != both[1][name] for name in repeat.differs)
