from __future__ import annotations

import asyncio
from random import Random
from typing import Any

import pytest

from csbond.flows.delete_memory import delete_memory
from csbond.flows.note_use import keep_uses, note_use
from csbond.flows.set_forgetting import set_forgetting
from csbond.flows.tend_memory import AS_OF_MAX, MOVES_TOLD, PAUSE_S, tend_memory, tend_when_hot
from csbond.flows.write_memory import Kept, MemoryRequest, write_memory
from csbond.protocol.errors import CsbError, Unavailable
from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.eviction import Move
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.tier_caps import over_cap
from csbond.protocol.memory.tier_policy import TierPolicy
from csbond.protocol.memory.tiers import TRANSITIONS
from csbond.protocol.messages.caller import OWNER
from csbond_tests.memories import remember
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW, small_world

HOT, WARM, COLD = Level
FULL = Unavailable("storage_full", "the disk is full")
STEPS = ("keep_uses", "clear", "purge", "rules", "cold_ttl", "warm_ttl", "hot_idle", "rise", "hot_cap", "warm_cap")


async def kept(world, content="x", unused=0.0, uses=0, ttl=0.0, **fields):
    """A memory that was last used so many days ago, so many times; it lives so many days from now."""
    used = world.clock.now() - round(unused * DAY_MS)
    metadata = {"lastAccessed": used, "accessCount": uses, "ttl": round(ttl * DAY_MS), **fields.pop("metadata", {})}
    return await remember(world, f"{content} {world.identifiers.unique()}", metadata=metadata, **fields)


async def many(world, count, level="hot"):
    """So many memories of a tier, written together."""
    drafts = [draft_from_json({"content": f"memory {n}", "level": level}, NOW, LevelNames()) for n in range(count)]
    outcomes = await write_memory(world, [MemoryRequest(draft) for draft in drafts], OWNER, INTENT)
    return [outcome.entry for outcome in outcomes if isinstance(outcome, Kept)]


def with_policy(world, **policy):
    return small_world(world.ledger, clock=world.clock, identifiers=world.identifiers, tiers=TierPolicy(**policy))


async def rule(world, action, **match):
    rules = [{"name": action, "match": match, "action": action}]
    await set_forgetting(world, {"rules": rules}, OWNER, INTENT)


def ways(tended):
    return [(move.entry.id, str(move.to), move.trigger, move.step) for move in tended.moves]


async def levels(world, *entries):
    return [(await world.ledger.entry(entry.id)).level for entry in entries]


async def no_way(world):
    return world, None


async def clearing(world, _):
    entry = await kept(world)
    await delete_memory(world, entry.id, OWNER, INTENT)
    world.clock.advance(30 * DAY_MS)
    return world, entry


async def ruled(world, way):
    entry = await kept(world, level=str(way.source), type="todo")
    await rule(world, "soft_delete" if way.target == "deleted" else "archive", type="todo")
    return world, entry


async def mortal(world, way):
    entry = await kept(world, level=str(way.source), ttl=1)
    world.clock.advance(DAY_MS)
    return world, entry


async def idle(world, _):
    return world, await kept(world, level="hot", unused=30)


async def found(world, _):
    world = with_policy(world, cold_rises="found")
    entry = await kept(world, level="cold")
    note_use(world, [entry], found={entry.id})
    return world, entry


async def often_used(world, _):
    return world, await kept(world, uses=3)


async def crowd(world, way):
    world = with_policy(world, hot_cap=1, warm_cap=1)
    entry = await kept(world, level=str(way.source), unused=1)
    await kept(world, level=str(way.source))
    return world, entry


SCENES = {
    ("clear", "system"): clearing,
    ("rules", "rule"): ruled,
    ("cold_ttl", "ttl"): mortal,
    ("warm_ttl", "ttl"): mortal,
    ("hot_idle", "system"): idle,
    ("rise", "system"): found,
    ("hot_cap", "system"): often_used,
    ("hot_cap", "lru"): crowd,
    ("warm_cap", "lru"): crowd,
}


