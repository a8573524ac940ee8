"""The outbox is worked off: due notifications are sent, failed ones wait longer each time, then are given up."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace

from csbond.flows.changes import Change, DropDelivery, QueueDelivery, Write
from csbond.flows.world import HOME_SPACE, World
from csbond.protocol.audit.record import AuditDraft, Intent
from csbond.protocol.errors import CsbError
from csbond.protocol.identifiers import dated_id
from csbond.protocol.messages.backoff import next_try_at
from csbond.protocol.messages.push import Delivery, PushConfig

BATCH = 16
"""Notifications sent side by side: slow webhooks must not wait for each other."""


async def deliver_for_ever(world: World) -> None:
    """Send what is due, then sleep until the next is due or a story queues one."""
    while True:
        world.signals.deliveries.clear()
        await deliver_due(world)
        due_at = await world.ledger.next_delivery_at()
        pause = None if due_at is None else max(0.0, (due_at - world.clock.now()) / 1000)
        with suppress(TimeoutError):
            await asyncio.wait_for(world.signals.deliveries.wait(), pause)


async def deliver_due(world: World) -> int:
    """Send everything that is due now, a webhook's notifications in order; returns how many were tried."""
    tried = 0
    while due := await world.ledger.due_deliveries(world.clock.now(), BATCH):
        queues: dict[tuple[str, str], list[Delivery]] = {}
        for delivery in due:
            queues.setdefault((delivery.task_id, delivery.config_id), []).append(delivery)
        await asyncio.gather(*(_work_off(world, queue) for queue in queues.values()))
        tried += len(due)
    return tried


async def _work_off(world: World, queue: list[Delivery]) -> None:
    configs = {config.id: config for config in await world.ledger.push_configs(queue[0].task_id)}
    for delivery in queue:
        config = configs.get(delivery.config_id)
        arrived = config is not None and await _arrived(world, config, delivery)
        await _note(world, delivery, arrived or config is None)


async def _arrived(world: World, config: PushConfig, delivery: Delivery) -> bool:
    try:
        return await world.webhooks.post(config, delivery.payload)
    except CsbError as fault:
        world.journal.failed("deliver_notification", fault, task=delivery.task_id)
        return False


async def _note(world: World, delivery: Delivery, over: bool) -> None:
    now, limits = world.clock.now(), world.limits
    attempts = delivery.attempts + 1
    given_up = not over and attempts >= limits.push_attempts
    if over or given_up:
        write: Write = DropDelivery(delivery.id)
    else:
        due_at = next_try_at(now, attempts, limits.push_first_delay_s, limits.push_delay_max_s)
        write = QueueDelivery(replace(delivery, attempts=attempts, due_at=due_at))
    records = (_given_up(world, delivery, attempts, now),) if given_up else ()
    await world.ledger.commit(Change(HOME_SPACE, (write,), records))


def _given_up(world: World, delivery: Delivery, attempts: int, now: int) -> AuditDraft:
    return AuditDraft(
        id=dated_id("audit", now, world.identifiers.letters(8)),
        type="message_undelivered",
        timestamp=now,
        operation="deliver_notification",
        target=delivery.task_id,
        intent=Intent("tell a webhook about a task", "caller of the task", "webhook of the task"),
        result="denied",
        details={"attempts": attempts, "webhook": delivery.config_id},
    )
