"""What was read of a project at one moment."""

from __future__ import annotations

from collections.abc import Mapping

from memory_custodian.rules.problems import Refused
from memory_custodian.rules.suggestion import suggestion
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
    set_aside: Mapping[str, str] = {}
    """What changes that were set aside for a person left in the memory directory, by path, where asked for."""
    unfinished: Mapping[str, str] = {}
    """The same of changes that were cut off, and that the next write sees to."""
    options: tuple[str, ...] = ()
    """--project-root and --memory-dir as they were given."""

    def require(self, file: str) -> str:
        """Return the text of a file; refuse where it is missing."""
        if file not in self.texts:
            created = f"{self.command('init')} creates missing core files"
            raise Refused(f"{file} is missing in {self.memory_dir}; {created}")
        return self.texts[file]

    def command(self, words: str) -> str:
        """Return a command that is suggested, about this memory and no other."""
        return suggestion(words, self.options)

    def module(self, file: str) -> str:
        """Return the identity of a module: its POSIX path relative to the project."""
        return f"{self.memory_dir}/{file}"
