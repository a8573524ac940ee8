"""Sources of several files: what each may be called, and what is one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from csbond.protocol.memory.entry import checked_text, refused

FILES_MAX = 10_000
"""Files of one source: far more than anybody writes by hand."""
PATH_MAX = 512
"""Code points of a path."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file of a source."""

    path: str
    """Relative, with `/`."""
    text: str


def files_of(value: object) -> tuple[SourceFile, ...]:
    """The files of `{"files": [{"path", "text"}]}`; `invalid_params` for a path that leads out, or comes twice."""
    items = value.get("files") if isinstance(value, Mapping) else None
    if not isinstance(items, list) or not 1 <= len(items) <= FILES_MAX:
        raise refused("files", f"must be a list of 1 to {FILES_MAX} objects with path and text")
    files = tuple(_file(item, f"files[{place}]") for place, item in enumerate(items))
    paths = [file.path for file in files]
    if len(set(paths)) < len(paths):
        raise refused("files", "names a path twice")
    return files


def checked_path(value: object, label: str = "path") -> str:
    """A path below the folder that is imported; `invalid_params` for one that leads out of it, or is none."""
    if not isinstance(value, str) or not value or len(value) > PATH_MAX:
        raise refused(label, f"must be a path of 1 to {PATH_MAX} characters")
    parts = checked_text(label, value).replace("\\", "/").split("/")
    if any(part in ("", ".", "..") for part in parts) or parts[0].endswith(":"):
        raise refused(label, "must be a path below the folder: relative, without .. and empty parts")
    return "/".join(parts)


def _file(item: object, label: str) -> SourceFile:
    if not isinstance(item, Mapping) or not isinstance(item.get("text"), str):
        raise refused(label, "must be an object with path and text")
    path = checked_path(item.get("path"), f"{label}.path")
    text = checked_text(f"{label}.text", item["text"].replace("\x00", "\ufffd"))
    return SourceFile(path, text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))
