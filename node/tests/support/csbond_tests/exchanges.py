"""Memories leave one home and come to another: what tests of exports and imports share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson

from csbond.flows.export_memory import ExportRequest, ExportSum, export_memory
from csbond.flows.import_memory import ImportSum, import_memory
from csbond.flows.world import World
from csbond.protocol.memory.foreign_record import ForeignLink, ForeignName, ForeignRecord, Read
from csbond.protocol.memory.importing import Importing
from csbond.protocol.messages.caller import OWNER, Caller
from csbond.testing import InMemoryLedger
from csbond.testing.ports import CountedIdentifiers
from csbond_tests.small_world import INTENT, NOW, WatchedLedger, small_world

__all__ = ["a_record", "another_home", "as_source", "became", "contents", "exported", "imported"]


def a_record(
    content: str = "The key is under the mat.",
    key: str = "k1",
    agent: str = "Vera",
    links: Iterable[ForeignLink] = (),
    **fields: Any,
) -> ForeignRecord:
    """Return a record of another agent, known by its key."""
    memory = {"content": content, "timestamp": NOW - 5, **fields}
    return ForeignRecord(f"record {key}", memory, ForeignName(agent, key=key), tuple(links))


async def imported(
    world: World, reads: Iterable[Read], importing: Importing | None = None, caller: Caller = OWNER
) -> tuple[list[Any], ImportSum]:
    """What became of the records, and the sum."""
    outcomes = [each async for each in import_memory(world, reads, importing or Importing(), "test", caller, INTENT)]
    assert isinstance(outcomes[-1], ImportSum)
    return outcomes[:-1], outcomes[-1]


async def became(world: World, *reads: Read, importing: Importing | None = None) -> list[str]:
    """The outcomes alone, as texts."""
    outcomes, _ = await imported(world, reads, importing)
    return [outcome.outcome for outcome in outcomes]


async def exported(world: World, **request: Any) -> tuple[list[Any], ExportSum]:
    """The documents, and the sum."""
    told = [each async for each in export_memory(world, ExportRequest(**request), OWNER, INTENT)]
    assert isinstance(told[-1], ExportSum)
    return told[:-1], told[-1]


def another_home() -> World:
    """A world whose node gives other ids."""
    return small_world(WatchedLedger(InMemoryLedger()), identifiers=CountedIdentifiers(1_000_000))


async def contents(world: World) -> list[str]:
    """Return what its memories say, as an export tells it."""
    documents, _ = await exported(world)
    return sorted(document["mem_interop"]["content"] for document in documents)


def as_source(documents: Iterable[Any]) -> bytes:
    """Return documents as a file of one a line."""
    return b"\n".join(map(orjson.dumps, documents))
