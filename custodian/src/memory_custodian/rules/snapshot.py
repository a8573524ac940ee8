"""What was read of a project at one moment."""

from __future__ import annotations

from collections.abc import Mapping

from memory_custodian.rules.problems import Refused
from memory_custodian.rules.value import Value

__all__ = ["Snapshot"]


class Snapshot(Value):
    """The memory files of a project, with LF line ends."""

    memory_dir: str
    """POSIX path relative to the project, as docs/memory."""
    texts: Mapping[str, str]
    """By path in the memory directory, sorted; those the command asked for."""
    crlf: frozenset[str] = frozenset()
    """Files whose every line ends with CRLF on disk; they are written back so."""
    project_texts: Mapping[str, str] = {}
    """AGENTS.md, CLAUDE.md and GEMINI.md of the project, where asked for."""

    def require(self, file: str) -> str:
        """Return the text of a file; refuse where it is missing."""
        if file not in self.texts:
            raise Refused(f"{file} is missing in {self.memory_dir}; memory-custodian init creates missing core files")
        return self.texts[file]

    def module(self, file: str) -> str:
        """Return the identity of a module: its POSIX path relative to the project."""
        return f"{self.memory_dir}/{file}"
