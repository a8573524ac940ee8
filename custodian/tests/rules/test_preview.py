"""What a preview says, as lines and as data."""

from __future__ import annotations

import hashlib
import shlex
import subprocess

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.budgets import BudgetResult
from memory_custodian.rules.plan import FileChange, Gate, Plan
from memory_custodian.rules.preview import apply_command, plan_data, preview_lines

BEFORE, AFTER = "# Decisions\n", "# Decisions\n\nnew\n"
PLAN = Plan(
    "compact",
    {"target": "decisions.md"},
    (FileChange("docs/memory/decisions.md", BEFORE, AFTER, "keep 3 entries"),),
    "3f2b8c1e-6a4d-4c55-9b1a-0d7e5a2f9c34",
    "0.6",
    headline=("# Target Compaction Plan",),
    warnings=("read it first",),
    budgets=(BudgetResult("decisions.md", 900, 700, 800, "NEAR LIMIT"),),
)
WORDS = ("compact", "--target", "decisions.md")
ID = "0123456789abcdef"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@requirement(
    "CUST-08.1-13",
    "CUST-14-08",
    "CUST-14-09",
    "CUST-14-10",
    "CUST-14-11",
    "CUST-14-12",
    "CUST-14-13",
    "CUST-14-14",
)
def test_a_preview_lists_every_part_of_the_plan() -> None:
    assert preview_lines(PLAN, ID, WORDS) == [
        "# Target Compaction Plan",
        f"Plan ID: {ID}",
        "Target files:",
        "- docs/memory/decisions.md",
        "  Operation: replace (keep 3 entries)",
        f"  Base SHA-256: {digest(BEFORE)}",
        f"  Expected SHA-256: {digest(AFTER)}",
        "Blockers:",
        "- none",
        "Warnings:",
        "- read it first",
        "Estimated budget result:",
        "- decisions.md: 900 -> 700 tokens (limit 800, state NEAR LIMIT)",
        "Dry run only: nothing was written. Apply with:",
        f"  memory-custodian compact --target decisions.md --apply --confirm-plan {ID}",
    ]


def test_the_data_of_a_preview_has_the_same_parts() -> None:
    assert plan_data(PLAN, ID) == {
        "plan_id": ID,
        "target_files": [
            {
                "path": "docs/memory/decisions.md",
                "operation": "replace",
                "summary": "keep 3 entries",
                "base_sha256": digest(BEFORE),
                "expected_sha256": digest(AFTER),
            }
        ],
        "blockers": [],
        "warnings": ["read it first"],
        "gates": [],
        "budget_results": [{"file": "decisions.md", "before": 900, "after": 700, "limit": 800, "state": "NEAR LIMIT"}],
        "removal_scope": None,
        "created": [],
    }


def test_a_plan_with_a_blocker_offers_no_command() -> None:
    lines = preview_lines(PLAN._replace(blockers=("inbox.md: body",)), ID, WORDS)
    assert "- inbox.md: body" in lines
    assert not any("--apply" in line for line in lines)
    assert lines[-1].startswith("Dry run only")


@requirement("CUST-T-09")
def test_the_command_opens_the_gates_of_its_plan() -> None:
    plan = PLAN._replace(gates=(Gate("--archive-oldest", "the oldest decisions leave the context"),))
    assert apply_command(plan, ID, WORDS).endswith(f"--apply --confirm-plan {ID} --archive-oldest")
    assert "Needs --archive-oldest: the oldest decisions leave the context" in preview_lines(plan, ID, WORDS)


@requirement("CUST-T-09")
@pytest.mark.parametrize("title", ["two words", "it's", "$(date)", "--", "大 小", "a\\b"])
def test_the_command_is_quoted_for_a_shell(title: str) -> None:
    words = ("subject", "rename", "MC-SUBJ-20260302-0000000a", title)
    assert shlex.split(apply_command(PLAN, ID, words))[: len(words)] in (
        ["memory-custodian", *words[:-1]],
        ["memory-custodian", *words[:3]],
    )
    assert title in shlex.split(apply_command(PLAN, ID, words))


@requirement("CUST-T-09")
def test_options_stand_before_a_double_dash() -> None:
    assert apply_command(PLAN, ID, ("forget", "--", "-x")) == (
        f"memory-custodian forget --apply --confirm-plan {ID} -- -x"
    )


@requirement("CUST-08.1-07", "CUST-08.1-08")
def test_a_sensitive_preview_shows_the_topic_nowhere_and_says_to_type_it_again() -> None:
    plan = PLAN._replace(
        command="forget",
        arguments={"topic": "it's Heron", "mode": "hard"},
        headline=("- decisions.md: it's heron",),
        changes=(FileChange("docs/memory/areas/it's heron.md", BEFORE, AFTER, "1 unit"),),
        gates=(Gate("--allow-broad-match", "IT'S HERON is in 3 units"),),
        topic="it's Heron",
        nonce="00" * 16,
    )
    words = ("forget", "it's Heron", "--mode", "hard")
    text = "\n".join(preview_lines(plan, ID, words))
    assert "heron" not in text.casefold()
    assert "  Digests: redacted for sensitive operation" in text
    assert "SHA-256" not in text
    topic = '"${TOPIC:?type the topic}"'
    assert f"memory-custodian forget {topic} --mode hard --apply --confirm-plan {ID} --allow-broad-match" in text
    assert "Type the topic again" in text
    data = plan_data(plan, ID)
    assert "heron" not in str(data).casefold()
    assert data["target_files"][0]["base_sha256"] is None


@requirement("CUST-08.1-07", "CUST-08.1-08")
def test_the_command_of_a_sensitive_plan_runs_only_once_the_topic_is_typed() -> None:
    plan = PLAN._replace(command="forget", topic="it's Heron", nonce="00" * 16)
    words = ("forget", "--project-root", "maps of it's Heron/x", "--mode", "hard", "--", "it's Heron")
    command = apply_command(plan, ID, words).replace("memory-custodian", "printf '%s|'", 1)
    untyped = subprocess.run(["sh", "-c", command], check=False, capture_output=True, text=True, env={}, timeout=60)
    assert (untyped.returncode != 0, untyped.stdout) == (True, "")
    assert "type the topic" in untyped.stderr
    typed = subprocess.run(
        ["sh", "-c", command], check=False, capture_output=True, text=True, env={"TOPIC": "it's Heron"}, timeout=60
    )
    assert typed.stdout == "|".join([*words[:5], "--apply", "--confirm-plan", ID, *words[5:], ""])
