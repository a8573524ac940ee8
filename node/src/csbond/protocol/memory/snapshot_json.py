"""A snapshot as a file: the same memories give the same bytes, one a line, under two checksums (MEM-006 §6.1)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson

from csbond.protocol.canonical_json import canonical_bytes
from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.memory.entry import Level, MemoryEntry, refused
from csbond.protocol.memory.entry_shown import entry_to_json
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.snapshot import SCHEMA_VERSION, VERSION, SnapshotEntry, SnapshotHead
from csbond.protocol.memory.vectors import unpack

_NAMES = LevelNames()
_INTEGERS_END = 10**21
"""From here on a number is written with an exponent (RFC 8785 §3.2.2.3)."""
_MOVING = ("lastAccessed", "accessCount", "version")
"""Counters of one home, which move by themselves."""


def memory_to_json(entry: MemoryEntry, *, links: bool = True, embedding: bytes | None = None) -> dict[str, Any]:
    """A memory as a snapshot has it: what MEM-001 says of it, without what only its home counts, and of whom it is.

    Its links name no rule that made them, and a supplied embedding is left out.
    """
    kept = replace(entry, links=tuple(replace(link, made_by="") for link in entry.links) if links else ())
    raw = entry_to_json(kept, _NAMES, with_embedding=False)
    for name in ("seq", "understood", *(() if links else ("link_metadata",))):
        raw.pop(name, None)
    raw["metadata"] = {name: value for name, value in raw["metadata"].items() if name not in _MOVING}
    raw["origin"] = {name: value for name, value in raw.get("origin", {}).items() if name != "caller" and value}
    if not raw["origin"]:
        del raw["origin"]
    if embedding is not None:
        raw["embedding"] = numbers_of(embedding)
    return raw


def entry_line(held: SnapshotEntry, head: SnapshotHead) -> bytes:
    """The canonical form of a memory in a snapshot with that head."""
    raw = memory_to_json(held.entry, links=head.includes_links, embedding=held.embedding if head.model_id else None)
    if head.includes_embeddings and not head.model_id and "embedding" in held.entry.extra:
        raw["embedding"] = held.entry.extra["embedding"]
    return memory_line(raw)


def numbers_of(vector: bytes) -> list[float]:
    """The numbers of a vector with the nine digits that tell any two of them apart."""
    numbers = unpack(vector)
    written: list[float] = orjson.loads("[" + ",".join(["%.9g"] * len(numbers)) % numbers + "]")
    return written


def memory_line(memory: Mapping[str, Any]) -> bytes:
    """The canonical form of a memory; `invalid_params` names a field whose number would not come back as it is."""
    try:
        return canonical_bytes(memory)
    except RemoteProtocolError:
        place = next(_inexact(memory, ""), "")
        if place:
            raise refused(place, "is a whole number beyond 2^53, which JSON readers round") from None
        return canonical_bytes(_as_fractions(memory))


def checksum_of(memories: Sequence[Mapping[str, Any]]) -> str:
    """`sha256:` and the hex digest of the canonical form of memories."""
    return checksum_of_lines([memory_line(memory) for memory in memories])


def checksum_of_lines(lines: Sequence[bytes]) -> str:
    """The checksum of memories by their canonical forms."""
    return "sha256:" + hashlib.sha256(b"[" + b",".join(lines) + b"]").hexdigest()


class SnapshotText:
    """The bytes of a snapshot, line after line: its head, then each memory in the order of ids, then the checksums."""

    def __init__(self, head: SnapshotHead) -> None:
        self._head = head
        self._levels = Counter[Level]()
        self._of_memories = hashlib.sha256(b"[")
        self._of_file = hashlib.sha256(b'{"memories":[')
        self._total = 0

    def first(self) -> bytes:
        """The line before the memories."""
        return b'{"snapshot":' + canonical_bytes(_head_to_json(self._head)) + b',\n"memories":['

    def memory(self, line: bytes, level: Level) -> bytes:
        """The line of a memory, by its canonical form."""
        comma = b"," if self._total else b""
        for digest in (self._of_memories, self._of_file):
            digest.update(comma + line)
        self._total += 1
        self._levels[level] += 1
        return comma + b"\n" + line

    def head(self) -> SnapshotHead:
        """The head of a snapshot of the memories so far."""
        digest = self._of_memories.copy()
        digest.update(b"]")
        checksum = "sha256:" + digest.hexdigest()
        return replace(self._head, total=self._total, levels=dict(self._levels), checksum=checksum)

    def last(self) -> bytes:
        """What ends the file after its last memory."""
        metadata = _metadata(self.head())
        snapshot = canonical_bytes(_head_to_json(self._head))
        self._of_file.update(b'],"metadata":' + canonical_bytes(metadata) + b',"snapshot":' + snapshot + b"}")
        whole = {**metadata, "file_checksum": "sha256:" + self._of_file.hexdigest()}
        return b'\n],\n"metadata":' + canonical_bytes(whole) + b"}\n"


def snapshot_document(head: SnapshotHead, memories: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The whole file as JSON, with the counts and checksums of these memories, which are put in the order of ids."""
    document: dict[str, Any] = orjson.loads(b"".join(_lines(head, memories)))
    return document


