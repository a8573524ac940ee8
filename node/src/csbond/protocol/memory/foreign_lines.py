"""Sources with one JSON value a line (NDJSON, JSONL): read line by line, and none of them spoils the others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from csbond.protocol.errors import CsbError, RemoteProtocolError
from csbond.protocol.json_shape import check_shape

DEPTH_MAX = 64
"""Brackets inside brackets of a value: deeper than any record, far from what breaks parsers."""
VALUES_MAX = 50_000
"""Values of one line: far more than a record with a vector of 2,048 numbers has."""
DOCUMENT_VALUES_MAX = 2_000_000
"""Values of a source that is one JSON value: a hundred thousand records of twenty fields."""
LINES_MAX = 500_000
"""Lines of one source: half a million; a larger one is better sent in parts."""


def json_lines(source: bytes) -> Iterator[tuple[str, Any | CsbError]]:
    """Each line that is not blank by its place, with its value or why it has none.

    `body_too_large`, before anything is read, for a source of too many lines.
    """
    count = source.count(b"\n")
    if count > LINES_MAX:
        raise RemoteProtocolError(
            "body_too_large",
            f"the source has {count} lines; at most {LINES_MAX} are read at a time",
            next_step="send it in parts",
        )
    start, number = (3 if source.startswith(b"\xef\xbb\xbf") else 0), 0
    while start <= len(source):
        end = source.find(b"\n", start)
        line = source[start : end if end >= 0 else len(source)]
        start, number = (end if end >= 0 else len(source)) + 1, number + 1
        if line.strip():
            yield f"line {number}", _value(line)


def json_document(source: bytes) -> Any:
    """The value of a source that is one JSON value; `parse_error`, `body_too_large`."""
    return _read(source.removeprefix(b"\xef\xbb\xbf"), DOCUMENT_VALUES_MAX)


def _value(line: bytes) -> Any | CsbError:
    try:
        return _read(line, VALUES_MAX)
    except CsbError as fault:
        return fault


def _read(source: bytes, values: int) -> Any:
    check_shape(source, DEPTH_MAX, values)
    try:
        return orjson.loads(source)
    except orjson.JSONDecodeError as fault:
        raise RemoteProtocolError("parse_error", f"not JSON in UTF-8: {fault.msg} at {fault.pos}") from None
