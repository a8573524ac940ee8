"""The JSON of the HTTP binding of A2A v0.3, which is ProtoJSON of its own types, as rewritings of v1.0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.messages import json_v0_3 as v0_3

_CANCELED = {"TASK_STATE_CANCELED": "TASK_STATE_CANCELLED"}


def rest_send_up(raw: object, _task_id: str) -> dict[str, Any]:
    """SendMessageRequest {message|request, configuration}; the parts are called `content`, `parts` is read too.

    `invalid_params` without a messageId: only the drafts on JSON-RPC do without one.
    """
    body = v0_3.expect_object(camelized(raw))
    message = {"kind": "message", **v0_3.expect_object(body.get("message", body.get("request")))}
    parts = message.pop("content", message.get("parts"))
    if isinstance(parts, list):
        message["parts"] = [_part_up(part) for part in parts]
    configuration = dict(v0_3.expect_object(body.get("configuration") or {}))
    if configuration.get("pushNotification"):
        configuration["pushNotificationConfig"] = configuration.pop("pushNotification")
    params = {"message": message, "configuration": configuration, "metadata": body.get("metadata")}
    return v0_3.send_up(params, fresh_id="")


def camelized(value: object) -> object:
    """A body with its field names in camelCase, as ProtoJSON allows both; what people wrote is left alone."""
    if isinstance(value, list):
        return [camelized(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    return {_camel(name): inner if name in ("metadata", "data") else camelized(inner) for name, inner in value.items()}


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word[:1].upper() + word[1:] for word in rest)


def _part_up(raw: object) -> object:
    if not isinstance(raw, Mapping):
        return raw
    part = dict(raw)
    file, data = part.get("file"), part.get("data")
    if isinstance(file, Mapping):
        names = {"fileWithBytes": "bytes", "fileWithUri": "uri"}
        part["file"] = {names.get(name, name): value for name, value in file.items()}
    if isinstance(data, Mapping) and set(data) == {"data"} and isinstance(data["data"], Mapping):
        part["data"] = data["data"]
    return part


def rest_push_up(raw: object, task_id: str) -> dict[str, Any]:
    """{parent, configId, config: {pushNotificationConfig}} or any inner part of it, as the flat v1.0 webhook."""
    body = v0_3.expect_object(camelized(raw))
    config = v0_3.expect_object(body.get("config", body))
    inner = v0_3.expect_object(config.get("pushNotificationConfig", config))
    if not isinstance(inner.get("url"), str):
        raise RemoteProtocolError(
            "invalid_params", "the webhook needs a url", field="config.pushNotificationConfig.url"
        )
    up = {"taskId": task_id} | v0_3.push_up(inner)
    named = body.get("configId") or body.get("config_id")
    if named and "id" not in up:
        up["id"] = named
    return up


def rest_part_down(part: Mapping[str, Any]) -> dict[str, Any]:
    """A v1.0 part in the v0.3 ProtoJSON."""
    down = v0_3.part_down(part)
    kind = down.pop("kind")
    if kind == "data":
        down["data"] = {"data": down["data"]}
    elif kind == "file":
        names = {"bytes": "fileWithBytes", "uri": "fileWithUri"}
        down["file"] = {names.get(name, name): value for name, value in down["file"].items()}
    return down


def rest_message_down(message: Mapping[str, Any]) -> dict[str, Any]:
    """A v1.0 message; its parts are called `content`."""
    down = dict(message)
    down["content"] = [rest_part_down(part) for part in down.pop("parts")]
    down.pop("referenceTaskIds", None)  # its protobuf types have no such field, and their readers refuse unknown ones
    return down


def rest_task_down(task: Mapping[str, Any]) -> dict[str, Any]:
    """A v1.0 task in the v0.3 ProtoJSON."""
    down = {**task, "status": _status_down(task["status"])}
    if "artifacts" in task:
        down["artifacts"] = [_artifact_down(artifact) for artifact in task["artifacts"]]
    if "history" in task:
        down["history"] = [rest_message_down(message) for message in task["history"]]
    return down


def rest_event_down(event: Mapping[str, Any]) -> dict[str, Any]:
    """A StreamResponse or SendMessageResponse, its one field kept."""
    (name, value), *_ = event.items()
    if name == "task":
        return {name: rest_task_down(value)}
    if name == "message":
        return {name: rest_message_down(value)}
    if name == "statusUpdate":
        final = v0_3.event_down(event)["final"]
        return {name: {**value, "status": _status_down(value["status"]), "final": final}}
    return {name: {**value, "artifact": _artifact_down(value["artifact"])}}


def rest_push_down(config: Mapping[str, Any]) -> dict[str, Any]:
    """A webhook with its resource name."""
    name = f"tasks/{config['taskId']}/pushNotificationConfigs/{config['id']}"
    return {"name": name, "pushNotificationConfig": v0_3.push_down(config)["pushNotificationConfig"]}


def rest_push_list_down(listing: Mapping[str, Any]) -> dict[str, Any]:
    """The webhooks of a task."""
    return {"configs": [rest_push_down(config) for config in listing.get("configs", [])]}


def _artifact_down(artifact: Mapping[str, Any]) -> dict[str, Any]:
    return {**artifact, "parts": [rest_part_down(part) for part in artifact["parts"]]}


def _status_down(status: Mapping[str, Any]) -> dict[str, Any]:
    down = {**status, "state": _CANCELED.get(status["state"], status["state"])}
    if "message" in status:
        down["message"] = rest_message_down(status["message"])
    return down
