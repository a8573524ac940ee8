from __future__ import annotations

import re

import pytest

from csbond.flows.delete_memory import delete_memory
from csbond.flows.edit_memory import edit_memory
from csbond.flows.erase_memory import erase_memory
from csbond.flows.link_memory import LinkChange, link_memory
from csbond.flows.measured_networks import AUDIENCES_KEPT, EDGES_INLINE
from csbond.flows.restore_memory import restore_memory
from csbond.flows.show_network import place_of, show_network, show_whole_network
from csbond.protocol.errors import Refused, Unavailable
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.network import EDGES_A_NODE
from csbond.protocol.memory.visibility import audience_of
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind, Role
from csbond.store.sqlite.statements import statements
from csbond_tests.memories import remember
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT

ANN = Caller(CallerKind.PRINCIPAL, "ann", Role.VIEWER, frozenset({"home"}))
A, B, C, D, HIDDEN = (f"mem_1_{letter}" for letter in ("a", "b", "c", "d", "hidden"))


@pytest.fixture
async def told(either):
    """A – B – C and A – hidden – D, where hidden is private; a lone memory beside."""
    public = {"visibility": "public"}
    for id_, fields in ((A, public), (B, public), (C, public), (D, public), (HIDDEN, {})):
        await remember(either, f"{id_} says something.", id=id_, **fields)
    await remember(either, "Nobody links here.", id="mem_1_lone", **public)
    for source, target, weight in ((A, B, 0.5), (C, B, 0.9), (A, HIDDEN, 1.0), (HIDDEN, D, 1.0)):
        await link(either, source, target, weight)
    return either


async def link(world, source, target, weight=1.0):
    change = LinkChange((Link(target, "relates_to", weight),))
    return await link_memory(world, source, change, caller=OWNER, intent=INTENT)


def ids(network):
    return [node.id for node in network.nodes]


def pairs(network):
    return {(edge.source, edge.target) for edge in network.edges}


@requirement("MEM-003-3.1-network", "MEM-001-1.5-computed")
async def test_the_network_around_a_memory_is_told_with_what_is_computed_of_it(told):
    near = await show_network(told, A, OWNER, 1, 9)
    assert ids(near) == [A, HIDDEN, B]
    assert pairs(near) == {(A, B), (A, HIDDEN)}
    far = await show_network(told, A, OWNER, 2, 9)
    assert ids(far) == [A, HIDDEN, B, D, C]
    assert pairs(far) == {(A, B), (C, B), (A, HIDDEN), (HIDDEN, D)}
    assert (far.center, far.depth, far.left_out_nodes, far.left_out_edges) == (A, 2, 0, 0)
    assert len({node.place.network_id for node in far.nodes if node.place}) == 1
    assert far.nodes[0].place == await place_of(told, await told.ledger.entry(A), OWNER)
    assert far.nodes[0].title == f"{A} says something."


@requirement("MEM-003-3.1-network")
async def test_links_between_the_last_ones_that_are_reached_are_told_too(told):
    await link(told, HIDDEN, B, 0.1)
    assert pairs(await show_network(told, A, OWNER, 1, 9)) == {(A, B), (A, HIDDEN), (HIDDEN, B)}


@requirement("MEM-003-3.1-network", "MEM-005-report-08-graph-slow")
async def test_a_network_is_bounded_and_says_what_it_leaves_out(either):
    for number in range(60):
        await remember(
            either,
            f"Memory {number}.",
            id=f"mem_1_{number}",
            links=[
                {"target_id": f"mem_1_{other}", "relation": relation, "weight": 0.5}
                for other in range(max(0, number - 6), number)
                for relation in ("causes", "extends")
            ],
        )
    network = await show_network(either, "mem_1_30", OWNER, 2, 5)
    assert len(network.nodes) == 5
    assert network.left_out_nodes == 8
    few = await show_network(either, "mem_1_30", OWNER, 3, 1)
    assert (ids(few), few.edges, few.left_out_nodes) == (["mem_1_30"], (), 12)
    whole = await show_whole_network(either, OWNER, 4)
    assert len(whole.nodes) == 4
    assert whole.left_out_nodes == 56
    crowded = await show_whole_network(either, OWNER, 60)
    assert len(crowded.edges) == min(60 * EDGES_A_NODE, crowded.left_out_edges + len(crowded.edges))
    assert crowded.left_out_edges + len(crowded.edges) == 2 * sum(min(6, number) for number in range(60))


@requirement("MEM-007-7.3-everywhere")
async def test_what_a_principal_may_not_hear_is_neither_told_nor_counted_nor_a_step_further(told):
    around_a = await show_network(told, A, ANN, 3, 9)
    assert ids(around_a) == [A, B, C], "D is reached only by way of what is hidden"
    assert pairs(around_a) == {(A, B), (C, B)}
    assert (around_a.left_out_nodes, around_a.left_out_edges) == (0, 0)
    lone = await show_network(told, D, ANN, 3, 9)
    assert (ids(lone), lone.edges, lone.nodes[0].place) == ([D], (), None)
    whole = await show_whole_network(told, ANN, 9)
    assert sorted(ids(whole)) == [A, B, C]
    assert (whole.left_out_nodes, whole.left_out_edges, whole.unlinked) == (0, 0, 2)
    owners = await show_whole_network(told, OWNER, 9)
    assert (sorted(ids(owners)), owners.unlinked) == ([A, B, C, D, HIDDEN], 1)
    with pytest.raises(Refused, match=f"there is no memory {HIDDEN}"):
        await show_network(told, HIDDEN, ANN, 1, 9)


