"""Tasks, events and settings in the JSON of A2A v1.0 (ProtoJSON): the canonical form inside this node."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.messages.events import ArtifactGrew, MessageReplied, StatusChanged, TaskEvent, TaskShown
from csbond.protocol.messages.incoming import IncomingMessage
from csbond.protocol.messages.message import message_from_json, message_to_json
from csbond.protocol.messages.part import part_from_json, part_to_json
from csbond.protocol.messages.push import PushConfig
from csbond.protocol.messages.task import Artifact, Task, TaskState, TaskView

_STATE_PREFIX = "TASK_STATE_"
THE_ONE_WEBHOOK = "default"
"""The id of a webhook that a client older than v1.0 sets without an id."""


def state_to_json(state: TaskState) -> str:
    """`TASK_STATE_WORKING` and its like."""
    return _STATE_PREFIX + state.name


def state_from_json(name: str) -> TaskState:
    """The state of a v1.0 name."""
    return TaskState[name.removeprefix(_STATE_PREFIX)]


def time_to_json(milliseconds: int) -> str:
    """ISO 8601 in UTC with milliseconds (A2A v1.0.1 §5.6.1)."""
    return (
        datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{milliseconds % 1000:03}Z"
    )


def time_from_json(text: str) -> int:
    """Milliseconds since 1970 of an ISO 8601 time; `ValueError` when it is none."""
    moment = datetime.fromisoformat(text)
    return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)


def status_to_json(task: Task) -> dict[str, Any]:
    """The `status` of a task."""
    status: dict[str, Any] = {"state": state_to_json(task.state), "timestamp": time_to_json(task.status_at)}
    if task.status_message:
        status["message"] = message_to_json(task.status_message)
    return status


def artifact_to_json(artifact: Artifact) -> dict[str, Any]:
    """An artifact; empty fields are left out."""
    raw: dict[str, Any] = {"artifactId": artifact.id, "parts": [part_to_json(part) for part in artifact.parts]}
    optional = {
        "name": artifact.name,
        "description": artifact.description,
        "metadata": artifact.metadata,
        "extensions": list(artifact.extensions),
    }
    raw.update({name: value for name, value in optional.items() if value})
    return raw


def artifact_from_json(raw: Mapping[str, Any]) -> Artifact:
    """An artifact from its v1.0 JSON form."""
    return Artifact(
        id=raw["artifactId"],
        parts=tuple(part_from_json(part) for part in raw["parts"]),
        name=raw.get("name", ""),
        description=raw.get("description", ""),
        metadata=raw.get("metadata", {}),
        extensions=tuple(raw.get("extensions", ())),
    )


def task_to_json(view: TaskView) -> dict[str, Any]:
    """A task; `artifacts` is absent only when the view has none by request (§3.1.4)."""
    task = view.task
    raw: dict[str, Any] = {"id": task.id, "contextId": task.context_id, "status": status_to_json(task)}
    if view.artifacts:
        raw["artifacts"] = [artifact_to_json(artifact) for artifact in view.artifacts]
    if view.history:
        raw["history"] = [message_to_json(message) for message in view.history]
    if task.metadata:
        raw["metadata"] = task.metadata
    return raw


def event_to_json(event: TaskEvent) -> dict[str, Any]:
    """A StreamResponse (§3.2.3)."""
    match event:
        case TaskShown(view=view):
            return {"task": task_to_json(view)}
        case MessageReplied(message=message):
            return {"message": message_to_json(message)}
        case StatusChanged(task=task):
            update: dict[str, Any] = {"taskId": task.id, "contextId": task.context_id, "status": status_to_json(task)}
            return {"statusUpdate": update}
        case ArtifactGrew():
            grown: dict[str, Any] = {
                "taskId": event.task_id,
                "contextId": event.context_id,
                "artifact": artifact_to_json(event.artifact),
            }
            if event.append:
                grown["append"] = True
            if event.last_chunk:
                grown["lastChunk"] = True
            return {"artifactUpdate": grown}


def push_to_json(config: PushConfig) -> dict[str, Any]:
    """A TaskPushNotificationConfig (§4.3.1)."""
    raw: dict[str, Any] = {"id": config.id, "taskId": config.task_id, "url": config.url}
    if config.token:
        raw["token"] = config.token
    if config.scheme:
        raw["authentication"] = {"scheme": config.scheme}
        if config.credentials:
            raw["authentication"]["credentials"] = config.credentials
    return raw


def push_from_json(raw: Mapping[str, Any], dialect: str = "1.0") -> PushConfig:
    """A webhook from its v1.0 JSON form.

    Without an id v1.0 makes one more; older clients mean the one webhook of the task, to be set or updated (v0.3 §7.5).
    `invalid_params` for a secret that cannot stand in an HTTP header.
    """
    authentication = raw.get("authentication", {})
    for name, secret in {"token": raw.get("token", ""), **authentication}.items():
        if isinstance(secret, str) and not (secret.isascii() and secret.isprintable()):
            raise RemoteProtocolError("invalid_params", f"{name} must be printable ASCII", field=name)
    return PushConfig(
        id=raw.get("id") or ("" if dialect == "1.0" else THE_ONE_WEBHOOK),
        task_id=raw.get("taskId", ""),
        url=raw["url"],
        token=raw.get("token", ""),
        scheme=authentication.get("scheme", ""),
        credentials=authentication.get("credentials", ""),
        dialect=dialect,
    )


def incoming_from_json(raw: Mapping[str, Any], dialect: str = "1.0") -> IncomingMessage:
    """A SendMessageRequest (§3.2.1), already checked for required fields.

    `invalid_params` for a history of less than nothing (§3.2.4).
    """
    configuration = raw.get("configuration", {})
    length = configuration.get("historyLength")
    if length is not None and length < 0:
        field = "configuration.historyLength"
        raise RemoteProtocolError("invalid_params", f"{field} must not be negative", field=field)
    push = configuration.get("taskPushNotificationConfig")
    return IncomingMessage(
        message=message_from_json(raw["message"]),
        accepted_output_modes=tuple(configuration.get("acceptedOutputModes", ())),
        history_length=length,
        return_immediately=configuration.get("returnImmediately", False),
        push=push_from_json(push, dialect) if push else None,
        metadata=raw.get("metadata", {}),
        tenant=raw.get("tenant", ""),
    )
