"""What becomes of the agent files that `init` was told to write (§12)."""

from __future__ import annotations

from collections.abc import Iterable

from memory_custodian.rules.agent_block import with_block
from memory_custodian.rules.plan import FileChange
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.value import Value

__all__ = ["AgentPlan", "plan_agent_files"]


class AgentPlan(Value):
    """One agent file."""

    file: str
    state: str
    """As `init` prints it."""
    change: FileChange | None
    """None where it is kept."""


def plan_agent_files(snapshot: Snapshot, files: Iterable[str], *, forced: bool) -> tuple[AgentPlan, ...]:
    """Return the plan for each file, a path in the project. Refuses the whole when one has a malformed block."""
    return tuple(_plan(snapshot, file, forced=forced) for file in files)


def _plan(snapshot: Snapshot, file: str, *, forced: bool) -> AgentPlan:
    before = snapshot.project_texts.get(file)
    made = with_block(file, before, snapshot.memory_dir, forced=forced)
    if made.text == before:
        return AgentPlan(file, made.state, None)
    change = FileChange(file, before, made.text, "managed block", file in snapshot.crlf)
    return AgentPlan(file, made.state, change)
