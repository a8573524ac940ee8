"""A command that is suggested to a person: it is about the memory that the command at hand was about, and no other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

__all__ = ["KILLED_LOCK", "blocked_line", "places_command", "suggestion", "unfinished_line", "with_place"]

KILLED_LOCK: Final = "where a killed command left its lock, --break-stale-lock takes that over once it is 60 s old"
"""What whoever sees to such a change may need as well."""

_COMMAND: Final = (
    r"memory-custodian (?:subject (?:list|show|add|rename|add-alias)|"
    r"init|status|read|add|promote|compact|forget|enable|check|migrate)(?![\w-])(?! --)"
)


def suggestion(words: str, options: Sequence[str]) -> str:
    """Return the command with --project-root and --memory-dir as they were given."""
    if not options:
        return f"memory-custodian {words}"
    import shlex

    return f"memory-custodian {words} {shlex.join(options)}"


def places_command(category: str, options: Sequence[str]) -> str:
    """Return what shows the places of a scan: programs look for it as it is, so the options follow it."""
    import shlex

    return f"`memory-custodian check --{category}`" + (f" with {shlex.join(options)}" if options else "")


def unfinished_line(files: Sequence[str], options: Sequence[str]) -> str:
    """Return the sentence on a change of these files that is not finished, with what sees to it and does no more."""
    said = "a change was begun and is not finished; the next write sees to it, as"
    return f"{', '.join(files)}: {said} `{suggestion('init', options)}`; {KILLED_LOCK}"


def blocked_line(reason: str) -> str:
    """Return the sentence on something that lets no command write."""
    return f"No command can write until this is mended by hand: {reason}"


def with_place(text: str, options: Sequence[str]) -> str:
    """Return the text of a refusal with --project-root and --memory-dir in each command that it tells to run.

    Refusals are written where nobody knows the place, and are printed where it is known. A command with options keeps
    them: it has the place already, or asks for help.
    """
    if not options or "memory-custodian " not in text:
        return text
    import shlex

    return re.sub(_COMMAND, lambda command: f"{command[0]} {shlex.join(options)}", text)
