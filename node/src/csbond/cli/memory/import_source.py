"""What `csb memory import` sends: the bytes of a file, or the Markdown files of a folder, and what format they are."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from csbond.cli.outgoing import STDIN
from csbond.protocol.errors import CsbError, LocalProtocolError
from csbond.protocol.memory.entry_fields import is_entry_id
from csbond.protocol.memory.foreign_files import SourceFile, checked_path
from csbond.protocol.memory.import_custodian import is_custodian
from csbond.protocol.memory.published import FIELDS

_FORMATS = ("interop", "mcp", "markdown", "custodian", "json", "published")
JSON = "application/json"
NDJSON = "application/x-ndjson"
_OF_FOLDERS = ("markdown", "custodian")
_MARKDOWN = (".md", ".markdown")
_PROJECT_MEMORY = Path("docs") / "memory"
"""Where a project keeps what memory-custodian writes, unless it is told otherwise."""
_LOOKED_AT = 1024 * 1024
"""Bytes of the first line that is looked at to tell a format."""


@dataclass(frozen=True, slots=True)
class Source:
    """What is sent."""

    content: bytes
    format: str
    media_type: str
    agent: str = ""
    """Whose memories they are, where nobody says it: a folder of Markdown by its name."""
    records: int | None = None
    """How many there are about; None where that is not known before."""
    left_out: tuple[tuple[str, CsbError], ...] = ()
    """Files of a folder that cannot be sent, and why."""


def source_of(place: Path, chosen: str) -> Source:
    """The source at a place, `-` for standard input; `invalid_params` for what cannot be read or told."""
    try:
        if str(place) != STDIN and place.is_dir():
            return _folder(place, chosen)
        content = _stdin() if str(place) == STDIN else place.read_bytes()
        form = _format_of(content, place) if chosen == "auto" else chosen
        if form in _OF_FOLDERS:
            agent = f"markdown:{place.stem}" if form == "markdown" else ""
            return _of_files([(place.name, content)], form, agent)
        lines = content.count(b"\n") + 1 if form != "json" else None
        return Source(content, form, JSON if form == "json" else NDJSON, records=lines)
    except OSError as fault:
        raise _unread(place, fault) from fault


def _folder(place: Path, chosen: str) -> Source:
    if chosen not in ("auto", *_OF_FOLDERS):
        raise LocalProtocolError("invalid_params", f"{place} is a folder, and {chosen} is a file", field="format")
    root = place / _PROJECT_MEMORY if _is_project(place) and chosen != "markdown" else place
    files, faults = list[tuple[str, bytes]](), list[tuple[str, CsbError]]()
    for path in sorted(_markdown_files(root, faults)):
        told = _shown(path, root)
        try:
            content = path.read_bytes()
            _text(told, content)
            files.append((checked_path(path.relative_to(root).as_posix()), content))
        except OSError as fault:
            faults.append((told, _unread(told, fault)))
        except CsbError as refusal:
            faults.append((told, refusal))
    if not files:
        first = faults[0][1] if faults else None
        reason = first.reason if first else f"there is no Markdown file in {place}"
        raise LocalProtocolError("invalid_params", reason, field="source") from first
    form = ("custodian" if _has_manifest(root) else "markdown") if chosen == "auto" else chosen
    source = _of_files(files, form, f"markdown:{place.resolve().name}" if form == "markdown" else "")
    return replace(source, left_out=tuple(faults))


def _unread(told: object, fault: OSError) -> LocalProtocolError:
    return LocalProtocolError("invalid_params", f"{told} cannot be read: {fault.strerror}", field="source")


def _shown(path: Path, root: Path) -> str:
    """The path of a file below its folder; letters that are none are shown as question marks."""
    return path.relative_to(root).as_posix().encode("utf-8", "replace").decode()


def _of_files(files: list[tuple[str, bytes]], form: str, agent: str) -> Source:
    told = [{"path": path, "text": _text(path, content)} for path, content in files]
    return Source(json.dumps({"files": told}, ensure_ascii=False).encode(), form, JSON, agent)


def _markdown_files(root: Path, faults: list[tuple[str, CsbError]]) -> Iterator[Path]:
    """The Markdown files below a folder, but hidden ones, those that a link leads out of it to, and pipes and the like.

    Folders that cannot be looked into are among the faults.
    """

    def closed(fault: OSError) -> None:
        told = _shown(Path(fault.filename), root)
        faults.append((told, _unread(told, fault)))

    inside = root.resolve()
    for folder, names, files in os.walk(root, onerror=closed):
        names[:] = (name for name in names if not name.startswith("."))
        for name in files:
            path = Path(folder) / name
            shown = name.lower().endswith(_MARKDOWN) and not name.startswith(".")
            if shown and path.resolve().is_relative_to(inside) and (path.is_file() or not path.exists()):
                yield path


def _is_project(place: Path) -> bool:
    root = place / _PROJECT_MEMORY
    return not _has_manifest(place) and root.resolve().is_relative_to(place.resolve()) and _has_manifest(root)


def _has_manifest(root: Path) -> bool:
    file = root / "manifest.md"
    try:
        told = file.read_bytes().decode("utf-8", "replace") if file.is_file() else ""
    except OSError:
        return False
    return is_custodian([SourceFile("manifest.md", told)])


def _format_of(content: bytes, place: Path) -> str:
    """The format of a file, by its name and its first line."""
    if place.suffix.lower() in _MARKDOWN:
        return "markdown"
    first = content.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0][:_LOOKED_AT]
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict) and (form := _of_first_line(value)):
        return form
    if first[:1] in (b"[", b"{"):
        return "json"
    raise LocalProtocolError(
        "invalid_params",
        f"{place} does not say what it is",
        next_step=f"say it: --format {'|'.join(_FORMATS)}",
        field="format",
    )


def _of_first_line(value: dict[str, Any]) -> str:
    if "mem_interop" in value:
        return "interop"
    if value.get("type") in ("entity", "relation"):
        return "mcp"
    id_ = value.get("id")
    is_published = isinstance(id_, str) and is_entry_id(id_) and set(value) <= set(FIELDS)
    return "published" if is_published else ""


def _text(path: str, content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as fault:
        raise LocalProtocolError("invalid_params", f"{path} is not UTF-8: {fault.reason}", field="source") from fault


def _stdin() -> bytes:
    if sys.stdin is None:
        raise LocalProtocolError("invalid_params", "standard input is closed", field="source")
    return sys.stdin.buffer.read()
