"""A memory is raised or lowered by name: it takes its new tier as its next version (MEM-003 §3.1, MEM-004 §4.2)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from csbond.flows.changes import LASTING
from csbond.flows.edit_memory import check_version, unless
from csbond.flows.link_targets import told_links
from csbond.flows.made_again import made_again
from csbond.flows.read_memory import living_entry
from csbond.flows.tend_step import Tending, move_writes, of_whole_text, settle_uses
from csbond.flows.world import World
from csbond.flows.write_memory import claim_writes, commit_memory
from csbond.protocol.audit.record import Intent
from csbond.protocol.errors import Refused
from csbond.protocol.memory.entry import Level, MemoryEntry
from csbond.protocol.memory.eviction import Move, moved
from csbond.protocol.memory.forgetting import ForgettingPolicy
from csbond.protocol.memory.rights import may_change, may_read
from csbond.protocol.memory.tiers import lowered, raised
from csbond.protocol.memory.visibility import audience_of
from csbond.protocol.messages.caller import Caller


@dataclass(frozen=True, slots=True)
class _Wish:
    """What somebody asks for."""

    entry_id: str
    up: bool
    to: Level | None
    key: str
    expected: Collection[int]

    @property
    def name(self) -> str:
        """What a repeat is known by."""
        return f"key:{self.key}"

    @property
    def digest(self) -> str:
        """What must be equal for a repeat."""
        return f"{'raise' if self.up else 'lower'} {self.entry_id} {self.to or ''}"

    def target(self, level: Level) -> Level:
        """The tier that is asked for."""
        return (raised if self.up else lowered)(level, self.to)


async def raise_memory(
    world: World,
    entry_id: str,
    to: Level | None = None,
    *,
    caller: Caller,
    intent: Intent,
    expected: Collection[int] = (),
    key: str = "",
) -> MemoryEntry:
    """The memory in the next higher tier, or the higher one named; what is there already is answered as it is.

    All pieces of its text take the same tier.

    1. The caller may read memory (`forbidden`); 2. the entry is there for it (`memory_not_found`), and it may change it
    (`forbidden`); 3. under a key that did the same before nothing moves, and one that did something else is
    `already_exists`; 4. the tier named is none below it (`invalid_params`); 5. one of the expected versions, if any, is
    the current one (`version_conflict`).
    """
    return await _asked(world, _Wish(entry_id, True, to, key, expected), caller, intent)


async def lower_memory(
    world: World,
    entry_id: str,
    to: Level | None = None,
    *,
    caller: Caller,
    intent: Intent,
    expected: Collection[int] = (),
    key: str = "",
) -> MemoryEntry:
    """The memory in the next lower tier, or the lower one named; what is there already is answered as it is.

    Its uses so far do not raise it again. The ladder is that of `raise_memory`, with no tier above it.
    """
    return await _asked(world, _Wish(entry_id, False, to, key, expected), caller, intent)


async def _asked(world: World, wish: _Wish, caller: Caller, intent: Intent) -> MemoryEntry:
    """Made again when somebody else was faster, under the same key too."""
    may_read(caller)
    again = {*unless(wish.expected), *(("already_exists",) if wish.key else ())}
    return await made_again(lambda: _move(world, wish, caller, intent), again)


async def _move(world: World, wish: _Wish, caller: Caller, intent: Intent) -> MemoryEntry:
    entry, audience = await living_entry(world, wish.entry_id, caller), audience_of(caller)
    may_change(caller, entry)
    level = entry.level if await _is_repeated(world, wish, caller) else wish.target(entry.level)
    if level is not entry.level:
        check_version(entry, wish.expected)
        by_hand = Tending(world.clock.now(), ForgettingPolicy(), intent, caller.key)
        move = await of_whole_text(world, Move(entry, level, "manual"))
        await settle_uses(world, (move,))
        writes, records = move_writes(world, by_hand, move)
        claims = claim_writes(caller, wish.name, wish.digest, entry.id, by_hand.now) if wish.key else ()
        committed = await commit_memory(world, (*writes, *claims), *records)
        entry = replace(moved(move, by_hand.now), seq=committed.space_seq, used_at=by_hand.now, recent="")
    (told,) = await told_links(world, (entry,), audience)
    return told


async def _is_repeated(world: World, wish: _Wish, caller: Caller) -> bool:
    """Whether the key moved the memory so before; what does not move it needs no key."""
    seen = await world.ledger.repeated_request(LASTING + caller.key, wish.name) if wish.key else None
    if seen and seen[0] != wish.digest:
        reason = f"the Idempotency-Key {wish.key} named another request before"
        raise Refused("already_exists", reason, next_step="use a new one")
    return bool(seen)
