"""The three ways a question is asked: by words alone, by meaning alone, and as the node asks it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from csbond.flows.search_memory import MemorySearch, search_memory
from csbond.flows.world import HOME_SPACE, World
from csbond.protocol.memory.visibility import Audience

__all__ = ["FUSION", "OWNER_AUDIENCE", "VECTORS", "WAYS", "WORDS", "Unsemantic"]

WORDS, VECTORS, FUSION = "words", "vectors", "fusion"
OWNER_AUDIENCE = Audience(everything=True)

Ask = Callable[[World, str, int], Awaitable[list[str]]]
"""(memory, question, limit) → ids of entries, best first."""


class Unsemantic(Exception):
    """The node searched by words where it should have searched by meaning too."""


async def by_words(world: World, text: str, limit: int) -> list[str]:
    """The search of a node without an embedder."""
    answer = await search_memory(
        replace(world, embedder=None, index=None), MemorySearch(text, limit=limit), OWNER_AUDIENCE
    )
    return [found.entry.id for found in answer.results]


async def by_meaning(world: World, text: str, limit: int) -> list[str]:
    """The nearest vectors, whatever the words."""
    if world.embedder is None or world.index is None:
        raise Unsemantic("there is no embedder")
    (vector,) = await world.embedder.embed([text], "query")
    return [entry_id for entry_id, _ in world.index.search(HOME_SPACE, vector, limit, None)]


async def by_both(world: World, text: str, limit: int) -> list[str]:
    """The search of the node as it is."""
    answer = await search_memory(world, MemorySearch(text, limit=limit), OWNER_AUDIENCE)
    if not answer.semantic:
        raise Unsemantic(answer.reason)
    return [found.entry.id for found in answer.results]


WAYS: dict[str, Ask] = {WORDS: by_words, VECTORS: by_meaning, FUSION: by_both}
