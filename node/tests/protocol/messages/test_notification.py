from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from a2a.compat.v0_3 import types as v0_3
from a2a.types import a2a_pb2 as pb
from google.protobuf.json_format import ParseDict

from csbond.protocol.messages.events import ArtifactGrew, MessageReplied, StatusChanged, TaskEvent, TaskShown
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.notification import notification_body
from csbond.protocol.messages.part import text_part
from csbond.protocol.messages.task import TERMINAL, Artifact, Task, TaskState, TaskView
from csbond_tests.requirements import requirement

WORKING = Task("t", "c", "th", "owner", TaskState.WORKING, status_at=1, created_at=1)
SAID = Message("m", "user", (text_part("a secret of the talk"),))
ANSWER = Artifact("answer", (text_part("hello"),))
VIEW = TaskView(WORKING, (ANSWER,), (SAID,))


def sent(event: TaskEvent, dialect: str = "1.0", view: TaskView = VIEW) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(notification_body(view, event, dialect))
    return body


@requirement("A2A-PUSH-005")
@pytest.mark.parametrize(
    "event, name",
    [
        (TaskShown(replace(VIEW, history=())), "task"),
        (StatusChanged(WORKING), "statusUpdate"),
        (ArtifactGrew("t", "c", ANSWER), "artifactUpdate"),
        (MessageReplied(SAID), "message"),
    ],
)
def test_a_notification_is_a_stream_response_with_one_field(event: TaskEvent, name: str) -> None:
    body = sent(event)
    assert list(body) == [name]
    ParseDict(body, pb.StreamResponse())


@requirement("A2A-PUSH-005")
@pytest.mark.parametrize("state", sorted(TERMINAL))
def test_the_end_of_a_task_is_told_with_the_whole_task(state: TaskState) -> None:
    body = sent(StatusChanged(replace(WORKING, state=state)))
    assert body["task"]["status"]["state"] == f"TASK_STATE_{state.name}"
    assert body["task"]["artifacts"][0]["parts"] == [{"text": "hello"}]


@requirement("V03-017")
@pytest.mark.parametrize("state", sorted(TaskState))
def test_a_webhook_of_v0_3_is_told_the_task_itself(state: TaskState) -> None:
    task = replace(WORKING, state=state)
    body = sent(StatusChanged(task), "0.3", replace(VIEW, task=task))
    assert v0_3.Task.model_validate(body).status.state.value == state.value.replace("_", "-")


@pytest.mark.parametrize("dialect", ["1.0", "0.3", "draft"])
@pytest.mark.parametrize("state", [TaskState.WORKING, TaskState.COMPLETED])
def test_a_webhook_hears_nothing_of_what_was_said_before(dialect: str, state: TaskState) -> None:
    event = StatusChanged(replace(WORKING, state=state))
    assert b"a secret of the talk" not in notification_body(VIEW, event, dialect)
