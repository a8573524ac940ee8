from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.protocol.errors import CsbError
from csbond.protocol.messages.continuing import check_continues, check_open, check_parts
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import Part, PartKind, text_part
from csbond.protocol.messages.task import TERMINAL, Task, TaskState
from csbond_tests.requirements import requirement

TASK = Task("t", "c", "th", "owner", TaskState.INPUT_REQUIRED, status_at=1, created_at=1)
MESSAGE = Message("m", "user", (text_part("hi"),), task_id="t")


def refusal(check, *arguments) -> str:
    with pytest.raises(CsbError) as refused:
        check(*arguments)
    return refused.value.code.name


@requirement("A2A-SEND-011", "A2A-SEND-014")
@pytest.mark.parametrize("context_id", ["", "c"])
@pytest.mark.parametrize("state", sorted(set(TaskState) - TERMINAL))
def test_a_message_goes_on_with_an_open_task_in_its_own_context(state: TaskState, context_id: str) -> None:
    check_continues(replace(TASK, state=state), replace(MESSAGE, context_id=context_id))


@requirement("A2A-SEND-012")
def test_a_message_in_another_context_is_refused() -> None:
    assert refusal(check_continues, TASK, replace(MESSAGE, context_id="other")) == "invalid_params"


def test_the_context_is_looked_at_before_the_state() -> None:
    ended = replace(TASK, state=TaskState.COMPLETED)
    assert refusal(check_continues, ended, replace(MESSAGE, context_id="other")) == "invalid_params"


@requirement("A2A-SEND-006")
@pytest.mark.parametrize("state", sorted(TERMINAL))
def test_a_task_that_has_ended_takes_nothing_more(state: TaskState) -> None:
    assert refusal(check_continues, replace(TASK, state=state), MESSAGE) == "unsupported_operation"
    assert refusal(check_open, replace(TASK, state=state)) == "unsupported_operation"


@requirement("A2A-DATA-006")
def test_a_message_without_parts_is_refused() -> None:
    assert refusal(check_parts, (), 10, 100) == "invalid_params"


@requirement("A2A-DATA-008")
def test_files_are_counted_together_and_nothing_else_is() -> None:
    files = (Part(PartKind.FILE, b"12345"), Part(PartKind.FILE, b"67890"))
    others = (
        text_part("x" * 100),
        Part(PartKind.URL, "https://files.example/" + "x" * 100),
        Part(PartKind.DATA, [1] * 100),
    )
    check_parts(files + others, 10, 100)
    assert refusal(check_parts, files, 9, 100) == "body_too_large"


def test_texts_longer_than_the_limit_are_refused_with_a_way_out() -> None:
    with pytest.raises(CsbError) as refused:
        check_parts((text_part("12345"), text_part("67890x")), 10, 10)
    assert refused.value.code.name == "body_too_large"
    assert "file part" in refused.value.next_step
    check_parts((text_part("12345"), text_part("67890")), 10, 10)
