"""A caller sets, reads and removes the webhooks of its task (A2A v1.0.1 §3.1.7–3.1.10)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from csbond.flows.changes import Change, DropPushConfig, SavePushConfig, Write
from csbond.flows.show_task import own_task
from csbond.flows.world import HOME_SPACE, World
from csbond.protocol.audit.record import AuditDraft, Intent
from csbond.protocol.errors import Refused
from csbond.protocol.identifiers import dated_id
from csbond.protocol.messages.caller import Caller
from csbond.protocol.messages.push import PushConfig, check_push_config
from csbond.protocol.trust.authority import authority_of


async def set_webhook(world: World, config: PushConfig, caller: Caller) -> PushConfig:
    """The webhook as it is kept; one of the same id is replaced.

    `invalid_params` for what is too long, `webhook_refused` for a forbidden address, `too_busy` for one too many.
    """
    check_push_config(config)
    task = await own_task(world, config.task_id, caller)
    await world.webhooks.check(config.url)
    named = replace(config, id=config.id or world.identifiers.unique())
    async with room_for_webhook(world, task.id, named.id, caller):
        await _commit(world, SavePushConfig(named), "set_webhook", task.id, caller)
    live = world.live.by_id.get(task.id)
    if live:
        live.notified = True
    return named


@asynccontextmanager
async def room_for_webhook(world: World, task_id: str, config_id: str, caller: Caller) -> AsyncIterator[None]:
    """While it lasts, the task has room for a webhook of that id and no other is set; `too_busy` when there is none."""
    async with world.live.arrival(caller.key, f"webhook of {task_id}"):
        kept = await world.ledger.push_configs(task_id)
        if len(kept) >= world.limits.push_configs and all(other.id != config_id for other in kept):
            raise Refused(
                "too_busy", f"a task has at most {world.limits.push_configs} webhooks", next_step="delete one first"
            )
        yield


async def webhooks_of(world: World, task_id: str, caller: Caller) -> tuple[PushConfig, ...]:
    """The webhooks of the caller's task, in the order they were made."""
    task = await own_task(world, task_id, caller)
    return await world.ledger.push_configs(task.id)


async def one_webhook(world: World, task_id: str, config_id: str, caller: Caller) -> PushConfig:
    """One webhook; the first one when no id is given, as v0.3 allows. `task_not_found` when there is none."""
    for config in await webhooks_of(world, task_id, caller):
        if not config_id or config.id == config_id:
            return config
    raise Refused("task_not_found", "the task has no such webhook", next_step="list its webhooks", field="id")


async def drop_webhook(world: World, task_id: str, config_id: str, caller: Caller) -> None:
    """Remove a webhook; one that is not there is no error."""
    task = await own_task(world, task_id, caller)
    if any(config.id == config_id for config in await world.ledger.push_configs(task.id)):
        await _commit(world, DropPushConfig(task.id, config_id), "drop_webhook", task.id, caller)


async def _commit(world: World, write: Write, operation: str, task_id: str, caller: Caller) -> None:
    now = world.clock.now()
    record = AuditDraft(
        id=dated_id("audit", now, world.identifiers.letters(8)),
        type="message_webhook",
        timestamp=now,
        operation=operation,
        target=task_id,
        intent=Intent("be told about a task", caller.key, authority_of(caller)),
    )
    await world.ledger.commit(Change(HOME_SPACE, (write,), (record,)))