def snapshot_bytes(document: Mapping[str, Any]) -> Iterator[bytes]:
    """The bytes of such a file, line by line: the same for the same document, in whatever order its parts are."""
    yield b'{"snapshot":' + canonical_bytes(document["snapshot"]) + b',\n"memories":['
    for place, memory in enumerate(document["memories"]):
        yield (b"," if place else b"") + b"\n" + memory_line(memory)
    yield b'\n],\n"metadata":' + canonical_bytes(document["metadata"]) + b"}\n"


def file_checksum_of(lines: Sequence[bytes], metadata: Mapping[str, Any], snapshot: Mapping[str, Any]) -> str:
    """The checksum over all of a file but itself, by the canonical forms of its memories."""
    rest = {name: value for name, value in metadata.items() if name != "file_checksum"}
    digest = hashlib.sha256(b'{"memories":[' + b",".join(lines))
    digest.update(b'],"metadata":' + canonical_bytes(rest) + b',"snapshot":' + canonical_bytes(snapshot) + b"}")
    return "sha256:" + digest.hexdigest()


def shown_head(head: SnapshotHead) -> dict[str, Any]:
    """The head alone, as it is listed."""
    told = _head_to_json(head)
    return {name: told[name] for name in ("id", "created", "source", "description")} | _metadata(head)


def _lines(head: SnapshotHead, memories: Sequence[Mapping[str, Any]]) -> Iterator[bytes]:
    text = SnapshotText(head)
    yield text.first()
    for memory in sorted(memories, key=lambda memory: str(memory["id"])):
        yield text.memory(memory_line(memory), Level(memory["level"]))
    yield text.last()


def _head_to_json(head: SnapshotHead) -> dict[str, Any]:
    return {
        "version": VERSION,
        "created": head.created,
        "source": head.source,
        "description": head.description,
        "schema_version": SCHEMA_VERSION,
        "id": head.id,
    }


def _metadata(head: SnapshotHead) -> dict[str, Any]:
    metadata: dict[str, Any] = {
        "totalCount": head.total,
        "levels": {level.value: head.levels.get(level, 0) for level in Level},
        "checksum": head.checksum,
        "includes_links": head.includes_links,
        "includes_embeddings": head.includes_embeddings,
    }
    return metadata | ({"embedding_model": head.model_id} if head.model_id else {})


def _inexact(value: Any, place: str) -> Iterator[str]:
    """Where there are large numbers that are not written as RFC 8785 writes the fraction they stand for."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from _inexact(each, f"{place}.{name}" if place else str(name))
    elif isinstance(value, list | tuple):
        for number, each in enumerate(value):
            yield from _inexact(each, f"{place}[{number}]")
    elif _is_large(value) and (abs(value) >= _INTEGERS_END or canonical_bytes(float(value)) != b"%d" % value):
        yield place


def _as_fractions(value: Any) -> Any:
    """A JSON value in which large whole numbers are the fractions that are written as they are."""
    if isinstance(value, Mapping):
        return {name: _as_fractions(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_as_fractions(each) for each in value]
    return float(value) if _is_large(value) else value


def _is_large(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53 - 1
