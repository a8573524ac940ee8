"""`/v1/memory/network` and `/v1/memory/stats`: how memories hang together, and memory in numbers (MEM-003 §3.1)."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import orjson
from fastapi import Query, Request
from starlette.responses import Response

from csbond.api.memory import MemoryId
from csbond.api.operation import Operation
from csbond.api.problems import Json
from csbond.api.served import caller_of, served
from csbond.flows.show_network import show_network, show_whole_network
from csbond.flows.show_stats import OwnersStats, StatsShown, show_stats
from csbond.protocol.memory.answer_size import ANSWER_BYTES, within
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.network import DEPTH_MAX, SHOWN_DEFAULT, SHOWN_MAX, Network, between
from csbond.protocol.memory.network_json import edge_to_json, node_to_json
from csbond.protocol.memory.stats import GROWTH_DAYS, GROWTH_DAYS_MAX, removals, tallied

DEPTH_DEFAULT = 2
"""Steps around a memory: what it links to, and what that does."""
_FOR_NODES = ANSWER_BYTES * 3 // 5

Depth = Annotated[int, Query(ge=1, le=DEPTH_MAX, description="Steps around the memory.")]
Nodes = Annotated[
    int | None,
    Query(
        ge=1,
        le=SHOWN_MAX,
        description=f"Memories to tell at most; without it up to {SHOWN_DEFAULT}, as many as one answer holds.",
    ),
]
Days = Annotated[int, Query(ge=1, le=GROWTH_DAYS_MAX, description="Days of growth and of removals.")]


async def around_one(request: Request, id: MemoryId, depth: Depth = DEPTH_DEFAULT, limit: Nodes = None) -> Response:
    """What lies around one memory, the nearest first, and the links between all of it."""
    here = served(request)
    found = await show_network(here.world, id, caller_of(request), depth, limit or SHOWN_DEFAULT)
    about = {"center": found.center, "depth": found.depth}
    return Json(about | _shown(found, here.names, whole=limit is not None))


async def whole(request: Request, limit: Nodes = None) -> Response:
    """The most central memories of all that are linked, and the links between them."""
    here = served(request)
    found = await show_whole_network(here.world, caller_of(request), limit or SHOWN_DEFAULT)
    return Json({**_shown(found, here.names, whole=limit is not None), "unlinked": found.unlinked})


async def stats(request: Request, days: Days = GROWTH_DAYS) -> Response:
    """The numbers as they are now."""
    here = served(request)
    shown = await show_stats(here.world, caller_of(request), days)
    return Json(_stats(shown, here.names) | (_owners(shown.owners, here.names) if shown.owners else {}))


def _shown(network: Network, names: LevelNames, *, whole: bool) -> dict[str, Any]:
    told = network if whole else _fitting(network, names)
    return {
        "nodes": [node_to_json(node, names) for node in told.nodes],
        "links": [edge_to_json(edge) for edge in told.edges],
        "left_out": {"nodes": told.left_out_nodes, "links": told.left_out_edges},
    }


def _fitting(network: Network, names: LevelNames) -> Network:
    """As much of a network as one answer holds; the rest is left out, and counted."""
    sizes = [len(orjson.dumps(node_to_json(node, names))) for node in network.nodes]
    nodes = network.nodes[: within(sizes, _FOR_NODES)]
    inside = tuple(between(network.edges, [node.id for node in nodes]))
    room = ANSWER_BYTES - sum(sizes[: len(nodes)])
    edges = inside[: within((len(orjson.dumps(edge_to_json(edge))) for edge in inside), room)]
    return replace(
        network,
        nodes=nodes,
        edges=edges,
        left_out_nodes=network.left_out_nodes + len(network.nodes) - len(nodes),
        left_out_edges=network.left_out_edges + len(network.edges) - len(edges),
    )


def _stats(shown: StatsShown, names: LevelNames) -> dict[str, Any]:
    levels = tallied(shown.stats, "level")
    return {
        "at": shown.at,
        "total": shown.stats.total,
        "levels": {name: levels.get(level.value, 0) for level, name in names.written.items()},
        "types": tallied(shown.stats, "type"),
        "sources": tallied(shown.stats, "source"),
        "visibilities": dict(shown.stats.visibilities),
        "linked": shown.stats.linked,
        "links": shown.stats.links,
        "growth": [{"date": day.date, "kept": day.kept} for day in shown.growth],
    }


def _owners(owners: OwnersStats, names: LevelNames) -> dict[str, Any]:
    upkeep, tiers, index = owners.upkeep, owners.tiers, owners.index
    held = {names.name(level): upkeep.held.get(level.value, 0) for level in names.written}
    project, count = upkeep.fullest
    return {
        "caps": {
            "held": held,
            "hot_cap": tiers.hot_cap,
            "hot_pinned": upkeep.pinned,
            "warm_cap": tiers.warm_cap,
            "fullest_project": {"project": project, "held": count} if count else None,
        },
        "removals": removals(upkeep.removed),
        "waiting": {
            "restorable": upkeep.deleted,
            "reviews": upkeep.reviews,
            "vectors": index.waiting,
            "archived": upkeep.archived,
        },
        "file_bytes": upkeep.file_bytes,
        "index": {
            "semantic": index.semantic,
            "model": index.model or None,
            "through": index.through,
            "space_seq": index.space_seq,
            "failure": index.failure or None,
        },
    }


OPERATIONS = (
    Operation("GET", "/v1/memory/stats", stats, answer="MemoryStats"),
    Operation("GET", "/v1/memory/network", whole, answer="MemoryWholeNetwork"),
    Operation("GET", "/v1/memory/network/{id}", around_one, answer="MemoryNetwork"),
)
