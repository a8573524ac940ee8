"""Links within one batch: what is refused for them, and how little work that is."""

from __future__ import annotations

import pytest

from csbond.flows.link_memory import LinkChange, link_memory
from csbond.flows.write_memory import ROUNDS_MAX, Kept, MemoryRequest, write_memory
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.link import Link
from csbond.protocol.messages.caller import OWNER
from csbond_tests.memories import remember
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW, small_world


class Counted:
    """A ledger that counts what is tried, and what is looked up."""

    def __init__(self, ledger):
        self._ledger = ledger
        self.tried = self.looked_up = 0

    async def commit(self, change):
        self.tried += 1
        return await self._ledger.commit(change)

    async def entries_of_text(self, *arguments, **names):
        self.looked_up += 1
        return await self._ledger.entries_of_text(*arguments, **names)

    def __getattr__(self, name):
        return getattr(self._ledger, name)


@pytest.fixture
def counted(stored):
    return small_world(Counted(stored.ledger))


def asked(content, *links, **fields):
    raw = {"content": content, **fields, "links": [dict(link) for link in links]}
    return MemoryRequest(draft_from_json(raw, NOW, LevelNames()))


def to(target_id, relation="causes"):
    return {"target_id": target_id, "relation": relation}


async def told(world, *requests):
    outcomes = await write_memory(world, requests, OWNER, INTENT)
    return ["" if isinstance(each, Kept) else f"{each.code.name} {each.field}" for each in outcomes]


@requirement("MEM-003-3.1-batch-links")
async def test_a_chain_that_ends_nowhere_is_refused_whole_at_once(counted):
    chain = [asked(f"number {n}", to(f"mem_1_{n + 1}"), id=f"mem_1_{n}") for n in range(100)]
    fine = asked("beside", to("agent:bo"), id="mem_2_a")
    assert await told(counted, *chain, fine) == ["memory_not_found links[0].target_id"] * 100 + [""]
    assert counted.ledger.tried == 1
    assert (await counted.ledger.counts())["entries"] == 1


@requirement("MEM-003-3.1-batch-links", "MEM-001-1.5-cycle")
async def test_circles_within_a_batch_are_refused_at_once_and_the_rest_is_kept(counted):
    pairs = []
    for n in range(50):
        pairs += [asked(f"a {n}", to(f"mem_1_b{n}"), id=f"mem_1_a{n}")]
        pairs += [asked(f"b {n}", to(f"mem_1_a{n}"), id=f"mem_1_b{n}")]
    outcomes = await told(counted, *pairs, asked("beside", to("agent:bo")))
    assert outcomes == ["memory_not_found links[0].target_id", "link_cycle links[0]"] * 50 + [""]
    assert counted.ledger.tried == 1


@requirement("MEM-003-3.1-batch-links", "MEM-001-1.5-cycle")
async def test_circles_through_what_is_there_are_found_in_a_few_rounds(counted):
    circles = []
    for n in range(10):
        first = await remember(counted, f"first {n}")
        last = await remember(counted, f"last {n}")
        await link_memory(counted, first.id, LinkChange((Link(last.id, "causes"),)), caller=OWNER, intent=INTENT)
        circles += [asked(f"between {n}", to(first.id), id=f"mem_1_{n}"), asked(f"last {n}", to(f"mem_1_{n}"))]
    tried, looked_up = counted.ledger.tried, counted.ledger.looked_up
    outcomes = await told(counted, *circles[: 2 * ROUNDS_MAX - 2], asked("a", to("agent:bo")), asked("b"))
    assert (counted.ledger.tried, counted.ledger.looked_up) == (tried + ROUNDS_MAX, looked_up + ROUNDS_MAX + 1)
    assert outcomes == ["", "link_cycle links[0]"] * (ROUNDS_MAX - 1) + ["", ""]