@requirement("MEM-005-tend", "MEM-005-5.4-every-eviction", "MEM-005-5.4-same-transaction")
@pytest.mark.parametrize("way", [way for way in TRANSITIONS if way.step])
async def test_each_way_by_itself_is_gone_with_its_record_in_one_transaction_and_not_again(either, way):
    world, entry = await SCENES[way.step, way.trigger](either, way)
    await keep_uses(world)
    entry = await world.ledger.entry(entry.id)
    before = len(world.ledger.changes)
    tended = await tend_memory(world)
    assert ways(tended) == [(entry.id, str(way.target), way.trigger, way.step)]
    assert {name: count for name, count in tended.steps.items() if count} == {way.step: 1}
    (change,) = world.ledger.changes[before:]
    (record,) = change.audit
    assert record.details["memoryId"] == entry.id
    assert (record.details["previousLevel"], record.details["newLevel"]) == (entry.level.value, str(way.target))
    assert (record.intent.requested_by, record.timestamp) == ("this node", world.clock.now())
    assert (await tend_memory(world)).moves == ()
    assert len(world.ledger.changes) == before + 1


@requirement("MEM-005-tend")
async def test_the_steps_are_told_in_their_published_order(world):
    assert tuple((await tend_memory(world)).steps) == STEPS
    in_order = [way.step for way in TRANSITIONS if way.step]
    assert in_order == sorted(in_order, key=STEPS.index)


@requirement("MEM-005-5.1-one-tier", "MEM-005-tend")
async def test_nothing_falls_two_tiers_at_one_moment(either):
    world = with_policy(either, hot_cap=1, warm_cap=1)
    old = await kept(world, level="hot", unused=100, ttl=1)
    for _ in range(2):
        await kept(world)
    world.clock.advance(DAY_MS)
    assert (old.id, "warm", "system", "hot_idle") in ways(await tend_memory(world))
    assert ways(await tend_memory(world)) == []
    world.clock.advance(1)
    assert ways(await tend_memory(world)) == [(old.id, "cold", "ttl", "warm_ttl")]
    world.clock.advance(1)
    assert ways(await tend_memory(world)) == [(old.id, "deleted", "ttl", "cold_ttl")]


@requirement("MEM-005-tend")
async def test_a_time_ahead_moves_between_tiers_and_removes_nothing_unless_asked(either):
    hot, mortal_one = await kept(either, level="hot"), await kept(either, level="cold", ttl=1)
    gone, ruled_one = await kept(either), await kept(either, type="todo", level="cold")
    await delete_memory(either, gone.id, OWNER, INTENT)
    await rule(either, "soft_delete", type="todo")
    later = NOW + 31 * DAY_MS
    assert ways(await tend_memory(either, later)) == [(hot.id, "warm", "system", "hot_idle")]
    assert await either.ledger.entry(gone.id) is not None
    assert (await tend_memory(either, later)).moves == ()
    removed = {move.entry.id: str(move.to) for move in (await tend_memory(either, later, clear=True)).moves}
    assert removed == {gone.id: "erased", ruled_one.id: "deleted", mortal_one.id: "deleted"}
    assert (await tend_memory(either, later, clear=True)).moves == ()


async def test_what_a_time_ahead_moved_is_moved_by_its_uses_of_today(either):
    entry = await kept(either, level="hot")
    await tend_memory(either, NOW + 31 * DAY_MS)
    either.clock.advance(1000)
    note_use(either, [entry] * 3)
    assert ways(await tend_memory(either)) == [(entry.id, "hot", "system", "hot_cap")]


@requirement("MEM-005-5.3-dry-run")
async def test_a_dry_run_tells_the_same_and_writes_nothing(either):
    world = with_policy(either, hot_cap=2, warm_cap=2)
    await rule(world, "archive", type="todo")
    for number in range(5):
        await kept(world, level="hot", unused=number * 10)
        await kept(world, uses=4 if number % 2 else 0, unused=number, metadata={"project": "p"})
        await kept(world, type="todo", level="hot" if number % 2 else "warm")
    before, entries = len(world.ledger.changes), await world.ledger.entries_after("home", 0, 100)
    would = await tend_memory(world, dry_run=True)
    assert (len(world.ledger.changes), await world.ledger.entries_after("home", 0, 100)) == (before, entries)
    did = await tend_memory(world)
    assert (would.dry_run, did.dry_run) == (True, False)
    assert (ways(would), would.steps) == (ways(did), did.steps)
    assert {step for *_, step in ways(did)} == {"rules", "hot_idle", "hot_cap", "warm_cap"}


