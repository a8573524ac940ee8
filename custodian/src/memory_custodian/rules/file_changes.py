"""The file changes of a plan, made from what was read and what shall be there, with their effect on budgets (§8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memory_custodian.rules.budgets import BudgetResult, budget_of, budget_state, token_count
from memory_custodian.rules.plan import FileChange
from memory_custodian.rules.snapshot import Snapshot

__all__ = ["budget_results", "file_changes"]


def file_changes(snapshot: Snapshot, texts: Mapping[str, str], summaries: Mapping[str, str]) -> tuple[FileChange, ...]:
    """Return the changes that make the given texts, in the given order; a file that stays as it is has none."""
    return tuple(
        FileChange(
            path=snapshot.module(file),
            before=snapshot.texts.get(file),
            after=text,
            summary=summaries[file],
            crlf=file in snapshot.crlf,
        )
        for file, text in texts.items()
        if text != snapshot.texts.get(file)
    )


def budget_results(snapshot: Snapshot, changes: Sequence[FileChange]) -> tuple[BudgetResult, ...]:
    """Return what changes do to the size of each file that has a budget."""
    results = []
    for change in changes:
        file = change.path.removeprefix(f"{snapshot.memory_dir}/")
        limit = budget_of(file)
        if limit is not None:
            before, after = token_count(change.before or ""), token_count(change.after)
            results.append(BudgetResult(file, before, after, limit, budget_state(after, limit)))
    return tuple(results)
