"""What an import does with its records: which are new, which are the next version of a memory, which are refused."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import orjson

from csbond.protocol.errors import CsbError, Refused
from csbond.protocol.memory.entry import MemoryEntry, refused
from csbond.protocol.memory.entry_json import EntryDraft, draft_from_json, revised
from csbond.protocol.memory.foreign_record import ForeignName, ForeignRecord
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.pieces import TEXT_MAX, cut_content

Outcome = Literal["stored", "pieces", "unchanged", "updated", "linked", "refused"]
"""`linked` is a record that is nothing but a link."""
_OF_THIS_HOME = ("id", "level", "links", "visibility")
"""What a record does not change of a memory that is here: its name, its tier, its links and who may hear of it."""


@dataclass(frozen=True, slots=True)
class RecordOutcome:
    """What became of one record, or of a part of the source that is none."""

    place: str
    outcome: Outcome
    ids: tuple[str, ...] = ()
    """Its memory, with all pieces of a long text."""
    fault: CsbError | None = None
    """Why it was refused."""
    same_key: bool = False
    """Whether another record of the source is known by the same name: this one came later."""


@dataclass(frozen=True, slots=True)
class KnownRecord:
    """A memory that a record was imported as before, or that has the id it names."""

    pieces: tuple[MemoryEntry, ...]
    """The memory, or all pieces of its text."""
    digest: str = ""
    """Of the record that was imported last; "" when none was."""
    linked: bool = True
    """Whether the links of that record were all set."""


@dataclass(frozen=True, slots=True)
class Planned:
    """What is to be done with one record."""

    record: ForeignRecord
    outcome: Outcome
    digest: str = ""
    draft: EntryDraft | None = None
    """Of a new memory, with the first piece of its text."""
    contents: tuple[str, ...] = ()
    """The pieces of its text."""
    known: KnownRecord | None = None
    edit: Mapping[str, Any] | None = None
    """Of a memory that is here: the fields the record says, its content aside where that is long."""
    fault: CsbError | None = None
    links: bool = False
    """Whether links are to be set."""


def plan_import(
    records: Sequence[ForeignRecord],
    known: Mapping[ForeignName, KnownRecord],
    now: int,
    names: LevelNames,
    text_max: int = TEXT_MAX,
) -> tuple[Planned, ...]:
    """What becomes of each record, in order; no two of them have one name.

    1. what cannot be a memory is refused with its field; 2. what was deleted here stays deleted; 3. what comes as it
    came last time is unchanged, whatever became of its memory since; 4. what is known and comes otherwise is its next
    version; 5. the rest is new, in pieces where it is longer than an entry.
    """
    return tuple(_planned(record, known.get(record.name), now, names, text_max) for record in records)


def record_digest(record: ForeignRecord) -> str:
    """What two records have in common that say the same."""
    vector = record.vector and [record.vector.fingerprint, hashlib.sha256(record.vector.numbers).hexdigest()]
    links = [[link.target, link.relation, link.weight, link.beside] for link in record.links]
    said = orjson.dumps([record.memory, links, vector], option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(said).hexdigest()


def rewritten(
    pieces: Sequence[MemoryEntry], contents: Sequence[str], now: int, by: str
) -> tuple[tuple[MemoryEntry, ...], tuple[str, ...]]:
    """The next versions of a text's pieces under new contents, and the contents that no piece is there for.

    A piece too many is deleted and belongs to the text no more; a deleted one that is needed lives again.
    """
    changed: list[MemoryEntry] = []
    for piece, content in zip(pieces, contents, strict=False):
        after = replace(piece, content=content, deleted_at=0, deleted_by="", deleter="")
        if after != piece:
            changed.append(replace(after, version=piece.version + 1))
    changed += (_parted(piece, now, by) for piece in pieces[len(contents) :])
    return tuple(changed), tuple(contents[len(pieces) :])


def _planned(record: ForeignRecord, known: KnownRecord | None, now: int, names: LevelNames, text_max: int) -> Planned:
    try:
        digest = record_digest(record)
        contents = cut_content(record.memory.get("content"), text_max)
        memory = {**record.memory, "content": contents[0]}
        draft = draft_from_json(memory, now, names)
        if known is None:
            outcome: Outcome = "pieces" if len(contents) > 1 else "stored"
            return Planned(record, outcome, digest, draft, contents, links=bool(record.links))
        return _again(record, known, digest, contents, now, names)
    except TypeError as fault:
        return Planned(record, "refused", fault=refused("unknown fields", f"cannot be kept: {fault}"))
    except CsbError as fault:
        return Planned(record, "refused", fault=fault)


def _again(
    record: ForeignRecord, known: KnownRecord, digest: str, contents: tuple[str, ...], now: int, names: LevelNames
) -> Planned:
    first = known.pieces[0]
    if first.deleted_at:
        raise Refused(
            "already_exists",
            f"the memory {first.id} was deleted here",
            next_step=f"restore it first: csb memory restore {first.id}",
            field="id",
        )
    if known.digest == digest:
        return Planned(record, "unchanged", digest, known=known, links=not known.linked)
    edit = {name: value for name, value in record.memory.items() if name not in _OF_THIS_HOME}
    edit["content"] = contents[0]
    after = revised(first, edit, now, names)
    living = tuple(piece.content for piece in known.pieces if not piece.deleted_at)
    same = after == first and living == contents
    outcome: Outcome = "unchanged" if same else "updated"
    return Planned(record, outcome, digest, None, contents, known, edit, links=bool(record.links))