@requirement("MEM-001-1.1-hot-cap", "MEM-005-5.1-hot-lru", "MEM-004-4.2-pinned")
@pytest.mark.parametrize("seed", range(6))
async def test_hot_keeps_its_cap_as_the_rule_has_it(either, seed):
    dice = Random(seed)
    world = with_policy(either, hot_cap=dice.choice([0, 1, 4, 7]))
    entries = []
    for _ in range(12):
        tags, level = dice.choice([[], [], ["pinned"]]), dice.choice(["hot", "hot", "warm"])
        entries.append(await kept(world, level=level, tags=tags, uses=3, unused=dice.randrange(4)))
    members = [entry for entry in entries if entry.level is HOT]
    candidates = [entry for entry in entries if entry.level is WARM]
    evicted, admitted = over_cap(members, candidates, world.tiers.hot_cap, world.tiers)
    moved = [(move.entry.id, move.to) for move in (await tend_memory(world)).moves]
    assert moved == [(entry.id, WARM) for entry in evicted] + [(entry.id, HOT) for entry in admitted]


@requirement("MEM-001-1.1-warm-cap", "MEM-004-4.2-pinned")
@pytest.mark.parametrize("seed", range(4))
async def test_warm_keeps_its_cap_in_each_project_as_the_rule_has_it(either, seed):
    dice = Random(seed)
    world = with_policy(either, warm_cap=3)
    projects: dict[str, list[Any]] = {"": [], "p": [], "q": []}
    for _ in range(14):
        project, tags = dice.choice(list(projects)), dice.choice([[], [], ["pinned"]])
        metadata = {"project": project} if project else {}
        projects[project].append(await kept(world, tags=tags, unused=dice.randrange(20), metadata=metadata))
    evicted = [entry.id for members in projects.values() for entry in over_cap(members, (), 3, world.tiers)[0]]
    assert evicted
    assert [move.entry.id for move in (await tend_memory(world)).moves] == evicted


@requirement("MEM-001-1.1-cold-free")
async def test_cold_has_no_cap(either):
    world = with_policy(either, hot_cap=1, warm_cap=1)
    for _ in range(12):
        await kept(world, level="cold")
    assert (await tend_memory(world)).moves == ()
    assert await world.ledger.tier_size("home", COLD) == 12


@requirement("MEM-004-4.2-pinned")
async def test_a_pinned_memory_stays_in_its_tier_whatever_its_uses(either):
    hot = await kept(either, level="hot", unused=100, tags=["pinned"])
    warm = await kept(either, unused=100, tags=["pinned"])
    used = await kept(either, uses=9, tags=["pinned"])
    assert (await tend_memory(either)).moves == ()
    assert await levels(either, hot, warm, used) == [HOT, WARM, WARM]


@requirement("MEM-005-5.3-protected-tags", "MEM-005-5.1-warm-ttl")
async def test_what_is_protected_does_not_leave_and_does_not_sink_for_its_time(either):
    cold = await kept(either, level="cold", ttl=1, tags=["milestone"])
    warm = await kept(either, ttl=1, tags=["identity"], type="todo")
    await rule(either, "soft_delete", type="todo")
    either.clock.advance(2 * DAY_MS)
    assert (await tend_memory(either)).moves == ()
    assert await levels(either, cold, warm) == [COLD, WARM]


@requirement("MEM-005-5.1-cold-ttl")
async def test_a_home_that_keeps_cold_for_ever_deletes_nothing_for_its_time(either):
    world = with_policy(either, cold_evicts=False, cold_ttl_ms=DAY_MS)
    await kept(world, level="cold", ttl=1)
    world.clock.advance(900 * DAY_MS)
    assert (await tend_memory(world)).moves == ()


