"""Why a command ends without doing what was asked, and with which exit code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

__all__ = ["PartialCompletion", "Problem", "Refused", "Unavailable"]

ProblemKind = Literal["refused", "unavailable", "partial"]


class Problem(Exception):
    """A considered end of a command. Anything else that is raised is a bug and keeps its traceback."""

    exit_code = 2
    prefix = "Error: "
    kind: ProblemKind = "refused"
    """What programs are told."""

    def __init__(
        self, message: str, *, shown: tuple[str, ...] = (), shown_data: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.shown = shown
        """Lines for stdout that belong to the refusal, as the preview that replaces a stale one."""
        self.shown_data = shown_data or {}
        """The same for --format json."""


class Refused(Problem):
    """The input, a memory file, or the state of the project does not allow it: exit code 2.

    The message names the file or option, the field, and what would be accepted.
    """


class Unavailable(Problem):
    """The disk, a lock or the private state does not let it happen now: exit code 1."""

    exit_code = 1
    prefix = "I/O error: "
    kind: ProblemKind = "unavailable"


class PartialCompletion(Unavailable):
    """Some files were replaced and could neither be finished nor taken back; the message lists the state of each."""

    kind: ProblemKind = "partial"
