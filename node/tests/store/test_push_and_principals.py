from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.flows.changes import (
    DropDelivery,
    DropPrincipal,
    DropPushConfig,
    QueueDelivery,
    SavePrincipal,
    SavePushConfig,
)
from csbond.flows.ports import PrincipalRow
from csbond.protocol.errors import LocalProtocolError, Refused
from csbond.protocol.messages.caller import Caller, CallerKind, Role
from csbond.protocol.messages.push import Delivery, PushConfig
from csbond_tests.ledger_samples import a_task, home, saved

CONFIG = PushConfig("hook-1", "task-1", "https://example.org/hook", "token", "Bearer", "secret", "0.3")
DELIVERY = Delivery("delivery-1", "task-1", "hook-1", b'{"a":1}\x00', attempts=0, due_at=100)


async def test_webhooks_of_a_task_keep_the_order_they_were_made_in(ledger):
    first, second = replace(CONFIG, id="z"), replace(CONFIG, id="a")
    await ledger.commit(home(*saved(a_task()).writes, SavePushConfig(first)))
    await ledger.commit(home(SavePushConfig(second)))
    replaced = replace(first, url="https://example.org/other", token="", dialect="1.0")
    await ledger.commit(home(SavePushConfig(replaced)))
    assert await ledger.push_configs("task-1") == (replaced, second)
    assert await ledger.push_configs("task-2") == ()


async def test_dropping_a_webhook_that_is_not_there_is_no_error(ledger):
    await ledger.commit(home(*saved(a_task()).writes, SavePushConfig(CONFIG)))
    await ledger.commit(home(DropPushConfig("task-1", "other"), DropPushConfig("task-1", "hook-1")))
    await ledger.commit(home(DropPushConfig("task-1", "hook-1")))
    assert await ledger.push_configs("task-1") == ()


async def test_due_notifications_come_oldest_first_and_in_their_order(ledger):
    await ledger.commit(saved(a_task()))
    dues = [("a", 300), ("d", 100), ("b", 100), ("c", 200)]
    for id_, due_at in dues:
        await ledger.commit(home(QueueDelivery(replace(DELIVERY, id=id_, config_id=id_, due_at=due_at))))
    assert [delivery.id for delivery in await ledger.due_deliveries(200, 10)] == ["d", "b", "c"]
    assert [delivery.id for delivery in await ledger.due_deliveries(200, 2)] == ["d", "b"]
    assert await ledger.due_deliveries(99, 10) == ()
    assert await ledger.next_delivery_at() == 100


async def test_a_webhook_hears_of_nothing_before_what_still_waits_for_it(ledger):
    await ledger.commit(saved(a_task()))
    first, second, other = (replace(DELIVERY, id=id_) for id_ in ("first", "second", "other"))
    for delivery in (first, second, replace(other, config_id="hook-2", due_at=150)):
        await ledger.commit(home(QueueDelivery(delivery)))
    assert [delivery.id for delivery in await ledger.due_deliveries(200, 10)] == ["first", "other"]
    await ledger.commit(home(QueueDelivery(replace(first, attempts=1, due_at=900))))
    assert [delivery.id for delivery in await ledger.due_deliveries(200, 10)] == ["other"]
    await ledger.commit(home(DropDelivery("other")))
    assert await ledger.next_delivery_at() == 900
    await ledger.commit(home(DropDelivery("first")))
    assert await ledger.next_delivery_at() == 100


async def test_a_notification_is_rescheduled_and_dropped(ledger):
    assert await ledger.next_delivery_at() is None
    await ledger.commit(home(*saved(a_task()).writes, QueueDelivery(DELIVERY)))
    later = replace(DELIVERY, attempts=1, due_at=900)
    await ledger.commit(home(QueueDelivery(later)))
    assert await ledger.due_deliveries(1000, 10) == (later,)
    assert (await ledger.counts())["deliveries"] == 1
    await ledger.commit(home(DropDelivery("delivery-1"), DropDelivery("unknown")))
    assert await ledger.next_delivery_at() is None


@pytest.mark.parametrize("write", [SavePushConfig(CONFIG), QueueDelivery(DELIVERY)])
async def test_a_webhook_or_notification_needs_its_task(ledger, write):
    with pytest.raises(LocalProtocolError):
        await ledger.commit(home(write))


async def test_a_principal_is_known_by_the_digest_of_its_token(ledger):
    await ledger.commit(home(SavePrincipal("bo", Role.VIEWER, ("home", "work"), "digest-bo", 5)))
    await ledger.commit(home(SavePrincipal("ada", Role.EDITOR, ("home",), "digest-ada", 6)))
    bo = Caller(CallerKind.PRINCIPAL, "bo", Role.VIEWER, frozenset({"home", "work"}))
    ada = Caller(CallerKind.PRINCIPAL, "ada", Role.EDITOR, frozenset({"home"}))
    assert await ledger.principal_by_digest("digest-bo") == bo
    assert await ledger.principal_by_digest("digest-cy") is None
    assert await ledger.principals() == (PrincipalRow(ada, 6), PrincipalRow(bo, 5))


async def test_a_principal_of_a_name_in_use_is_refused_and_one_that_went_leaves_its_name_free(ledger):
    await ledger.commit(home(SavePrincipal("bo", Role.VIEWER, ("home",), "digest-1", 5)))
    with pytest.raises(Refused) as refused:
        await ledger.commit(home(SavePrincipal("bo", Role.EDITOR, ("home",), "digest-2", 6)))
    assert refused.value.code.name == "already_exists"
    await ledger.commit(home(DropPrincipal("bo"), DropPrincipal("unknown")))
    assert await ledger.principal_by_digest("digest-1") is None
    await ledger.commit(home(SavePrincipal("bo", Role.EDITOR, ("home",), "digest-2", 6)))
    assert (await ledger.principal_by_digest("digest-2")).role is Role.EDITOR
