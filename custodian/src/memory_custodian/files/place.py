"""Where a command works."""

from __future__ import annotations

from memory_custodian.rules.value import Value

__all__ = ["Place"]


class Place(Value):
    """A project and its memory directory; paths are strings because importing pathlib costs a tenth of `read`."""

    root: str
    """Absolute, symbolic links followed."""
    memory: str
    """Absolute, symbolic links followed; strictly below docs/ of the root."""
    memory_dir: str
    """The same, POSIX, relative to the root."""
    options: tuple[str, ...] = ()
    """--project-root and --memory-dir as they were given, for the command that a preview prints."""
