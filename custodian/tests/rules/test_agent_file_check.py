"""What check warns of in the files that agents start from (as 0.9.1 did)."""

from __future__ import annotations

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.agent_file_check import agent_file_issues


@requirement("CUST-B2.8-01")
@pytest.mark.parametrize(
    "file, text, said",
    [
        ("AGENTS.md", "word " * 501, "501 tokens, more than 500"),
        ("CLAUDE.md", "# Agents\n\n# Decisions\n\nOurs.\n", "seems to hold memory (# Decisions)"),
        ("GEMINI.md", "Read @docs/memory/brief.md first.\n", "imports docs/memory whole"),
    ],
)
def test_a_long_copying_or_importing_file_is_warned_of(file: str, text: str, said: str) -> None:
    (issue,) = agent_file_issues({file: text}, "docs/memory")
    assert issue.severity == "WARNING"
    assert issue.message.startswith(f"{file}: {said}")


def test_a_short_pointer_is_well() -> None:
    texts = {"AGENTS.md": "Read docs/memory/manifest.md first.\n", "CLAUDE.md": "@docs/memory/brief.md\n"}
    assert list(agent_file_issues(texts, "docs/memory")) == []
