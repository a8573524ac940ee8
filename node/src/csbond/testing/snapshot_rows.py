"""The snapshots of the in-memory ledger: how they are kept, and what they tell."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from csbond.flows.memory_changes import DropSnapshot, LogLoad, PutSnapshot, SnapshotMember
from csbond.protocol.errors import Refused
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.snapshot import SnapshotEntry, SnapshotHead, SnapshotLoad
from csbond.protocol.messages.listing import Page
from csbond.testing.memory_rows import Rows
from csbond.testing.open_rows import OpenRows
from csbond.testing.row_pages import page_of


class SnapshotReads(OpenRows):
    """The side of the ledger that tells of snapshots."""

    async def snapshots(self, space: str, before: tuple[int, str] | None, limit: int) -> Page[SnapshotHead]:
        """A page of the heads of snapshots as they were made, the latest first."""
        heads = [head for of_space, head in self._open().snapshots.values() if of_space == space]
        return page_of(heads, lambda head: (head.created, head.id), before, limit)

    async def snapshot_head(self, snapshot_id: str) -> SnapshotHead | None:
        """The head of a snapshot as it was made."""
        kept = self._open().snapshots.get(snapshot_id)
        return kept and kept[1]

    async def snapshot_members(self, snapshot_id: str, after_id: str, limit: int) -> tuple[SnapshotEntry, ...]:
        """The memories of a snapshot after an id, by id, each as it was then and is not deleted."""
        rows = self._open()
        members = sorted(key for key in rows.members if key[0] == snapshot_id and key[1] > after_id)
        found = (_as_held(rows, *rows.members[key]) for key in members)
        return tuple(each for each in found if each)[: max(0, limit)]

    async def snapshot_vectors(self, space: str, model_id: str, ids: Collection[str]) -> dict[str, bytes]:
        """The vectors that a model made of what these memories say now."""
        rows = self._open()
        found = {id_: _vector(rows, space, model_id, id_) for id_ in ids}
        return {id_: vector for id_, vector in found.items() if vector is not None}

    async def snapshot_loads(self, before: tuple[int, str] | None, limit: int) -> Page[SnapshotLoad]:
        """A page of the log of loads, the latest first."""
        return page_of(list(self._open().loads.values()), lambda load: (load.loaded_at, load.id), before, limit)


def put_snapshot(rows: Rows, write: PutSnapshot, _: int) -> None:
    """Keep a snapshot and what it holds."""
    head = write.head
    if head.id in rows.snapshots:
        raise Refused("already_exists", f"there is a snapshot {head.id} already", field="id")
    rows.put(rows.snapshots, head.id, (write.space, replace(head, levels=dict(head.levels))))
    for member in write.members:
        entry = rows.entries.get(member.entry_id)
        if entry is None or entry.version < member.version:
            continue
        is_present = entry.version == member.version
        vector = _vector(rows, write.space, head.model_id, entry.id) if is_present else None
        links = tuple(replace(link, made_by="") for link in member.links)
        rows.put(rows.members, (head.id, entry.id), (replace(member, links=links), vector))


def drop_snapshot(rows: Rows, write: DropSnapshot, _: int) -> None:
    """Let go of a snapshot."""
    if write.snapshot_id not in rows.snapshots:
        raise Refused("snapshot_not_found", f"there is no snapshot {write.snapshot_id}")
    rows.drop(rows.snapshots, write.snapshot_id)
    for key in [key for key in rows.members if key[0] == write.snapshot_id]:
        rows.drop(rows.members, key)


def drop_member(rows: Rows, entry_id: str) -> None:
    """Let no snapshot hold an entry that is erased."""
    for key in [key for key in rows.members if key[1] == entry_id]:
        rows.drop(rows.members, key)


def log_load(rows: Rows, write: LogLoad, _: int) -> None:
    """Note a load."""
    load = write.load
    rows.put(rows.loads, load.id, replace(load, counts=dict(load.counts)))


def _as_held(rows: Rows, member: SnapshotMember, vector: bytes | None) -> SnapshotEntry | None:
    entry = rows.entries[member.entry_id]
    if entry.deleted_at:
        return None
    if entry.version != member.version:
        entry = rows.versions[member.entry_id, member.version]
    links = tuple(link for link in member.links if _leads_somewhere(rows, link))
    return SnapshotEntry(replace(entry, links=links, linked=bool(member.links)), vector)


def _leads_somewhere(rows: Rows, link: Link) -> bool:
    target = rows.entries.get(link.target_id)
    return not link.target_id.startswith("mem_") or (target is not None and not target.deleted_at)


def _vector(rows: Rows, space: str, model_id: str, entry_id: str) -> bytes | None:
    kept, entry = rows.vectors.get((space, model_id, entry_id)), rows.entries.get(entry_id)
    return kept.vector if kept and entry and kept.seq >= entry.text_seq else None