@requirement("MEM-005-5.1-cold-ttl")
async def test_a_time_to_live_of_the_home_counts_from_the_latest_use(either):
    world = with_policy(either, cold_ttl_ms=5 * DAY_MS)
    old, used = await kept(world, level="cold", unused=4), await kept(world, level="cold", unused=3)
    world.clock.advance(DAY_MS)
    assert ways(await tend_memory(world)) == [(old.id, "deleted", "ttl", "cold_ttl")]
    assert (await world.ledger.entry(used.id)).deleted_at == 0


@requirement("MEM-005-tend-quiet")
async def test_a_long_run_goes_in_small_transactions_between_which_others_write(stored):
    world = with_policy(stored, hot_cap=1)
    await many(world, 450)
    before = len(world.ledger.changes)
    tending = asyncio.create_task(tend_memory(world))
    written = asyncio.create_task(kept(world, content="meanwhile", level="cold"))
    await asyncio.wait((tending, written), return_when=asyncio.FIRST_COMPLETED)
    assert written.done()
    assert not tending.done(), "a write waited for the whole run"
    await tending
    moves = [len(change.audit) for change in world.ledger.changes[before:] if change.audit[0].type == "memory_demote"]
    assert moves == [100, 100, 100, 100, 49]


@requirement("MEM-005-tend-crash", "MEM-005-5.4-same-transaction")
async def test_a_run_that_is_interrupted_leaves_whole_batches_and_the_next_goes_on(either):
    world = with_policy(either, hot_cap=10)
    entries = await many(world, 450)
    commit, done = world.ledger.commit, list[Any]()

    async def breaks(change):
        if len(done) == 1:
            raise FULL
        done.append(await commit(change))
        return done[-1]

    world.ledger.commit = breaks
    with pytest.raises(Unavailable):
        await tend_memory(world)
    world.ledger.commit = commit
    found = await levels(world, *entries)
    assert found.count(WARM) == 100
    assert (await tend_memory(world)).steps["hot_cap"] == 340
    records = [record for change in world.ledger.changes for record in change.audit if record.type == "memory_demote"]
    assert len({record.details["memoryId"] for record in records}) == len(records) == 440
    assert (await levels(world, *entries)).count(HOT) == 10


async def test_two_runs_at_once_move_everything_once(either):
    world = with_policy(either, hot_cap=1)
    await many(world, 30)
    one, two = await asyncio.gather(tend_memory(world), tend_memory(world))
    assert sorted((one.steps["hot_cap"], two.steps["hot_cap"])) == [0, 29]


async def test_the_first_thousand_moves_are_told_and_the_others_counted(world):
    world = with_policy(world, hot_cap=1)
    await many(world, MOVES_TOLD + 5)
    tended = await tend_memory(world)
    assert (len(tended.moves), tended.left_off, tended.steps["hot_cap"]) == (1000, 4, 1004)
    assert isinstance(tended.moves[0], Move)


@pytest.mark.parametrize("as_of", [-1, AS_OF_MAX + 1])
async def test_a_time_out_of_all_bounds_is_refused(world, as_of):
    with pytest.raises(CsbError, match="as_of must be a time"):
        await tend_memory(world, as_of, dry_run=True)
    assert (await tend_memory(world, abs(as_of) - 1, dry_run=True)).moves == ()


async def test_a_write_into_hot_lets_the_node_tend_soon_and_others_do_not(world):
    world = with_policy(world, hot_cap=1)
    pauses, gate = [], asyncio.Event()

    async def pause(seconds):
        pauses.append(seconds)
        await gate.wait()

    worker = asyncio.create_task(tend_when_hot(world, pause))
    old = await kept(world, unused=1)
    assert not world.signals.hot.is_set()
    old = await kept(world, level="hot", unused=1)
    await kept(world, level="hot")
    gate.set()
    for _ in range(1000):
        await asyncio.sleep(0)
    assert await levels(world, old) == [WARM]
    assert pauses == [PAUSE_S]
    world.ledger.fault = FULL
    world.signals.hot.set()
    note_use(world, [old])
    for _ in range(1000):
        await asyncio.sleep(0)
    assert world.journal.codes == ["storage_full"]
    assert not worker.done()
    worker.cancel()
