"""The dialects of A2A as a table: which method of which version is which operation, and how its JSON is rewritten.

The canonical form is the JSON of v1.0. A row rewrites params up to it and results down from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from csbond.protocol.messages import json_draft as draft
from csbond.protocol.messages import json_v0_3 as v0_3


class Operation(StrEnum):
    """What can be asked of an agent (A2A v1.0.1 §3.1), by its v1.0 method name."""

    SEND = "SendMessage"
    STREAM = "SendStreamingMessage"
    GET = "GetTask"
    LIST = "ListTasks"
    CANCEL = "CancelTask"
    SUBSCRIBE = "SubscribeToTask"
    PUSH_CREATE = "CreateTaskPushNotificationConfig"
    PUSH_GET = "GetTaskPushNotificationConfig"
    PUSH_LIST = "ListTaskPushNotificationConfigs"
    PUSH_DELETE = "DeleteTaskPushNotificationConfig"
    EXTENDED_CARD = "GetExtendedAgentCard"


STREAMED = frozenset({Operation.STREAM, Operation.SUBSCRIBE})

Up = Callable[[object, str], Mapping[str, Any]]
"""(params, a fresh id) → v1.0 params."""
Down = Callable[[Any], Any]
"""v1.0 result → result of the dialect."""


class Version(StrEnum):
    """The families of dialects."""

    V1_0 = "1.0"
    V0_3 = "0.3"
    DRAFT = "draft"


@dataclass(frozen=True, slots=True)
class Method:
    """One row: a method name, what it means, and the rewriting in both directions."""

    name: str
    version: Version
    operation: Operation
    up: Up
    down: Down


def _as_is(params: object, _fresh_id: str) -> Mapping[str, Any]:
    return params if isinstance(params, Mapping) else v0_3.expect_object(params)


def _same(result: Any) -> Any:
    return result


def _task(task: Mapping[str, Any]) -> dict[str, Any]:
    """A task made by a draft client is shown the drafts' way: v0.3 and a few fields more."""
    made_by_draft = draft.CLIENT_TASK_ID in task.get("metadata", {})
    return draft.draft_task_down(task) if made_by_draft else v0_3.task_down(task)


def _listing(listing: Mapping[str, Any]) -> dict[str, Any]:
    return {**listing, "tasks": [_task(task) for task in listing["tasks"]]}


def _null(_result: Any) -> None:
    return None


_O, _V, _D = Operation, Version.V0_3, Version.DRAFT

METHODS: tuple[Method, ...] = (
    *(Method(operation.value, Version.V1_0, operation, _as_is, _same) for operation in Operation),
    Method("message/send", _V, _O.SEND, v0_3.send_up, v0_3.event_down),
    Method("message/stream", _V, _O.STREAM, v0_3.send_up, v0_3.event_down),
    Method("tasks/get", _V, _O.GET, v0_3.task_id_up, _task),
    Method("tasks/list", _V, _O.LIST, _as_is, _listing),
    Method("tasks/cancel", _V, _O.CANCEL, v0_3.task_id_up, _task),
    Method("tasks/resubscribe", _V, _O.SUBSCRIBE, v0_3.task_id_up, v0_3.event_down),
    Method("tasks/pushNotificationConfig/set", _V, _O.PUSH_CREATE, v0_3.push_set_up, v0_3.push_down),
    Method("tasks/pushNotificationConfig/get", _V, _O.PUSH_GET, v0_3.push_id_up, v0_3.push_down),
    Method("tasks/pushNotificationConfig/list", _V, _O.PUSH_LIST, v0_3.push_id_up, v0_3.push_list_down),
    Method("tasks/pushNotificationConfig/delete", _V, _O.PUSH_DELETE, v0_3.push_id_up, _null),
    Method("agent/getAuthenticatedExtendedCard", _V, _O.EXTENDED_CARD, _as_is, _same),
    Method("tasks/send", _D, _O.SEND, draft.draft_send_up, draft.draft_result_down),
    Method("tasks/sendSubscribe", _D, _O.STREAM, draft.draft_send_up, draft.draft_event_down),
    Method("tasks/subscribe", _D, _O.SUBSCRIBE, v0_3.task_id_up, draft.draft_event_down),
)

BY_NAME: dict[str, Method] = {method.name: method for method in METHODS}


def is_final(event: Mapping[str, Any]) -> bool:
    """Whether a v1.0 StreamResponse is the last of a stream for older clients, who read `final` in it (v0.3 §7.2)."""
    return "statusUpdate" in event and bool(v0_3.event_down(event)["final"])


def lifted(method: Method, params: object, fresh_id: str) -> dict[str, Any]:
    """The v1.0 params of a call; CSB blocks at their literal places move into `message.metadata`.

    `invalid_params` names the field that does not fit.
    """
    up = dict(method.up({} if params is None else params, fresh_id))
    if method.operation in (Operation.SEND, Operation.STREAM) and isinstance(params, Mapping):
        blocks = draft.blocks_up(params)
        if blocks and isinstance(up.get("message"), Mapping):
            message = dict(up["message"])
            message["metadata"] = blocks | dict(v0_3.expect_object(message.get("metadata") or {}))
            up["message"] = message
    return up
