from __future__ import annotations

import pytest

from csbond.flows.edit_memory import edit_memory
from csbond.flows.preview_forgetting import apply_forgetting, preview_forgetting
from csbond.flows.set_forgetting import set_forgetting
from csbond.flows.tend_memory import tend_memory
from csbond.flows.tend_step import BATCH
from csbond.protocol.errors import CsbError
from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.forgetting_json import policy_from_json
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind, Role
from csbond.protocol.messages.listing import position_of
from csbond_tests.memories import remember
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW

EDITOR = Caller(CallerKind.PRINCIPAL, "ann", Role.EDITOR, frozenset({"home"}))
DOCUMENT = {
    "rules": [
        {"name": "chatter", "match": {"type": "event", "age_hours": 24}, "action": "soft_delete", "priority": "low"},
        {"name": "todos", "match": {"type": "todo"}, "action": "archive"},
        {"name": "failures", "match": {"tags": ["failure"]}, "action": "protect", "priority": "high"},
    ]
}
PLANNED = [("todo", "archive", "todos", "warm", "cold"), ("chatter", "delete", "chatter", "hot", "deleted")]


@pytest.fixture
async def furnished(either):
    """A home with rules, a memory for each of them, and some that no rule is to touch."""
    yesterday = NOW - DAY_MS
    await remember(either, "chatter", type="event", timestamp=yesterday, level="hot")
    await remember(either, "fresh chatter", type="event")
    await remember(either, "failed", type="event", timestamp=yesterday, tags=["failure"])
    await remember(either, "who I am", type="event", timestamp=yesterday, tags=["identity"])
    await remember(either, "todo", type="todo")
    await remember(either, "cold todo", type="todo", level="cold")
    await remember(either, "a lesson", type="lesson", timestamp=yesterday)
    await set_forgetting(either, DOCUMENT, OWNER, INTENT)
    return either


async def told(world, preview):
    entries = await world.ledger.entries_by_id([each.entry_id for each in preview.page.rows])
    return [
        (entries[each.entry_id].content, each.action, each.rule, str(each.before), str(each.after))
        for each in preview.page.rows
    ]


async def state(world):
    entries = await world.ledger.entries_after("home", 0, 100)
    return {entry.content: "deleted" if entry.deleted_at else str(entry.level) for entry in entries}


async def fault_of(awaitable):
    with pytest.raises(CsbError) as info:
        await awaitable
    return info.value.code.name, info.value.field


@requirement("MEM-005-5.3-dry-run")
async def test_a_preview_lists_what_the_rules_would_do_with_the_rule_for_each_and_changes_nothing(furnished):
    before, changes = await state(furnished), len(furnished.ledger.changes)
    preview = await preview_forgetting(furnished, OWNER)
    assert await told(furnished, preview) == PLANNED
    assert (preview.page.total, preview.page.next_cursor) == (2, "")
    assert (await state(furnished), len(furnished.ledger.changes)) == (before, changes)


@requirement("MEM-005-5.3-dry-run")
async def test_what_is_applied_is_what_was_listed(furnished):
    before = await state(furnished)
    preview = await preview_forgetting(furnished, OWNER)
    done = await apply_forgetting(furnished, preview.plan, OWNER, INTENT)
    assert {(move.entry.id, move.rule) for move in done.moves} == {
        (each.entry_id, each.rule) for each in preview.page.rows
    }
    assert (done.dry_run, done.steps, done.left_off) == (False, {"rules": 2}, 0)
    assert await state(furnished) == before | {"chatter": "deleted", "todo": "cold"}


@requirement("MEM-005-5.3-dry-run")
async def test_tending_does_what_was_listed_too(furnished):
    before = await state(furnished)
    preview = await preview_forgetting(furnished, OWNER)
    tended = await tend_memory(furnished)
    assert {move.entry.id for move in tended.moves} == {each.entry_id for each in preview.page.rows}
    assert await state(furnished) == before | {"chatter": "deleted", "todo": "cold"}


@requirement("MEM-005-5.4-every-eviction")
async def test_what_is_applied_is_recorded_with_its_rule_and_whose_wish_it_was(furnished):
    preview = await preview_forgetting(furnished, OWNER, rules=("chatter",))
    await apply_forgetting(furnished, preview.plan, OWNER, INTENT)
    (record,) = furnished.ledger.changes[-1].audit
    assert (record.type, record.intent) == ("memory_delete", INTENT)
    assert record.details == {
        "action": "delete",
        "memoryId": preview.page.rows[0].entry_id,
        "timestamp": NOW,
        "trigger": "rule",
        "rule_name": "chatter",
        "previousLevel": "hot",
        "newLevel": "deleted",
    }


async def test_a_preview_is_read_page_by_page_under_one_plan(furnished):
    first = await preview_forgetting(furnished, OWNER, limit=1)
    before = position_of(first.page.next_cursor)
    second = await preview_forgetting(furnished, OWNER, before=before, limit=1)
    assert await told(furnished, first) + await told(furnished, second) == PLANNED
    assert (first.plan, second.page.next_cursor) == (second.plan, "")


async def test_some_of_the_rules_are_previewed_and_applied_alone(furnished):
    preview = await preview_forgetting(furnished, OWNER, rules=("todos",))
    assert await told(furnished, preview) == PLANNED[:1]
    await apply_forgetting(furnished, preview.plan, OWNER, INTENT)
    assert (await state(furnished))["chatter"] == "hot"
    assert (await state(furnished))["todo"] == "cold"


