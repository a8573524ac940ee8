from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csbond.protocol.errors import Refused
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import Part, PartKind, text_part
from csbond.protocol.messages.task import (
    INTERRUPTED,
    TERMINAL,
    TRANSITIONS,
    UNFINISHED,
    Artifact,
    Task,
    TaskState,
    assembled,
    move,
)
from csbond_tests.requirements import requirement

S = TaskState
TASK = Task("t", "c", "th", "owner", S.SUBMITTED, status_at=1, created_at=1)
ENDS = {S.COMPLETED, S.FAILED, S.CANCELED, S.REJECTED}


@requirement("A2A-SEND-020")
@pytest.mark.parametrize("state", TaskState)
@pytest.mark.parametrize("following", TaskState)
def test_a_task_moves_along_the_table_and_nowhere_else(state: TaskState, following: TaskState) -> None:
    task = replace(TASK, state=state)
    if following in TRANSITIONS[state]:
        assert move(task, following, 2).state is following
    else:
        with pytest.raises(Refused) as refused:
            move(task, following, 2)
        assert refused.value.code.name == "unsupported_operation"


@requirement("A2A-SEND-020")
def test_the_four_end_states_lead_nowhere_and_every_other_state_leads_to_each_of_them() -> None:
    assert TERMINAL == ENDS
    assert all(TRANSITIONS[state] >= ENDS for state in set(TaskState) - ENDS)


def test_a_waiting_task_goes_on_only_by_working_again() -> None:
    assert {S.INPUT_REQUIRED, S.AUTH_REQUIRED} == INTERRUPTED
    assert all(TRANSITIONS[state] - ENDS == {S.WORKING} for state in INTERRUPTED)


def test_what_a_restart_must_end_is_neither_ended_nor_waiting() -> None:
    assert set(TaskState) - UNFINISHED == TERMINAL | INTERRUPTED


def test_a_move_counts_the_version_and_takes_the_time_and_the_words_with_it() -> None:
    said = Message("m", "agent", (text_part("which one?"),))
    moved = move(TASK, S.INPUT_REQUIRED, 7, said)
    assert (moved.version, moved.status_at, moved.status_message) == (2, 7, said)
    assert move(moved, S.WORKING, 8).status_message is None


def chunk(name: str, text: str) -> Artifact:
    return Artifact(name, (text_part(text),))


@requirement("A2A-STREAM-009")
def test_appended_chunks_join_and_others_begin_anew() -> None:
    grown = assembled(
        [
            (chunk("a", "1"), False),
            (chunk("b", "x"), False),
            (chunk("a", "2"), True),
            (chunk("b", "y"), False),
            (chunk("c", "!"), True),
        ]
    )
    assert [(each.id, [part.value for part in each.parts]) for each in grown] == [
        ("a", ["12"]),
        ("b", ["y"]),
        ("c", ["!"]),
    ]


@given(st.lists(st.tuples(st.sampled_from("ab"), st.text(max_size=3), st.booleans()), max_size=12))
def test_joining_in_two_steps_is_joining_in_one(steps: list[tuple[str, str, bool]]) -> None:
    chunks = [(chunk(name, text), append) for name, text, append in steps]
    for cut in range(len(chunks) + 1):
        earlier = [(artifact, False) for artifact in assembled(chunks[:cut])]
        assert assembled([*earlier, *chunks[cut:]]) == assembled(chunks)


def test_the_head_of_an_artifact_is_that_of_its_first_chunk() -> None:
    first = Artifact("a", (text_part("1"),), name="Answer", metadata={"k": 1})
    joined = assembled([(first, False), (Artifact("a", (Part(PartKind.DATA, 2),)), True)])
    assert joined == (Artifact("a", (text_part("1"), Part(PartKind.DATA, 2)), name="Answer", metadata={"k": 1}),)
