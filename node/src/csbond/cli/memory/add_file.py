"""Memories from a file, one JSON object a line, written a batch at a time."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from csbond.cli.node_client import NodeClient, node_of
from csbond.cli.outgoing import STDIN
from csbond.cli.output import print_json, print_line, print_table
from csbond.cli.progress import progress
from csbond.config.home import Home
from csbond.protocol.errors import CsbError, LocalProtocolError, Refused, as_body

_BATCH = 100
"""Lines of one batch, as many as a node takes (MEM-003 §3.1)."""
_BATCH_BYTES = 96 * 1024
"""Bytes after which a batch is sent: a node takes 50,000 values in a request, and a value has two bytes at least."""


@dataclass(slots=True)
class _Done:
    """What became of the lines so far."""

    stored: int = 0
    merged: int = 0
    refused: int = 0
    results: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    size: int
    memory: Any = None
    fault: LocalProtocolError | None = None


def add_file(file: Path, given: Mapping[str, Any], *, home: Home, as_json: bool, **query: str) -> int:
    """Write every line, with what is given where the line itself does not say it; 1 when one of them is refused.

    What ends it early, such as a node that is gone, is raised when it is told how the lines until then went.
    """
    done = _Done()
    size = _size_of(file)
    try:
        with node_of(home) as node, progress(size, "Remembering", shown=not as_json) as advance:
            for batch in _batches(_lines(file, given)):
                _write(node, batch, done, query)
                advance(sum(line.size for line in batch))
    except CsbError:
        if done.results:
            _tell(done, as_json=as_json)
        raise
    _tell(done, as_json=as_json)
    return 1 if done.refused else 0


def _size_of(file: Path) -> int | None:
    if str(file) == STDIN:
        if sys.stdin is None:
            raise LocalProtocolError("invalid_params", "standard input is closed", field="file")
        return None
    try:
        return file.stat().st_size
    except OSError as fault:
        raise _unreadable(file, fault) from fault


def _lines(file: Path, given: Mapping[str, Any]) -> Iterator[_Line]:
    try:
        source = sys.stdin.buffer if str(file) == STDIN else file.open("rb")
        with source:
            for number, line in enumerate(source, 1):
                if line.strip():
                    yield _read(number, line, given)
    except OSError as fault:
        raise _unreadable(file, fault) from fault


def _read(number: int, line: bytes, given: Mapping[str, Any]) -> _Line:
    try:
        memory = json.loads(line.decode("utf-8"))
        json.dumps(memory, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (ValueError, RecursionError) as fault:
        reason = f"the line is not valid JSON in UTF-8: {fault}"
        return _Line(number, len(line), fault=LocalProtocolError("parse_error", reason))
    return _Line(number, len(line), {**given, **memory} if isinstance(memory, dict) else memory)


def _batches(lines: Iterator[_Line]) -> Iterator[list[_Line]]:
    batch: list[_Line] = []
    for line in lines:
        if batch and (len(batch) == _BATCH or sum(each.size for each in batch) + line.size > _BATCH_BYTES):
            yield batch
            batch = []
        batch.append(line)
    if batch:
        yield batch


def _write(node: NodeClient, batch: list[_Line], done: _Done, query: Mapping[str, str]) -> None:
    """Send the lines that can be; those of a batch that is refused or lost as a whole each have the reason of it."""
    memories = [line.memory for line in batch if line.fault is None]
    try:
        answer = node.post("/v1/memory/batch", {"memories": memories}, **query) if memories else {"results": []}
    except CsbError as fault:
        for line in batch:
            _note(done, line, _refusal(line.fault or fault))
        if not isinstance(fault, Refused):
            raise
        return
    results = iter(answer["results"])
    for line in batch:
        _note(done, line, _refusal(line.fault) if line.fault else next(results))


def _refusal(fault: CsbError) -> dict[str, Any]:
    return {"status": fault.code.http, **as_body(fault)}


def _note(done: _Done, line: _Line, result: Mapping[str, Any]) -> None:
    done.stored += result["status"] == 201
    done.merged += result["status"] == 200
    done.refused += "error" in result
    shown = {name: result[name] for name in ("id", "left_out", "error") if name in result}
    done.results.append({"line": line.number, "status": result["status"], **shown})


def _tell(done: _Done, *, as_json: bool) -> None:
    if as_json:
        print_json({"stored": done.stored, "merged": done.merged, "refused": done.refused, "results": done.results})
        return
    faults = [each for each in done.results if "error" in each]
    rows = [[str(each["line"]), str(each["error"].get("field", "")), str(each["error"]["reason"])] for each in faults]
    if rows:
        print_table(["line", "field", "reason"], rows)
    print_line(f"{done.stored} remembered, {done.merged} known before, {done.refused} refused")


def _unreadable(file: Path, fault: OSError) -> LocalProtocolError:
    return LocalProtocolError("invalid_params", f"{file} cannot be read: {fault.strerror}", field="file")
