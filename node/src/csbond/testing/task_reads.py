"""Tasks, their messages and artifacts, the requests that began them, and what notifies of them."""

from __future__ import annotations

from collections.abc import Collection

from csbond.protocol.messages.listing import Page, TaskQuery
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.push import Delivery, PushConfig
from csbond.protocol.messages.task import INTERRUPTED, UNFINISHED, Artifact, Task, assembled
from csbond.testing.open_rows import OpenRows
from csbond.testing.row_pages import page_of


class TaskReads(OpenRows):
    """The task side of the ledger."""

    async def task(self, task_id: str, caller_key: str | None) -> Task | None:
        """A task that is not hidden, of this caller; of any caller for None."""
        task = self._open().tasks.get(task_id)
        return task if task and not task.hidden and caller_key in (None, task.caller_key) else None

    async def tasks(self, query: TaskQuery) -> Page[Task]:
        """A page of a caller's tasks that are not hidden, newest status first."""
        tasks = [
            task
            for task in self._open().tasks.values()
            if task.caller_key == query.caller_key
            and not task.hidden
            and query.context_id in ("", task.context_id)
            and query.state in (None, task.state)
            and (query.status_after is None or task.status_at >= query.status_after)
        ]
        return page_of(tasks, lambda task: (task.status_at, task.id), query.before, query.limit)

    async def artifacts(self, task_id: str) -> tuple[Artifact, ...]:
        """The artifacts of a task, chunks joined, in the order they began."""
        chunks = self._open().chunks.values()
        return assembled((artifact, append) for of_task, artifact, append in chunks if of_task == task_id)

    async def history(self, task_id: str, limit: int | None) -> tuple[Message, ...]:
        """The latest messages of a task, oldest first; all of them for None."""
        said = [said.message for said in self._open().messages.values() if task_id and said.task_id == task_id]
        return tuple(said if limit is None else said[len(said) - min(len(said), max(0, limit)) :])

    async def unfinished_tasks(self) -> tuple[Task, ...]:
        """Tasks that are submitted or working, hidden ones too."""
        return tuple(task for task in self._open().tasks.values() if task.state in UNFINISHED)

    async def waiting_tasks(self, before: int, limit: int) -> tuple[Task, ...]:
        """Tasks that have waited for their caller since before a time, the longest first."""
        waiting = (
            task for task in self._open().tasks.values() if task.state in INTERRUPTED and task.status_at < before
        )
        return tuple(sorted(waiting, key=lambda task: task.status_at)[: max(0, limit)])

    async def repeated_request(self, caller_key: str, message_id: str) -> tuple[str, str, int] | None:
        """(digest, task id, seen at) of the message id, when this caller sent it before."""
        return self._open().requests.get((caller_key, message_id))

    async def requests_before(self, before: int) -> bool:
        """Whether a request is remembered that was seen before a time and is not to last."""
        return bool(self._open().passing_before(before))

    async def push_configs(self, task_id: str) -> tuple[PushConfig, ...]:
        """The webhooks of a task, in the order they were made."""
        return tuple(config for config in self._open().configs.values() if config.task_id == task_id)

    async def due_deliveries(self, now: int, limit: int) -> tuple[Delivery, ...]:
        """The first notification that waits for each webhook, of those whose time has come, oldest first."""
        due = [delivery for delivery in self._first_deliveries() if delivery.due_at <= now]
        return tuple(sorted(due, key=lambda delivery: delivery.due_at)[: max(0, limit)])

    async def next_delivery_at(self) -> int | None:
        """When the next of those first notifications is due; None when none waits."""
        return min((delivery.due_at for delivery in self._first_deliveries()), default=None)

    def _first_deliveries(self) -> Collection[Delivery]:
        first: dict[tuple[str, str], Delivery] = {}
        for delivery in self._open().deliveries.values():
            first.setdefault((delivery.task_id, delivery.config_id), delivery)
        return first.values()
