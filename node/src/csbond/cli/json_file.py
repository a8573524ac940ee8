"""A JSON object from a file."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from csbond.cli.outgoing import STDIN
from csbond.protocol.errors import LocalProtocolError


def read_object(file: Path) -> dict[str, Any]:
    """The object in a file, in standard input for `-`.

    `invalid_params` when it cannot be read or holds something else, `parse_error` when it is no JSON that a node takes.
    """
    try:
        found = json.loads(_read(file).decode("utf-8"))
        json.dumps(found, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except OSError as fault:
        raise LocalProtocolError("invalid_params", f"{file} cannot be read: {fault.strerror}", field="file") from fault
    except (ValueError, RecursionError) as fault:
        raise LocalProtocolError("parse_error", f"{file} is not valid JSON in UTF-8: {fault}", field="file") from fault
    if not isinstance(found, dict):
        raise LocalProtocolError("invalid_params", f"{file} must hold one JSON object", field="file")
    return found


def _read(file: Path) -> bytes:
    if str(file) != STDIN:
        return file.read_bytes()
    if sys.stdin is None:
        raise LocalProtocolError("invalid_params", "standard input is closed", field="file")
    return sys.stdin.buffer.read()
