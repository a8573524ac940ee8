"""A command that is suggested to a person: it is about the memory that the command at hand was about, and no other."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["places_command", "suggestion"]


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
