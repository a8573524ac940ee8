"""Every row of the table of dialects: what is asked in it, and how its answer looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from csbond.protocol.messages.dialects import BY_NAME, METHODS, STREAMED, Operation, Version, lifted
from csbond.protocol.messages.extensions import AUTHORITY, FEDERATION_MESSAGE, SENDER, SESSION_CONTEXT
from csbond_tests.canonical import ARTIFACT, ARTIFACT_UPDATE, MESSAGE, STATUS_UPDATE, TASK, WEBHOOK
from csbond_tests.requirements import requirement

HELLO: dict[str, Any] = {"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": "hi"}]}
HELLO_03: dict[str, Any] = {
    "kind": "message",
    "messageId": "m-1",
    "role": "user",
    "parts": [{"kind": "text", "text": "hi"}],
}
DONE: dict[str, Any] = {
    "id": "t-1",
    "contextId": "c-1",
    "status": {"state": "TASK_STATE_COMPLETED", "timestamp": "2026-05-10T08:30:00.250Z"},
    "artifacts": [{"artifactId": "answer", "parts": [{"text": "hello"}]}],
    "history": [HELLO],
}
DONE_03: dict[str, Any] = {
    "kind": "task",
    "id": "t-1",
    "contextId": "c-1",
    "status": {"state": "completed", "timestamp": "2026-05-10T08:30:00.250Z"},
    "artifacts": [{"artifactId": "answer", "parts": [{"kind": "text", "text": "hello"}]}],
    "history": [HELLO_03],
}
_TEXT_03 = {"kind": "text", "type": "text"}
DONE_DRAFT: dict[str, Any] = {
    "id": "t-1",
    "contextId": "c-1",
    "sessionId": "c-1",
    "status": {"state": "completed", "timestamp": "2026-05-10T08:30:00.250Z"},
    "artifacts": [{"artifactId": "answer", "parts": [{**_TEXT_03, "text": "hello"}]}],
    "history": [{**HELLO_03, "parts": [{**_TEXT_03, "text": "hi"}]}],
}
HOOK: dict[str, Any] = {
    "id": "w-1",
    "taskId": "t-1",
    "url": "https://hooks.example/",
    "token": "k",
    "authentication": {"scheme": "Bearer", "credentials": "s"},
}
HOOK_03: dict[str, Any] = {
    "id": "w-1",
    "url": "https://hooks.example/",
    "token": "k",
    "authentication": {"schemes": ["Bearer"], "credentials": "s"},
}
CARD: dict[str, Any] = {"name": "Luna", "version": "1.0.0"}


@dataclass(frozen=True)
class Spoken:
    """A call of a method and its answer, each in the dialect and in the canonical form."""

    params: Any
    canonical_params: dict[str, Any]
    canonical_result: Any
    result: Any


_SEND = Spoken({"message": HELLO}, {"message": HELLO}, {"task": DONE}, {"task": DONE})
_SEND_03 = Spoken(
    {"message": HELLO_03, "configuration": {"blocking": False, "historyLength": 2, "pushNotificationConfig": HOOK_03}},
    {
        "message": HELLO,
        "configuration": {
            "returnImmediately": True,
            "historyLength": 2,
            "taskPushNotificationConfig": {name: value for name, value in HOOK.items() if name != "taskId"},
        },
    },
    {"task": DONE},
    DONE_03,
)
_STREAM_03 = Spoken(
    {"message": HELLO_03, "metadata": {"k": 1}},
    {"message": HELLO, "metadata": {"k": 1}},
    {"statusUpdate": {"taskId": "t-1", "contextId": "c-1", "status": DONE["status"]}},
    {"kind": "status-update", "taskId": "t-1", "contextId": "c-1", "status": DONE_03["status"], "final": True},
)
_ASK = {"id": "t-1", "historyLength": 3}
_HOOK_ID = {"taskId": "t-1", "id": "w-1"}
_HOOK_ID_03 = {"id": "t-1", "pushNotificationConfigId": "w-1"}
_HOOK_SET_03 = {"taskId": "t-1", "pushNotificationConfig": HOOK_03}
_HOOKS_OF = {"taskId": "t-1"}
_PAGE = {"tasks": [DONE], "nextPageToken": "", "pageSize": 50, "totalSize": 1}
_DRAFT = Spoken(
    {
        "id": "task_1",
        "sessionId": "c-1",
        "message": {"role": "agent", "messageId": "m-1", "parts": [{"type": "text", "text": "hi"}]},
        "sender": "Heng",
        "authority": {"level": "execute"},
        "session_context": {"thread_id": "th-1"},
        "federation_message": {"kind": "x"},
        "pushNotification": HOOK_03,
        "historyLength": 4,
    },
    {
        "message": {
            "messageId": "m-1",
            "role": "ROLE_AGENT",
            "contextId": "c-1",
            "parts": [{"text": "hi"}],
            "metadata": {
                SENDER: "Heng",
                AUTHORITY: {"level": "execute"},
                SESSION_CONTEXT: {"thread_id": "th-1"},
                FEDERATION_MESSAGE: {"kind": "x"},
            },
        },
        "configuration": {
            "historyLength": 4,
            "taskPushNotificationConfig": {name: value for name, value in HOOK.items() if name != "taskId"},
        },
        "metadata": {"clientTaskId": "task_1"},
    },
    {"task": DONE},
    {**DONE_DRAFT, "task": DONE_DRAFT},
)

TABLE: dict[str, Spoken] = {
    "SendMessage": _SEND,
    "SendStreamingMessage": _SEND,
    "GetTask": Spoken(_ASK, _ASK, DONE, DONE),
    "ListTasks": Spoken({"pageSize": 3}, {"pageSize": 3}, _PAGE, _PAGE),
    "CancelTask": Spoken({"id": "t-1"}, {"id": "t-1"}, DONE, DONE),
    "SubscribeToTask": Spoken({"id": "t-1"}, {"id": "t-1"}, {"task": DONE}, {"task": DONE}),
    "CreateTaskPushNotificationConfig": Spoken(HOOK, HOOK, HOOK, HOOK),
    "GetTaskPushNotificationConfig": Spoken(_HOOK_ID, _HOOK_ID, HOOK, HOOK),
    "ListTaskPushNotificationConfigs": Spoken(
        {"taskId": "t-1"}, {"taskId": "t-1"}, {"configs": [HOOK]}, {"configs": [HOOK]}
    ),
    "DeleteTaskPushNotificationConfig": Spoken(_HOOK_ID, _HOOK_ID, {}, {}),
    "GetExtendedAgentCard": Spoken({}, {}, CARD, CARD),
    "message/send": _SEND_03,
    "message/stream": _STREAM_03,
    "tasks/get": Spoken(_ASK, _ASK, DONE, DONE_03),
    "tasks/list": Spoken({"pageSize": 3}, {"pageSize": 3}, _PAGE, {**_PAGE, "tasks": [DONE_03]}),
    "tasks/cancel": Spoken({"id": "t-1"}, {"id": "t-1"}, DONE, DONE_03),
    "tasks/resubscribe": Spoken({"id": "t-1"}, {"id": "t-1"}, {"task": DONE}, DONE_03),
    "tasks/pushNotificationConfig/set": Spoken(_HOOK_SET_03, HOOK, HOOK, _HOOK_SET_03),
    "tasks/pushNotificationConfig/get": Spoken(_HOOK_ID_03, _HOOK_ID, HOOK, _HOOK_SET_03),
    "tasks/pushNotificationConfig/list": Spoken({"id": "t-1"}, {"taskId": "t-1"}, {"configs": [HOOK]}, [_HOOK_SET_03]),
    "tasks/pushNotificationConfig/delete": Spoken(_HOOK_ID_03, _HOOK_ID, {}, None),
    "agent/getAuthenticatedExtendedCard": Spoken(None, {}, CARD, CARD),
    "tasks/send": _DRAFT,
    "tasks/sendSubscribe": Spoken(
        _DRAFT.params,
        _DRAFT.canonical_params,
        {"statusUpdate": {"taskId": "t-1", "contextId": "c-1", "status": DONE["status"]}},
        {"id": "t-1", "sessionId": "c-1", "status": DONE_03["status"], "final": True},
    ),
    "tasks/subscribe": Spoken({"id": "t-1"}, {"id": "t-1"}, {"task": DONE}, DONE_DRAFT),
}


def test_every_method_has_its_example_here() -> None:
    assert set(TABLE) == set(BY_NAME)
    assert len(METHODS) == len(BY_NAME), "a method name is in the table twice"


@requirement(
    "A2A-RPC-002", "V03-001", "V03-006", "V03-007", "V03-010", "DRAFT-006", "DRAFT-007", "DRAFT-008", "DRAFT-012"
)
@pytest.mark.parametrize("name", TABLE)
def test_what_is_asked_becomes_the_canonical_params(name: str) -> None:
    assert lifted(BY_NAME[name], TABLE[name].params, "fresh") == TABLE[name].canonical_params


@requirement("V03-002", "V03-003", "V03-004", "V03-009", "DRAFT-006", "DRAFT-012")
@pytest.mark.parametrize("name", TABLE)
def test_the_canonical_result_becomes_the_answer(name: str) -> None:
    assert BY_NAME[name].down(TABLE[name].canonical_result) == TABLE[name].result


@requirement("A2A-RPC-002")
def test_every_operation_is_there_in_v1_0_under_its_own_name() -> None:
    assert {method.name for method in METHODS if method.version is Version.V1_0} == {each.value for each in Operation}
    assert all(BY_NAME[each.value].operation is each for each in Operation)
    assert {Operation.STREAM, Operation.SUBSCRIBE} == STREAMED


@pytest.mark.parametrize("name", [method.name for method in METHODS if method.version is Version.V1_0])
@pytest.mark.parametrize("result", [{"task": TASK}, {"message": MESSAGE}, STATUS_UPDATE, ARTIFACT_UPDATE, WEBHOOK])
def test_v1_0_is_the_canonical_form_itself(name: str, result: dict[str, Any]) -> None:
    assert BY_NAME[name].down(result) is result


@requirement("DRAFT-007", "DRAFT-008")
@pytest.mark.parametrize("name", ["SendMessage", "message/send", "tasks/send"])
def test_blocks_beside_the_message_move_into_its_metadata_in_every_dialect(name: str) -> None:
    message = HELLO_03 if name != "SendMessage" else HELLO
    params = {"message": message, "session_context": {"thread_id": "th"}, "authority": {"level": "inform"}}
    metadata = lifted(BY_NAME[name], params, "fresh")["message"]["metadata"]
    assert metadata == {SESSION_CONTEXT: {"thread_id": "th"}, AUTHORITY: {"level": "inform"}}


def test_a_block_in_the_metadata_wins_over_the_one_beside_the_message() -> None:
    message = {**HELLO, "metadata": {SESSION_CONTEXT: {"thread_id": "inside"}}}
    params = {"message": message, "session_context": {"thread_id": "beside"}}
    lifted_message = lifted(BY_NAME["SendMessage"], params, "fresh")["message"]
    assert lifted_message["metadata"][SESSION_CONTEXT] == {"thread_id": "inside"}
    assert message["metadata"] == {SESSION_CONTEXT: {"thread_id": "inside"}}, "the params were changed"


@requirement("DRAFT-006")
def test_a_task_made_by_a_draft_client_is_shown_the_way_of_the_drafts_everywhere() -> None:
    task = {**DONE, "metadata": {"clientTaskId": "task_1"}}
    shown = {**DONE_DRAFT, "metadata": {"clientTaskId": "task_1"}}
    assert BY_NAME["tasks/get"].down(task) == shown
    assert BY_NAME["tasks/cancel"].down(task) == shown
    assert BY_NAME["tasks/list"].down({**_PAGE, "tasks": [task]})["tasks"] == [shown]


@pytest.mark.parametrize("name", ["message/stream", "tasks/resubscribe", "tasks/sendSubscribe", "tasks/subscribe"])
def test_every_kind_of_event_has_its_form_in_the_older_dialects(name: str) -> None:
    down = BY_NAME[name].down
    events = [{"task": TASK}, {"message": MESSAGE}, STATUS_UPDATE, ARTIFACT_UPDATE]
    forms = [down(event) for event in events]
    assert forms[3]["artifact"]["artifactId"] == ARTIFACT["artifactId"]
    assert [form["final"] for form in forms if "final" in form] == [True], "input-required ends the stream"
    if BY_NAME[name].version is Version.V0_3:
        assert [form["kind"] for form in forms] == ["task", "message", "status-update", "artifact-update"]
