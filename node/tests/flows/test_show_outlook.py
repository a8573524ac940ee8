from __future__ import annotations

import pytest

from csbond.flows.note_use import keep_uses, note_use
from csbond.flows.set_forgetting import set_forgetting
from csbond.flows.show_outlook import show_outlook
from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.messages.caller import OWNER
from csbond_tests.memories import remember, tell
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW


@requirement("MEM-004-4.2-shown")
async def test_uses_that_wait_are_told_as_they_are_told_after_they_are_kept(either):
    entry = await remember(either, "The key is under the mat.")
    for _ in range(2):
        either.clock.advance(1000)
        note_use(either, (entry,))
    commits = len(either.ledger.changes)
    told = await show_outlook(either, entry, LevelNames())
    assert (told["uses"], told["unused_ms"]) == (2, 0)
    assert len(either.ledger.changes) == commits, "looking at it is no write"
    await keep_uses(either)
    assert await show_outlook(either, await either.ledger.entry(entry.id), LevelNames()) == told


@requirement("MEM-004-4.2-shown", "MEM-005-5.3-protected-tags")
@pytest.mark.parametrize("tags, rules, moves", [([], [], True), (["identity"], [], False), ([], ["protect"], False)])
async def test_what_is_protected_waits_for_no_end(world, tags, rules, moves):
    document = {"rules": [{"name": each, "match": {"type": "other"}, "action": each} for each in rules]}
    await set_forgetting(world, document, OWNER, INTENT)
    entry = await remember(world, "gone", level="cold", tags=tags, metadata={"ttl": DAY_MS})
    due = {"to": "deleted", "at": NOW + DAY_MS, "because": "ttl"}
    assert (await show_outlook(world, entry, LevelNames()))["next_move"] == (due if moves else None)


@requirement("MEM-004-4.2-shown")
async def test_a_piece_of_a_text_waits_for_what_its_first_piece_waits_for(either):
    pieces = await tell(either, "A sentence that goes on. " * 300, said_at=NOW)
    note_use(either, [pieces[2]])
    note_use(either, [pieces[3]])
    waiting = [await show_outlook(either, piece, LevelNames()) for piece in pieces]
    assert waiting == [waiting[0]] * 4
    assert waiting[0]["uses"] == 2
    await keep_uses(either)
    text = await either.ledger.entry_pieces(pieces[0].id)
    assert [await show_outlook(either, piece, LevelNames()) for piece in text] == waiting
