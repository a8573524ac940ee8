"""What is said of the budget of a file that was written."""

from __future__ import annotations

from pathlib import Path

import pytest

from csbond_tests.custodian_world import FixedDraws, Project, project
from csbond_tests.marks import requirement
from memory_custodian.rules.budget_report import budget_report
from memory_custodian.rules.budgets import BudgetResult, budget_state
from memory_custodian.rules.plan import FileChange, Plan
from memory_custodian.rules.snapshot import Snapshot


@pytest.fixture
def world(tmp_path: Path) -> Project:
    return project(tmp_path)


def report(world: Project, file: str, tokens: int, limit: int) -> tuple[str, ...]:
    """The report of a plan that fills a file to some tokens."""
    snapshot = Snapshot("docs/memory", {"manifest.md": world.text("manifest.md"), file: "# T\n"})
    after = "## Old\n" + "word " * (tokens - 3) + "\n"
    change = FileChange(f"docs/memory/{file}", "# T\n", after, "entry added")
    result = BudgetResult(file, 2, tokens, limit, budget_state(tokens, limit))
    plan = Plan("add", {}, (change,), "", "0.6", budgets=(result,))
    return budget_report(snapshot, plan, file, FixedDraws())


@requirement("CUST-B2.5-03")
def test_a_file_with_room_has_one_line(world: Project) -> None:
    assert report(world, "decisions.md", 639, 800) == ("Budget: decisions.md 639/800 tokens",)
    assert budget_report(Snapshot("docs/memory", {}), Plan("add", {}, (), "", "0.6"), "inbox.md", FixedDraws()) == ()


@requirement("CUST-B5.9-03", "CUST-B2.5-03")
@pytest.mark.parametrize("tokens", [640, 800])
def test_from_four_fifths_on_a_file_has_a_maintenance_preview(world: Project, tokens: int) -> None:
    lines = report(world, "decisions.md", tokens, 800)
    assert lines[:2] == (f"Budget: decisions.md {tokens}/800 tokens", "State: NEAR LIMIT")
    assert lines[3:5] == ("Generating maintenance preview", "Maintenance preview (dry run; no files changed)")
    assert "  Target: decisions.md" in lines
    assert lines[-1] == "Run: memory-custodian compact --target decisions.md"


@requirement("CUST-B5.9-03", "CUST-B2.5-03")
def test_over_its_budget_a_file_is_warned_of_with_what_to_do(world: Project) -> None:
    lines = report(world, "decisions.md", 801, 800)
    assert "State: OVER BUDGET" in lines
    assert any(line.startswith("Warning: decisions.md is over its context budget") for line in lines)
    assert any("consolidate or relocate scoped decisions" in line for line in lines)
    other = report(world, "areas/sync.md", 601, 600)
    assert any(line.startswith("Warning: areas/sync.md is over its context budget") for line in other)
    assert not any("relocate" in line for line in other)
