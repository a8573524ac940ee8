from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from csbond.flows.deliver_notifications import deliver_due, deliver_for_ever
from csbond.flows.set_webhook import drop_webhook, one_webhook, set_webhook, webhooks_of
from csbond.flows.turn import Ask, Say, Working
from csbond.protocol.errors import CsbError, RemoteProtocolError, Unavailable
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind
from csbond.protocol.messages.part import text_part
from csbond.protocol.messages.push import PushConfig
from csbond_tests.requirements import requirement
from csbond_tests.stories import answered, ask_then_echo, incoming, until, world_of

ANN = Caller(CallerKind.PRINCIPAL, "ann")
HOOK = PushConfig("w", "", "https://hooks.example/")


class Hooks:
    """Webhooks whose answers a test decides: by address, one after the other; the last one goes on."""

    def __init__(self, **answers: Any) -> None:
        self.answers = {name: list(each) for name, each in answers.items()}
        self.heard: list[tuple[str, dict[str, Any]]] = []
        self.released = asyncio.Event()

    async def check(self, url: str) -> None:
        """Every address may be called."""

    async def post(self, config: PushConfig, payload: bytes) -> bool:
        answers = self.answers.get(config.id, [True])
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if answer == "slow":
            await self.released.wait()
            answer = True
        if isinstance(answer, Exception):
            raise answer
        self.heard.append((config.id, json.loads(payload)))
        return bool(answer)

    def told(self, name: str = "w") -> list[str]:
        return [_state(body) for config, body in self.heard if config == name]


def _state(body: dict[str, Any]) -> str:
    status: dict[str, Any] = next(iter(body.values()))["status"]
    return str(status["state"]).removeprefix("TASK_STATE_").lower()


async def work_then_echo(turn):
    yield Working("at it")
    yield Say(turn.message.parts)


@requirement("A2A-PUSH-007", "A2A-PUSH-010")
async def test_a_webhook_that_comes_with_a_message_hears_how_its_task_goes() -> None:
    world = world_of(work_then_echo, webhooks=Hooks())
    view = await answered(world, incoming(push=HOOK))
    await deliver_due(world)
    assert world.webhooks.told() == ["working", "completed"]
    assert world.webhooks.heard[-1][1]["task"]["id"] == view.task.id
    assert await deliver_due(world) == 0


@requirement("A2A-PUSH-001", "A2A-PUSH-011")
async def test_every_webhook_of_a_task_hears_of_it_each_in_its_dialect() -> None:
    world = world_of(ask_then_echo, webhooks=Hooks())
    task = (await answered(world, incoming("one"))).task
    await set_webhook(world, replace(HOOK, task_id=task.id), OWNER)
    await set_webhook(world, replace(HOOK, id="old", task_id=task.id, dialect="0.3"), OWNER)
    await answered(world, incoming("end", task_id=task.id))
    await deliver_due(world)
    bodies = dict(world.webhooks.heard)
    assert bodies["w"]["task"]["status"]["state"] == "TASK_STATE_COMPLETED"
    assert (bodies["old"]["kind"], bodies["old"]["status"]["state"]) == ("task", "completed")


@requirement("FAULT-17", "A2A-PUSH-011")
async def test_a_slow_webhook_slows_neither_the_task_nor_other_webhooks() -> None:
    hooks = Hooks(slow=["slow"])
    world = world_of(ask_then_echo, webhooks=hooks)
    worker = asyncio.create_task(deliver_for_ever(world))
    one = (await answered(world, incoming("one", push=replace(HOOK, id="slow")))).task
    await until(lambda: not world.signals.deliveries.is_set())
    view = await asyncio.wait_for(answered(world, incoming("end", task_id=one.id)), 5)
    assert view.task.state.value == "completed"
    hooks.released.set()
    await until(lambda: hooks.told("slow") == ["input_required", "completed"])
    await stopped(worker)


@requirement("A2A-PUSH-011")
async def test_a_slow_webhook_does_not_keep_the_news_of_others_waiting() -> None:
    hooks = Hooks(slow=["slow"])
    world = world_of(webhooks=hooks)
    worker = asyncio.create_task(deliver_for_ever(world))
    await answered(world, incoming("one", push=replace(HOOK, id="slow")))
    for _ in range(20):
        await asyncio.sleep(0)
    await answered(world, incoming("two", push=HOOK))
    await until(lambda: hooks.told("w") == ["completed"])
    hooks.released.set()
    await until(lambda: hooks.told("slow") == ["completed"])
    await stopped(worker)


