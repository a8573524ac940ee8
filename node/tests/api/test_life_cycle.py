"""The picture of a task's life is its table of steps."""

from __future__ import annotations

import re

import pytest

from csbond.api.life_cycle import life_cycle_markdown
from csbond.protocol.messages.dialects import BY_NAME
from csbond.protocol.messages.task import TERMINAL, TRANSITIONS, TaskState

PAGE = life_cycle_markdown()
PICTURE = PAGE.split("```mermaid\n")[1].split("```")[0]
ROWS = {
    row[0].strip("`"): row
    for row in ([cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines())
}


def drawn() -> dict[TaskState, set[TaskState]]:
    """The steps that the picture shows."""
    ended = {TaskState(name) for name in PICTURE.split("{")[1].split("}")[0].split()}
    steps: dict[TaskState, set[TaskState]] = {state: set() for state in TaskState}
    for before, after in re.findall(r"^    (\w+) --> (\w+)$", PICTURE, re.MULTILINE):
        steps[TaskState(before)] |= ended if after == "ended" else {TaskState(after)}
    return steps


def test_the_picture_shows_each_step_and_no_other() -> None:
    assert drawn() == TRANSITIONS
    assert "    [*] --> submitted\n" in PICTURE


@pytest.mark.parametrize("state", TaskState)
def test_the_table_says_what_a_state_may_become(state: TaskState) -> None:
    assert set(re.findall(r"`(\w+)`", ROWS[state][5])) == TRANSITIONS[state]
    assert (ROWS[state][3] == "has ended") is (state in TERMINAL)


@pytest.mark.parametrize("state", TaskState)
def test_the_table_spells_a_state_as_the_dialects_do(state: TaskState) -> None:
    in_v1_0, in_v0_3 = (cell.strip("`") for cell in ROWS[state][1:3])
    task = {"id": "t", "contextId": "c", "status": {"state": in_v1_0}}
    assert BY_NAME["tasks/get"].down(task)["status"]["state"] == in_v0_3
