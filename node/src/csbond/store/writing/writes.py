"""What each write of a change does to the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from csbond.flows.changes import (
    AppendChunk,
    AppendMessage,
    Change,
    DropDelivery,
    DropPrincipal,
    DropPushConfig,
    ForgetRequests,
    KeepSession,
    KeepThread,
    NoteJob,
    QueueDelivery,
    RememberRequest,
    SavePrincipal,
    SavePushConfig,
    SaveTask,
)
from csbond.flows.link_refused import LinkRefused
from csbond.flows.memory_changes import (
    ClaimKey,
    DropSnapshot,
    EraseEntry,
    KeepForeignVector,
    LogLoad,
    PurgeArchive,
    PutEntry,
    PutForeignName,
    PutPolicy,
    PutReview,
    PutSnapshot,
    PutVectorMap,
    SetLinks,
    SetUsedAt,
    SpareEntry,
    TouchEntries,
)
from csbond.protocol.errors import LocalProtocolError, Refused
from csbond.protocol.memory.link_order import walk_of
from csbond.protocol.messages.json_v1_0 import artifact_to_json
from csbond.protocol.messages.message import Message, message_to_json
from csbond.store.writing.entry_writes import put_entry
from csbond.store.writing.erase_writes import erase_entry, purge_archive
from csbond.store.writing.eviction_counts import count_evictions
from csbond.store.writing.exchange_writes import keep_foreign_vector, put_foreign_name, put_vector_map
from csbond.store.writing.indexed_words import indexed_words
from csbond.store.writing.json_columns import EMPTY, to_json
from csbond.store.writing.link_writes import set_links
from csbond.store.writing.review_writes import put_policy, put_review
from csbond.store.writing.snapshot_writes import drop_snapshot, log_load, put_snapshot
from csbond.store.writing.tier_writes import set_used_at, spare_entry, touch_entries
from csbond.store.writing.writing import Writing

_FIRST = {ClaimKey: 0, KeepThread: 0, KeepSession: 1, AppendMessage: 2, SaveTask: 3, PutEntry: 4, SetLinks: 5}
"""Rows that others point to come first, whatever the order of the writes; a name that is taken ends a change early."""
_LAST = max(_FIRST.values()) + 1


@dataclass(slots=True)
class Applied:
    """What the writes of one change have to know of each other."""

    space: str
    seq: int
    said: dict[tuple[str, str], tuple[int, int]]
    """How many messages the change adds to each thread, and when the last of them was said."""
    message_rows: dict[str, tuple[Message, int]] = field(default_factory=dict)
    linked: int = 0
    """Of how many entries the change sets links."""


def apply_change(transaction: Writing, change: Change) -> int:
    """The place of the change in the order of its Space, after all its writes are made."""
    seq = transaction.next_seq(change.space)
    applied = Applied(
        change.space, seq, _said(change), linked=sum(isinstance(write, SetLinks) for write in change.writes)
    )
    for write in sorted(change.writes, key=_order) if len(change.writes) > 1 else change.writes:
        _APPLY[type(write)](transaction, applied, write)
    for (caller_key, thread_id), (count, said_at) in applied.said.items():
        bindings = {"caller_key": caller_key, "id": thread_id, "said": count, "said_at": said_at}
        transaction.run("move_thread", bindings)
    for draft in change.audit:
        transaction.record(draft)
    count_evictions(transaction, change.space, change.audit)
    return seq


def task_ids_of(change: Change) -> frozenset[str]:
    """The tasks a change writes."""
    ids = (
        write.task.id if isinstance(write, SaveTask) else write.task_id
        for write in change.writes
        if isinstance(write, SaveTask | AppendChunk)
    )
    return frozenset(ids)


def _said(change: Change) -> dict[tuple[str, str], tuple[int, int]]:
    said: dict[tuple[str, str], tuple[int, int]] = {}
    for write in change.writes:
        if type(write) is AppendMessage:
            key = (write.message.caller_key, write.message.thread_id)
            count, latest = said.get(key, (0, 0))
            said[key] = (count + 1, max(latest, write.message.said_at))
    return said


def _order(write: object) -> int:
    return _FIRST.get(type(write), _LAST)


def _keep_thread(transaction: Writing, applied: Applied, write: KeepThread) -> None:
    thread = write.thread
    count, said_at = applied.said.pop((thread.caller_key, thread.id), (0, 0))
    transaction.run(
        "keep_thread",
        {
            "caller_key": thread.caller_key,
            "id": thread.id,
            "space": thread.space,
            "opened_at": thread.opened_at,
            "updated_at": max(thread.updated_at, said_at),
            "said": count,
            "title": thread.title,
        },
    )


def _keep_session(transaction: Writing, _: Applied, write: KeepSession) -> None:
    session = write.session
    opened = transaction.changed(
        "keep_session",
        {
            "caller_key": session.caller_key,
            "id": session.id,
            "thread_id": session.thread_id,
            "opened_at": session.opened_at,
            "continuity_ref": session.continuity_ref,
            "agent_lifespan": float(session.agent_lifespan),
        },
    )
    if opened:
        return
    known = transaction.run("session", {"caller_key": session.caller_key, "id": session.id})
    if known[0][1] != session.thread_id:
        raise Refused(
            "version_conflict",
            f"the session {session.id} belongs to another thread",
            next_step="open a new session",
            field="session_context.thread_id",
        )


def _append_message(transaction: Writing, applied: Applied, write: AppendMessage) -> None:
    said = write.message
    row = transaction.insert(
        "append_message",
        {
            "caller_key": said.caller_key,
            "id": said.message.id,
            "thread_id": said.thread_id,
            "session_id": said.session_id,
            "task_id": said.task_id,
            "space": said.space,
            "seq": applied.seq,
            "said_at": said.said_at,
            "sender_name": said.sender.name,
            "sender_did": said.sender.did,
            "parent_id": said.parent_id,
            "importance": float(said.importance),
            "private": said.private,
            "body": to_json(message_to_json(said.message)),
        },
    )
    if row is not None:
        applied.message_rows[said.message.id] = said.message, row
        transaction.index_words("message", row, indexed_words(said.message.text))


def _save_task(transaction: Writing, applied: Applied, write: SaveTask) -> None:
    task = write.task
    bindings: dict[str, Any] = {
        "id": task.id,
        "state": task.state.value,
        "status_at": task.status_at,
        "hidden": task.hidden,
        "metadata": to_json(task.metadata) if task.metadata else EMPTY,
        **_status(applied, task.status_message),
    }
    if task.version == 1:
        bindings |= {
            "caller_key": task.caller_key,
            "context_id": task.context_id,
            "thread_id": task.thread_id,
            "created_at": task.created_at,
        }
        if not transaction.changed("insert_task", bindings):
            raise Refused("already_exists", f"there is a task {task.id} already", field="taskId")
    elif not transaction.changed("update_task", bindings | {"version": task.version}):
        raise Refused("version_conflict", f"the task {task.id} changed meanwhile", next_step="read it again")


def _status(applied: Applied, message: Message | None) -> Mapping[str, Any]:
    """A status message that the change adds to the thread as well is stored there only."""
    if message is None:
        return {"status_row": None, "status_message": None}
    said, row = applied.message_rows.get(message.id, (None, None))
    if said == message:
        return {"status_row": row, "status_message": None}
    return {"status_row": None, "status_message": to_json(message_to_json(message))}


def _append_chunk(transaction: Writing, _: Applied, write: AppendChunk) -> None:
    body = to_json(artifact_to_json(write.artifact))
    bindings = {"task_id": write.task_id, "append": write.append, "last_chunk": write.last_chunk, "body": body}
    if not transaction.changed("append_chunk", bindings):
        raise LocalProtocolError("internal_error", f"there is no task {write.task_id} for a chunk")


def _remember_request(transaction: Writing, _: Applied, write: RememberRequest) -> None:
    transaction.run(
        "remember_request",
        {
            "caller_key": write.caller_key,
            "message_id": write.message_id,
            "digest": write.digest,
            "task_id": write.task_id,
            "seen_at": write.seen_at,
        },
    )


def _forget_requests(transaction: Writing, _: Applied, write: ForgetRequests) -> None:
    transaction.run("forget_requests", {"before": write.before, "at_most": max(0, write.at_most)})


def _put_entry(transaction: Writing, applied: Applied, write: PutEntry) -> None:
    put_entry(transaction, write.entry, applied.seq)


def _set_links(transaction: Writing, applied: Applied, write: SetLinks) -> None:
    try:
        set_links(transaction, write, walk_of(applied.linked))
    except Refused as fault:
        raise LinkRefused(fault, write.source_id, write.links) from fault


def _claim_key(transaction: Writing, _: Applied, write: ClaimKey) -> None:
    bindings = {
        "caller_key": write.caller_key,
        "message_id": write.name,
        "digest": write.digest,
        "task_id": write.entry_id,
        "seen_at": write.seen_at,
    }
    if not transaction.changed("claim_key", bindings):
        raise Refused("already_exists", "the name of this write is taken", next_step="ask for what it made")


def _save_push_config(transaction: Writing, _: Applied, write: SavePushConfig) -> None:
    config = write.config
    transaction.run(
        "save_push_config",
        {
            "task_id": config.task_id,
            "id": config.id,
            "url": config.url,
            "token": config.token,
            "scheme": config.scheme,
            "credentials": config.credentials,
            "dialect": config.dialect,
        },
    )


def _drop_push_config(transaction: Writing, _: Applied, write: DropPushConfig) -> None:
    transaction.run("drop_push_config", {"task_id": write.task_id, "id": write.config_id})


def _queue_delivery(transaction: Writing, _: Applied, write: QueueDelivery) -> None:
    delivery = write.delivery
    transaction.run(
        "queue_delivery",
        {
            "id": delivery.id,
            "task_id": delivery.task_id,
            "config_id": delivery.config_id,
            "payload": delivery.payload,
            "attempts": delivery.attempts,
            "due_at": delivery.due_at,
        },
    )


def _drop_delivery(transaction: Writing, _: Applied, write: DropDelivery) -> None:
    transaction.run("drop_delivery", {"id": write.delivery_id})


def _save_principal(transaction: Writing, _: Applied, write: SavePrincipal) -> None:
    saved = transaction.changed(
        "save_principal",
        {
            "name": write.name,
            "role": write.role.value,
            "spaces": to_json(write.spaces),
            "token_digest": write.token_digest,
            "created_at": write.created_at,
        },
    )
    if not saved:
        raise Refused("already_exists", f"there is a principal {write.name} already", next_step="choose another name")


def _drop_principal(transaction: Writing, _: Applied, write: DropPrincipal) -> None:
    transaction.run("drop_principal", {"name": write.name})


def _note_job(transaction: Writing, _: Applied, write: NoteJob) -> None:
    transaction.run("note_job", {"name": write.name, "ran_at": write.ran_at})


_APPLY: Mapping[type, Callable[[Writing, Applied, Any], None]] = {
    KeepThread: _keep_thread,
    KeepSession: _keep_session,
    AppendMessage: _append_message,
    SaveTask: _save_task,
    AppendChunk: _append_chunk,
    RememberRequest: _remember_request,
    ForgetRequests: _forget_requests,
    PutEntry: _put_entry,
    SetLinks: _set_links,
    ClaimKey: _claim_key,
    TouchEntries: lambda transaction, _, write: touch_entries(transaction, write),
    SetUsedAt: lambda transaction, _, write: set_used_at(transaction, write),
    SpareEntry: lambda transaction, _, write: spare_entry(transaction, write),
    EraseEntry: lambda transaction, applied, write: erase_entry(transaction, write, applied.space, applied.seq),
    PurgeArchive: lambda transaction, _, write: purge_archive(transaction, write),
    PutReview: lambda transaction, _, write: put_review(transaction, write),
    PutPolicy: lambda transaction, _, write: put_policy(transaction, write),
    PutSnapshot: lambda transaction, _, write: put_snapshot(transaction, write),
    DropSnapshot: lambda transaction, _, write: drop_snapshot(transaction, write),
    LogLoad: lambda transaction, _, write: log_load(transaction, write),
    PutForeignName: lambda transaction, _, write: put_foreign_name(transaction, write),
    KeepForeignVector: lambda transaction, applied, write: keep_foreign_vector(transaction, write, applied.seq),
    PutVectorMap: lambda transaction, _, write: put_vector_map(transaction, write),
    SavePushConfig: _save_push_config,
    DropPushConfig: _drop_push_config,
    QueueDelivery: _queue_delivery,
    DropDelivery: _drop_delivery,
    SavePrincipal: _save_principal,
    DropPrincipal: _drop_principal,
    NoteJob: _note_job,
}
