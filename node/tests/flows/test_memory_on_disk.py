"""What is left of memory when the disk is full or takes no writes."""

from __future__ import annotations

from typing import Any

import pytest

from csbond.flows.delete_memory import delete_memory
from csbond.flows.edit_memory import edit_memory
from csbond.flows.link_memory import LinkChange, link_memory
from csbond.flows.write_memory import Kept, MemoryRequest, write_memory
from csbond.protocol.errors import Unavailable
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.link import Link
from csbond.protocol.messages.caller import OWNER
from csbond_tests.memories import remember
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW


@pytest.fixture
def connection(stored):
    """The one that writes, of the world's database."""
    return stored.ledger._ledger._database._connection


@pytest.fixture(params=["full", "read-only"])
def broken(request, connection):
    """Lets the disk break, says how it is answered, and what mends it."""

    def end(how):
        if how == "full":
            connection.pragma("max_page_count", connection.pragma("page_count"))
        else:
            connection.pragma("query_only", True)

    def mend():
        connection.pragma("max_page_count", 1_000_000)
        connection.pragma("query_only", False)

    status = 507 if request.param == "full" else 503
    return lambda: end(request.param), mend, status


def requests():
    """Many memories, each with a key, and linked to the one before: more than fits into the free pages."""
    for number in range(60):
        raw: dict[str, Any] = {"id": f"mem_1_{number}", "content": f"{number} " * 600}
        if number:
            raw["links"] = [{"target_id": f"mem_1_{number - 1}", "relation": "extends"}]
        yield MemoryRequest(draft_from_json(raw, NOW, LevelNames()), f"key-{number}", "digest")


@requirement("MEM-003-3.1-disk")
async def test_nothing_of_a_batch_is_written_when_the_disk_is_full_or_read_only(stored, broken):
    end, mend, status = broken
    before = await remember(stored, "The key is under the mat.")
    end()
    with pytest.raises(Unavailable) as refusal:
        await write_memory(stored, tuple(requests()), OWNER, INTENT)
    assert refusal.value.code.http == status
    assert (await stored.ledger.counts())["entries"] == 1
    assert await stored.ledger.entry(before.id) == before
    mend()
    assert await stored.ledger.check() == []
    outcomes = await write_memory(stored, tuple(requests()), OWNER, INTENT)
    assert all(isinstance(outcome, Kept) for outcome in outcomes), "a key or an id of the failed batch was kept"
    assert await stored.ledger.check() == []


@requirement("MEM-003-3.1-disk")
async def test_a_memory_stays_as_it_was_when_its_change_cannot_be_written(stored, connection):
    a, b = await remember(stored, "a"), await remember(stored, "b")
    changes = (
        lambda: edit_memory(stored, a.id, {"content": "new"}, LevelNames(), caller=OWNER, intent=INTENT),
        lambda: link_memory(stored, a.id, LinkChange((Link(b.id, "causes"),)), caller=OWNER, intent=INTENT),
        lambda: delete_memory(stored, a.id, OWNER, INTENT),
    )
    connection.pragma("query_only", True)
    for change in changes:
        with pytest.raises(Unavailable) as refusal:
            await change()
        assert refusal.value.code.http == 503
        assert await stored.ledger.entry(a.id) == a
    connection.pragma("query_only", False)
    assert await stored.ledger.check() == []
