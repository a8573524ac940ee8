"""What makes two plans the same, and what may be shown of one."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.budgets import BudgetResult
from memory_custodian.rules.plan import FileChange, Gate, Plan
from memory_custodian.rules.plan_identity import plan_id, private_form, public_form

CHANGE = FileChange("docs/memory/decisions.md", "# Decisions\n", "# Decisions\n\nnew\n", "one entry")
OTHER = FileChange("docs/memory/changelog.md", None, "# Memory Changelog\n", "note it")
PLAN = Plan(
    "compact",
    {"target": "decisions.md"},
    (CHANGE, OTHER),
    "3f2b8c1e-6a4d-4c55-9b1a-0d7e5a2f9c34",
    "0.6",
    warnings=("mind the gap",),
    blockers=("inbox.md: body",),
    budgets=(BudgetResult("decisions.md", 10, 20, 800, "OK"),),
    context={"entry_id": "MC-DEC-20260302-0000000a"},
)
SECRET = PLAN._replace(
    command="forget",
    arguments={"topic": "Blue Heron", "mode": "hard"},
    changes=(FileChange("docs/memory/areas/blue heron.md", "a\n", "b\n", "2 units of BLUE HERON"),),
    headline=("docs: blue heron",),
    warnings=("the name blue heron stays",),
    blockers=("brief.md: BLUE HERON in its body",),
    budgets=(BudgetResult("areas/Blue Heron.md", 10, 20, 600, "OK"),),
    context={"guard": "blue heron"},
    topic="Blue Heron",
    nonce="ab" * 16,
)


def changed(**fields: Any) -> Plan:
    return PLAN._replace(**fields)


@requirement("CUST-08.1-01", "CUST-13.1-13")
@pytest.mark.parametrize(
    "other",
    [
        changed(command="forget"),
        changed(arguments={"target": "changelog.md"}),
        changed(project_id="4f2b8c1e-6a4d-4c55-9b1a-0d7e5a2f9c34"),
        changed(protocol_version="0.5"),
        changed(changes=(CHANGE._replace(path="docs/memory/inbox.md"), OTHER)),
        changed(changes=(CHANGE,)),
        changed(changes=(CHANGE._replace(before="# Decisions, edited\n"), OTHER)),
        changed(changes=(CHANGE, OTHER._replace(before=""))),
        changed(changes=(CHANGE._replace(after="# Decisions\n\nother\n"), OTHER)),
        changed(changes=(CHANGE._replace(crlf=True), OTHER)),
        changed(warnings=()),
        changed(blockers=()),
        changed(budgets=()),
        changed(context={"entry_id": "MC-DEC-20260302-0000000b"}),
        changed(nonce="cd" * 16),
    ],
    ids=[
        "command",
        "arguments",
        "project",
        "protocol",
        "path",
        "number of files",
        "base",
        "operation",
        "output",
        "line ends",
        "warnings",
        "blockers",
        "budgets",
        "context",
        "nonce",
    ],
)
def test_every_part_of_a_plan_changes_its_id(other: Plan) -> None:
    assert plan_id(other) != plan_id(PLAN)


@requirement("CUST-13.1-13", "CUST-T-09")
def test_the_same_plan_has_the_same_id_whatever_only_concerns_its_showing() -> None:
    same = changed(
        changes=(OTHER, CHANGE),
        gates=(Gate("--archive-oldest", "it moves entries"),),
        headline=("# Plan",),
        created=("MC-DEC-20260302-0000000a",),
        arguments=dict(PLAN.arguments),
    )
    assert plan_id(same) == plan_id(PLAN)


@requirement("CUST-08.1-02", "CUST-08.1-12")
def test_the_id_is_the_head_of_the_digest_of_sorted_compact_json_in_utf_8() -> None:
    plan = changed(warnings=("größer 大",))
    text = json.dumps(private_form(plan), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    assert "größer 大" in text
    assert plan_id(plan) == hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


@requirement("CUST-08.1-03")
def test_the_private_form_names_everything_it_consists_of_and_no_time() -> None:
    assert private_form(PLAN) == {
        "command": "compact",
        "arguments": {"target": "decisions.md"},
        "project_id": "3f2b8c1e-6a4d-4c55-9b1a-0d7e5a2f9c34",
        "protocol_version": "0.6",
        "target_paths": ["docs/memory/changelog.md", "docs/memory/decisions.md"],
        "operations": [
            {
                "path": "docs/memory/changelog.md",
                "operation": "create",
                "base_sha256": hashlib.sha256(b"").hexdigest(),
                "expected_output_sha256": hashlib.sha256(b"# Memory Changelog\n").hexdigest(),
            },
            {
                "path": "docs/memory/decisions.md",
                "operation": "replace",
                "base_sha256": hashlib.sha256(b"# Decisions\n").hexdigest(),
                "expected_output_sha256": hashlib.sha256(b"# Decisions\n\nnew\n").hexdigest(),
            },
        ],
        "warnings": ["mind the gap"],
        "blockers": ["inbox.md: body"],
        "context": {"entry_id": "MC-DEC-20260302-0000000a"},
        "private_context": {"nonce": "", "topic": ""},
        "budget_results": [{"file": "decisions.md", "before": 10, "after": 20, "limit": 800, "state": "OK"}],
    }


@requirement("CUST-08.1-06")
def test_what_is_shown_of_a_plan_is_a_form_of_its_own() -> None:
    shown = public_form(PLAN)
    assert "private_context" not in shown
    assert [operation["summary"] for operation in shown["operations"]] == ["note it", "one entry"]
    assert shown["operations"][1]["base_sha256"] == hashlib.sha256(b"# Decisions\n").hexdigest()
    assert private_form(SECRET)["private_context"] == {"nonce": "ab" * 16, "topic": "Blue Heron"}


@requirement("CUST-08.1-07", "CUST-08.1-08")
def test_what_is_shown_of_a_sensitive_plan_has_neither_topic_nor_digest_nor_nonce() -> None:
    text = json.dumps(public_form(SECRET), ensure_ascii=False)
    assert "heron" not in text.casefold()
    assert "sha256" not in text
    assert "abab" not in text
    shown = public_form(SECRET)
    assert shown["target_paths"] == ["docs/memory/areas/[redacted].md"]
    assert shown["operations"] == [
        {"path": "docs/memory/areas/[redacted].md", "operation": "replace", "summary": "2 units of [redacted]"}
    ]
    assert shown["blockers"] == ["brief.md: [redacted] in its body"]
    assert shown["arguments"] == {"topic": "[redacted]", "mode": "hard"}
    assert shown["budget_results"][0]["file"] == "areas/[redacted].md"


@requirement("CUST-08.1-08")
def test_a_topic_that_is_a_word_of_the_form_itself_leaves_the_form_readable() -> None:
    shown = public_form(SECRET._replace(topic="replace", arguments={"topic": "replace", "mode": "hard"}))
    assert shown["command"] == "forget"
    assert shown["operations"][0]["operation"] == "replace"
    assert shown["budget_results"][0]["state"] == "OK"


@requirement("CUST-08.1-10")
def test_who_knows_everything_but_the_nonce_cannot_find_the_topic_by_trying() -> None:
    """Neither a wordlist nor the very topic gives the ID without the nonce."""
    guesses = [plan_id(SECRET._replace(nonce=nonce)) for nonce in ("", "00" * 16, "ab" * 15 + "ac")]
    assert plan_id(SECRET) not in guesses
    assert len(set(guesses)) == len(guesses)
