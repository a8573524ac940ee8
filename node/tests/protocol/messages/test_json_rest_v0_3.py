"""What the node says in the HTTP binding of v0.3, read by the protobuf types that the official SDK published for it."""

from __future__ import annotations

from typing import Any

import pytest
from a2a.compat.v0_3 import a2a_v0_3_pb2 as pb
from google.protobuf.json_format import MessageToDict, ParseDict
from hypothesis import given, settings

from csbond.protocol.errors import CsbError
from csbond.protocol.messages.json_rest_v0_3 import (
    rest_event_down,
    rest_push_down,
    rest_push_list_down,
    rest_push_up,
    rest_send_up,
    rest_task_down,
)
from csbond_tests.canonical import ARTIFACT_UPDATE, MESSAGE, STATUS_UPDATE, TASK, WEBHOOK, tasks
from csbond_tests.requirements import requirement

PUSH = {"id": "w-1", "url": "https://hooks.example/", "token": "k"}
PUSH_UP = {"taskId": "t-1", **PUSH}


@requirement("V03-013", "FAULT-15")
@pytest.mark.parametrize(
    "kind, spoken",
    [
        (pb.Task, rest_task_down(TASK)),
        (pb.SendMessageResponse, rest_event_down({"task": TASK})),
        (pb.StreamResponse, rest_event_down({"message": MESSAGE}) | {}),
        (pb.StreamResponse, rest_event_down({"message": {**MESSAGE, "referenceTaskIds": ["t-0"]}})),
        (pb.StreamResponse, rest_event_down(STATUS_UPDATE)),
        (pb.StreamResponse, rest_event_down(ARTIFACT_UPDATE)),
        (pb.TaskPushNotificationConfig, rest_push_down(WEBHOOK)),
        (pb.ListTaskPushNotificationConfigResponse, rest_push_list_down({"configs": [WEBHOOK]})),
    ],
)
def test_the_published_types_know_every_field(kind: Any, spoken: Any) -> None:
    ParseDict(spoken, kind())


@requirement("V03-013", "FAULT-15")
@settings(deadline=None, max_examples=60)
@given(task=tasks)
def test_the_published_types_know_every_field_of_any_task(task: dict[str, Any]) -> None:
    ParseDict(rest_task_down(task), pb.Task())


@requirement("V03-013")
@pytest.mark.parametrize("state", [name for name, number in pb.TaskState.items() if number])
def test_every_state_is_one_of_the_published_names(state: str) -> None:
    canonical = {"TASK_STATE_CANCELLED": "TASK_STATE_CANCELED"}.get(state, state)
    task = {**TASK, "status": {"state": canonical}}
    assert rest_task_down(task)["status"]["state"] == state


@requirement("V03-013")
def test_a_request_of_the_published_client_is_understood_whole() -> None:
    request = pb.SendMessageRequest(
        request=pb.Message(
            message_id="m-1",
            context_id="c-1",
            task_id="t-1",
            role=pb.Role.ROLE_USER,
            content=[
                pb.Part(text="hi"),
                pb.Part(file=pb.FilePart(file_with_bytes=b"hi", mime_type="a/b", name="n")),
                pb.Part(file=pb.FilePart(file_with_uri="https://x.example/")),
                ParseDict({"data": {"data": {"k": "v"}}}, pb.Part()),
            ],
            extensions=["e"],
        ),
        configuration=pb.SendMessageConfiguration(
            accepted_output_modes=["text/plain"],
            history_length=2,
            push_notification=pb.PushNotificationConfig(id="w", url="https://hooks.example/", token="k"),
        ),
    )
    expected = {
        "message": {
            "messageId": "m-1",
            "role": "ROLE_USER",
            "contextId": "c-1",
            "taskId": "t-1",
            "extensions": ["e"],
            "parts": [
                {"text": "hi"},
                {"raw": "aGk=", "mediaType": "a/b", "filename": "n"},
                {"url": "https://x.example/"},
                {"data": {"k": "v"}},
            ],
        },
        "configuration": {
            "acceptedOutputModes": ["text/plain"],
            "historyLength": 2,
            "taskPushNotificationConfig": {"id": "w", "url": "https://hooks.example/", "token": "k"},
        },
    }
    assert rest_send_up(MessageToDict(request), "fresh") == expected
    assert rest_send_up(MessageToDict(request, preserving_proto_field_name=True), "fresh") == expected


@requirement("V03-007", "V03-013")
@pytest.mark.parametrize(
    "body",
    [
        {"parent": "tasks/t-1", "configId": "w-1", "config": {"pushNotificationConfig": PUSH}},
        {"config": {"name": "tasks/t-1/pushNotificationConfigs/w-1", "pushNotificationConfig": PUSH}},
        {"pushNotificationConfig": PUSH},
        PUSH,
        {"configId": "w-1", "config": {"pushNotificationConfig": {"url": PUSH["url"], "token": "k"}}},
        {"config_id": "w-1", "config": {"push_notification_config": {"url": PUSH["url"], "token": "k"}}},
    ],
)
def test_a_webhook_is_found_in_every_wrapping_that_clients_use(body: dict[str, Any]) -> None:
    assert rest_push_up(body, "t-1") == PUSH_UP


def test_a_webhook_without_a_url_is_refused_by_its_name() -> None:
    with pytest.raises(CsbError) as refused:
        rest_push_up({"config": {"pushNotificationConfig": {"id": "w-1"}}}, "t-1")
    assert refused.value.field == "config.pushNotificationConfig.url"
