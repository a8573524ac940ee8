from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from csbond.flows.memory_changes import EraseEntry, PutEntry, PutReview, SetLinks
from csbond.protocol.memory.entry import Level, Origin, Visibility
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.network import Edge, Node, measured, most_linked, strongest
from csbond.protocol.memory.review import Review
from csbond.protocol.memory.stats import DAY_MS, Counted, Removal, day_of
from csbond.protocol.memory.visibility import Audience
from csbond.protocol.memory.whitespace import ArchivedMemory
from csbond.store.sqlite import open_ledger
from csbond.store.sqlite.migrations import migrations
from csbond.testing import FixedSigner, InMemoryLedger
from csbond_tests.ledger_samples import NOW, a_record, an_entry, home, put
from csbond_tests.requirements import requirement

A, B, C, D, E = (f"mem_1_{letter}" for letter in "abcde")


def warm(id_, **fields):
    """A warm memory, unless something else is said."""
    return an_entry(id_, **{"level": Level.WARM, **fields})


OWNER = Audience(everything=True)
ALICE, BOB = Audience(caller_key="principal:alice", trusted=True), Audience(caller_key="principal:bob")
STRANGER = Audience(caller_key="anonymous", thread_id="thread-9")
AUDIENCES = (OWNER, ALICE, BOB, STRANGER)


@pytest.fixture
async def filled(ledger):
    """A is public, B trusted, C private of the owner, D private of Bob, E softly deleted."""
    await ledger.commit(
        put(
            warm(A, visibility=Visibility.PUBLIC, tags=("river",)),
            warm(B, visibility=Visibility.TRUSTED, type="decision", level=Level.HOT),
            warm(C, source="session"),
            warm(D, origin=Origin("principal:bob", "thread-1")),
            warm(E, visibility=Visibility.PUBLIC),
        )
    )
    await ledger.commit(home(SetLinks(A, (Link(B, "causes", 0.5), Link(C, "relates_to"), Link("agent:bo", "causes")))))
    await ledger.commit(home(SetLinks(D, (Link(A, "extends", 0.25), Link(E, "extends")))))
    await ledger.commit(home(SetLinks(B, (Link(D, "contradicts", 0.125),))))
    entry = await ledger.entry(E)
    await ledger.commit(put(replace(entry, version=2, deleted_at=NOW, deleted_by="manual")))
    return ledger


AB, AC = Edge(A, B, "causes", 0.5), Edge(A, C, "relates_to", 1.0)
DA, BD = Edge(D, A, "extends", 0.25), Edge(B, D, "contradicts", 0.125)
TOLD = {OWNER: (AC, AB, DA, BD), ALICE: (AB,), BOB: (DA,), STRANGER: ()}


@pytest.mark.parametrize("audience", AUDIENCES)
async def test_an_audience_is_told_links_between_living_memories_it_may_hear_both_of(filled, audience):
    linked = await filled.all_edges("home", audience, 10, 10)
    assert linked.edges == TOLD[audience]
    assert linked.edges_total == len(linked.edges)
    ends = {end for edge in linked.edges for end in (edge.source, edge.target)}
    assert linked.members.keys() == ends
    assert linked.nodes_total == len(ends)
    assert await filled.network_edges("home", [A, B, C, D, E, "mem_9"], audience, 10) == TOLD[audience]
    assert await filled.network_edges("home", [A, B, C, D, E], audience, 10, within=True) == TOLD[audience]


async def test_links_of_a_memory_are_told_in_both_directions_the_strongest_first(filled):
    assert await filled.network_edges("home", [D], OWNER, 10) == (DA, BD)
    assert await filled.network_edges("home", [A], OWNER, 2) == (AC, AB)
    assert await filled.network_edges("home", [A, D], OWNER, 10, within=True) == (DA,)
    assert await filled.network_edges("home", [C], ALICE, 10) == (), "it may not hear what it asks about"
    assert await filled.network_edges("home", [A], OWNER, 0) == ()
    assert await filled.network_edges("elsewhere", [A], OWNER, 10) == ()


