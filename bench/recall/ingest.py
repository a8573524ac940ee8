"""A memory is filled as the node fills one: by the story that writes, into a ledger on disk, vectors and all."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from bench.recall.data import Collection, Memory
from csbond.engines.exact_index import ExactIndex
from csbond.engines.indexed_nearest import IndexedNearest
from csbond.flows.index_vectors import catch_up
from csbond.flows.ports import Embedder
from csbond.flows.turn import Skill
from csbond.flows.world import HOME_SPACE, Agent, World
from csbond.flows.write_memory import Kept, MemoryRequest, write_memory
from csbond.protocol.audit.record import Intent
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.messages.caller import OWNER
from csbond.store.sqlite import open_ledger
from csbond.testing import CountedIdentifiers, FixedSigner, KeptJournal, NoPeers, NullWebhooks, SetClock

__all__ = ["Filled", "Spoiled", "filled"]

BATCH = 100
"""Memories of one request."""
INTENT = Intent("measure what search finds", "owner", "owner token")


class Spoiled(Exception):
    """Something was not kept, or has no vector: what would be measured is not the search."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A memory with a collection in it, and the entry each of its keys became."""

    world: World
    entries: Mapping[str, str]


@asynccontextmanager
async def filled(collection: Collection, embedder: Embedder, folder: Path) -> AsyncIterator[Filled]:
    """A memory of its own for one collection, every vector in place; gone afterwards, but for the folder.

    Names and times are the same in every run, so that equal scores are ranked alike.
    """
    folder.mkdir(parents=True)
    signer, nobody = FixedSigner("bench"), cast(Any, None)
    ledger = await open_ledger(folder / "csbond.db", signer, "bench")
    try:
        journal, index = KeptJournal(), ExactIndex(embedder.dimension)
        world = World(
            agent=Agent("bench", signer.did),
            clock=SetClock(),
            identifiers=CountedIdentifiers(),
            ledger=ledger,
            skill=cast(Skill, nobody),
            webhooks=NullWebhooks(),
            peers=NoPeers(),
            journal=journal,
            embedder=embedder,
            index=index,
            nearest=IndexedNearest(index, ledger),
        )
        entries = await _written(world, collection.memories)
        await catch_up(world)
        _check(world, set(entries.values()), collection.name)
        yield Filled(world, entries)
        if journal.noted:
            raise Spoiled(f"{collection.name}: {journal.noted[0][1]}")
    finally:
        await ledger.close()


async def _written(world: World, memories: Sequence[Memory]) -> dict[str, str]:
    entries: dict[str, str] = {}
    for start in range(0, len(memories), BATCH):
        batch = memories[start : start + BATCH]
        outcomes = await write_memory(world, [_request(world, memory) for memory in batch], OWNER, INTENT)
        for memory, outcome in zip(batch, outcomes, strict=True):
            if not isinstance(outcome, Kept):
                raise Spoiled(f"{memory.key} was not kept: {outcome}")
            entries[memory.key] = outcome.entry.id
    return entries


def _request(world: World, memory: Memory) -> MemoryRequest:
    raw = {"content": memory.text, "tags": list(memory.tags)}
    return MemoryRequest(draft_from_json(raw, world.clock.now(), LevelNames()))


def _check(world: World, ids: set[str], name: str) -> None:
    vectors = world.index.count(HOME_SPACE) if world.index else 0
    if vectors != len(ids):
        raise Spoiled(f"{name}: {vectors} vectors for {len(ids)} entries")
