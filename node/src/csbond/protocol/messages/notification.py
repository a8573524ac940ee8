"""What a webhook is sent (A2A v1.0.1 §4.3.3; v0.3 sends the bare task)."""

from __future__ import annotations

from dataclasses import replace

import orjson

from csbond.protocol.messages.events import MessageReplied, StatusChanged, TaskEvent, TaskShown
from csbond.protocol.messages.json_v0_3 import task_down
from csbond.protocol.messages.json_v1_0 import event_to_json, task_to_json
from csbond.protocol.messages.task import TERMINAL, TaskView


def notification_body(view: TaskView, event: TaskEvent, dialect: str) -> bytes:
    """The JSON body for one event: the whole task at its end and in v0.3, the event itself otherwise."""
    shown = replace(view, history=())
    if dialect != "1.0" and not isinstance(event, MessageReplied):
        return orjson.dumps(task_down(task_to_json(shown)))
    if isinstance(event, StatusChanged) and event.task.state in TERMINAL:
        event = TaskShown(replace(shown, task=event.task))
    return orjson.dumps(event_to_json(event))
