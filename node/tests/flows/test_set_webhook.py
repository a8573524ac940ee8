from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from csbond.flows.set_webhook import room_for_webhook, set_webhook, webhooks_of
from csbond.protocol.errors import CsbError
from csbond.protocol.messages.caller import OWNER
from csbond.protocol.messages.push import PushConfig
from csbond_tests.requirements import requirement
from csbond_tests.stories import answered, ask_then_echo, incoming, until, world_of

HOOK = PushConfig("w", "", "https://hooks.example/")


async def waiting_task(webhooks: int) -> tuple[Any, str]:
    """A world whose tasks have room for so many webhooks, and a task in it that waits for its caller."""
    world = world_of(ask_then_echo)
    world = replace(world, limits=replace(world.limits, push_configs=webhooks))
    return world, (await answered(world, incoming("one"))).task.id


@requirement("A2A-PUSH-001")
async def test_webhooks_that_are_set_at_the_same_time_do_not_pass_the_limit() -> None:
    world, task_id = await waiting_task(2)
    world.ledger.hold()
    setting = [
        asyncio.create_task(set_webhook(world, replace(HOOK, id=name, task_id=task_id), OWNER)) for name in "abcd"
    ]
    await until(lambda: world.ledger.waiting > 0)
    world.ledger.let_go()
    ended = await asyncio.gather(*setting, return_exceptions=True)
    refused = [each.code.name for each in ended if isinstance(each, CsbError)]
    assert refused == ["too_busy", "too_busy"]
    assert len(await webhooks_of(world, task_id, OWNER)) == 2


async def test_one_that_is_replaced_needs_no_room() -> None:
    world, task_id = await waiting_task(1)
    await set_webhook(world, replace(HOOK, task_id=task_id), OWNER)
    async with room_for_webhook(world, task_id, "w", OWNER):
        pass
    with pytest.raises(CsbError) as refused:
        async with room_for_webhook(world, task_id, "another", OWNER):
            pass
    assert refused.value.code.name == "too_busy"


@pytest.mark.parametrize("field", ["id", "token", "scheme", "credentials"])
async def test_a_webhook_with_a_value_that_is_too_long_is_not_kept(field: str) -> None:
    world, task_id = await waiting_task(2)
    long: dict[str, str] = {field: "x" * 1_000_000}
    with pytest.raises(CsbError) as refused:
        await set_webhook(world, replace(HOOK, task_id=task_id, **long), OWNER)
    assert (refused.value.code.name, refused.value.field) == ("invalid_params", field)
    assert await webhooks_of(world, task_id, OWNER) == ()
