"""One piece of a message: text, data, file bytes or the address of a file (A2A-003, A2A v1.0.1 §4.1.6)."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from csbond.protocol.errors import RemoteProtocolError


class PartKind(StrEnum):
    """The four kinds, by their v1.0 field name."""

    TEXT = "text"
    DATA = "data"
    FILE = "raw"
    URL = "url"


_KINDS = {kind.value: kind for kind in PartKind}


@dataclass(frozen=True, slots=True)
class Part:
    """A part as it came; a url is an address to pass on, never to fetch unasked."""

    kind: PartKind
    value: Any
    media_type: str = ""
    filename: str = ""
    metadata: Mapping[str, Any] | None = None


def text_part(text: str) -> Part:
    """A plain text part."""
    return Part(PartKind.TEXT, text)


def part_from_json(raw: Mapping[str, Any]) -> Part:
    """A part from its v1.0 JSON form; `invalid_params` unless it has exactly one content."""
    names = _KINDS.keys() & raw.keys()
    if len(names) != 1:
        raise RemoteProtocolError(
            "invalid_params",
            "a part needs exactly one of text, data, raw, url",
            field="message.parts",
        )
    (name,) = names
    kind, value = _KINDS[name], raw[name]
    if kind is PartKind.FILE:
        value = base64.b64decode(value)
    return Part(kind, value, raw.get("mediaType", ""), raw.get("filename", ""), raw.get("metadata"))


def part_to_json(part: Part) -> dict[str, Any]:
    """The v1.0 JSON form of a part."""
    value = base64.b64encode(part.value).decode("ascii") if part.kind is PartKind.FILE else part.value
    raw: dict[str, Any] = {part.kind.value: value}
    if part.media_type:
        raw["mediaType"] = part.media_type
    if part.filename:
        raw["filename"] = part.filename
    if part.metadata:
        raw["metadata"] = part.metadata
    return raw


def text_of(parts: Iterable[Part]) -> str:
    """The text parts, each on a line of its own: what is searched and remembered."""
    lines = [part.value for part in parts if part.kind is PartKind.TEXT]
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines[:-1]) + "".join(lines[-1:])