@requirement("MEM-003-3.1-batch-links", "MEM-003-3.1-batch-each", "MEM-001-1.5-cycle")
async def test_however_many_are_refused_for_their_links_the_others_are_kept(counted):
    bad, good, ends = [], [], []
    for n in range(3 * ROUNDS_MAX):
        first, last = await remember(counted, f"first {n}"), await remember(counted, f"last {n}")
        await link_memory(counted, first.id, LinkChange((Link(last.id, "causes"),)), caller=OWNER, intent=INTENT)
        ends = [to(first.id), to(last.id, "caused_by")]
        bad.append(asked(f"bad {n}", *ends))
        good.append(asked(f"good {n}", to(first.id), id=f"mem_1_{n}"))
    upon_good = [asked(f"upon {n}", to(f"mem_1_{n}"), id=f"mem_2_{n}") for n in range(3)]
    in_a_ring = [asked(f"ring {n}", to(f"mem_3_{(n + 1) % 3}", "relates_to"), id=f"mem_3_{n}") for n in range(3)]
    upon_bad = (
        asked("upon", to("mem_4_bad", "relates_to")),
        asked("z", *ends, id="mem_4_bad"),
    )
    outcomes = await told(counted, *bad, *in_a_ring, *upon_good, *good, asked("plain"), *upon_bad)
    assert outcomes[: len(bad)] == ["link_cycle links[0]"] * len(bad)
    assert outcomes[len(bad) : -2] == [""] * (len(good) + 7)
    assert outcomes[-2:] == ["memory_not_found links[0].target_id", "link_cycle links[0]"]
    assert (await counted.ledger.counts())["entries"] == 2 * len(bad) + len(good) + 7


@requirement("MEM-003-3.1-batch-links", "MEM-001-1.5-cycle")
async def test_a_batch_of_memories_that_are_set_between_neighbours_of_a_chain_is_kept(counted):
    chain = [asked(f"number {n}", *([to(f"mem_1_{n - 1}")] if n else ()), id=f"mem_1_{n}") for n in range(100)]
    assert await told(counted, *chain) == [""] * 100
    between = [asked(f"in {n}", to(f"mem_1_{n % 99}"), to(f"mem_1_{n % 99 + 1}", "caused_by")) for n in range(100)]
    tried = counted.ledger.tried
    assert await told(counted, *between) == [""] * 100
    assert counted.ledger.tried == tried + 1


@requirement("MEM-003-3.1-batch-each")
async def test_of_those_that_become_one_memory_only_who_sent_the_bad_link_is_refused(counted):
    there, bad = await remember(counted, "there"), await remember(counted, "bad")
    (same,) = await write_memory(counted, (asked("same"),), OWNER, INTENT)
    assert isinstance(same, Kept)
    await link_memory(counted, bad.id, LinkChange((Link(same.entry.id, "causes"),)), caller=OWNER, intent=INTENT)
    twins = asked("same", to(there.id)), asked("same", to(there.id), to(bad.id)), asked("same", tags=["x"])
    assert await told(counted, *twins) == ["", "link_cycle links[1]", ""]
    entry = await counted.ledger.entry(same.entry.id)
    assert (entry.tags, [link.target_id for link in entry.links]) == (("x",), [there.id])


@requirement("MEM-003-3.1-batch-each")
async def test_of_those_that_become_one_memory_only_who_links_to_what_is_refused_is_refused(counted):
    there = await remember(counted, "there")
    outcomes = await told(
        counted,
        asked("same", to(there.id)),
        asked("same", to("agent:bo"), to("mem_1_z")),
        asked("z", to("mem_1_nobody"), id="mem_1_z"),
    )
    assert outcomes == ["", "memory_not_found links[1].target_id", "memory_not_found links[0].target_id"]


@requirement("MEM-003-3.1-batch-links")
@pytest.mark.parametrize("relation", ["causes", "caused_by"])
@pytest.mark.parametrize("step", [1, -1])
async def test_a_batch_of_memories_with_many_links_among_each_other_is_kept(counted, relation, step):
    order = range(100)[::step]
    dense = [
        asked(f"number {n}", *(to(f"mem_1_{m}", relation) for m in order[place + 1 : place + 61]), id=f"mem_1_{n}")
        for place, n in enumerate(order)
    ]
    assert await told(counted, *dense) == [""] * 100
