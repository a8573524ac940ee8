"""A question before what cannot be taken back."""

from __future__ import annotations

import sys

from csbond.cli.plain_text import one_line
from csbond.protocol.errors import LocalProtocolError


def confirmed(question: str) -> bool:
    """Whether a person says yes on the terminal; `invalid_params` where there is none to ask on."""
    if sys.stdin is None or sys.stderr is None or not sys.stdin.isatty():
        raise LocalProtocolError(
            "invalid_params", "there is no terminal to ask on", next_step="if it is meant, add --yes", field="yes"
        )
    sys.stderr.write(f"{one_line(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