async def test_a_rule_that_another_one_overrules_does_nothing_alone_either(furnished):
    overruled = {"rules": [*DOCUMENT["rules"], {"name": "all", "match": {"type": "event"}, "action": "archive"}]}
    policy = policy_from_json(overruled)
    preview = await preview_forgetting(furnished, OWNER, policy, ("all",))
    assert [content for content, *_ in await told(furnished, preview)] == ["fresh chatter", "chatter"]


async def test_a_document_is_tried_out_before_it_is_set_and_applied_after(furnished):
    document = {"rules": [{"name": "lessons", "match": {"type": "lesson"}, "action": "archive"}]}
    preview = await preview_forgetting(furnished, OWNER, policy_from_json(document))
    assert await told(furnished, preview) == [("a lesson", "archive", "lessons", "warm", "cold")]
    assert await fault_of(apply_forgetting(furnished, preview.plan, OWNER, INTENT)) == ("version_conflict", "")
    assert (await state(furnished))["a lesson"] == "warm"
    await set_forgetting(furnished, document, OWNER, INTENT)
    await apply_forgetting(furnished, preview.plan, OWNER, INTENT)
    assert (await state(furnished))["a lesson"] == "cold"


async def test_a_time_ahead_shows_what_the_rules_would_do_then_and_is_not_applied_now(furnished):
    preview = await preview_forgetting(furnished, OWNER, as_of=NOW + DAY_MS)
    assert ("fresh chatter", "delete", "chatter", "warm", "deleted") in await told(furnished, preview)
    assert await fault_of(apply_forgetting(furnished, preview.plan, OWNER, INTENT)) == ("version_conflict", "")
    furnished.clock.advance(DAY_MS)
    await apply_forgetting(furnished, preview.plan, OWNER, INTENT)
    assert (await state(furnished))["fresh chatter"] == "deleted"


async def another_memory(world, _):
    await remember(world, "another todo", type="todo")


async def another_version(world, preview):
    edit = {"content": "another text"}
    entry_id = preview.page.rows[0].entry_id
    await edit_memory(world, entry_id, edit, LevelNames(), caller=OWNER, intent=INTENT)


async def another_document(world, _):
    await set_forgetting(world, DOCUMENT | {"protected_tags": []}, OWNER, INTENT)


async def done_already(world, preview):
    await apply_forgetting(world, preview.plan, OWNER, INTENT)


@requirement("MEM-005-5.3-dry-run")
@pytest.mark.parametrize("meanwhile", [another_memory, another_version, another_document, done_already])
async def test_nothing_is_applied_when_the_list_is_another_one_now(furnished, meanwhile):
    preview = await preview_forgetting(furnished, OWNER)
    await meanwhile(furnished, preview)
    before = await state(furnished)
    assert await fault_of(apply_forgetting(furnished, preview.plan, OWNER, INTENT)) == ("version_conflict", "")
    assert await state(furnished) == before


@requirement("MEM-005-5.5-human-only")
async def test_applying_a_plan_is_the_yes_that_human_only_mode_waits_for(furnished):
    await set_forgetting(furnished, DOCUMENT | {"human_only": True}, OWNER, INTENT)
    preview = await preview_forgetting(furnished, OWNER)
    asked = await tend_memory(furnished)
    assert [review.kind for review in asked.reviews] == ["delete"]
    preview = await preview_forgetting(furnished, OWNER)
    assert await told(furnished, preview) == PLANNED[1:]
    done = await apply_forgetting(furnished, preview.plan, OWNER, INTENT)
    assert [(move.trigger, move.rule) for move in done.moves] == [("manual", "chatter")]
    gone = await furnished.ledger.entry(preview.page.rows[0].entry_id)
    assert (gone.deleted_by, gone.deleter) == ("manual", "owner")


@requirement("MEM-005-5.3-switched-off")
async def test_rules_that_are_switched_off_would_do_nothing(furnished):
    preview = await preview_forgetting(furnished, OWNER, policy_from_json(DOCUMENT | {"enabled": False}))
    assert preview.page.rows == ()


async def test_many_are_applied_batch_by_batch(world):
    for number in range(BATCH + 1):
        await remember(world, f"todo {number}", type="todo")
    await set_forgetting(world, DOCUMENT, OWNER, INTENT)
    preview = await preview_forgetting(world, OWNER)
    before = len(world.ledger.changes)
    done = await apply_forgetting(world, preview.plan, OWNER, INTENT)
    assert [len(change.writes) for change in world.ledger.changes[before:]] == [BATCH, 1]
    assert (preview.page.total, done.steps, done.left_off) == (BATCH + 1, {"rules": BATCH + 1}, 0)


@pytest.mark.parametrize("plan", ["", "all", "1-x:00", "-:00", "²:00"])
async def test_what_names_no_plan_is_refused(furnished, plan):
    assert await fault_of(apply_forgetting(furnished, plan, OWNER, INTENT)) == ("invalid_params", "plan")


async def test_the_name_of_no_rule_is_refused(furnished):
    preview = preview_forgetting(furnished, OWNER, rules=("todos", "nobody's"))
    assert await fault_of(preview) == ("invalid_params", "rules[1]")


@pytest.mark.parametrize("caller", [EDITOR, ANONYMOUS])
async def test_rules_are_tried_out_by_the_owner_alone(world, caller):
    assert await fault_of(preview_forgetting(world, caller)) == ("forbidden", "")
    assert await fault_of(apply_forgetting(world, "all:00", caller, INTENT)) == ("forbidden", "")
