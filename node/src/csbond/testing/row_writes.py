"""What each write of a change does to the rows of the in-memory ledger."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
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
from csbond.flows.ports import Signer
from csbond.protocol.audit.record import FIRST_HASH, audit_body, audit_hash
from csbond.protocol.errors import Refused
from csbond.protocol.memory.stats import removals_of
from csbond.protocol.memory.words import index_text
from csbond.protocol.messages.json_v1_0 import artifact_from_json, artifact_to_json
from csbond.protocol.messages.message import Message, message_from_json, message_to_json
from csbond.testing.exchange_rows import keep_foreign_vector, put_foreign_name, put_vector_map
from csbond.testing.memory_row_writes import claim_key, put_entry, set_links
from csbond.testing.memory_rows import KeptRecord, Rows, kept_json
from csbond.testing.snapshot_rows import drop_snapshot, log_load, put_snapshot
from csbond.testing.tier_row_writes import (
    erase_entry,
    purge_archive,
    put_policy,
    put_review,
    set_used_at,
    spare_entry,
    touch_entries,
)


def apply_change(rows: Rows, change: Change, signer: Signer, agent_name: str) -> int:
    """Make a change, or raise and leave every row as it was."""
    rows.begin(sum(isinstance(write, SetLinks) for write in change.writes))
    try:
        return _applied(rows, change, signer, agent_name)
    except BaseException:
        rows.take_back()
        raise


def _applied(rows: Rows, change: Change, signer: Signer, agent_name: str) -> int:
    seq = rows.seqs.get(change.space, 0) + 1
    rows.put(rows.seqs, change.space, seq)
    for write in sorted(change.writes, key=lambda write: _FIRST.get(type(write), _LAST)):
        _APPLY[type(write)](rows, write, seq)
    for draft in change.audit:
        previous = rows.records[len(rows.records)].hash if rows.records else FIRST_HASH
        body = audit_body(draft, signer.did, agent_name, previous)
        digest = audit_hash(body)
        rows.add(rows.records, KeptRecord(body, digest, signer.sign(digest.encode())))
    for removal, count in removals_of(change.audit).items():
        key = (change.space, removal)
        rows.put(rows.evictions, key, rows.evictions.get(key, 0) + count)
    return seq


def _keep_thread(rows: Rows, write: KeepThread, _: int) -> None:
    thread = write.thread
    known = rows.threads.get((thread.caller_key, thread.id))
    kept = replace(thread, message_count=0)
    if known:
        kept = replace(known, updated_at=max(known.updated_at, thread.updated_at), title=known.title or thread.title)
    rows.put(rows.threads, (thread.caller_key, thread.id), kept)


def _keep_session(rows: Rows, write: KeepSession, _: int) -> None:
    session = write.session
    known = rows.sessions.get((session.caller_key, session.id))
    if known is None:
        rows.need_thread(session.caller_key, session.thread_id)
        rows.put(rows.sessions, (session.caller_key, session.id), session)
    elif known.thread_id != session.thread_id:
        raise Refused("version_conflict", f"the session {session.id} belongs to another thread")


def _append_message(rows: Rows, write: AppendMessage, seq: int) -> None:
    said = replace(write.message, message=_kept_message(write.message.message), seq=seq)
    thread = rows.need_thread(said.caller_key, said.thread_id)
    moved = replace(thread, updated_at=max(thread.updated_at, said.said_at), message_count=thread.message_count + 1)
    rows.put(rows.threads, (said.caller_key, said.thread_id), moved)
    rows.add(rows.messages, said)
    rows.put(rows.message_words, len(rows.messages), tuple(index_text(said.message.text).split()))


def _save_task(rows: Rows, write: SaveTask, _: int) -> None:
    task = write.task
    status = task.status_message and _kept_message(task.status_message)
    task = replace(task, status_message=status, metadata=kept_json(task.metadata))
    known = rows.tasks.get(task.id)
    if task.version == 1:
        if known:
            raise Refused("already_exists", f"there is a task {task.id} already", field="taskId")
    elif known is None or known.version != task.version - 1:
        raise Refused("version_conflict", f"the task {task.id} changed meanwhile", next_step="read it again")
    else:
        task = replace(
            task,
            context_id=known.context_id,
            thread_id=known.thread_id,
            caller_key=known.caller_key,
            created_at=known.created_at,
        )
    rows.put(rows.tasks, task.id, task)


def _append_chunk(rows: Rows, write: AppendChunk, _: int) -> None:
    rows.need_task(write.task_id)
    artifact = artifact_from_json(kept_json(artifact_to_json(write.artifact)))
    rows.add(rows.chunks, (write.task_id, artifact, write.append))


def _save_push_config(rows: Rows, write: SavePushConfig, _: int) -> None:
    rows.need_task(write.config.task_id)
    rows.put(rows.configs, (write.config.task_id, write.config.id), write.config)


def _queue_delivery(rows: Rows, write: QueueDelivery, _: int) -> None:
    rows.need_task(write.delivery.task_id)
    rows.put(rows.deliveries, write.delivery.id, write.delivery)


def _save_principal(rows: Rows, write: SavePrincipal, _: int) -> None:
    if write.name in rows.principals:
        raise Refused("already_exists", f"there is a principal {write.name} already")
    rows.put(rows.principals, write.name, write)


def _remember_request(rows: Rows, write: RememberRequest, _: int) -> None:
    kept = (write.digest, write.task_id, write.seen_at)
    rows.put(rows.requests, (write.caller_key, write.message_id), kept)


def _set_links(rows: Rows, write: SetLinks, seq: int) -> None:
    try:
        set_links(rows, write, seq)
    except Refused as fault:
        raise LinkRefused(fault, write.source_id, write.links) from fault


def _forget_requests(rows: Rows, write: ForgetRequests, _: int) -> None:
    for key in rows.passing_before(write.before)[: max(0, write.at_most)]:
        rows.drop(rows.requests, key)


def _kept_message(message: Message) -> Message:
    return message_from_json(kept_json(message_to_json(message)))


_FIRST = {ClaimKey: 0, KeepThread: 0, KeepSession: 1, AppendMessage: 2, SaveTask: 3, PutEntry: 4, SetLinks: 5}
"""Rows that others point to come first, whatever the order of the writes; a name that is taken ends a change early."""
_LAST = max(_FIRST.values()) + 1
_APPLY: Mapping[type, Callable[[Rows, Any, int], None]] = {
    KeepThread: _keep_thread,
    KeepSession: _keep_session,
    AppendMessage: _append_message,
    SaveTask: _save_task,
    AppendChunk: _append_chunk,
    RememberRequest: _remember_request,
    ForgetRequests: _forget_requests,
    PutEntry: put_entry,
    SetLinks: _set_links,
    ClaimKey: claim_key,
    TouchEntries: touch_entries,
    SetUsedAt: set_used_at,
    SpareEntry: spare_entry,
    EraseEntry: erase_entry,
    PurgeArchive: purge_archive,
    PutReview: put_review,
    PutPolicy: put_policy,
    PutSnapshot: put_snapshot,
    DropSnapshot: drop_snapshot,
    LogLoad: log_load,
    PutForeignName: put_foreign_name,
    KeepForeignVector: keep_foreign_vector,
    PutVectorMap: put_vector_map,
    SavePushConfig: _save_push_config,
    DropPushConfig: lambda rows, write, _: rows.drop(rows.configs, (write.task_id, write.config_id)),
    QueueDelivery: _queue_delivery,
    DropDelivery: lambda rows, write, _: rows.drop(rows.deliveries, write.delivery_id),
    SavePrincipal: _save_principal,
    DropPrincipal: lambda rows, write, _: rows.drop(rows.principals, write.name),
    NoteJob: lambda rows, write, _: rows.put(rows.jobs, write.name, write.ran_at),
}
