"""The snapshot that came with a task: it is looked at when the owner asks for it, and never before (MEM-006 §6.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from csbond.flows.world import World
from csbond.protocol.errors import Refused
from csbond.protocol.memory.entry import refused
from csbond.protocol.memory.rights import may_distribute
from csbond.protocol.memory.snapshot import MEDIA_TYPE, SUFFIX
from csbond.protocol.messages.caller import Caller
from csbond.protocol.messages.part import Part, PartKind


async def snapshot_of_task(world: World, task_id: str, part: int | None, caller: Caller) -> bytes:
    """The bytes of the snapshot in a message or artifact of any task, not yet believed.

    1. the caller is the owner (`forbidden`); 2. the task is there and holds snapshots (`task_not_found`,
    `snapshot_not_found`); 3. of several one is named, by its place among them from 0; 4. it came along: an address is
    not opened (`invalid_params`).
    """
    may_distribute(caller)
    parts = await _parts(world, task_id)
    held = list(dict.fromkeys(_content(each) for each in parts if _is_snapshot(each)))
    if not held:
        raise Refused("snapshot_not_found", f"no message or artifact of the task {task_id} holds a snapshot")
    if part is None and len(held) > 1:
        raise refused("part", f"must say which of the {len(held)} snapshots of the task, from 0")
    if part is not None and part >= len(held):
        raise refused("part", f"is not one of the {len(held)} snapshots of the task, counted from 0")
    content = held[part or 0]
    if isinstance(content, str):
        raise refused("part", "is an address, which the node does not open; download it with csb memory snapshot load")
    return content


async def _parts(world: World, task_id: str) -> list[Part]:
    """The parts of its messages, then of its artifacts; a task that was answered by a bare message has them too."""
    messages = await world.ledger.history(task_id, None)
    artifacts = await world.ledger.artifacts(task_id)
    if not messages and not artifacts and await world.ledger.task(task_id, None) is None:
        raise Refused("task_not_found", f"there is no task {task_id}", field="task_id")
    return [part for message in messages for part in message.parts] + [
        part for artifact in artifacts for part in artifact.parts
    ]


def _is_snapshot(part: Part) -> bool:
    told = part.media_type.partition(";")[0].strip().lower() == MEDIA_TYPE or part.filename.endswith(SUFFIX)
    whole = (
        part.kind is PartKind.DATA and isinstance(part.value, Mapping) and {"snapshot", "memories"} <= set(part.value)
    )
    return told or whole


def _content(part: Part) -> bytes | str:
    """The bytes of a part; the text of an address. What a skill says back is the same snapshot once more."""
    value: Any = part.value
    if part.kind is PartKind.URL:
        return str(value)
    if part.kind is PartKind.FILE:
        return bytes(value)
    return value.encode() if part.kind is PartKind.TEXT else orjson.dumps(value)