async def test_memories_of_a_network_are_told_to_whom_may_hear_them(filled):
    asked = [A, B, C, D, E, "mem_9"]
    found = await filled.network_nodes("home", asked, OWNER)
    assert found.keys() == {A, B, C, D}
    assert found[B] == Node(B, Level.HOT, "decision", "The river was cold.")
    assert found[A].tags == ("river",)
    for audience, told in ((ALICE, {A, B}), (BOB, {A, D}), (STRANGER, {A})):
        assert (await filled.network_nodes("home", asked, audience)).keys() == told
    assert await filled.network_nodes("elsewhere", asked, OWNER) == {}


async def test_of_many_the_most_linked_memories_are_told_and_the_rest_is_counted(filled):
    linked = await filled.all_edges("home", OWNER, 2, 10)
    assert (linked.edges, linked.nodes_total, linked.edges_total) == ((AB,), 4, 4)
    assert set(linked.members) == {A, B}
    fewer = await filled.all_edges("home", OWNER, 10, 1)
    assert (fewer.edges, len(fewer.members)) == ((AC,), 4)


async def test_the_database_and_the_rule_choose_the_same_of_a_whole_network(tmp_path):
    chance = random.Random(7)
    ledgers: list[Any] = [await open_ledger(tmp_path / "csb.db", FixedSigner(), "Luna"), InMemoryLedger()]
    ids = [f"mem_{chance.randrange(10**6)}_{number}" for number in range(60)]
    entries = [an_entry(id_, tags=(f"tag{number % 4}",)) for number, id_ in enumerate(ids)]
    links = {
        id_: tuple(Link(other, "relates_to", chance.random()) for other in sorted({*chance.sample(ids, 3)} - {id_}))
        for id_ in ids
    }
    told = []
    for ledger in ledgers:
        await ledger.commit(home(*map(PutEntry, entries), *(SetLinks(id_, links[id_]) for id_ in ids)))
        told.append([await ledger.all_edges("home", OWNER, 30, 40), await ledger.all_edges("home", OWNER, 99, 999)])
        await ledger.close()
    assert told[0] == told[1]
    some, whole = told[0]
    assert (len(some.members), len(some.edges)) == (30, 40)
    assert list(whole.edges) == strongest(whole.edges)
    assert some == most_linked(whole.members, whole.edges, 30, 40)
    assert measured(whole) == measured(told[1][1])


@requirement("MEM-003-3.1-stats")
async def test_an_audience_is_told_numbers_of_what_it_may_hear(filled):
    day = day_of(NOW)
    whole = await filled.memory_stats("home", OWNER, day)
    assert sorted(whole.counted, key=str) == [
        Counted("hot", "decision", "user", 1),
        Counted("warm", "event", "session", 1),
        Counted("warm", "event", "user", 2),
    ]
    assert whole.visibilities == {"public": 1, "trusted": 1, "private": 2}
    assert (whole.total, whole.linked, whole.links) == (4, 4, 4)
    alice = await filled.memory_stats("home", ALICE, day)
    assert set(alice.counted) == {Counted("hot", "decision", "user", 1), Counted("warm", "event", "user", 1)}
    assert (alice.visibilities, alice.linked, alice.links) == ({"public": 1, "trusted": 1}, 2, 1)
    bob = await filled.memory_stats("home", BOB, day)
    assert (bob.visibilities, bob.total, bob.links) == ({"public": 1, "private": 1}, 2, 1)
    stranger = await filled.memory_stats("home", STRANGER, day)
    assert (stranger.visibilities, stranger.total, stranger.linked) == ({"public": 1}, 1, 0)


