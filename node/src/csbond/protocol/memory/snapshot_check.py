"""A snapshot is read: nothing of it is believed before both checksums are those of what it holds (MEM-006 §6.3)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import orjson

from csbond.protocol.errors import CsbError, RemoteProtocolError
from csbond.protocol.json_shape import check_shape, count_of_names
from csbond.protocol.memory import entry_fields as fields
from csbond.protocol.memory.entry import Level, Origin, checked_text, refused
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.snapshot import (
    DEPTH_MAX,
    DESCRIPTION_MAX,
    NUMBERS_MAX,
    OBJECTS_MAX,
    Snapshot,
    SnapshotHead,
    SnapshotLimits,
    SnapshotMemory,
)
from csbond.protocol.memory.snapshot_json import checksum_of_lines, file_checksum_of, memory_line

_MEMBERS = ("snapshot", "memories", "metadata")
_OF_SNAPSHOT = ("version", "created", "source", "description", "schema_version", "id")
_OF_METADATA = (
    "totalCount",
    "levels",
    "checksum",
    "includes_links",
    "includes_embeddings",
    "embedding_model",
    "file_checksum",
)
_NAME_MAX = 256
"""Code points of the name of an agent, a model, a thread or a speaker."""
_NAME_SHOWN = 64
_MAJOR = re.compile(r"v?([0-9]{1,9})(?:\.[0-9x]{1,9})*", re.ASCII)
_NAMES = LevelNames()
Value = TypeVar("Value")
Json = Mapping[str, Any]


def checked_snapshot(raw: bytes, limits: SnapshotLimits, now: int, *, lenient: bool = False) -> Snapshot:
    """The snapshot in a file; `snapshot_refused` says what is wrong with it, and in which field.

    1. it is no longer than the limit, JSON that does not nest too deep, and has no more memories than the limit; 2. it
    has its three members; 3. there is no name in its head that nobody knows, unless it is read leniently: a changed
    letter must not switch a check off; 4. `checksum` is that of the memories; 5. so is `file_checksum` of all the rest,
    where there is one, and no object names anything twice; 6. `totalCount` and `levels` are those of the memories;
    7. the versions of the file and of what is in it are ones this node reads; 8. each memory can be read, and has an id
    of its own.
    """
    document = _document(raw, limits)
    snapshot, memories, metadata = _members(document, limits)
    unknown = tuple(_unknown(document, snapshot, metadata))
    if unknown and not lenient:
        raise _no(unknown[0], "is nothing that a snapshot has", "if its maker can be trusted, read it leniently")
    lines = _check_sums(snapshot, memories, metadata)
    _check_names(raw, document, lines)
    levels = _check_counts(memories, metadata)
    _check_versions(snapshot)
    head = _head(snapshot, metadata, len(memories), levels)
    return Snapshot(head, tuple(_read(memories, head, now)), unknown)


def _document(raw: bytes, limits: SnapshotLimits) -> Json:
    if len(raw) > limits.bytes:
        raise _no("", f"has {len(raw)} bytes; a snapshot has at most {limits.bytes}")
    try:
        check_shape(raw, DEPTH_MAX, limits.memories * NUMBERS_MAX, limits.memories * OBJECTS_MAX)
        found = orjson.loads(raw)
    except CsbError as fault:
        raise _no("", f"cannot be read: {fault.reason}") from fault
    except orjson.JSONDecodeError as fault:
        raise _no("", f"is not JSON in UTF-8: {fault.msg} at {fault.pos}") from fault
    if not isinstance(found, Mapping):
        raise _no("", "must be a JSON object")
    return found


def _members(document: Json, limits: SnapshotLimits) -> tuple[Json, Sequence[Json], Json]:
    snapshot, memories, metadata = (document.get(name) for name in _MEMBERS)
    if not isinstance(snapshot, Mapping):
        raise _no("snapshot", "must be an object that says what the snapshot is")
    if not isinstance(metadata, Mapping):
        raise _no("metadata", "must be an object with the counts and the checksum")
    if not isinstance(memories, list) or not all(isinstance(memory, Mapping) for memory in memories):
        raise _no("memories", "must be a list of objects")
    if len(memories) > limits.memories:
        raise _no("memories", f"are {len(memories)}; a snapshot has at most {limits.memories}")
    return snapshot, memories, metadata


def _unknown(document: Json, snapshot: Json, metadata: Json) -> Iterable[str]:
    yield from (name[:_NAME_SHOWN] for name in document if name not in _MEMBERS)
    yield from (f"snapshot.{name[:_NAME_SHOWN]}" for name in snapshot if name not in _OF_SNAPSHOT)
    yield from (f"metadata.{name[:_NAME_SHOWN]}" for name in metadata if name not in _OF_METADATA)


def _check_sums(snapshot: Json, memories: Sequence[Json], metadata: Json) -> Sequence[bytes]:
    """The canonical forms of the memories."""
    lines = [_as_refused(partial(memory_line, memory), place) for place, memory in enumerate(memories)]
    try:
        whole = file_checksum_of(lines, metadata, snapshot)
    except RemoteProtocolError as fault:
        raise _no("", f"has no canonical form: {fault.reason}") from fault
    if metadata.get("checksum") != checksum_of_lines(lines):
        raise _no("metadata.checksum", "is not that of the memories: the file was changed after it was made")
    if "file_checksum" in metadata and metadata["file_checksum"] != whole:
        raise _no("metadata.file_checksum", "is not that of the file: it was changed after it was made")
    return lines


def _check_names(raw: bytes, document: Json, lines: Sequence[bytes]) -> None:
    """Nothing, unless a name comes twice in one object: readers differ in which of the two they believe."""
    rest = orjson.dumps({name: value for name, value in document.items() if name != "memories"})
    if count_of_names(raw) != 1 + count_of_names(rest) + sum(map(count_of_names, lines)):
        raise _no("", "names something twice in one object")


def _check_counts(memories: Sequence[Json], metadata: Json) -> Mapping[Level, int]:
    if metadata.get("totalCount") != len(memories):
        raise _no("metadata.totalCount", f"is not {len(memories)}, as many as there are memories")
    levels = Counter(_level(place, memory) for place, memory in enumerate(memories))
    told = metadata.get("levels")
    counted = {level.value: levels[level] for level in Level}
    if not isinstance(told, Mapping) or {**dict.fromkeys(counted, 0), **told} != counted:
        raise _no("metadata.levels", "are not the counts of the memories of each tier")
    return levels


def _level(place: int, memory: Json) -> Level:
    return _as_refused(lambda: _NAMES.level(memory.get("level", Level.WARM)), place)


def _check_versions(snapshot: Json) -> None:
    for name in ("version", "schema_version"):
        value = snapshot.get(name)
        found = _MAJOR.fullmatch(value) if isinstance(value, str) else None
        if not found or found[1] != "1":
            raise _no(f"snapshot.{name}", "is not of the major version 1, which is the one this node reads")


def _head(snapshot: Json, metadata: Json, total: int, levels: Mapping[Level, int]) -> SnapshotHead:
    return SnapshotHead(
        id=_text(snapshot, "snapshot.id", _NAME_MAX),
        created=_as_refused(lambda: fields.COUNT.exact("created", snapshot.get("created", 0)), in_="snapshot."),
        source=_text(snapshot, "snapshot.source", _NAME_MAX),
        description=_text(snapshot, "snapshot.description", DESCRIPTION_MAX),
        total=total,
        levels=levels,
        checksum=metadata["checksum"],
        includes_links=_truth(metadata, "metadata.includes_links"),
        includes_embeddings=_truth(metadata, "metadata.includes_embeddings"),
        model_id=_text(metadata, "metadata.embedding_model", _NAME_MAX),
    )


def _read(memories: Sequence[Json], head: SnapshotHead, now: int) -> Iterable[SnapshotMemory]:
    """The memories that were not deleted where the snapshot was made.

    Vectors of a named model are left aside: whoever has the content can make them, and a wrong one would mislead.
    """
    seen: set[str] = set()
    for place, raw in enumerate(memories):
        memory = _as_refused(partial(_memory, raw, head, now), place)
        if memory.draft.id in seen:
            raise _no(f"memories[{place}].id", f"{memory.draft.id} comes twice")
        seen.add(memory.draft.id)
        metadata = raw.get("metadata")
        if not (isinstance(metadata, Mapping) and metadata.get("deleted") is True):
            yield memory


def _memory(raw: Json, head: SnapshotHead, now: int) -> SnapshotMemory:
    kept = {name: value for name, value in raw.items() if name != "embedding"} if head.model_id else raw
    draft = draft_from_json(kept, now, _NAMES)
    if not draft.id:
        raise refused("id", "is missing")
    piece = fields.COUNT.exact("piece", raw.get("piece", 0))
    return SnapshotMemory(draft, _origin(raw.get("origin", {})), _extends(raw.get("extends", "")), piece)


def _extends(value: object) -> str:
    if not isinstance(value, str) or (value and not fields.is_entry_id(value)):
        raise refused("extends", "must be the id of a memory")
    return value


def _origin(raw: object) -> Origin:
    if not isinstance(raw, Mapping):
        raise refused("origin", "must be an object")
    told = {}
    for name in ("thread_id", "message_id", "speaker"):
        value = raw.get(name, "")
        if not isinstance(value, str) or len(value) > _NAME_MAX:
            raise refused(f"origin.{name}", f"must be a text of at most {_NAME_MAX} characters")
        told[name] = checked_text(f"origin.{name}", value)
    return Origin(**told)


def _text(raw: Json, name: str, longest: int) -> str:
    value = raw.get(name.rpartition(".")[2], "")
    if not isinstance(value, str) or len(value) > longest or "\x00" in value:
        raise _no(name, f"must be a text of at most {longest} characters, none of them NUL")
    return value


def _truth(raw: Json, name: str) -> bool:
    value = raw.get(name.rpartition(".")[2], False)
    if not isinstance(value, bool):
        raise _no(name, "must be true or false")
    return value


def _as_refused(read: Callable[[], Value], place: int = 0, in_: str = "") -> Value:
    """What is read; a refusal of one field names its place in the file."""
    try:
        return read()
    except CsbError as fault:
        where = in_ or f"memories[{place}]."
        reason = fault.reason.removeprefix(f"{fault.field} ")
        raise _no(f"{where}{fault.field or 'content'}", reason) from fault


def _no(field: str, reason: str, next_step: str = "") -> RemoteProtocolError:
    return RemoteProtocolError(
        "snapshot_refused",
        f"{field or 'the snapshot'} {reason}",
        next_step=next_step or "get the file again from whoever made it",
        field=field,
    )
