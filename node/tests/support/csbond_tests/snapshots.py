"""Snapshots for the tests: files of a few memories, and what a home makes and loads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from csbond.flows.load_snapshot import Loaded, LoadRequest, load_snapshot
from csbond.flows.make_snapshot import SnapshotRequest, make_snapshot
from csbond.flows.show_snapshot import snapshot_lines
from csbond.flows.world import World
from csbond.protocol.memory.snapshot import SnapshotHead
from csbond.protocol.memory.snapshot_json import memory_to_json, shown_head, snapshot_bytes, snapshot_document
from csbond.protocol.messages.caller import OWNER
from csbond_tests.ledger_samples import NOW, an_entry
from csbond_tests.small_world import INTENT

__all__ = [
    "HEAD",
    "LOADED",
    "SHOWN",
    "VERIFIED",
    "file_of",
    "file_of_home",
    "loaded",
    "made",
    "memory",
    "resealed",
    "three_memories",
]

HEAD = SnapshotHead("snap_1800000000000_abc", NOW, "Luna", "what we know")

SHOWN = shown_head(HEAD)
VERIFIED: dict[str, Any] = {"valid": True, "snapshot": SHOWN, "unknown": []}
"""What a node answers to the commands that verify and load."""
COUNTS = ("loaded", "same", "replaced", "conflicts", "deleted_here", "outlived", "unresolved_links")
LOADED: dict[str, Any] = {"dry_run": False, "snapshot": SHOWN, "counts": dict.fromkeys(COUNTS, 0), "conflicts": []}


def memory(id_: str, content: str = "The river was cold.", **fields: Any) -> dict[str, Any]:
    """Return a memory as a snapshot has it."""
    raw = memory_to_json(an_entry(id_, content))
    return {**raw, **fields, "metadata": {**raw["metadata"], **fields.get("metadata", {})}}


def three_memories() -> list[dict[str, Any]]:
    """Return a hot, a warm and a cold memory, of which one links to another."""
    return [
        memory("mem_1_a", "The river was cold.", level="hot", tags=["river", "水"]),
        memory("mem_2_b", "河水很冷。", level="warm", metadata={"ttl": 1, "project": "trip", "why": 0.25}),
        memory(
            "mem_3_c", "We swam.", level="cold", links=[{"target_id": "mem_1_a", "relation": "extends", "weight": 0.5}]
        ),
    ]


def file_of(*memories: Mapping[str, Any], head: SnapshotHead = HEAD) -> bytes:
    """Return the file of these memories."""
    return b"".join(snapshot_bytes(snapshot_document(head, memories)))


def resealed(raw: bytes, **changes: Any) -> bytes:
    """Return a file whose document is changed at the paths that are named, and whose checksum fits again."""
    document = orjson.loads(raw)
    for path, value in changes.items():
        member, _, name = path.partition("__")
        if name:
            document[member][name] = value
        else:
            document[member] = value
    again = snapshot_document(HEAD, document["memories"])
    document["metadata"] = {**document["metadata"], "checksum": again["metadata"]["checksum"]}
    del document["metadata"]["file_checksum"]
    return orjson.dumps(document)


async def made(world: World, description: str = "", **wishes: Any) -> SnapshotHead:
    """Make a snapshot as the owner does."""
    return await make_snapshot(world, SnapshotRequest(description, **wishes), OWNER, INTENT)


async def file_of_home(world: World, head: SnapshotHead | None = None, **wishes: Any) -> bytes:
    """Return the file of a snapshot of a home, of a new one where none is given."""
    return b"".join([line async for line in snapshot_lines(world, head or await made(world, **wishes))])


async def loaded(world: World, raw: bytes, **wishes: Any) -> Loaded:
    """Load a file as the owner does."""
    return await load_snapshot(world, raw, LoadRequest(**wishes), OWNER, INTENT)
