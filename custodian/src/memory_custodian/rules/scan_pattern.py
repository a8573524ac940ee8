"""What one row of a scanner's table is (§10)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from memory_custodian.rules.finding import Severity
from memory_custodian.rules.value import Value

__all__ = ["Pattern"]


class Pattern(Value):
    """One form that is looked for in a line. It is compiled only when one of its hints occurs in the text at all."""

    category: Literal["security", "privacy"]
    kind: str
    severity: Severity
    regex: str
    hints: tuple[str, ...] = ()
    """Small letters; one of them is in every text that matches. Empty: always tried."""
    accepts: Callable[[re.Match[str]], bool] | None = None
    """What the regular expression cannot say, as that a value is no placeholder."""
    masked: bool = False
    """Tried on the line with its IDs, dates, hashes and versions blanked out."""
