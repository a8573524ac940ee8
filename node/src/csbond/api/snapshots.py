"""`/v1/memory/snapshot`: the owner makes, shows, checks and loads snapshots of memories (MEM-003 §3.1, MEM-006)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

from fastapi import Path, Query, Request
from starlette.responses import Response, StreamingResponse

from csbond.api.body_parts import count_in, filter_in, parts_of, truth_in
from csbond.api.memory import Cursor, Limit
from csbond.api.memory_shown import fitting, page_body
from csbond.api.operation import Operation
from csbond.api.problems import Json
from csbond.api.served import (
    body_digest,
    caller_of,
    idempotency_key,
    intent_of,
    json_body_or_none,
    position,
    served,
)
from csbond.flows.load_snapshot import SOURCE_MAX, Loaded, LoadRequest, counts_of, load_snapshot
from csbond.flows.make_snapshot import SnapshotRequest, make_snapshot
from csbond.flows.show_snapshot import drop_snapshot, find_snapshot, list_loads, list_snapshots, snapshot_lines
from csbond.flows.snapshot_of_task import snapshot_of_task
from csbond.flows.verify_snapshot import verify_snapshot
from csbond.protocol.errors import CsbError
from csbond.protocol.memory.entry import refused
from csbond.protocol.memory.filter import EntryFilter
from csbond.protocol.memory.snapshot import MEDIA_TYPE, SUFFIX, SnapshotLoad
from csbond.protocol.memory.snapshot_json import shown_head
from csbond.protocol.messages.listing import PAGE_SIZE_DEFAULT
from csbond.transport.body import check_media_type, read_body, read_json

MAKE_PARTS = ("description", "filter", "embeddings", "links")
"""What the body of a new snapshot may hold."""
TASK_PARTS = ("task_id", "part")
"""What names a snapshot that came with a task."""
SNAPSHOT_ID_MAX = 128
_NAMING_MAX = 4 * 1024
"""Bytes of a body that names a task; a longer one is a snapshot itself."""
_TOLD = 10_000
"""Bytes of each list of an answer."""

SnapshotId = Annotated[str, Path(max_length=SNAPSHOT_ID_MAX)]
Lenient = Annotated[bool, Query(description="Let names pass in its head that nobody knows.")]
Replace = Annotated[bool, Query(description="Let it take the place of what is here with another content.")]
DryRun = Annotated[bool, Query(description="Tell what would be done, and do nothing.")]
Source = Annotated[str, Query(max_length=SOURCE_MAX, description="Where the file came from, for the log.")]


async def create(request: Request) -> Response:
    """The head of a new snapshot of what fits the filter, of everything without one."""
    raw = await json_body_or_none(request)
    body = parts_of(raw, MAKE_PARTS)
    description = body.get("description", "")
    if not isinstance(description, str):
        raise refused("description", "must be a text")
    wishes = SnapshotRequest(
        description=description,
        wanted=filter_in(body, "filter", served(request)) if "filter" in body else EntryFilter(),
        links=truth_in(body, "links", preset=True),
        embeddings=truth_in(body, "embeddings", preset=False),
        key=idempotency_key(request),
        digest=body_digest(raw),
    )
    intent = intent_of(request, "make a snapshot of memories")
    head = await make_snapshot(served(request).world, wishes, caller_of(request), intent)
    return Json(shown_head(head), 201, {"Location": f"/v1/memory/snapshot/{head.id}"})


async def list_page(request: Request, limit: Limit = PAGE_SIZE_DEFAULT, cursor: Cursor = None) -> Response:
    """A page of snapshots as they were made, the latest first; what was deleted since is not in them any more."""
    page = await list_snapshots(served(request).world, caller_of(request), position(cursor), limit)
    return Json(page_body("snapshots", page, shown_head, lambda head: (head.created, head.id)))


async def show(request: Request, id: SnapshotId) -> Response:
    """The file of a snapshot, without what was deleted since it was made; its checksums are of what it shows."""
    world = served(request).world
    head = await find_snapshot(world, id, caller_of(request))
    headers = {"Content-Disposition": f'attachment; filename="{head.id}{SUFFIX}"'}
    return StreamingResponse(snapshot_lines(world, head), media_type=MEDIA_TYPE, headers=headers)


async def delete(request: Request, id: SnapshotId) -> Response:
    """Let go of a snapshot; the memories in it stay as they are."""
    intent = intent_of(request, "delete a snapshot of memories")
    await drop_snapshot(served(request).world, id, caller_of(request), intent)
    return Json({"id": id, "deleted": True})


async def verify(request: Request, lenient: Lenient = False) -> Response:
    """Whether a snapshot is whole and can be read here; it is not loaded."""
    raw, _ = await _file(request)
    snapshot = await verify_snapshot(served(request).world, raw, caller_of(request), lenient=lenient)
    return Json({"valid": True, "snapshot": shown_head(snapshot.head), "unknown": fitting(snapshot.unknown, _TOLD)})


async def load(
    request: Request, lenient: Lenient = False, replace: Replace = False, dry_run: DryRun = False, source: Source = ""
) -> Response:
    """What became of each memory of a snapshot: the body itself, or one that came with a task which the body names."""
    raw, came_from = await _file(request)
    wishes = LoadRequest(source or came_from, replace, lenient, dry_run)
    intent = intent_of(request, "load a snapshot of memories")
    loaded = await load_snapshot(served(request).world, raw, wishes, caller_of(request), intent)
    return Json(_loaded(loaded))


async def log(request: Request, limit: Limit = PAGE_SIZE_DEFAULT, cursor: Cursor = None) -> Response:
    """A page of the snapshots that were loaded, the latest first."""
    page = await list_loads(served(request).world, caller_of(request), position(cursor), limit)
    return Json(page_body("loads", page, _load, lambda load: (load.loaded_at, load.id)))


async def _file(request: Request) -> tuple[bytes, str]:
    """The bytes of a snapshot, and where they came from where that is known."""
    here = served(request)
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != MEDIA_TYPE:
        check_media_type(request)
    most = max(here.limits.body_bytes, here.world.limits.snapshot_bytes)
    raw = await read_body(request, replace(here.limits, body_bytes=most))
    named = None if media_type == MEDIA_TYPE else _named_task(request, raw)
    if named is None:
        return raw, ""
    task_id, part = named.get("task_id"), count_in(named, "part", None)
    if not isinstance(task_id, str) or not task_id:
        raise refused("task_id", "must be the id of a task")
    return await snapshot_of_task(here.world, task_id, part, caller_of(request)), f"task:{task_id}"


def _named_task(request: Request, raw: bytes) -> Mapping[str, Any] | None:
    """The parts of a body that names a task; None for any other one."""
    if len(raw) > _NAMING_MAX:
        return None
    try:
        value = read_json(raw, served(request).limits)
    except CsbError:
        return None
    return parts_of(value, TASK_PARTS) if isinstance(value, Mapping) and "task_id" in value else None


def _loaded(loaded: Loaded) -> dict[str, Any]:
    plan = loaded.plan
    left_out = (*plan.unresolved_links, *loaded.refused_links)
    return {
        "dry_run": loaded.dry_run,
        "snapshot": shown_head(loaded.snapshot.head),
        "counts": counts_of(loaded),
        "loaded": _ids([entry.id for entry in plan.fresh]),
        "replaced": _ids([entry.id for entry, _ in plan.replaced]),
        "conflicts": _ids(plan.conflicts),
        "deleted_here": _ids(plan.deleted_here),
        "outlived": _ids(plan.outlived),
        "unresolved_links": fitting(({"source_id": one, "target_id": other} for one, other in left_out), _TOLD),
        "unknown": fitting(loaded.snapshot.unknown, _TOLD),
        "log_id": loaded.log_id,
    }


def _ids(ids: Sequence[str]) -> list[Any]:
    return list(fitting(ids, _TOLD)) if ids else []


def _load(load: SnapshotLoad) -> dict[str, Any]:
    return {
        "id": load.id,
        "snapshot_id": load.snapshot_id,
        "agent": load.agent,
        "source": load.source,
        "checksum": load.checksum,
        "loaded_at": load.loaded_at,
        "loaded_by": load.loaded_by,
        "counts": dict(load.counts),
        "conflicts": _ids(load.conflicts),
        "lenient": load.lenient,
    }


_FILES = (MEDIA_TYPE, "application/json")
OPERATIONS = (
    Operation(
        "POST",
        "/v1/memory/snapshot",
        create,
        body="SnapshotWrite",
        answer="Snapshot",
        status=201,
        body_needed=False,
    ),
    Operation("GET", "/v1/memory/snapshots", list_page, answer="SnapshotPage"),
    Operation(
        "POST", "/v1/memory/snapshot/verify", verify, body="SnapshotFile", answer="SnapshotVerified", body_types=_FILES
    ),
    Operation(
        "POST", "/v1/memory/snapshot/load", load, body="SnapshotFile", answer="SnapshotLoaded", body_types=_FILES
    ),
    Operation("GET", "/v1/memory/snapshot-log", log, answer="SnapshotLog"),
    Operation("GET", "/v1/memory/snapshot/{id}", show, answer="SnapshotDocument", answer_type=MEDIA_TYPE),
    Operation("DELETE", "/v1/memory/snapshot/{id}", delete, answer="SnapshotDeleted"),
)
