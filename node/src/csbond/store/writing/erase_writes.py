"""How an entry is erased: every row that says anything of it, and what it is found by; its record may stay."""

from __future__ import annotations

from csbond.flows.memory_changes import EraseEntry, PurgeArchive
from csbond.protocol.errors import Refused
from csbond.protocol.memory.named_targets import without_target
from csbond.protocol.memory.whitespace import ArchivedMemory
from csbond.store.writing.json_columns import from_json, to_json
from csbond.store.writing.writing import Writing

_HAS = (
    "erase_versions",
    "erase_tags",
    "erase_vectors",
    "erase_links",
    "erase_names",
    "erase_members",
    "erase_foreign_names",
    "erase_foreign_vectors",
)
"""The statements that remove what belongs to an entry; rows point to it, so they go first."""


def erase_entry(transaction: Writing, write: EraseEntry, space: str, seq: int) -> None:
    """Remove an entry and keep its record: `version_conflict` when it is another version, or gone.

    `seq` is the place of the change in the order of its `space`.
    """
    rows = transaction.run("entry_at_version", {"id": write.entry_id, "version": write.version})
    if not rows:
        raise Refused(
            "version_conflict",
            f"the memory {write.entry_id} is not at version {write.version}",
            next_step="read it again",
        )
    row, deleted_at = rows[0]
    for name in _HAS:
        transaction.run(name, {"row": row})
    transaction.run("erase_links_to", {"row": row})
    _forget_name(transaction, write.entry_id, space, seq)
    transaction.index_words("deleted" if deleted_at else "entry", row, None)
    transaction.run("erase_entry", {"row": row})
    transaction.run("note_erasure", {"asked_at": write.erased_at})
    if write.archive is not None:
        _archive(transaction, write.archive)


def purge_archive(transaction: Writing, write: PurgeArchive) -> None:
    """Remove records of cleared entries."""
    transaction.run("purge_archive", {"ids": to_json(list(write.ids))})


def _forget_name(transaction: Writing, entry_id: str, space: str, seq: int) -> None:
    """Remove what others tell of it beside their links, and what their earlier versions tell in any way."""
    entries = transaction.run("naming_entries", {"id": entry_id})
    versions = transaction.run("naming_versions", {"id": entry_id})
    for row, told in entries:
        extra = from_json(told)
        left = without_target(extra, entry_id)
        if left is not extra:
            transaction.run("keep_extra", {"row": row, "extra": to_json(left), "space": space, "seq": seq})
    for row, version, told, linked in versions:
        links = [link for link in from_json(linked) if link[0] != entry_id]
        left = without_target(from_json(told), entry_id)
        bindings = {"row": row, "version": version, "extra": to_json(left), "links": to_json(links)}
        transaction.run("keep_rest_of_version", bindings)
    if entries or versions:
        transaction.run("erase_names_of", {"id": entry_id})


def _archive(transaction: Writing, record: ArchivedMemory) -> None:
    transaction.run(
        "archive_entry",
        {
            "id": record.id,
            "space": record.space,
            "type": record.type,
            "timestamp": record.timestamp,
            "original_level": record.original_level.value,
            "deleted_at": record.deleted_at,
            "cleared_at": record.cleared_at,
            "reason": record.reason,
            "operator": record.operator,
            "trigger": record.trigger,
            "rule": record.rule,
            "original_seq": record.original_seq,
        },
    )
