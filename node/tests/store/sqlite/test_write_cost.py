"""What a write costs does not depend on how much is there, nor on a model."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from csbond.flows.index_vectors import index_vectors
from csbond.flows.write_memory import Kept, MemoryRequest, write_memory
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.messages.caller import OWNER
from csbond.testing.meaning import ConceptEmbedder
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW, meaningful_world, small_world


async def write(world, first, count):
    drafts = [
        draft_from_json({"content": f"Memory {number} 记忆。", "tags": ["a"]}, NOW, LevelNames())
        for number in range(first, first + count)
    ]
    outcomes = await write_memory(world, [MemoryRequest(draft) for draft in drafts], OWNER, INTENT)
    assert all(isinstance(outcome, Kept) and not outcome.merged for outcome in outcomes)


async def cost(world, ledger, number):
    counts = ledger.statement_counts()
    await write(world, number, 1)
    return dict(counts.statements), counts.bytes


@requirement("MEM-003-speed-write", "MEM-005-report-15-slow-ingest")
async def test_a_write_executes_the_same_statements_with_few_and_with_many_memories(sqlite_ledger):
    world = small_world(sqlite_ledger)
    await write(world, 1_000, 10)
    few, few_bytes = await cost(world, sqlite_ledger, 1_010)
    for first in range(2_000, 5_000, 100):
        await write(world, first, 100)
    many, many_bytes = await cost(world, sqlite_ledger, 1_011)
    assert many == few
    assert sum(few.values()) < 15
    assert abs(many_bytes - few_bytes) < 16


class Silent(ConceptEmbedder):
    """A model that takes a text and never answers."""

    def __init__(self):
        super().__init__()
        self.asked = asyncio.Event()

    async def embed(self, texts, role):
        self.asked.set()
        await asyncio.Event().wait()


@requirement("MEM-005-report-15-slow-ingest")
async def test_no_write_waits_for_a_model_that_does_not_answer(sqlite_ledger):
    embedder = Silent()
    world = replace(meaningful_world(sqlite_ledger), embedder=embedder)
    worker = asyncio.create_task(index_vectors(world))
    try:
        for number in range(5):
            await write(world, 1_000 + number, 1)
        await asyncio.wait_for(embedder.asked.wait(), 10)
        assert world.signals.indexing.waiting == 5
    finally:
        worker.cancel()
