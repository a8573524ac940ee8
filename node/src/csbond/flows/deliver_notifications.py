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

AT_ONCE = 32
"""Webhooks called side by side: a slow one must not keep the others waiting."""
LOOK_AGAIN_S = 0.5
"""Seconds until the outbox is looked at again while calls are under way or the ledger does not answer."""

Calls = dict[tuple[str, str], asyncio.Task[None]]
"""(task id, webhook id) → the call that is under way."""


async def deliver_for_ever(world: World) -> None:
    """Send what is due, each webhook by itself, then sleep until the next is due or a story queues one."""
    calls: Calls = {}
    try:
        while True:
            world.signals.deliveries.clear()
            pause = await _look(world, calls)
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):  # unlike wait_for, it never swallows a cancellation
                    await world.signals.deliveries.wait()
    finally:
        under_way = list(calls.values())
        for call in under_way:
            call.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


async def deliver_due(world: World) -> int:
    """Send everything that is due now, a webhook's notifications in order; returns how many were tried."""
    tried = 0
    while due := await world.ledger.due_deliveries(world.clock.now(), AT_ONCE):
        await asyncio.gather(*(_deliver(world, delivery) for delivery in due))
        tried += len(due)
    return tried


async def _look(world: World, calls: Calls) -> float | None:
    """Begin every call that is due and not under way; returns how many seconds to sleep, None until woken."""
    try:
        due = await world.ledger.due_deliveries(world.clock.now(), AT_ONCE + len(calls))
        due_at = await world.ledger.next_delivery_at()
    except CsbError as fault:
        world.journal.failed("deliver_notifications", fault)
        return LOOK_AGAIN_S
    for delivery in due:
        webhook = (delivery.task_id, delivery.config_id)
        if webhook not in calls and len(calls) < AT_ONCE:
            calls[webhook] = asyncio.create_task(_call(world, calls, webhook, delivery))
    if due_at is None:
        return None
    return max(LOOK_AGAIN_S if calls else 0.0, (due_at - world.clock.now()) / 1000)


async def _call(world: World, calls: Calls, webhook: tuple[str, str], delivery: Delivery) -> None:
    try:
        await _deliver(world, delivery)
    except CsbError as fault:
        world.journal.failed("deliver_notifications", fault, task=delivery.task_id)
    finally:
        del calls[webhook]
        world.signals.deliveries.set()


async def _deliver(world: World, delivery: Delivery) -> None:
    configs = {config.id: config for config in await world.ledger.push_configs(delivery.task_id)}
    config = configs.get(delivery.config_id)
    arrived = config is not None and await _arrived(world, config, delivery)
    await _note(world, delivery, arrived or config is None)


async def _arrived(world: World, config: PushConfig, delivery: Delivery) -> bool:
    try:
        return await world.webhooks.post(config, delivery.payload)
    except Exception as fault:
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
