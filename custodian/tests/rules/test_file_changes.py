"""The file changes of a plan and their effect on budgets (§8)."""

from __future__ import annotations

from csbond_tests.marks import requirement
from memory_custodian.rules.budgets import BudgetResult
from memory_custodian.rules.file_changes import budget_results, file_changes
from memory_custodian.rules.plan import FileChange
from memory_custodian.rules.snapshot import Snapshot

SNAPSHOT = Snapshot("docs/memory", {"brief.md": "old\n", "inbox.md": "same\n"}, frozenset({"brief.md"}))


def test_only_what_differs_is_a_change_in_the_order_that_was_given() -> None:
    texts = {"inbox.md": "same\n", "new.md": "new\n", "brief.md": "newer\n"}
    assert file_changes(SNAPSHOT, texts, dict.fromkeys(texts, "why")) == (
        FileChange("docs/memory/new.md", None, "new\n", "why"),
        FileChange("docs/memory/brief.md", "old\n", "newer\n", "why", crlf=True),
    )


@requirement("CUST-B5.9-02")
def test_a_budget_is_ok_near_its_limit_from_four_fifths_on_and_over_it_above() -> None:
    def state(tokens: int) -> BudgetResult:
        changes = file_changes(SNAPSHOT, {"decisions.md": "w " * tokens}, {"decisions.md": ""})
        (result,) = budget_results(SNAPSHOT, changes)
        return result

    assert state(639) == BudgetResult("decisions.md", 0, 639, 800, "OK")
    assert state(640) == BudgetResult("decisions.md", 0, 640, 800, "NEAR LIMIT")
    assert state(800) == BudgetResult("decisions.md", 0, 800, 800, "NEAR LIMIT")
    assert state(801) == BudgetResult("decisions.md", 0, 801, 800, "OVER BUDGET")


def test_a_file_without_a_budget_has_no_result() -> None:
    assert budget_results(SNAPSHOT, file_changes(SNAPSHOT, {"inbox.md": "x\n"}, {"inbox.md": ""})) == ()
