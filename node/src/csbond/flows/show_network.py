"""The network of memories is told: what lies around one of them, or the middle of the whole (MEM-001 §1.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from csbond.flows.measured_networks import Measured
from csbond.flows.ports import EntryQuery
from csbond.flows.read_memory import living_entry
from csbond.flows.world import HOME_SPACE, World
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.link import is_foreign
from csbond.protocol.memory.network import (
    EDGES_A_NODE,
    Edge,
    Network,
    Node,
    Place,
    Reached,
    a_step_further,
    between,
    is_full,
)
from csbond.protocol.memory.rights import may_read
from csbond.protocol.memory.visibility import Audience, audience_of
from csbond.protocol.messages.caller import Caller

READ_MAX = 10_000
"""Links that are read for one step: more than a network tells, so that the strongest are among them."""


async def show_network(world: World, entry_id: str, caller: Caller, depth: int, limit: int) -> Network:
    """What lies at most so many steps around a memory: so many memories at most, and the links between them.

    1. the caller may read memory (`forbidden`); 2. the memory is there for it (`memory_not_found`). What it may not be
    told of is neither told, nor counted, nor a step to something else. What is computed may be as of before the latest
    changes, as in `place_of`.
    """
    may_read(caller)
    center = await living_entry(world, entry_id, caller)
    audience = audience_of(caller)
    reached = await _reached(world, center.id, audience, depth, limit)
    found = await world.ledger.network_edges(HOME_SPACE, reached.ids, audience, READ_MAX, within=True)
    known = await world.signals.networks.lately(world.ledger, audience)
    nodes = await _nodes(world, reached.ids, audience, known)
    edges = _told(found, nodes, limit)
    return Network(nodes, edges, len(reached.beyond), len(found) - len(edges), center=center.id, depth=depth)


async def show_whole_network(world: World, caller: Caller, limit: int) -> Network:
    """The most central memories of the whole network, so many at most, and the links between them.

    1. the caller may read memory (`forbidden`).
    """
    may_read(caller)
    audience = audience_of(caller)
    known = await _measured(world, audience)
    central = sorted(known.places, key=lambda id_: (-known.places[id_].centrality, id_))[:limit]
    nodes = await _nodes(world, central, audience, known)
    edges = _told(known.linked.edges, nodes, limit)
    living = await world.ledger.entries(EntryQuery(HOME_SPACE, audience, limit=0))
    total, edges_total = known.linked.nodes_total, known.linked.edges_total
    unlinked = max(0, (living.total or 0) - total)
    return Network(nodes, edges, max(0, total - len(nodes)), max(0, edges_total - len(edges)), unlinked)


async def place_of(world: World, entry: MemoryEntry, caller: Caller) -> Place | None:
    """What is computed of a memory that is told with links to others; None for every other one.

    Of a large network the owner is told it as of before the latest changes, until they are computed.
    """
    if all(is_foreign(link.target_id) for link in entry.links):
        return None
    known = await world.signals.networks.lately(world.ledger, audience_of(caller))
    return known.places.get(entry.id)


async def _measured(world: World, audience: Audience) -> Measured:
    return await world.signals.networks.measured(world.ledger, audience)


async def _reached(world: World, center: str, audience: Audience, depth: int, limit: int) -> Reached:
    """The rings around a memory, each asked for by the one before."""
    reached = Reached(((center,),))
    for _ in range(depth):
        edges = await world.ledger.network_edges(HOME_SPACE, reached.rings[-1], audience, READ_MAX)
        reached = a_step_further(edges, reached, limit)
        if is_full(reached, limit):
            break
    return reached


async def _nodes(world: World, ids: Sequence[str], audience: Audience, known: Measured) -> tuple[Node, ...]:
    """Those that are still there."""
    found = await world.ledger.network_nodes(HOME_SPACE, ids, audience)
    return tuple(replace(found[id_], place=known.places.get(id_)) for id_ in ids if id_ in found)


def _told(edges: Sequence[Edge], nodes: Sequence[Node], limit: int) -> tuple[Edge, ...]:
    """The strongest links between memories that are told; they come in that order."""
    return tuple(between(edges, [node.id for node in nodes]))[: limit * EDGES_A_NODE]