async def test_centrality_counts_only_what_the_caller_may_hear(told):
    before = (await show_network(told, B, ANN, 1, 9)).nodes
    for number in range(4):
        await remember(told, f"Private {number}.", id=f"mem_2_{number}", links=[{"target_id": B}])
    assert (await show_network(told, B, ANN, 1, 9)).nodes == before
    assert len((await show_network(told, B, OWNER, 1, 9)).nodes) == 7


@pytest.mark.parametrize("show", [lambda w, c: show_network(w, A, c, 1, 9), lambda w, c: show_whole_network(w, c, 9)])
async def test_who_may_not_read_memory_is_told_no_network(told, show):
    for caller in (ANONYMOUS, Caller(CallerKind.PRINCIPAL, "cy", Role.EDITOR, frozenset({"elsewhere"}))):
        with pytest.raises(Refused) as refused:
            await show(told, caller)
        assert refused.value.code.name == "forbidden"


@requirement("MEM-001-1.5-computed")
async def test_what_is_computed_follows_every_change(told):
    async def central():
        return {node.id: node.place for node in (await show_whole_network(told, OWNER, 9)).nodes}

    before = await central()
    assert await central() == before
    await remember(told, "Linked to nothing.")
    assert await central() == before
    await link(told, "mem_1_lone", A)
    linked = await central()
    assert linked.keys() - before.keys() == {"mem_1_lone"}
    await delete_memory(told, B, OWNER, INTENT)
    assert (await central()).keys() == {A, HIDDEN, D, "mem_1_lone"}
    await restore_memory(told, B, OWNER, INTENT)
    assert await central() == linked
    await edit_memory(told, A, {"tags": ["harbour"]}, LevelNames(), caller=OWNER, intent=INTENT, expected=())
    assert (await central())[A].clusters[0] == "harbour"
    await erase_memory(told, B, OWNER, INTENT)
    assert B not in await central()
    assert C not in await central()


async def test_what_is_computed_is_kept_for_the_audiences_that_asked_last(told):
    kept = told.signals.networks._kept
    callers = [Caller(CallerKind.PRINCIPAL, f"p{n}", Role.VIEWER, frozenset({"home"})) for n in range(AUDIENCES_KEPT)]
    for caller in (OWNER, *callers, callers[0]):
        await show_whole_network(told, caller, 9)
    assert [audience.caller_key for audience in kept] == [c.key for c in (*callers[1:], callers[0])]


async def test_a_large_network_is_computed_beside_the_event_loop(either):
    per, ids_ = 40, [f"mem_1_{number}" for number in range(EDGES_INLINE // 40 + 41)]
    for number, id_ in enumerate(ids_):
        await remember(
            either, f"Memory {number}.", id=id_, links=[{"target_id": o} for o in ids_[max(0, number - per) : number]]
        )
    network = await show_whole_network(either, OWNER, 9)
    assert network.left_out_edges > EDGES_INLINE
    assert network.nodes[0].place is not None
    assert network.nodes[0].place.centrality == 1.0


async def test_whoever_reads_a_memory_does_not_wait_for_a_large_network_to_be_computed_again(told, monkeypatch):
    monkeypatch.setattr("csbond.flows.measured_networks.EDGES_INLINE", 1)
    entry, networks = await told.ledger.entry(A), told.signals.networks
    before = await place_of(told, entry, OWNER)
    anns = await place_of(told, entry, ANN)
    await link(told, "mem_1_lone", A)
    assert await place_of(told, entry, OWNER) == before
    near = await show_network(told, A, OWNER, 1, 9)
    assert (near.nodes[0].place, len(near.nodes)) == (before, 4), "links are told as they are"
    assert await place_of(told, entry, ANN) != anns, "others are never told what was"
    await networks._again
    after = await place_of(told, entry, OWNER)
    assert after != before
    assert after == (await show_network(told, A, OWNER, 1, 9)).nodes[0].place
    await erase_memory(told, "mem_1_lone", OWNER, INTENT)
    assert networks._before is None
    assert await place_of(told, entry, OWNER) == before


async def test_a_large_network_that_cannot_be_read_is_told_when_it_is_asked_for(told, monkeypatch):
    monkeypatch.setattr("csbond.flows.measured_networks.EDGES_INLINE", 1)
    entry = await told.ledger.entry(A)
    before = await place_of(told, entry, OWNER)
    await link(told, "mem_1_lone", A)

    async def gone(*_):
        raise Unavailable("storage_unavailable", "the disk is gone")

    monkeypatch.setattr(told.ledger._ledger, "all_edges", gone)
    assert await place_of(told, entry, OWNER) == before
    await told.signals.networks._again
    with pytest.raises(Unavailable):
        await show_whole_network(told, OWNER, 9)


async def test_what_changes_while_it_is_computed_is_not_kept_as_it_was(told):
    networks, ledger = told.signals.networks, told.ledger
    read = ledger.all_edges

    class Interrupted:
        async def all_edges(self, *asked):
            found = await read(*asked)
            networks.changed()
            return found

    await networks.measured(Interrupted(), audience_of(OWNER))
    assert not networks._kept
    assert networks._before is not None, "yet it is later than what was known before"


@requirement("MEM-005-report-08-graph-slow")
async def test_the_neighbours_of_a_memory_are_found_by_index(stored):
    await remember(stored, "One.", id=A)
    await remember(stored, "Two.", id=B, links=[{"target_id": A}])
    connection = stored.ledger._database._connection
    text = statements()["network_edges"]
    bindings = dict.fromkeys(re.findall(r":([a-z_]+)", text))
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {text}", bindings)]
    rows = {step.split()[0] for step in plan if re.match(r"(SCAN|SEARCH) [elst]\b", step)}
    assert rows == {"SEARCH"}, plan
