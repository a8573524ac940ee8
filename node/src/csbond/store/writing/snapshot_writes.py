"""How snapshots are kept, let go of, and how a load is noted."""

from __future__ import annotations

from csbond.flows.memory_changes import DropSnapshot, LogLoad, PutSnapshot
from csbond.protocol.errors import Refused
from csbond.store.writing.json_columns import to_json
from csbond.store.writing.writing import Writing


def put_snapshot(transaction: Writing, write: PutSnapshot) -> None:
    """Keep a snapshot and what it holds: `already_exists`."""
    head = write.head
    bindings = {
        "id": head.id,
        "space": write.space,
        "created": head.created,
        "source": head.source,
        "description": head.description,
        "total": head.total,
        "levels": to_json({level.value: count for level, count in head.levels.items()}),
        "checksum": head.checksum,
        "includes_links": head.includes_links,
        "includes_embeddings": head.includes_embeddings,
        "model_id": head.model_id,
    }
    if not transaction.changed("put_snapshot", bindings):
        raise Refused("already_exists", f"there is a snapshot {head.id} already", field="id")
    members = [
        (member.entry_id, member.version, [(each.target_id, each.relation, each.weight) for each in member.links])
        for member in write.members
    ]
    transaction.run("put_members", {"id": head.id, "members": to_json(members)})


def drop_snapshot(transaction: Writing, write: DropSnapshot) -> None:
    """Let go of a snapshot: `snapshot_not_found`."""
    transaction.run("drop_members", {"id": write.snapshot_id})
    if not transaction.changed("drop_snapshot", {"id": write.snapshot_id}):
        raise Refused("snapshot_not_found", f"there is no snapshot {write.snapshot_id}")


def log_load(transaction: Writing, write: LogLoad) -> None:
    """Note a load."""
    load = write.load
    transaction.run(
        "log_load",
        {
            "id": load.id,
            "snapshot_id": load.snapshot_id,
            "agent": load.agent,
            "source": load.source,
            "checksum": load.checksum,
            "loaded_at": load.loaded_at,
            "loaded_by": load.loaded_by,
            "counts": to_json(dict(load.counts)),
            "conflicts": to_json(load.conflicts),
            "lenient": load.lenient,
        },
    )
