"""What `check` warns of in the files that agents start from: they point to the memory, and never copy it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from memory_custodian.rules.budgets import token_count
from memory_custodian.rules.finding import Issue

__all__ = ["agent_file_issues"]

_LIMIT: Final = 500
"""Tokens: such a file is read at the start of every conversation."""
_MEMORY_TITLES: Final = ("# Decisions", "# Constraints", "# Do Not Use", "# Memory Inbox")


def agent_file_issues(texts: Mapping[str, str], memory_dir: str) -> Iterator[Issue]:
    """Yield the warnings for AGENTS.md, CLAUDE.md and GEMINI.md of the project."""
    for file, text in texts.items():
        tokens = token_count(text)
        if tokens > _LIMIT:
            yield _issue(file, f"{tokens} tokens, more than {_LIMIT}; every conversation begins with it")
        copied = [title for title in _MEMORY_TITLES if f"\n{title}" in f"\n{text}"]
        if copied:
            yield _issue(file, f"seems to hold memory ({', '.join(copied)}); accepted: a pointer to {memory_dir}")
        if file == "GEMINI.md" and any(word in text for word in (f"@{memory_dir}/", f"@./{memory_dir}/")):
            yield _issue(file, f"imports {memory_dir} whole; a task loads only what its route names")


def _issue(file: str, text: str) -> Issue:
    return Issue("WARNING", "agent-file", file, f"{file}: {text}")
