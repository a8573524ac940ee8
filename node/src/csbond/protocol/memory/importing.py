"""What an import does with its records: which are new, which are the next version of a memory, which are refused."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import orjson

from csbond.protocol.errors import CsbError, Refused
from csbond.protocol.memory.entry import MemoryEntry, refused
from csbond.protocol.memory.entry_json import EntryDraft, draft_from_json, revised
from csbond.protocol.memory.foreign_record import ForeignName, ForeignRecord, ForeignVector
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.pieces import TEXT_MAX, cut_content
from csbond.protocol.memory.supplied_vector import usable
from csbond.protocol.memory.told_elsewhere import INTEROP, modest

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
    held: bool = False
    """Whether the record may only say what is there: it names the id of a memory that is not its agent's."""


@dataclass(frozen=True, slots=True)
class Importing:
    """What holds for all records of an import."""

    names: LevelNames = field(default_factory=LevelNames)
    text_max: int = TEXT_MAX
    """Code points of the longest text that is taken."""
    own_model: str = ""
    """The model of this node; "" without one."""
    own_dimension: int = 0
    own_agent: str = ""
    """The name of this home's agent."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A record that cannot be a memory, or may not."""

    record: ForeignRecord
    fault: CsbError


@dataclass(frozen=True, slots=True)
class Fresh:
    """A record that becomes a memory, or several where its text is long."""

    record: ForeignRecord
    digest: str
    draft: EntryDraft
    """With the first piece of its text."""
    contents: tuple[str, ...]
    """The pieces of its text."""
    vector: ForeignVector | None
    """To be kept beside it: one of another model."""


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A record whose memory is here already."""

    record: ForeignRecord
    digest: str
    known: KnownRecord
    vector: ForeignVector | None = None
    links: bool = False
    """Whether links are to be set still."""


@dataclass(frozen=True, slots=True)
class Update:
    """A record that is the next version of a memory that is here."""

    record: ForeignRecord
    digest: str
    known: KnownRecord
    edit: Mapping[str, Any]
    """The fields that it says, of a long text with its first piece."""
    contents: tuple[str, ...]
    vector: ForeignVector | None = None


Planned = Refusal | Fresh | Unchanged | Update
"""What is to be done with one record."""


def plan_import(
    records: Sequence[ForeignRecord], known: Mapping[ForeignName, KnownRecord], now: int, importing: Importing
) -> tuple[Planned, ...]:
    """What becomes of each record, in order; no two of them have one name.

    1. what cannot be a memory is refused with its field; 2. what was deleted here stays deleted; 3. what comes as it
    came last time is unchanged, whatever became of its memory since; 4. what is known and comes otherwise is its next
    version, unless only its id is known and the memory is another's (`already_exists`); 5. the rest is new, in pieces
    where it is longer than an entry.
    """
    return tuple(_planned(record, known.get(record.name), now, importing) for record in records)


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


def _parted(piece: MemoryEntry, now: int, by: str) -> MemoryEntry:
    return replace(
        piece,
        version=piece.version + 1,
        extends="",
        piece=0,
        deleted_at=piece.deleted_at or now,
        deleted_by=piece.deleted_by or "manual",
        deleter=piece.deleter or by,
    )


def _planned(record: ForeignRecord, known: KnownRecord | None, now: int, importing: Importing) -> Planned:
    try:
        digest = record_digest(record)
        contents = cut_content(record.memory.get("content"), importing.text_max)
        asked = draft_from_json({**record.memory, "content": contents[0]}, now, importing.names)
        memory = modest(record.memory, asked) if record.foreign else record.memory
        apart = record.vector and usable(record.vector, importing.own_model, importing.own_dimension) == "apart"
        vector = record.vector if apart else None
        if known is None:
            draft = draft_from_json({**memory, "content": contents[0]}, now, importing.names)
            return Fresh(record, digest, draft, contents, vector)
        if known.held:
            return _held(record, known, digest, contents, now, importing.names)
        return _again(
            replace(record, memory=memory), known, digest, contents, now, vector=vector, names=importing.names
        )
    except TypeError as fault:
        return Refusal(record, refused("unknown fields", f"cannot be kept: {fault}"))
    except CsbError as fault:
        return Refusal(record, fault)


def _again(
    record: ForeignRecord,
    known: KnownRecord,
    digest: str,
    contents: tuple[str, ...],
    now: int,
    *,
    vector: ForeignVector | None,
    names: LevelNames,
) -> Unchanged | Update:
    _refuse_deleted(known.pieces[0])
    if known.digest == digest:
        return Unchanged(record, digest, known, links=not known.linked)
    edit = _edit(record.memory, contents)
    if _says_the_same(known, edit, contents, now, names):
        return Unchanged(record, digest, known, vector, links=bool(record.links))
    return Update(record, digest, known, edit, contents, vector)


def _held(
    record: ForeignRecord, known: KnownRecord, digest: str, contents: tuple[str, ...], now: int, names: LevelNames
) -> Unchanged:
    """Nothing is to be done, neither now nor when the record comes again; or `already_exists`."""
    first = known.pieces[0]
    _refuse_deleted(first)
    said = {name: value for name, value in record.memory.items() if name != INTEROP}
    if _says_the_same(known, _edit(said, contents), contents, now, names):
        return Unchanged(record, digest, known)
    raise Refused(
        "already_exists",
        f"the memory {first.id} is here, is not of {record.name.agent}, and says something else",
        next_step="edit it here, or leave the id out of the record",
        field="id",
    )


def _edit(memory: Mapping[str, Any], contents: Sequence[str]) -> dict[str, Any]:
    edit = {name: value for name, value in memory.items() if name not in _OF_THIS_HOME}
    return edit | {"content": contents[0]}


def _says_the_same(
    known: KnownRecord, edit: Mapping[str, Any], contents: tuple[str, ...], now: int, names: LevelNames
) -> bool:
    living = tuple(piece.content for piece in known.pieces if not piece.deleted_at)
    return revised(known.pieces[0], edit, now, names) == known.pieces[0] and living == contents


def _refuse_deleted(first: MemoryEntry) -> None:
    if first.deleted_at:
        raise Refused(
            "already_exists",
            f"the memory {first.id} was deleted here",
            next_step=f"restore it first: csb memory restore {first.id}",
            field="id",
        )
