"""Tasks, their artifacts and histories, requests that were seen, and notifications."""

from __future__ import annotations

from typing import Any

from csbond.protocol.messages.json_v1_0 import artifact_from_json
from csbond.protocol.messages.listing import Page, TaskQuery
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.push import Delivery, PushConfig
from csbond.protocol.messages.task import Artifact, Task, assembled
from csbond.store.sqlite.database import Database
from csbond.store.sqlite.reader import Reader
from csbond.store.writing.json_columns import from_json
from csbond.store.writing.pages import LATEST, page_of
from csbond.store.writing.rows import delivery_of, message_of, push_config_of, task_of

ALL = -1
"""No limit, in the words of SQLite."""


class TaskReads:
    """The task side of the ledger."""

    _database: Database

    async def task(self, task_id: str, caller_key: str | None) -> Task | None:
        """A task that is not hidden, of this caller; of any caller for None."""
        row = self._database.reader.row("task", {"id": task_id, "caller_key": caller_key})
        return task_of(row) if row else None

    async def tasks(self, query: TaskQuery) -> Page[Task]:
        """A page of a caller's tasks that are not hidden, newest status first."""
        return await self._database.scan("task", _tasks, query)

    async def artifacts(self, task_id: str) -> tuple[Artifact, ...]:
        """The artifacts of a task, chunks joined, in the order they began."""
        rows = self._database.reader.rows("chunks", {"task_id": task_id})
        return assembled((artifact_from_json(from_json(body)), bool(append)) for body, append in rows)

    async def history(self, task_id: str, limit: int | None) -> tuple[Message, ...]:
        """The latest messages of a task, oldest first; all of them for None."""
        rows = self._database.reader.rows(
            "history", {"task_id": task_id, "limit": ALL if limit is None else max(0, limit)}
        )
        return tuple(message_of(body) for (body,) in reversed(rows))

    async def unfinished_tasks(self) -> tuple[Task, ...]:
        """Tasks that were submitted or working when the last process ended, hidden ones too."""
        return tuple(map(task_of, self._database.reader.rows("unfinished_tasks")))

    async def waiting_tasks(self, before: int, limit: int) -> tuple[Task, ...]:
        """Tasks that have waited for their caller since before a time, the longest first."""
        rows = self._database.reader.rows("waiting_tasks", {"before": before, "limit": max(0, limit)})
        return tuple(map(task_of, rows))

    async def repeated_request(self, caller_key: str, message_id: str) -> tuple[str, str, int] | None:
        """(digest, task id, seen at) of the message id, when this caller sent it before."""
        row = self._database.reader.row("repeated_request", {"caller_key": caller_key, "message_id": message_id})
        return (row[0], row[1], row[2]) if row else None

    async def requests_before(self, before: int) -> bool:
        """Whether a request is remembered that was seen before a time and is not to last."""
        return bool(self._database.reader.rows("requests_before", {"before": before})[0][0])

    async def push_configs(self, task_id: str) -> tuple[PushConfig, ...]:
        """The webhooks of a task, in the order they were made."""
        return tuple(map(push_config_of, self._database.reader.rows("push_configs", {"task_id": task_id})))

    async def due_deliveries(self, now: int, limit: int) -> tuple[Delivery, ...]:
        """Notifications whose time has come, oldest first."""
        rows = self._database.reader.rows("due_deliveries", {"now": now, "limit": max(0, limit)})
        return tuple(map(delivery_of, rows))

    async def next_delivery_at(self) -> int | None:
        """When the next notification is due; None when none waits."""
        row = self._database.reader.row("next_delivery_at")
        return row[0] if row else None


def _tasks(reader: Reader, query: TaskQuery) -> Page[Task]:
    before_at, before_id = query.before or (LATEST, "")
    of_context = "_of_context" if query.context_id else ""
    bindings: dict[str, Any] = {
        "caller_key": query.caller_key,
        "context_id": query.context_id,
        "state": query.state.value if query.state else None,
        "status_after": -LATEST if query.status_after is None else query.status_after,
        "before_at": before_at,
        "before_id": before_id,
        "limit": max(0, query.limit) + 1,
    }
    tasks = tuple(map(task_of, reader.rows(f"tasks_page{of_context}", bindings)))
    total = reader.rows(f"tasks_total{of_context}", bindings)[0][0]
    return page_of(tasks, query.limit, total, lambda task: (task.status_at, task.id))
