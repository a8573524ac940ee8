"""What a command leaves to say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_custodian.rules.value import Value

__all__ = ["Outcome"]


class Outcome(Value):
    """The end of a command that was not refused; `cli` prints it."""

    lines: tuple[str, ...]
    """For stdout, without line ends."""
    data: Mapping[str, Any]
    """The same for --format json; `cli` adds command, version and exit code."""
    exit_code: int = 0
    """0, or 1 for a health problem or an apply that is not made."""
    earlier: tuple[str, ...] = ()
    """Lines about what an earlier command had begun; printed first."""
