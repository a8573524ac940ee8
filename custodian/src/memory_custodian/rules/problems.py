"""Why a command ends without doing what was asked, and with which exit code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

__all__ = ["Interrupted", "PartialCompletion", "Problem", "Refused", "Unavailable", "of_disk"]

ProblemKind = Literal["refused", "unavailable", "partial", "interrupted"]


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


class Interrupted(Problem):
    """A signal ended a command that has something to tell of before: the exit code is that of the signal."""

    prefix = ""
    kind: ProblemKind = "interrupted"

    def __init__(
        self, message: str, exit_code: int, *, shown: tuple[str, ...] = (), shown_data: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message, shown=shown, shown_data=shown_data)
        self.exit_code = exit_code


def of_disk(error: OSError) -> Unavailable:
    """Return the end that an error of the disk is, after the file it names; the number of an open file names none."""
    place = f"{error.filename}: " if isinstance(error.filename, str) else ""
    return Unavailable(f"{place}{error.strerror or error}")
