"""What is left of cleared memories is told to the owner, over REST (MEM-004 §4.3)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.level_names import level_names
from csbond_tests.requirements import requirement
from csbond_tests.small_world import NOW

ARCHIVE = "/v1/memory/archive"


@pytest.fixture
async def cleared(owner, world):
    """Three memories that were deleted, and cleared 30 days later by tending."""
    for number in range(3):
        body = {"content": f"lamp {number}", "tags": ["lamp"], "id": f"mem_1_{number}", "timestamp": 5, "level": "cold"}
        assert (await owner.post("/v1/memory", json=body)).status_code == 201
        assert (await owner.delete(f"/v1/memory/mem_1_{number}")).status_code == 200
        world.clock.advance(1000)
    world.clock.advance(30 * DAY_MS)
    tended = (await owner.post("/v1/memory/tend")).json()
    assert (tended["steps"]["clear"], {move["newLevel"] for move in tended["moves"]}) == (3, {"erased"})


@requirement("MEM-004-4.3-archive", "MEM-004-4.3-ethical-log")
async def test_what_was_cleared_leaves_a_record_that_says_why_by_whom_and_when(owner, world, cleared):
    record = (await owner.get(f"{ARCHIVE}/mem_1_0")).json()
    (log,) = record.pop("ethical_log")
    now = world.clock.now()
    assert record == {
        "id": "mem_1_0",
        "type": "other",
        "timestamp": 5,
        "original_level": "cold",
        "deleted_at": NOW,
        "cleared_at": now,
    }
    assert (log["operator"], log["timestamp"], log["trigger"]) == ("owner", now, "manual")
    assert log["reason"]


@requirement("MEM-004-4.3-archive")
async def test_records_are_listed_page_by_page(owner, cleared):
    found, cursor = list[str](), ""
    while cursor or not found:
        page = (await owner.get(ARCHIVE, params={"limit": 2, "cursor": cursor})).json()
        assert page["total"] == 3
        found += [record["id"] for record in page["archive"]]
        cursor = page["next_cursor"]
    assert sorted(found) == ["mem_1_0", "mem_1_1", "mem_1_2"]


@requirement("MEM-001-1.2-every-door")
async def test_a_record_names_its_tier_as_the_home_does(served, cleared, owner_of):
    async with owner_of(replace(served, names=level_names({"cold": "往昔"}))) as client:
        assert (await client.get(f"{ARCHIVE}/mem_1_0")).json()["original_level"] == "往昔"
        assert {each["original_level"] for each in (await client.get(ARCHIVE)).json()["archive"]} == {"往昔"}


@requirement("MEM-004-4.3-three-years")
async def test_after_three_years_a_record_is_there_no_more(owner, world, cleared):
    world.clock.advance(3 * 366 * DAY_MS)
    assert (await owner.post("/v1/memory/tend")).json()["steps"]["purge"] == 3
    assert (await owner.get(ARCHIVE)).json() == {"archive": [], "total": 0, "next_cursor": ""}
    assert (await owner.get(f"{ARCHIVE}/mem_1_0")).status_code == 404


async def test_a_memory_that_was_not_cleared_has_no_record(owner):
    await owner.post("/v1/memory", json={"content": "lamp", "id": "mem_1_a"})
    answer = await owner.get(f"{ARCHIVE}/mem_1_a")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "memory_not_found")


@pytest.mark.parametrize(
    "params, field", [({"limit": "101"}, "limit"), ({"cursor": "x"}, "cursor"), ({"tag": "x"}, "tag")]
)
async def test_a_list_of_records_that_is_not_understood_is_refused(owner, params, field):
    answer = await owner.get(ARCHIVE, params=params)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)
