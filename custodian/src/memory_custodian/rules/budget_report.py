"""What `add` says of the budget of the file it wrote, with what compaction would do where it is nearly full (§14)."""

from __future__ import annotations

from memory_custodian.rules.budgets import BudgetResult
from memory_custodian.rules.draws import Draws
from memory_custodian.rules.plan import Plan
from memory_custodian.rules.snapshot import Snapshot

__all__ = ["budget_report"]


def budget_report(snapshot: Snapshot, plan: Plan, file: str, draws: Draws) -> tuple[str, ...]:
    """Return the lines about one file of a plan that was made; none where it has no budget."""
    result = next((one for one in plan.budgets if one.file == file), None)
    if result is None:
        return ()
    lines = [f"Budget: {file} {result.after}/{result.limit} tokens"]
    if result.state == "OK":
        return tuple(lines)
    lines.append(f"State: {result.state}")
    lines += _advice(result)
    lines += ["Generating maintenance preview", "Maintenance preview (dry run; no files changed)"]
    lines += [f"  {line}" for line in _maintenance(snapshot, plan, file, draws)]
    lines.append(f"Run: {snapshot.command(f'compact --target {file}')}")
    return tuple(lines)


def _advice(result: BudgetResult) -> list[str]:
    if result.state == "NEAR LIMIT":
        return [f"Warning: {result.file} is over four fifths of its context budget"]
    next_step = (
        "consolidate or relocate scoped decisions to their areas"
        if result.file == "decisions.md"
        else "merge what says the same, and shorten the rest"
    )
    return [f"Warning: {result.file} is over its context budget.", f"Next: {next_step}"]


def _maintenance(snapshot: Snapshot, plan: Plan, file: str, draws: Draws) -> tuple[str, ...]:
    from memory_custodian.rules.compaction import plan_target

    prefix = f"{snapshot.memory_dir}/"
    after = {change.path.removeprefix(prefix): change.after for change in plan.changes}
    return plan_target(snapshot._replace(texts={**snapshot.texts, **after}), file, draws).headline
