"""A network as JSON: as the interface tells it, and as it is read back to be drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.network import Edge, Network, Node, Place


def place_to_json(place: Place) -> dict[str, Any]:
    """What is computed of a memory (MEM-001 §1.5)."""
    return {"network_id": place.network_id, "centrality": place.centrality, "clusters": list(place.clusters)}


def node_to_json(node: Node, names: LevelNames) -> dict[str, Any]:
    """A memory of a network; what is computed is left out where nothing is."""
    return {
        "id": node.id,
        "level": names.name(node.level),
        "type": node.type,
        "title": node.title,
        "tags": list(node.tags),
        **(place_to_json(node.place) if node.place else {}),
    }


def edge_to_json(edge: Edge) -> dict[str, Any]:
    """A link of a network."""
    return {
        "source_id": edge.source,
        "target_id": edge.target,
        "relation": edge.relation,
        "weight": edge.weight,
    }


def network_from_json(raw: Mapping[str, Any], names: LevelNames) -> Network:
    """A network from an answer of a node."""
    left_out = raw["left_out"]
    return Network(
        tuple(_node(each, names) for each in raw["nodes"]),
        tuple(Edge(each["source_id"], each["target_id"], each["relation"], each["weight"]) for each in raw["links"]),
        left_out["nodes"],
        left_out["links"],
        raw.get("unlinked", 0),
        raw.get("center", ""),
        raw.get("depth", 0),
    )


def _node(raw: Mapping[str, Any], names: LevelNames) -> Node:
    place = Place(raw["network_id"], raw["centrality"], tuple(raw["clusters"])) if "network_id" in raw else None
    return Node(raw["id"], names.level(raw["level"]), raw["type"], raw["title"], tuple(raw["tags"]), place)
