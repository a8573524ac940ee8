"""What a forgetting says of its reach (§10.3): the same lines in every preview and report, from one model."""

from __future__ import annotations

from typing import Any, Final

from memory_custodian.rules.erasure import ErasureScope

__all__ = ["applied_lines", "removal_data", "removal_lines"]

_REMOVED: Final = "Removed from the selected managed memory scope."
_NOTHING_REMOVED: Final = (
    "Nothing in the selected managed memory scope matched, so nothing was removed; the written files only record the "
    "request."
)
_NOT_MODIFIED: Final = "Git history and previously distributed copies were not modified."
_WORKTREE: Final = {"on-apply": "on apply, without index or commit", "no": "no"}


def removal_lines(scope: ErasureScope) -> tuple[str, ...]:
    """Return the block that says what is covered and what is not."""
    return (
        "Removal scope:",
        f"- Active managed memory: {_yes(scope.active_memory)}",
        f"- Managed archive: {_yes(scope.managed_archive)}",
        f"- New tombstones/logs retain topic: {_yes(scope.topic_retained_in_new_records)}",
        f"- Local overlay: {scope.local_overlay.replace('-', ' ')}",
        f"- Git working tree modified: {_WORKTREE[scope.git_worktree_modified]}",
        f"- Git history modified: {_yes(scope.git_history_modified)}",
        f"- Existing clones, forks and backups revoked: {_yes(scope.distributed_copies_revoked)}",
        f"- History inspection: {scope.history_check_status.replace('-', ' ')}",
    )


def applied_lines(scope: ErasureScope) -> tuple[str, ...]:
    """Return what is said after an apply. Nothing more can be promised, and no removal where nothing matched."""
    return (_REMOVED if scope.removes_matches else _NOTHING_REMOVED, _NOT_MODIFIED)


def removal_data(scope: ErasureScope) -> dict[str, Any]:
    """Return the same as data, by the names of the model."""
    return scope._asdict()


def _yes(covered: bool) -> str:
    return "yes" if covered else "no"
