"""The owner asks how the node is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from csbond.flows.world import HOME_SPACE, World


@dataclass(frozen=True, slots=True)
class NodeStatus:
    """How the node is, in numbers."""

    counts: Mapping[str, int]
    space_seq: int
    semantic: bool
    model: str
    indexed_through: int
    """Entries up to this place in the order have their vectors."""
    waiting: int
    """Entries without a vector yet."""
    failure: str
    """Why the embedder does not answer; empty while it does."""
    no_embedder: str
    """Why there is none; empty where there is one."""
    remaking: bool
    """Whether all vectors are being made anew."""
    index: str
    """How vectors are compared; empty without any."""
    index_note: str
    """What the owner should know of that."""
    running_tasks: int
    draining: bool


async def show_status(world: World) -> NodeStatus:
    """The numbers as they are now."""
    indexing, embedder = world.signals.indexing, world.embedder
    state = world.index.state(HOME_SPACE) if world.index and embedder else None
    return NodeStatus(
        counts=await world.ledger.counts(),
        space_seq=await world.ledger.space_seq(HOME_SPACE),
        semantic=embedder is not None and not indexing.failure,
        model=embedder.model_id if embedder else "",
        indexed_through=indexing.through if embedder else 0,
        waiting=indexing.waiting if embedder else 0,
        failure=indexing.failure,
        no_embedder="" if embedder else world.no_embedder,
        remaking=indexing.anew or indexing.remaking,
        index=state.kind if state else "",
        index_note=state.note if state else "",
        running_tasks=sum(live.runner is not None for live in world.live.by_id.values()),
        draining=world.live.draining,
    )
