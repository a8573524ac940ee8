"""How far a forgetting reaches (§10.3). Every preview and report of `forget` is rendered from this."""

from __future__ import annotations

from typing import Literal

from memory_custodian.rules.value import Value

__all__ = ["ErasureScope", "ForgetMode"]

ForgetMode = Literal["soft", "hard", "purge"]


class ErasureScope(Value):
    """What one forgetting covers, and what it does not: the reach of its mode, not only where something was found."""

    active_memory: bool
    """Whether anything outside the archive matches, or a guard is written there."""
    managed_archive: bool
    """Whether the mode reaches the archive: purge does, whatever is in it."""
    topic_retained_in_new_records: bool
    git_worktree_modified: Literal["on-apply", "no"]
    removes_matches: bool = True
    """Whether something matched that is taken out; a soft forgetting may leave a guard alone."""
    local_overlay: Literal["not-applicable"] = "not-applicable"
    git_history_modified: Literal[False] = False
    distributed_copies_revoked: Literal[False] = False
    history_check_status: Literal["not-requested"] = "not-requested"
