"""The sample files of imports in `spec/vectors/memory/imports`, and what each format finds in them."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from csbond.protocol.memory import import_custodian, import_json, import_markdown, import_mcp, interop, published
from csbond.protocol.memory.foreign_files import SourceFile
from csbond.protocol.memory.foreign_record import ForeignRecord, ForeignRelation, Read, Unread

FOLDER = Path(__file__).parents[4] / "spec" / "vectors" / "memory" / "imports"


def source(name: str) -> bytes:
    """A sample that is one file."""
    return (FOLDER / name).read_bytes()


def files(name: str) -> tuple[SourceFile, ...]:
    """A sample that is a folder."""
    root = FOLDER / name
    paths = sorted(path for path in root.rglob("*") if path.is_file())
    return tuple(SourceFile(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")) for path in paths)


SAMPLES: dict[str, Callable[[], Iterable[Read]]] = {
    "interop": lambda: interop.interop_records(source("interop.ndjson"), "Luna"),
    "mcp": lambda: import_mcp.records(source("mcp.jsonl")),
    "markdown": lambda: import_markdown.records(files("markdown")),
    "custodian": lambda: import_custodian.records(files("custodian")),
    "json-list": lambda: import_json.records(source("json-list.json")),
    "json-object": lambda: import_json.records(source("json-object.json")),
    "published": lambda: published.records(source("published.ndjson")),
}
"""By the name of what is expected of each."""


def found(name: str) -> list[dict[str, Any]]:
    """What a format finds in a sample, as the expected files write it."""
    return [_told(read) for read in SAMPLES[name]()]


def _told(read: Read) -> dict[str, Any]:
    if isinstance(read, Unread):
        return {"place": read.place, "refused": read.fault.code.name, "field": read.fault.field}
    if isinstance(read, ForeignRelation):
        return {"place": read.place, "begins": read.begins.key, **_link(read.link)}
    return {"place": read.place, **_record(read)}


def _record(record: ForeignRecord) -> dict[str, Any]:
    name = {"agent": record.name.agent, "key": record.name.key, "timestamp": record.name.timestamp}
    told: dict[str, Any] = {
        "name": name,
        "memory": dict(record.memory),
        "links": [_link(each) for each in record.links],
    }
    if record.vector:
        vector = record.vector
        told["vector"] = {
            "dimension": vector.dimension,
            "model": vector.model,
            "fingerprint": vector.fingerprint,
            "numbers": base64.b64encode(vector.numbers).decode(),
        }
    return told


def _link(link: Any) -> dict[str, Any]:
    beside = {"beside": dict(link.beside)} if link.beside else {}
    return {"target": link.target, "relation": link.relation, "weight": link.weight, **beside}
