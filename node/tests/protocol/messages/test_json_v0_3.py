"""What the node says in v0.3, read by the types that the official SDK published for v0.3."""

from __future__ import annotations

from typing import Any

import pytest
from a2a.compat.v0_3 import types as v0_3
from hypothesis import given, settings

from csbond.protocol.messages.json_v0_3 import (
    artifact_down,
    event_down,
    message_down,
    push_down,
    push_list_down,
    send_up,
    task_down,
    task_id_up,
)
from csbond_tests.canonical import ARTIFACT, ARTIFACT_UPDATE, MESSAGE, STATUS_UPDATE, TASK, WEBHOOK, messages, tasks
from csbond_tests.requirements import requirement


def read(kind: Any, spoken: Any) -> Any:
    """What the published type keeps of an answer; anything it does not know is lost, anything wrong is an error."""
    return kind.model_validate(spoken).model_dump(mode="json", by_alias=True, exclude_unset=True)


@requirement("V03-002", "V03-003", "FAULT-15")
@pytest.mark.parametrize(
    "kind, spoken",
    [
        (v0_3.Message, message_down(MESSAGE)),
        (v0_3.Artifact, artifact_down(ARTIFACT)),
        (v0_3.Task, task_down(TASK)),
        (v0_3.TaskStatusUpdateEvent, event_down(STATUS_UPDATE)),
        (v0_3.TaskArtifactUpdateEvent, event_down(ARTIFACT_UPDATE)),
        (v0_3.TaskPushNotificationConfig, push_down(WEBHOOK)),
    ],
    ids=["message", "artifact", "task", "status", "chunk", "webhook"],
)
def test_the_published_types_read_everything_that_is_said(kind: Any, spoken: Any) -> None:
    assert read(kind, spoken) == spoken


@requirement("V03-002", "FAULT-15")
@settings(deadline=None, max_examples=60)
@given(task=tasks)
def test_the_published_types_read_any_task(task: dict[str, Any]) -> None:
    spoken = task_down(task)
    assert read(v0_3.Task, spoken) == spoken


@requirement("V03-002", "FAULT-15")
@settings(deadline=None, max_examples=60)
@given(message=messages)
def test_the_published_types_read_any_message(message: dict[str, Any]) -> None:
    spoken = message_down(message)
    assert read(v0_3.Message, spoken) == spoken


@requirement("V03-001", "FAULT-15")
@pytest.mark.parametrize(
    "kind, result",
    [
        (v0_3.SendMessageResponse, event_down({"task": TASK})),
        (v0_3.SendMessageResponse, event_down({"message": MESSAGE})),
        (v0_3.SendStreamingMessageResponse, event_down(STATUS_UPDATE)),
        (v0_3.SendStreamingMessageResponse, event_down(ARTIFACT_UPDATE)),
        (v0_3.GetTaskResponse, task_down(TASK)),
        (v0_3.CancelTaskResponse, task_down(TASK)),
        (v0_3.SetTaskPushNotificationConfigResponse, push_down(WEBHOOK)),
        (v0_3.GetTaskPushNotificationConfigResponse, push_down(WEBHOOK)),
        (v0_3.ListTaskPushNotificationConfigResponse, push_list_down({"configs": [WEBHOOK]})),
        (v0_3.DeleteTaskPushNotificationConfigResponse, None),
    ],
)
def test_the_published_types_read_every_answer_as_a_success(kind: Any, result: Any) -> None:
    answer = kind.model_validate({"jsonrpc": "2.0", "id": 1, "result": result}).root
    assert not hasattr(answer, "error")
    assert answer.model_dump(mode="json", by_alias=True, exclude_unset=True)["result"] == result


@requirement("V03-003")
@pytest.mark.parametrize("state", [each.value for each in v0_3.TaskState if each.value != "unknown"])
def test_every_state_of_v0_3_has_its_state_in_v1_0(state: str) -> None:
    name = "TASK_STATE_" + state.upper().replace("-", "_")
    task = {**TASK, "status": {"state": name, "timestamp": "2026-05-10T08:30:00.250Z"}}
    assert task_down(task)["status"]["state"] == state


@requirement("V03-004")
@pytest.mark.parametrize(
    "state, final",
    [
        ("SUBMITTED", False),
        ("WORKING", False),
        ("INPUT_REQUIRED", True),
        ("AUTH_REQUIRED", True),
        ("COMPLETED", True),
        ("FAILED", True),
        ("CANCELED", True),
        ("REJECTED", True),
    ],
)
def test_a_status_event_is_final_when_its_stream_ends_with_it(state: str, final: bool) -> None:
    update = {"taskId": "t", "contextId": "c", "status": {"state": f"TASK_STATE_{state}"}}
    assert event_down({"statusUpdate": update})["final"] is final


@requirement("V03-006")
@pytest.mark.parametrize(
    "configuration, at_once", [({"blocking": False}, True), ({"blocking": True}, False), ({}, False)]
)
def test_only_blocking_false_returns_at_once(configuration: dict[str, Any], at_once: bool) -> None:
    message = {"kind": "message", "messageId": "m", "role": "user", "parts": [{"kind": "text", "text": "hi"}]}
    up = send_up({"message": message, "configuration": configuration}, "fresh")
    assert up.get("configuration", {}).get("returnImmediately", False) is at_once


def test_a_request_of_the_published_client_is_understood_whole() -> None:
    params = v0_3.MessageSendParams(
        message=v0_3.Message(
            message_id="m-1",
            role=v0_3.Role.user,
            context_id="c-1",
            task_id="t-1",
            reference_task_ids=["t-0"],
            extensions=["e"],
            metadata={"k": 1},
            parts=[v0_3.Part(root=v0_3.TextPart(text="hi"))],
        ),
        configuration=v0_3.MessageSendConfiguration(accepted_output_modes=["text/plain"], history_length=0),
        metadata={"outer": True},
    )
    assert send_up(params.model_dump(mode="json", by_alias=True, exclude_none=True), "fresh") == {
        "message": {
            "messageId": "m-1",
            "role": "ROLE_USER",
            "contextId": "c-1",
            "taskId": "t-1",
            "referenceTaskIds": ["t-0"],
            "extensions": ["e"],
            "metadata": {"k": 1},
            "parts": [{"text": "hi"}],
        },
        "configuration": {"acceptedOutputModes": ["text/plain"], "historyLength": 0},
        "metadata": {"outer": True},
    }


def test_a_task_is_named_by_id_or_by_task_id() -> None:
    assert task_id_up({"id": "t"}) == task_id_up({"taskId": "t"}) == {"id": "t"}
