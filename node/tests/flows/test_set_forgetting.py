from __future__ import annotations

import asyncio

import pytest

from csbond.flows.set_forgetting import read_forgetting, set_forgetting
from csbond.protocol.errors import CsbError
from csbond.protocol.memory.forgetting import ForgettingPolicy, Match, Rule
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind, Role
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW

EDITOR = Caller(CallerKind.PRINCIPAL, "ann", Role.EDITOR, frozenset({"home"}))
DOCUMENT = {
    "selective_forgetting": {
        "enabled": True,
        "rules": [
            {
                "name": "临时对话遗忘",
                "match": {"type": "event", "source": "session", "age_hours": 24},
                "action": "soft_delete",
                "priority": "low",
            },
            {
                "name": "失败记录保留",
                "match": {"type": "lesson", "tags": ["failure"]},
                "action": "protect",
                "priority": "high",
            },
        ],
        "default_action": "ttl_evict",
        "protected_tags": ["identity", "milestone"],
    }
}
"""The source's own (MEM-005 §5.3)."""
RULES = (
    Rule("临时对话遗忘", Match("event", "session", 24.0), "soft_delete", "low"),
    Rule("失败记录保留", Match("lesson", tags=("failure",)), "protect", "high"),
)


def were_set(world, document=DOCUMENT, expected=()):
    return set_forgetting(world, document, OWNER, INTENT, expected)


async def fault_of(awaitable):
    with pytest.raises(CsbError) as info:
        await awaitable
    return info.value.code.name, info.value.field


async def test_before_any_were_set_the_preset_rules_are_in_force(either):
    assert await read_forgetting(either, OWNER) == ForgettingPolicy()


@requirement("MEM-005-5.3-whole-document")
async def test_the_document_of_the_source_is_set_and_read_again(either):
    policy = await were_set(either)
    assert policy == ForgettingPolicy(rules=RULES, version=1)
    assert await read_forgetting(either, OWNER) == policy


@requirement("MEM-005-5.3-whole-document")
async def test_every_document_is_a_version_of_its_own(either):
    await were_set(either)
    second = await were_set(either, {"human_only": True})
    assert second == ForgettingPolicy(human_only=True, version=2)
    assert await read_forgetting(either, OWNER) == second


async def test_the_same_document_again_makes_no_version(either):
    first = await were_set(either)
    assert await were_set(either) == first
    assert len(either.ledger.changes) == 1


async def test_the_preset_document_can_be_set_as_the_first_version(world):
    assert (await were_set(world, {})).version == 1


async def test_who_set_the_rules_is_recorded_and_not_what_they_say(world):
    await were_set(world)
    (record,) = world.ledger.changes[-1].audit
    assert (record.type, record.timestamp, record.intent) == ("memory_rules", NOW, INTENT)
    assert record.details == {"from_version": 0, "to_version": 1, "rules": 2}


async def test_rules_are_set_on_the_version_that_is_expected_and_no_other(either):
    await were_set(either, expected=(0,))
    assert await fault_of(were_set(either, {"enabled": False}, expected=(0,))) == ("version_conflict", "")
    assert (await read_forgetting(either, OWNER)).version == 1


async def test_of_two_who_expect_the_same_version_one_sets_the_rules(stored):
    documents = [{"enabled": False}, {"human_only": True}]
    outcomes = await asyncio.gather(*(were_set(stored, each, (0,)) for each in documents), return_exceptions=True)
    (refused,) = [outcome for outcome in outcomes if isinstance(outcome, CsbError)]
    assert refused.code.name == "version_conflict"
    assert (await read_forgetting(stored, OWNER)).version == 1


async def test_of_two_who_expect_no_version_the_later_ones_stay(stored):
    outcomes = await asyncio.gather(were_set(stored, {"enabled": False}), were_set(stored, {"human_only": True}))
    assert sorted(each.version for each in outcomes) == [1, 2]


@requirement("MEM-005-5.3-whole-document")
@pytest.mark.parametrize(
    "document, field",
    [
        ([], "selective_forgetting"),
        ({"rule": []}, "selective_forgetting.rule"),
        ({"rules": [{"name": "a", "match": {}, "action": "archive"}]}, "selective_forgetting.rules[0].match"),
        ({"default_action": "soft_delete"}, "selective_forgetting.default_action"),
    ],
)
async def test_a_document_that_is_not_understood_is_refused_by_its_place(world, document, field):
    assert await fault_of(were_set(world, document)) == ("invalid_params", field)
    assert await read_forgetting(world, OWNER) == ForgettingPolicy()


@pytest.mark.parametrize("caller", [EDITOR, ANONYMOUS])
async def test_the_rules_are_the_owners(world, caller):
    assert await fault_of(read_forgetting(world, caller)) == ("forbidden", "")
    assert await fault_of(set_forgetting(world, DOCUMENT, caller, INTENT)) == ("forbidden", "")
