"""The owner has every memory embedded anew, because the model behind the name has changed (MEM-002 §2.2)."""

from __future__ import annotations

from dataclasses import dataclass

from csbond.flows.world import World
from csbond.protocol.errors import Unavailable


@dataclass(frozen=True, slots=True)
class Remaking:
    """What the worker has before it; how far it is, the status tells."""

    model: str
    started: bool
    """False when it was under way already."""
    entries: int
    """Memories that get a vector."""


async def remake_vectors(world: World) -> Remaking:
    """Let the worker drop the vectors of its model and make them anew; search goes by words until they are back.

    `embedder_unavailable` where there is no embedder, with the reason.
    """
    if world.embedder is None:
        raise Unavailable("embedder_unavailable", world.no_embedder)
    entries = (await world.ledger.counts())["entries"]
    return Remaking(world.embedder.model_id, world.signals.indexing.make_anew(), entries)