@requirement("A2A-PUSH-007")
async def test_a_failed_notification_is_tried_again_later_each_time_and_then_given_up() -> None:
    hooks = Hooks(w=[False])
    world = world_of(webhooks=hooks)
    await answered(world, incoming(push=HOOK))
    waits = []
    for _ in range(world.limits.push_attempts):
        await deliver_due(world)
        assert await deliver_due(world) == 0, "it was tried again at once"
        due = await world.ledger.next_delivery_at()
        if due is not None:
            waits.append((due - world.clock.now()) // 1000)
            world.clock.advance(due - world.clock.now())
    assert waits == [1, 2, 4, 8, 16, 32]
    assert hooks.told() == ["completed"] * 7
    assert await world.ledger.next_delivery_at() is None
    record = world.ledger.records[-1].body
    assert (record["type"], record["result"], record["details"]["attempts"]) == ("message_undelivered", "denied", 7)


@requirement("A2A-PUSH-007")
async def test_a_webhook_that_comes_back_hears_what_it_missed_in_order() -> None:
    hooks = Hooks(w=[False, True])
    world = world_of(work_then_echo, webhooks=hooks)
    await answered(world, incoming(push=HOOK))
    await deliver_due(world)
    world.clock.advance(60_000)
    await deliver_due(world)
    assert hooks.told() == ["working", "working", "completed"], "the end was told before the work"
    assert await world.ledger.next_delivery_at() is None


@requirement("A2A-PUSH-004")
async def test_a_deleted_webhook_hears_nothing_more_not_even_what_was_waiting() -> None:
    hooks = Hooks(w=[False])
    world = world_of(ask_then_echo, webhooks=hooks)
    task = (await answered(world, incoming("one", push=HOOK))).task
    await deliver_due(world)
    assert hooks.told() == ["input_required"]
    for _ in range(2):
        await drop_webhook(world, task.id, "w", OWNER)
    world.clock.advance(60_000)
    await deliver_due(world)
    await answered(world, incoming("end", task_id=task.id))
    await deliver_due(world)
    assert hooks.told() == ["input_required"]
    assert await world.ledger.next_delivery_at() is None


@requirement("A2A-PUSH-008", "FAULT-02")
async def test_an_address_that_turned_private_is_not_called_and_does_not_stop_the_others() -> None:
    hooks = Hooks(bad=[RemoteProtocolError("webhook_refused", "the address may not be called")])
    world = world_of(ask_then_echo, webhooks=hooks)
    task = (await answered(world, incoming("one"))).task
    for name in ("bad", "w"):
        await set_webhook(world, replace(HOOK, id=name, task_id=task.id), OWNER)
    await answered(world, incoming("end", task_id=task.id))
    await deliver_due(world)
    assert hooks.told() == ["completed"]
    assert world.journal.codes == ["webhook_refused"]


async def stopped(worker: asyncio.Task[None]) -> None:
    assert not worker.done(), worker
    worker.cancel()
    await asyncio.gather(worker, return_exceptions=True)


@requirement("A2A-PUSH-007")
@pytest.mark.parametrize("fault", [RuntimeError("a bug"), UnicodeEncodeError("ascii", "é", 0, 1, "no")])
async def test_the_worker_outlives_a_webhook_that_breaks_it(fault: Exception) -> None:
    hooks = Hooks(bad=[fault])
    world = world_of(ask_then_echo, webhooks=hooks)
    worker = asyncio.create_task(deliver_for_ever(world))
    await answered(world, incoming("one", push=replace(HOOK, id="bad")))
    await answered(world, incoming("two", push=HOOK))
    await until(lambda: hooks.told() == ["input_required"])
    await stopped(worker)


@requirement("A2A-PUSH-007")
async def test_the_worker_outlives_a_ledger_that_fails_for_a_while() -> None:
    world = world_of(webhooks=Hooks())
    due = world.ledger.due_deliveries
    faults: list[Exception] = [Unavailable("storage_unavailable", "the disk is gone")]

    async def failing(now: int, limit: int) -> Any:
        if faults:
            raise faults.pop()
        return await due(now, limit)

    world.ledger.due_deliveries = failing
    worker = asyncio.create_task(deliver_for_ever(world))
    await until(lambda: not faults)
    await answered(world, incoming(push=HOOK))
    await until(lambda: world.webhooks.told() == ["completed"])
    assert world.journal.codes == ["storage_unavailable"]
    await stopped(worker)


@requirement("A2A-PUSH-007")
async def test_the_worker_sleeps_until_the_next_try_is_due() -> None:
    hooks = Hooks(w=[False, True])
    world = world_of(webhooks=hooks)
    world = replace(world, limits=replace(world.limits, push_first_delay_s=0.01))
    await answered(world, incoming(push=HOOK))
    worker = asyncio.create_task(deliver_for_ever(world))
    await until(lambda: len(hooks.heard) == 1)
    world.clock.advance(10)
    while len(hooks.heard) < 2:
        await asyncio.wait_for(asyncio.to_thread(lambda: None), 5)
    await stopped(worker)


@requirement("A2A-PUSH-001", "A2A-PUSH-002", "A2A-PUSH-003", "V03-008")
async def test_webhooks_are_kept_shown_and_listed_in_the_order_they_were_made() -> None:
    world = world_of(ask_then_echo)
    task = (await answered(world, incoming("one"))).task
    nameless = await set_webhook(world, replace(HOOK, id="", task_id=task.id, token="t"), OWNER)
    named = await set_webhook(world, replace(HOOK, task_id=task.id, scheme="Bearer", credentials="c"), OWNER)
    assert nameless.id
    assert await webhooks_of(world, task.id, OWNER) == (nameless, named)
    assert await one_webhook(world, task.id, "w", OWNER) == named
    assert await one_webhook(world, task.id, "", OWNER) == nameless
    changed = await set_webhook(world, replace(HOOK, task_id=task.id, url="https://other.example/"), OWNER)
    assert await webhooks_of(world, task.id, OWNER) == (nameless, changed)


@requirement("A2A-PUSH-002", "A2A-PUSH-004", "A2A-PUSH-012", "A2A-ERR-005", "FAULT-03")
@pytest.mark.parametrize("stranger", [ANN, ANONYMOUS], ids=lambda caller: caller.kind)
async def test_webhooks_of_a_task_of_another_are_not_there(stranger: Caller) -> None:
    world = world_of(ask_then_echo)
    task = (await answered(world, incoming("one", push=HOOK))).task
    for task_id in (task.id, "no such task"):
        for story in (
            set_webhook(world, replace(HOOK, task_id=task_id), stranger),
            webhooks_of(world, task_id, stranger),
            one_webhook(world, task_id, "w", stranger),
            drop_webhook(world, task_id, "w", stranger),
        ):
            with pytest.raises(CsbError) as refused:
                await story
            assert refused.value.code.name == "task_not_found"
    assert len(await webhooks_of(world, task.id, OWNER)) == 1
    with pytest.raises(CsbError) as refused:
        await one_webhook(world, task.id, "other", OWNER)
    assert refused.value.code.name == "task_not_found"


async def test_a_task_has_so_many_webhooks_and_no_more() -> None:
    world = world_of(ask_then_echo)
    world = replace(world, limits=replace(world.limits, push_configs=2))
    task = (await answered(world, incoming("one"))).task
    for name in ("a", "b", "a"):
        await set_webhook(world, replace(HOOK, id=name, task_id=task.id), OWNER)
    with pytest.raises(CsbError) as refused:
        await set_webhook(world, replace(HOOK, id="c", task_id=task.id), OWNER)
    assert refused.value.code.name == "too_busy"


@requirement("A2A-PUSH-001")
async def test_a_webhook_set_while_the_task_runs_hears_of_its_end() -> None:
    go = asyncio.Event()

    async def slowly(turn):
        await go.wait()
        yield Ask((text_part("more?"),))

    world = world_of(slowly, webhooks=Hooks())
    view = await answered(world, incoming(return_immediately=True))
    await set_webhook(world, replace(HOOK, task_id=view.task.id), OWNER)
    go.set()
    await until(lambda: not world.live.by_id)
    await deliver_due(world)
    assert world.webhooks.told() == ["input_required"]
