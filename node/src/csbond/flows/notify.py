"""A task changes and its webhooks are to hear of it: notifications are queued with the change itself."""

from __future__ import annotations

from csbond.flows.changes import QueueDelivery
from csbond.flows.live_tasks import LiveTask
from csbond.flows.world import World
from csbond.protocol.messages.events import TaskEvent
from csbond.protocol.messages.notification import notification_body
from csbond.protocol.messages.push import Delivery
from csbond.protocol.messages.task import TaskView


async def notifications(world: World, live: LiveTask, view: TaskView, event: TaskEvent) -> list[QueueDelivery]:
    """The deliveries an event of a live task causes; none, without a look at the disk, when it has no webhook."""
    if live.whole and not live.notified:
        return []
    return [QueueDelivery(delivery) for delivery in await deliveries_of(world, view, event)]


async def deliveries_of(world: World, view: TaskView, event: TaskEvent) -> list[Delivery]:
    """One delivery a webhook of the task, each in the dialect its webhook was made in."""
    now = world.clock.now()
    return [
        Delivery(
            id=world.identifiers.unique(),
            task_id=view.task.id,
            config_id=config.id,
            payload=notification_body(view, event, config.dialect),
            attempts=0,
            due_at=now,
        )
        for config in await world.ledger.push_configs(view.task.id)
    ]
