"""Which tasks a ListTasks request asks for (A2A v1.0.1 §3.1.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.messages.json_v1_0 import state_from_json, state_to_json, time_from_json
from csbond.protocol.messages.listing import PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, TaskQuery, position_of
from csbond.protocol.messages.task import TaskState

_STATES = tuple(state_to_json(state) for state in TaskState)


def task_query(params: Mapping[str, Any], caller_key: str) -> TaskQuery:
    """The query of one caller; `invalid_params` for a page size, token, state or time out of range."""
    size = params.get("pageSize", PAGE_SIZE_DEFAULT)
    if not 1 <= size <= PAGE_SIZE_MAX:
        raise _bad("pageSize", f"must be from 1 to {PAGE_SIZE_MAX}")
    length = params.get("historyLength")
    if length is not None and length < 0:
        raise _bad("historyLength", "must not be negative")
    status = params.get("status")
    if status and status not in _STATES:
        raise _bad("status", f"must be one of {', '.join(_STATES)}")
    try:
        after = params.get("statusTimestampAfter")
        status_after = time_from_json(after) if after else None
    except ValueError as fault:
        raise _bad("statusTimestampAfter", "must be an ISO 8601 time") from fault
    return TaskQuery(
        caller_key=caller_key,
        context_id=params.get("contextId", ""),
        state=state_from_json(status) if status else None,
        status_after=status_after,
        before=position_of(params["pageToken"]) if params.get("pageToken") else None,
        limit=size,
        history_length=length,
        with_artifacts=params.get("includeArtifacts", False),
    )


def _bad(field: str, reason: str) -> RemoteProtocolError:
    return RemoteProtocolError("invalid_params", f"{field} {reason}", field=field)
