"""The canonical JSON, read and written by the protobuf types of the official SDK."""

from __future__ import annotations

import re
from typing import Any

import pytest
from a2a.types import a2a_pb2 as pb
from google.protobuf.json_format import MessageToDict, ParseDict
from hypothesis import given, settings
from hypothesis import strategies as st

from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.messages.events import ArtifactGrew, MessageReplied, StatusChanged, TaskShown
from csbond.protocol.messages.incoming import IncomingMessage
from csbond.protocol.messages.json_v1_0 import (
    artifact_from_json,
    artifact_to_json,
    event_to_json,
    incoming_from_json,
    push_from_json,
    push_to_json,
    state_from_json,
    state_to_json,
    task_to_json,
    time_from_json,
    time_to_json,
)
from csbond.protocol.messages.message import Message, message_from_json
from csbond.protocol.messages.part import text_part
from csbond.protocol.messages.push import PushConfig
from csbond.protocol.messages.task import Task, TaskState, TaskView
from csbond_tests.canonical import ARTIFACT, ARTIFACT_UPDATE, MESSAGE, STATUS, STATUS_UPDATE, TASK, WEBHOOK, artifacts
from csbond_tests.requirements import requirement

NOON = 1_778_401_800_250
ROW = Task(
    id="t-1",
    context_id="c-1",
    thread_id="th",
    caller_key="owner",
    state=TaskState.INPUT_REQUIRED,
    status_at=NOON,
    created_at=NOON,
    status_message=message_from_json(STATUS["message"]),
    metadata={"k": "v"},
)
VIEW = TaskView(ROW, (artifact_from_json(ARTIFACT),), (message_from_json(MESSAGE),))


def read(kind: Any, spoken: dict[str, Any]) -> dict[str, Any]:
    """What the official type makes of it; a field it does not know is an error."""
    return MessageToDict(ParseDict(spoken, kind()))


@requirement("A2A-DATA-001", "A2A-DATA-002")
def test_a_task_is_written_as_the_protocol_writes_it() -> None:
    assert task_to_json(VIEW) == TASK
    assert read(pb.Task, task_to_json(VIEW)) == TASK


@requirement("A2A-DATA-001", "FAULT-15")
@pytest.mark.parametrize(
    "event, spoken",
    [
        (TaskShown(VIEW), {"task": TASK}),
        (StatusChanged(ROW), STATUS_UPDATE),
        (ArtifactGrew("t-1", "c-1", artifact_from_json(ARTIFACT), append=True, last_chunk=True), ARTIFACT_UPDATE),
        (MessageReplied(message_from_json(MESSAGE)), {"message": MESSAGE}),
    ],
)
def test_an_event_is_a_stream_response_with_one_field(event: Any, spoken: dict[str, Any]) -> None:
    assert event_to_json(event) == spoken
    assert read(pb.StreamResponse, event_to_json(event)) == spoken


@requirement("A2A-LIST-005")
@pytest.mark.parametrize("none", [None, ()])
def test_empty_lists_of_a_task_are_left_out(none: Any) -> None:
    spoken = task_to_json(TaskView(ROW, none, ()))
    assert "artifacts" not in spoken
    assert "history" not in spoken


@settings(deadline=None, max_examples=50)
@given(artifact=artifacts)
def test_an_artifact_is_written_as_it_was_read(artifact: dict[str, Any]) -> None:
    assert artifact_to_json(artifact_from_json(artifact)) == artifact


@requirement("A2A-DATA-001")
@pytest.mark.parametrize("state", TaskState)
def test_a_state_has_the_name_of_the_protocol(state: TaskState) -> None:
    assert pb.TaskState.Value(state_to_json(state)) > 0
    assert state_from_json(state_to_json(state)) is state


@requirement("A2A-DATA-002")
@given(st.integers(0, 253_402_300_799_999))
def test_a_time_is_iso_8601_in_utc_with_milliseconds_and_comes_back(now: int) -> None:
    text = time_to_json(now)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text)
    assert time_from_json(text) == now


@pytest.mark.parametrize(
    "text", ["2026-05-10T08:30:00.250Z", "2026-05-10T08:30:00.250000Z", "2026-05-10T10:30:00.250+02:00"]
)
def test_a_time_is_read_in_every_form_of_the_standard(text: str) -> None:
    assert time_from_json(text) == NOON


@pytest.mark.parametrize("config", [WEBHOOK, {"id": "w", "taskId": "t", "url": "u"}])
def test_a_webhook_is_written_as_it_was_read(config: dict[str, Any]) -> None:
    assert push_to_json(push_from_json(config)) == config
    assert read(pb.TaskPushNotificationConfig, push_to_json(push_from_json(config))) == config


def test_a_request_is_read_whole() -> None:
    request = {
        "tenant": "a",
        "message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hi"}]},
        "configuration": {
            "acceptedOutputModes": ["text/plain"],
            "historyLength": 0,
            "returnImmediately": True,
            "taskPushNotificationConfig": {"url": "u", "authentication": {"scheme": "Basic", "credentials": "c"}},
        },
        "metadata": {"k": 1},
    }
    assert incoming_from_json(request, "0.3") == IncomingMessage(
        message=Message("m", "user", (text_part("hi"),)),
        accepted_output_modes=("text/plain",),
        history_length=0,
        return_immediately=True,
        push=PushConfig("default", "", "u", scheme="Basic", credentials="c", dialect="0.3"),
        metadata={"k": 1},
        tenant="a",
    )


def test_a_history_of_less_than_nothing_is_refused() -> None:
    with pytest.raises(RemoteProtocolError) as refused:
        incoming_from_json({"message": MESSAGE, "configuration": {"historyLength": -1}})
    assert (refused.value.code.name, refused.value.field) == ("invalid_params", "configuration.historyLength")


def test_a_request_that_asks_for_nothing_special_waits_and_shows_all() -> None:
    asked = incoming_from_json({"message": MESSAGE})
    assert (asked.history_length, asked.return_immediately, asked.push) == (None, False, None)
