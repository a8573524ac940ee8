"""Of a text in pieces the strictest piece decides whether it may go (MEM-004 §4.2, MEM-005 §5.3, §5.5)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from csbond.flows.edit_memory import edit_memory
from csbond.flows.note_use import note_use
from csbond.flows.preview_forgetting import apply_forgetting, preview_forgetting
from csbond.flows.set_forgetting import set_forgetting
from csbond.flows.show_outlook import show_outlook
from csbond.flows.tend_memory import tend_memory
from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.tier_policy import TierPolicy
from csbond.protocol.messages.caller import OWNER
from csbond_tests.memories import remember, tell
from csbond_tests.overtaken import Overtaken
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW, small_world

LONG = "A sentence that goes on. " * 300
RULES = [{"name": "Told", "match": {"source": "session"}, "action": "soft_delete"}]


async def edit(world, entry, **fields):
    return await edit_memory(world, entry.id, fields, LevelNames(), caller=OWNER, intent=INTENT)


async def told(world, place=-1, **fields):
    """A text in four pieces, one of which says more than the others."""
    pieces = await tell(world, LONG, said_at=NOW)
    await edit(world, pieces[place], **fields)
    return pieces


async def places(world, piece):
    text = await world.ledger.entry_pieces(piece.id)
    return {"deleted" if each.deleted_at else str(each.level) for each in text}


async def both(world, **asked):
    """What a dry run tells and then is done: the same moves and as many questions."""
    would = await tend_memory(world, dry_run=True, **asked)
    did = await tend_memory(world, **asked)
    assert (would.moves, len(would.reviews)) == (did.moves, len(did.reviews))
    return did


@requirement("MEM-005-5.3-protected-tags")
@pytest.mark.parametrize("place", [0, 1, 3])
async def test_a_protected_tag_on_any_piece_keeps_the_whole_text_from_rules(either, place):
    pieces = await told(either, place, tags=["milestone"])
    await set_forgetting(either, {"rules": RULES}, OWNER, INTENT)
    preview = await preview_forgetting(either, OWNER)
    assert preview.page.rows == ()
    assert (await both(either)).moves == ()
    assert (await apply_forgetting(either, preview.plan, OWNER, INTENT)).steps == {"rules": 0}
    assert await places(either, pieces[0]) == {"warm"}


@requirement("MEM-005-5.3-protected-tags")
async def test_a_protected_tag_on_a_later_piece_keeps_the_text_beyond_its_time_to_live(either):
    pieces = await told(either, tags=["identity"])
    await edit(either, pieces[0], level="cold", metadata={"ttl": DAY_MS})
    assert (await show_outlook(either, await either.ledger.entry(pieces[0].id), LevelNames()))["next_move"] is None
    either.clock.advance(400 * DAY_MS)
    assert "deleted" not in {move.to for move in (await both(either)).moves}
    assert (await either.ledger.entry(pieces[3].id)).deleted_at == 0


async def test_a_rule_that_keeps_a_later_piece_keeps_the_text(either):
    keep = {"name": "Keep", "match": {"tags": ["lease"]}, "action": "ttl_evict", "priority": "high"}
    pieces = await told(either, tags=["lease"])
    await set_forgetting(either, {"rules": [*RULES, keep]}, OWNER, INTENT)
    assert (await both(either)).moves == ()
    assert await places(either, pieces[0]) == {"warm"}


async def test_what_no_rule_says_of_a_later_piece_does_not_keep_the_text(either):
    rules = [{"name": "Draft", "match": {"tags": ["draft"]}, "action": "soft_delete"}]
    pieces = await told(either, 0, tags=["draft"])
    await set_forgetting(either, {"rules": rules, "default_action": "protect"}, OWNER, INTENT)
    assert [move.to for move in (await both(either)).moves] == ["deleted"]
    assert await places(either, pieces[0]) == {"deleted"}


async def test_a_tag_that_comes_to_a_piece_while_its_text_is_deleted_keeps_it(either):
    pieces = await tell(either, LONG, said_at=NOW)
    await set_forgetting(either, {"rules": RULES}, OWNER, INTENT)

    async def faster():
        await edit(either, pieces[2], tags=["milestone"])

    slower = replace(either, ledger=Overtaken(either.ledger, faster))
    assert (await tend_memory(slower)).moves == ()
    assert await places(either, pieces[0]) == {"warm"}


@requirement("MEM-005-5.3-protected-tags")
async def test_a_plan_of_before_a_tag_came_to_a_later_piece_is_not_applied(either):
    pieces = await tell(either, LONG, said_at=NOW)
    await set_forgetting(either, {"rules": RULES}, OWNER, INTENT)
    plan = (await preview_forgetting(either, OWNER)).plan
    await edit(either, pieces[3], tags=["milestone"])
    with pytest.raises(Exception, match="something else now"):
        await apply_forgetting(either, plan, OWNER, INTENT)


async def test_a_pinned_tag_on_a_later_piece_keeps_the_text_in_its_tier(either):
    pieces = await told(either, tags=["pinned"])
    shown = await show_outlook(either, await either.ledger.entry(pieces[0].id), LevelNames())
    assert (shown["pinned"], shown["next_move"]) == (True, None)
    for _ in range(4):
        note_use(either, [pieces[0]])
        either.clock.advance(1)
    assert (await both(either)).moves == ()
    either.clock.advance(400 * DAY_MS)
    assert (await both(either)).moves == ()
    assert await places(either, pieces[0]) == {"warm"}


@requirement("MEM-001-1.1-warm-cap", "MEM-001-1.1-hot-cap")
@pytest.mark.parametrize("level", ["hot", "warm"])
async def test_a_cap_leaves_a_text_with_a_pinned_piece_and_takes_the_next(either, level):
    tiers = TierPolicy(hot_cap=1, warm_cap=1)
    world: Any = small_world(either.ledger, clock=either.clock, identifiers=either.identifiers, tiers=tiers)
    pieces = await told(world, tags=["pinned"])
    if level == "hot":
        for piece in pieces:
            await edit(world, piece, level="hot")
    world.clock.advance(1)
    project = (await world.ledger.entry(pieces[0].id)).project if level == "warm" else ""
    other = await tell(world, "It rained.", said_at=NOW + 5)
    assert other[0].project == project or level == "hot"
    if level == "hot":
        await edit(world, other[0], level="hot")
    world.clock.advance(1)
    moves = (await both(world)).moves
    assert moves[0].entry.id == other[0].id
    assert await places(world, pieces[0]) == {level}


@requirement("MEM-004-4.4-review")
async def test_a_text_is_lowered_only_after_a_yes_when_a_later_piece_is_a_decision(either):
    tiers = TierPolicy(review_decisions=True)
    world: Any = small_world(either.ledger, clock=either.clock, identifiers=either.identifiers, tiers=tiers)
    pieces = await told(world, type="decision")
    world.clock.advance(100 * DAY_MS)
    tended = await both(world)
    assert (tended.moves, [review.entry_id for review in tended.reviews]) == ((), [pieces[0].id])
    assert await places(world, pieces[0]) == {"warm"}


@requirement("MEM-004-4.4-review")
async def test_of_a_tier_full_of_decisions_no_more_are_asked_about_than_are_beyond(either):
    tiers = TierPolicy(review_decisions=True, hot_cap=2)
    world: Any = small_world(either.ledger, clock=either.clock, identifiers=either.identifiers, tiers=tiers)
    for number in range(5):
        await remember(world, f"We take boat {number}.", type="decision", level="hot")
        world.clock.advance(1)
    assert len((await both(world)).reviews) == 3
    world.clock.advance(1)
    assert ((await both(world)).reviews, (await tend_memory(world)).moves) == ((), ())
