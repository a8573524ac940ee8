"""One thing that was looked at, and how it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from csbond.protocol.errors import CsbError

Verdict = Literal["ok", "warning", "fault"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault keeps the node from its work; a warning does not."""

    subject: str
    verdict: Verdict
    detail: str
    next_step: str = ""


def looked_at(subject: str, look: Callable[[], str]) -> Finding:
    """`ok` with what the look returns, or the fault it raises."""
    try:
        return Finding(subject, "ok", look())
    except CsbError as fault:
        return Finding(subject, "fault", fault.reason, fault.next_step)