@pytest.mark.parametrize("audience", [OWNER, STRANGER])
async def test_memories_are_counted_by_the_day_on_which_they_were_kept(ledger, audience):
    day = day_of(NOW)
    times = (day * DAY_MS - 1, day * DAY_MS, (day + 1) * DAY_MS - 1, (day + 1) * DAY_MS, 5)
    await ledger.commit(
        put(*(an_entry(f"mem_{n}", kept_at=at, visibility=Visibility.PUBLIC) for n, at in enumerate(times)))
    )
    assert (await ledger.memory_stats("home", audience, day)).kept == {day: 2, day + 1: 1}
    assert (await ledger.memory_stats("home", audience, day - 1)).kept == {day - 1: 1, day: 2, day + 1: 1}


@requirement("MEM-003-3.1-stats")
async def test_the_owner_is_told_how_full_the_tiers_are_and_what_waits(filled):
    await filled.commit(put(an_entry("mem_7", level=Level.HOT, tags=("pinned", "keep"), project="north")))
    await filled.commit(put(warm("mem_8", project="north"), warm("mem_9", project="north", extends="mem_8", piece=1)))
    await filled.commit(home(PutReview(Review("review_1", A, 1, "delete", {}, "a rule", NOW))))
    await filled.commit(put(an_entry("mem_gone")))
    kept = ArchivedMemory("mem_gone", "home", "event", NOW, Level.COLD, NOW, NOW, "why", "owner", "manual")
    await filled.commit(home(EraseEntry("mem_gone", 1, NOW, kept)))
    found = await filled.upkeep("home", 0, {"pinned", "keep"})
    assert found.held == {"hot": 2, "warm": 4, "cold": 0}
    assert (found.pinned, found.fullest) == (1, ("", 3))
    assert (found.deleted, found.archived, found.reviews) == (1, 1, 1)
    assert (await filled.upkeep("home", 0, ())).pinned == 0


async def test_evictions_are_counted_with_their_records_by_day_trigger_and_action(ledger):
    def record(id_, at, trigger, action):
        details = {"action": action, "memoryId": A, "timestamp": at, "trigger": trigger, "previousLevel": "hot"}
        return a_record(id_, type=f"memory_{action}", details=details)

    records = (record("audit_1", NOW, "lru", "demote"), record("audit_2", NOW + 1, "lru", "demote"))
    await ledger.commit(home(PutEntry(an_entry(A)), audit=records))
    several = a_record(
        "audit_3",
        details={
            "entries": [A, B],
            "evictions": [record("x", NOW + DAY_MS, "manual", "delete").details for _ in range(2)],
        },
    )
    rise = record("audit_5", NOW, "manual", "promote")
    await ledger.commit(home(PutEntry(an_entry(B)), audit=(several, record("audit_4", NOW, "ttl", "demote"), rise)))
    day = day_of(NOW)
    lru, ttl = Removal(day, "lru", "demote"), Removal(day, "ttl", "demote")
    manual = Removal(day + 1, "manual", "delete")
    assert (await ledger.upkeep("home", day, ())).removed == {lru: 2, ttl: 1, manual: 2}
    assert (await ledger.upkeep("home", day + 1, ())).removed == {manual: 2}


async def test_what_was_evicted_before_it_was_counted_is_counted_from_its_records(tmp_path):
    path = tmp_path / "csb.db"
    ledger = await open_ledger(path, FixedSigner(), "Luna")
    eviction = {"action": "demote", "memoryId": A, "timestamp": NOW, "trigger": "lru", "previousLevel": "hot"}
    deletion = {"entries": [A], "evictions": [{**eviction, "action": "delete", "trigger": "manual"}]}
    rise = {**eviction, "action": "promote", "trigger": "system"}
    records = tuple(a_record(f"audit_{n}", details=told) for n, told in enumerate((eviction, eviction, deletion, rise)))
    await ledger.commit(home(PutEntry(an_entry(A)), audit=records))
    before = (await ledger.upkeep("home", 0, ())).removed
    connection = ledger._database._connection
    step = next(step for step in migrations() if "TABLE eviction_count" in step.script)
    connection.execute("DROP INDEX entry_by_day; DROP TABLE eviction_count").fetchall()
    connection.execute(step.script).fetchall()
    assert (await ledger.upkeep("home", 0, ())).removed == before
    assert sum(before.values()) == 3
    await ledger.close()
