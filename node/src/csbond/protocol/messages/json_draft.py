"""The JSON of the drafts (`tasks/send`, `sessionId`, parts with `type`, `kind` or nothing) as rewritings of v1.0.

A2A draft v0.6 and CSB v0.8/v1.0 write it in several spellings; all of them are read, one is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.messages.extensions import LITERAL_PLACES, SENDER
from csbond.protocol.messages.json_v0_3 import (
    artifact_down,
    message_down,
    message_up,
    push_up,
    status_down,
)

CLIENT_TASK_ID = "clientTaskId"
"""The task metadata key of the id a draft client gave; such a task is shown the drafts' way everywhere."""


def _object(value: object, field: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise RemoteProtocolError("invalid_params", f"{field} must be an object", field=field)
    return value


def draft_send_up(raw: object, fresh_id: str) -> dict[str, Any]:
    """`tasks/send` params → SendMessageRequest.

    `id` is the client's own name for the call: the drafts let clients name tasks, v1.0 does not, so an id is kept
    in the metadata and only `message.taskId` continues a task. `sessionId` is the contextId.
    """
    params = _object(raw, "params")
    message = message_up(_one_part(params.get("message")), fresh_id, role="user")
    session = params.get("sessionId", params.get("session_id"))
    if session and "contextId" not in message:
        message["contextId"] = session
    metadata = dict(message.get("metadata") or {})
    for name, key in (("sender", SENDER), ("history_length", "history_length"), ("parent_id", "parent_id")):
        if params.get(name) is not None:
            metadata.setdefault(key, params[name])
    if metadata:
        message["metadata"] = metadata
    up: dict[str, Any] = {"message": message}
    outer = dict(_object(params.get("metadata") or {}, "metadata"))
    if params.get("id"):
        outer[CLIENT_TASK_ID] = params["id"]
    if outer:
        up["metadata"] = outer
    settings = _settings(params)
    if settings:
        up["configuration"] = settings
    return up


def _one_part(message: object) -> object:
    """A message whose parts are a single part, or that has only a text."""
    if not isinstance(message, Mapping):
        return message
    parts = message.get("parts", message.get("text"))
    return {**message, "parts": [parts]} if isinstance(parts, str | Mapping) else message


def _settings(params: Mapping[str, Any]) -> dict[str, Any]:
    configuration = _object(params.get("configuration") or {}, "configuration")
    settings: dict[str, Any] = {}
    length = configuration.get("historyLength", params.get("historyLength", params.get("history_length")))
    if length is not None:
        settings["historyLength"] = length
    modes = configuration.get("acceptedOutputModes", params.get("acceptedOutputModes"))
    if modes:
        settings["acceptedOutputModes"] = modes
    if configuration.get("returnImmediately") or configuration.get("blocking") is False:
        settings["returnImmediately"] = True
    push = params.get("pushNotification") or configuration.get("pushNotificationConfig")
    if push:
        settings["taskPushNotificationConfig"] = push_up(push)
    return settings


def draft_task_down(task: Mapping[str, Any]) -> dict[str, Any]:
    """A v1.0 Task as the drafts show it: `sessionId` beside `contextId`, parts with `type` and `kind`."""
    down: dict[str, Any] = {**task, "sessionId": task["contextId"], "status": _typed_status(task["status"])}
    for name, rewrite in (("artifacts", artifact_down), ("history", message_down)):
        if name in task:
            down[name] = [_typed(rewrite(item)) for item in task[name]]
    return down


def draft_result_down(result: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to `tasks/send`: the task's own fields, and the task once more as `task`, for both kinds of reader."""
    if "message" in result:
        return {"message": _typed(message_down(result["message"]))}
    task = draft_task_down(result["task"])
    return {**task, "task": task}


def draft_event_down(event: Mapping[str, Any]) -> dict[str, Any]:
    """An event of `tasks/sendSubscribe`: {id, status, final} or {id, artifact}; the task itself comes first."""
    (name, value), *_ = event.items()
    if name == "task":
        return draft_task_down(value)
    if name == "message":
        return {"message": _typed(message_down(value))}
    if name == "statusUpdate":
        status = _typed_status(value["status"])
        final = status["state"] not in ("submitted", "working")
        return {"id": value["taskId"], "sessionId": value["contextId"], "status": status, "final": final}
    artifact = {**_typed(artifact_down(value["artifact"])), "append": value.get("append", False)}
    return {"id": value["taskId"], "artifact": {**artifact, "lastChunk": value.get("lastChunk", False)}}


def _typed(holder: dict[str, Any]) -> dict[str, Any]:
    """Parts by `kind` for readers of v0.3, by `type` for those of the drafts, who know a url as a type of its own."""
    for part in holder["parts"]:
        part["type"] = part["kind"]
        if "uri" in part.get("file", {}):
            part |= {"type": "url", "url": part["file"]["uri"]}
    return holder


def _typed_status(status: Mapping[str, Any]) -> dict[str, Any]:
    down = status_down(status)
    if "message" in down:
        down["message"] = _typed(down["message"])
    return down


def blocks_up(params: Mapping[str, Any]) -> dict[str, Any]:
    """The CSB blocks at their literal places (`params.session_context`, …), keyed by their extension URI."""
    return {uri: params[name] for name, uri in LITERAL_PLACES.items() if params.get(name) is not None}
