"""The JSON of A2A v0.3 as rewritings of that of v1.0, both ways; nothing here knows of HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.messages.extensions import SENDER

_ROLES = {
    "user": "ROLE_USER",
    "role_user": "ROLE_USER",
    "agent": "ROLE_AGENT",
    "role_agent": "ROLE_AGENT",
}
"""By lower case: drafts and their clients mix the spellings."""
_STATES = {
    "submitted": "TASK_STATE_SUBMITTED",
    "working": "TASK_STATE_WORKING",
    "input-required": "TASK_STATE_INPUT_REQUIRED",
    "auth-required": "TASK_STATE_AUTH_REQUIRED",
    "completed": "TASK_STATE_COMPLETED",
    "failed": "TASK_STATE_FAILED",
    "canceled": "TASK_STATE_CANCELED",
    "rejected": "TASK_STATE_REJECTED",
    "unknown": "TASK_STATE_UNSPECIFIED",
}
_STATE_NAMES = {name: state for state, name in _STATES.items()}
_ROLE_NAMES = {"ROLE_USER": "user", "ROLE_AGENT": "agent"}
_FINAL = frozenset({"completed", "failed", "canceled", "rejected", "input-required", "auth-required"})

WRAPPED = "data_part_compat"
"""Marks a data part whose v1.0 value is no object, as the official SDKs mark it: v0.3 knows objects only."""


def _bad(field: str, reason: str) -> RemoteProtocolError:
    return RemoteProtocolError("invalid_params", f"{field} {reason}", field=field)


def expect_object(value: object) -> Mapping[str, Any]:
    """The params when they are an object; `invalid_params` otherwise."""
    return _object(value, "params")


def _object(value: object, field: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise _bad(field, "must be an object")
    return value


def _list(value: object, field: str) -> list[Any]:
    if not isinstance(value, list):
        raise _bad(field, "must be a list")
    return value


def _text(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise _bad(field, "must be a text")
    return value


# ---- requests: v0.3 → v1.0


def part_up(raw: object) -> dict[str, Any]:
    """A part as a v1.0 part: by its `kind` (v0.3), its `type` (drafts), or by the content it has."""
    part = _object({"text": raw} if isinstance(raw, str) else raw, "message.parts[]")
    found = next((name for name in ("text", "data", "file", "raw", "url") if name in part), None)
    kind = part.get("kind", part.get("type", found))
    if kind == "text":
        up: dict[str, Any] = {"text": _text(part.get("text"), "message.parts[].text")}
    elif kind == "data" and "data" in part:
        up = {"data": _unwrapped(part)}
    elif kind == "file" and "file" in part:
        up = _file_up(_object(part["file"], "message.parts[].file"))
    elif found in ("raw", "url") and kind in (found, "file"):
        up = {found: _text(part[found], f"message.parts[].{found}")}
    else:
        raise _bad("message.parts[].kind", "must be text, data or file, with the content it names")
    return up | _about(part)


def _about(part: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {name: value for name, value in _part_metadata(part).items() if name != WRAPPED}
    about = {"mediaType": part.get("mediaType"), "filename": part.get("filename"), "metadata": metadata}
    return {name: value for name, value in about.items() if value}


def _part_metadata(part: Mapping[str, Any]) -> Mapping[str, Any]:
    return _object(part.get("metadata") or {}, "message.parts[].metadata")


def _unwrapped(part: Mapping[str, Any]) -> Any:
    data = part["data"]
    wrapped = _part_metadata(part).get(WRAPPED) and isinstance(data, Mapping) and "value" in data
    return data["value"] if wrapped else data


def _file_up(file: Mapping[str, Any]) -> dict[str, Any]:
    if ("bytes" in file) == ("uri" in file):
        raise _bad("message.parts[].file", "must have either bytes or uri")
    kind, name = ("raw", "bytes") if "bytes" in file else ("url", "uri")
    up: dict[str, Any] = {kind: _text(file[name], f"message.parts[].file.{name}")}
    if file.get("mimeType"):
        up["mediaType"] = file["mimeType"]
    if file.get("name"):
        up["filename"] = file["name"]
    return up


def message_up(raw: object, fresh_id: str, *, role: str | None = None) -> dict[str, Any]:
    """A Message as a v1.0 one; without a role it has the given one, if any.

    v0.3 wants a messageId; a message of the drafts, which has no `kind`, gets the fresh id when it has none.
    """
    message = _object(raw, "message")
    said_role = message.get("role", role)
    if not isinstance(said_role, str) or said_role.lower() not in _ROLES:
        raise _bad("message.role", "must be user or agent")
    if message.get("kind", "message") != "message":
        raise _bad("message.kind", "must be message")
    parts = message.get("parts")
    up: dict[str, Any] = {
        "messageId": _text(message.get("messageId", None if "kind" in message else fresh_id), "message.messageId"),
        "role": _ROLES[said_role.lower()],
        "parts": [part_up(part) for part in _list(parts, "message.parts")],
    }
    for name in ("contextId", "taskId", "referenceTaskIds", "extensions"):
        if message.get(name):
            up[name] = message[name]
    metadata = dict(_object(message.get("metadata") or {}, "message.metadata"))
    for name, key in (("sender", SENDER), ("parent_id", "parent_id")):
        if message.get(name):
            metadata.setdefault(key, message[name])
    if metadata:
        up["metadata"] = metadata
    return up


def push_up(raw: object) -> dict[str, Any]:
    """A v0.3 PushNotificationConfig as the flat v1.0 one."""
    config = _object(raw, "pushNotificationConfig")
    up = {name: config[name] for name in ("id", "url", "token") if config.get(name)}
    authentication = config.get("authentication")
    if authentication:
        schemes = _list(_object(authentication, "authentication").get("schemes", []), "authentication.schemes")
        up["authentication"] = {"scheme": schemes[0] if schemes else "Bearer"}
        if authentication.get("credentials"):
            up["authentication"]["credentials"] = authentication["credentials"]
    return up


def send_up(raw: object, fresh_id: str) -> dict[str, Any]:
    """MessageSendParams → SendMessageRequest."""
    params = _object(raw, "params")
    up: dict[str, Any] = {"message": message_up(params.get("message"), fresh_id)}
    if params.get("metadata"):
        up["metadata"] = params["metadata"]
    configuration = _object(params.get("configuration") or {}, "configuration")
    settings: dict[str, Any] = {}
    for name in ("acceptedOutputModes", "historyLength"):
        if configuration.get(name) is not None:
            settings[name] = configuration[name]
    if configuration.get("blocking") is False:
        settings["returnImmediately"] = True
    if configuration.get("pushNotificationConfig"):
        settings["taskPushNotificationConfig"] = push_up(configuration["pushNotificationConfig"])
    if settings:
        up["configuration"] = settings
    return up


def task_id_up(raw: object, _fresh_id: str = "") -> dict[str, Any]:
    """TaskIdParams and TaskQueryParams → GetTaskRequest and its like."""
    params = _object(raw, "params")
    up: dict[str, Any] = {"id": _text(params.get("id", params.get("taskId")), "id")}
    if params.get("historyLength") is not None:
        up["historyLength"] = params["historyLength"]
    return up


def push_set_up(raw: object, _fresh_id: str = "") -> dict[str, Any]:
    """TaskPushNotificationConfig {taskId, pushNotificationConfig} → the flat v1.0 one."""
    params = _object(raw, "params")
    return {"taskId": _text(params.get("taskId"), "taskId")} | push_up(params.get("pushNotificationConfig"))


def push_id_up(raw: object, _fresh_id: str = "") -> dict[str, Any]:
    """{id: task, pushNotificationConfigId?} → {taskId, id?}; without an id the first webhook is meant."""
    params = _object(raw, "params")
    up = {"taskId": _text(params.get("id"), "id")}
    if params.get("pushNotificationConfigId"):
        up["id"] = _text(params["pushNotificationConfigId"], "pushNotificationConfigId")
    return up


# ---- answers: v1.0 → v0.3


def part_down(part: Mapping[str, Any]) -> dict[str, Any]:
    """A v1.0 part with its v0.3 kind."""
    metadata = dict(part.get("metadata") or {})
    down: dict[str, Any]
    if "text" in part:
        down = {"kind": "text", "text": part["text"]}
    elif "data" in part:
        wrap = not isinstance(part["data"], Mapping)
        down = {"kind": "data", "data": {"value": part["data"]} if wrap else part["data"]}
        if wrap:
            metadata[WRAPPED] = True
    else:
        file: dict[str, Any] = {"bytes": part["raw"]} if "raw" in part else {"uri": part["url"]}
        if part.get("mediaType"):
            file["mimeType"] = part["mediaType"]
        if part.get("filename"):
            file["name"] = part["filename"]
        down = {"kind": "file", "file": file}
    if metadata:
        down["metadata"] = metadata
    return down


def message_down(message: Mapping[str, Any]) -> dict[str, Any]:
    """A v1.0 Message as a v0.3 one."""
    down = {**message, "kind": "message", "role": _ROLE_NAMES[message["role"]]}
    down["parts"] = [part_down(part) for part in message["parts"]]
    return down


def artifact_down(artifact: Mapping[str, Any]) -> dict[str, Any]:
    """A v1.0 Artifact as a v0.3 one."""
    return {**artifact, "parts": [part_down(part) for part in artifact["parts"]]}


def status_down(status: Mapping[str, Any]) -> dict[str, Any]:
    """A v1.0 TaskStatus as a v0.3 one."""
    down = {**status, "state": _STATE_NAMES[status["state"]]}
    if "message" in status:
        down["message"] = message_down(status["message"])
    return down


def task_down(task: Mapping[str, Any]) -> dict[str, Any]:
    """A v1.0 Task as a v0.3 one."""
    down = {**task, "kind": "task", "status": status_down(task["status"])}
    if "artifacts" in task:
        down["artifacts"] = [artifact_down(artifact) for artifact in task["artifacts"]]
    if "history" in task:
        down["history"] = [message_down(message) for message in task["history"]]
    return down


def event_down(event: Mapping[str, Any]) -> dict[str, Any]:
    """A StreamResponse or SendMessageResponse as the bare v0.3 object it holds."""
    (name, value), *_ = event.items()
    if name == "task":
        return task_down(value)
    if name == "message":
        return message_down(value)
    if name == "statusUpdate":
        status = status_down(value["status"])
        return {**value, "kind": "status-update", "status": status, "final": status["state"] in _FINAL}
    return {**value, "kind": "artifact-update", "artifact": artifact_down(value["artifact"])}


def push_down(config: Mapping[str, Any]) -> dict[str, Any]:
    """A flat v1.0 webhook as {taskId, pushNotificationConfig}."""
    inner: dict[str, Any] = {name: config[name] for name in ("id", "url", "token") if config.get(name)}
    authentication = config.get("authentication")
    if authentication:
        inner["authentication"] = {"schemes": [authentication.get("scheme", "")]}
        if authentication.get("credentials"):
            inner["authentication"]["credentials"] = authentication["credentials"]
    return {"taskId": config["taskId"], "pushNotificationConfig": inner}


def push_list_down(listing: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The webhooks of a task as the bare list v0.3 expects."""
    return [push_down(config) for config in listing.get("configs", [])]
