"""A plan with a topic shows it in no ending, and its Plan ID does not tell it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from csbond_tests.custodian_fixtures import entered
from csbond_tests.custodian_world import PROJECT_ID, project
from csbond_tests.marks import requirement
from memory_custodian.commands.mutation import Request, carry_out
from memory_custodian.commands.outcome import Outcome
from memory_custodian.files.memory_files import read_all
from memory_custodian.files.private_state import private_state
from memory_custodian.files.project import find_place
from memory_custodian.rules.draws import Draws
from memory_custodian.rules.plan import FileChange, Gate, Plan
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.snapshot import Snapshot

ARGUMENTS = {"topic": "Heron", "mode": "hard"}


def build(snapshot: Snapshot, draws: Draws) -> Plan:
    """Change one file, and name the topic wherever a plan has words."""
    brief = snapshot.texts["brief.md"]
    return Plan(
        "forget",
        ARGUMENTS,
        (FileChange(snapshot.module("brief.md"), brief, brief + "x\n", "HERON out"),),
        PROJECT_ID,
        "0.6",
        headline=("about HERON",),
        warnings=("heron in a name",),
        gates=(Gate("--any", "Heron"),),
        topic="Heron",
        nonce=draws.nonce,
    )


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Request:
    place = find_place(str(entered(project(tmp_path), monkeypatch).root), "docs/memory")
    return Request("forget", place, ARGUMENTS, build, read_all, "always", command_line=("forget", "Heron"))


def plan_id(outcome: Outcome) -> str:
    return str(outcome.data["plan"]["plan_id"])


@requirement("CUST-08.1-07", "CUST-08.1-08", "CUST-08.1-09")
def test_the_topic_is_shown_in_no_ending(asked: Request) -> None:
    preview = carry_out(asked)
    closed = carry_out(asked._replace(apply=True, confirm_plan=plan_id(preview)))
    with pytest.raises(Refused) as stale:
        carry_out(asked._replace(apply=True, confirm_plan="0" * 16))
    opened = asked._replace(apply=True, confirm_plan=plan_id(preview), open_gates=frozenset({"--any"}))
    applied = carry_out(opened)
    assert [outcome.data["state"] for outcome in (preview, closed, applied)] == ["preview", "refused", "applied"]
    shown = [text for outcome in (preview, closed, applied) for text in (*outcome.lines, json.dumps(outcome.data))]
    shown += [*stale.value.shown, stale.value.message]
    assert not [text for text in shown if "heron" in text.casefold()]


@requirement("CUST-08.1-10")
def test_once_its_nonce_is_gone_the_same_plan_has_another_id(asked: Request) -> None:
    first = plan_id(carry_out(asked))
    assert plan_id(carry_out(asked)) == first
    for path in Path(private_state(asked.place).plans).glob("*.json"):
        path.unlink()
    assert plan_id(carry_out(asked)) != first
