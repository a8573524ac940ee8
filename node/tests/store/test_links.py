from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest

from csbond.flows.link_refused import LinkRefused
from csbond.flows.memory_changes import EraseEntry, PutEntry, SetLinks
from csbond.protocol.errors import Refused
from csbond.protocol.memory import link_order
from csbond.protocol.memory.link import LINKS_MAX, ORDERED, RELATIONS, Link, is_foreign
from csbond.protocol.memory.visibility import Audience
from csbond.store.sqlite import open_ledger
from csbond.testing import FixedSigner, InMemoryLedger
from csbond_tests.ledger_samples import EVERYTHING, NOW, an_entry, everything, home, put
from csbond_tests.requirements import requirement

A, B, C = (f"mem_1_{letter}" for letter in "abc")
LOOKING_BACK = {"causes": "caused_by", "derived_from": "cited_by"}


@pytest.fixture
async def filled(ledger):
    await ledger.commit(put(*(an_entry(id_) for id_ in (A, B, C))))
    return ledger


def links(source_id, *found, drop=()):
    """The change that sets the links of an entry."""
    return home(SetLinks(source_id, found, drop, NOW))


async def shown(ledger, source_id):
    return (await ledger.entry(source_id)).links


async def linking(ledger, target_id):
    return {entry.id for entry in (await ledger.entries(everything(link_target=target_id))).rows}


async def delete(ledger, id_):
    entry = await ledger.entry(id_)
    await ledger.commit(put(replace(entry, version=entry.version + 1, deleted_at=NOW, deleted_by="manual")))


async def restore(ledger, id_):
    entry = await ledger.entry(id_)
    await ledger.commit(put(replace(entry, version=entry.version + 1, deleted_at=0, deleted_by="")))


async def refusal(ledger, change):
    with pytest.raises(Refused) as refused:
        await ledger.commit(change)
    return refused.value.code.name, refused.value.field


async def test_links_are_read_with_their_entry_by_target_and_relation(filled):
    await filled.commit(
        links(A, Link(C, "extends"), Link(B, "relates_to", 0.25, "near_duplicate"), Link(B, "causes", 0))
    )
    expected = (Link(B, "causes", 0.0), Link(B, "relates_to", 0.25, "near_duplicate"), Link(C, "extends"))
    entry = await filled.entry(A)
    assert entry.links == expected
    assert entry.linked
    assert not (await filled.entry(B)).linked
    for read in (
        (await filled.entries_by_id([A]))[A],
        (await filled.entry_pieces(A))[0],
        next(entry for entry in (await filled.entries(everything())).rows if entry.id == A),
        next(entry for entry in await filled.entries_after("home", 0, 10) if entry.id == A),
    ):
        assert read == entry


async def test_an_entry_may_link_to_one_that_the_same_change_writes(filled):
    new, newer = an_entry("mem_1_new"), an_entry("mem_1_newer")
    to_newer, to_new = SetLinks(new.id, (Link(newer.id, "causes"),)), SetLinks(B, (Link(new.id, "extends"),))
    await filled.commit(home(to_newer, PutEntry(new), to_new, PutEntry(newer)))
    assert await shown(filled, new.id) == (Link(newer.id, "causes"),)
    assert await shown(filled, B) == (Link(new.id, "extends"),)


async def test_links_are_set_and_dropped_one_by_one(filled):
    await filled.commit(links(A, Link(B, "causes"), Link(C, "causes"), Link("agent:bo", "cited_by")))
    await filled.commit(
        links(A, Link(B, "causes", 0.5), Link(C, "extends"), drop=((C, "causes"), (C, "cited_by"), (B, "causes")))
    )
    assert await shown(filled, A) == (Link("agent:bo", "cited_by"), Link(B, "causes", 0.5), Link(C, "extends"))
    await filled.commit(links(A, drop=(("agent:bo", "cited_by"), (B, "causes"), (C, "extends"))))
    entry = await filled.entry(A)
    assert (entry.links, entry.version) == ((), 1)
    assert entry.linked, "who kept it with its links would be told that it is still the same"
    assert await linking(filled, B) == set()


async def test_of_two_links_that_say_the_same_the_later_weight_counts(filled):
    await filled.commit(links(A, Link(B, "causes", 0.1), Link(B, "causes", 0.9)))
    assert await shown(filled, A) == (Link(B, "causes", 0.9),)


async def test_an_update_of_an_entry_leaves_its_links_alone(filled):
    await filled.commit(links(A, Link(B, "causes")))
    await filled.commit(put(an_entry(A, "Another text.", version=2)))
    entry = await filled.entry(A)
    assert (entry.content, entry.links, entry.linked) == ("Another text.", (Link(B, "causes"),), True)


@requirement("MEM-001-1.5-two-ends")
@pytest.mark.parametrize("end", [A, B], ids=["the entry that has it", "the entry it leads to"])
async def test_a_link_is_shown_while_both_ends_live(filled, end):
    await filled.commit(links(A, Link(B, "causes", 0.5), Link("agent:bo", "derived_from")))
    await filled.commit(links(C, Link(B, "extends")))
    before = await filled.entry(A)
    await delete(filled, end)
    left = await filled.entry(A)
    assert left.links == (() if end == A else (Link("agent:bo", "derived_from"),))
    assert left.linked
    assert await linking(filled, B) == ({C} if end == A else set())
    assert await linking(filled, "agent:bo") == (set() if end == A else {A})
    await restore(filled, end)
    assert (await filled.entry(A)).links == before.links
    assert await linking(filled, B) == {A, C}
    assert await linking(filled, "agent:bo") == {A}


@requirement("MEM-001-1.5-two-ends")
@pytest.mark.parametrize("restored_first", [False, True])
async def test_a_link_that_was_hidden_when_others_were_set_is_shown_when_it_comes_back(filled, restored_first):
    """Whoever sets links read the entry before; what came back meanwhile was not there to be kept."""
    await filled.commit(links(A, Link(B, "causes")))
    await delete(filled, B)
    if restored_first:
        await restore(filled, B)
    await filled.commit(links(A, Link(C, "extends")))
    if not restored_first:
        await restore(filled, B)
    assert await shown(filled, A) == (Link(B, "causes"), Link(C, "extends"))


@pytest.mark.parametrize("relation, left", [("causes", (Link(B, "extends"),)), ("cited_by", None)])
async def test_a_hidden_link_goes_when_it_is_dropped(filled, relation, left):
    both = (Link(B, "causes"), Link(B, "extends"))
    await filled.commit(links(A, *both))
    await delete(filled, B)
    await filled.commit(links(A, drop=((B, relation),)))
    await restore(filled, B)
    assert await shown(filled, A) == (both if left is None else left)


@requirement("MEM-001-1.5-count")
async def test_an_entry_has_at_most_64_links_with_those_that_are_hidden(filled):
    many = [an_entry(f"mem_2_{number}") for number in range(LINKS_MAX)]
    await filled.commit(put(*many))
    await filled.commit(links(A, *(Link(entry.id, "causes") for entry in many)))
    assert await refusal(filled, links(A, Link(B, "extends"))) == ("invalid_params", "links")
    await delete(filled, "mem_2_0")
    assert await refusal(filled, links(A, Link(B, "extends"))) == ("invalid_params", "links")
    await filled.commit(links(A, Link("mem_2_1", "causes", 0.5)))
    await filled.commit(links(A, Link(B, "extends"), drop=(("mem_2_0", "causes"),)))
    await restore(filled, "mem_2_0")
    assert len(await shown(filled, A)) == LINKS_MAX


async def test_a_link_whose_target_was_deleted_meanwhile_is_no_new_one(filled):
    await filled.commit(links(A, Link(B, "causes")))
    await delete(filled, B)
    await filled.commit(links(A, Link(B, "causes", 0.5), Link(C, "extends")))
    assert await shown(filled, A) == (Link(C, "extends"),)
    await restore(filled, B)
    assert await shown(filled, A) == (Link(B, "causes", 0.5), Link(C, "extends"))


async def test_a_new_link_to_no_living_memory_is_refused_by_its_place_and_nothing_is_left(filled):
    await delete(filled, C)
    for target_id in ("mem_1_nowhere", C):
        change = home(
            PutEntry(an_entry(A, "half", version=2)), SetLinks(A, (Link(B, "causes"), Link(target_id, "causes")))
        )
        assert await refusal(filled, change) == ("memory_not_found", "links[1].target_id")
    assert await refusal(filled, links("mem_1_nowhere", Link(B, "causes"))) == ("memory_not_found", "source_id")
    entry = await filled.entry(A)
    assert (entry.version, entry.links, entry.linked) == (1, (), False)


async def test_a_link_to_something_that_is_no_memory_is_kept_and_followed_nowhere(filled):
    await filled.commit(links(A, Link("agent:bo", "causes")))
    await filled.commit(links(B, Link("agent:bo", "caused_by"), Link(A, "causes")))
    assert await shown(filled, A) == (Link("agent:bo", "causes"),)
    assert await linking(filled, "agent:bo") == {A, B}
    assert await linking(filled, "agent:nobody") == set()


@requirement("MEM-001-1.5-cycle")
@pytest.mark.parametrize("relation", sorted(ORDERED))
async def test_a_relation_that_orders_leads_never_back(filled, relation):
    await filled.commit(links(A, Link(B, relation)))
    await filled.commit(links(B, Link(C, relation)))
    assert await refusal(filled, links(C, Link("agent:bo", "causes"), Link(A, relation))) == ("link_cycle", "links[1]")
    assert await refusal(filled, links(C, Link(C, relation))) == ("link_cycle", "links[0]")
    assert await shown(filled, C) == ()
    for other in sorted(ORDERED - {relation}):
        await filled.commit(links(C, Link(A, other)))
    await filled.commit(links(A, drop=((B, relation),)))
    await filled.commit(links(C, Link(A, relation)))


@requirement("MEM-001-1.5-cycle")
@pytest.mark.parametrize("relation, inverse", LOOKING_BACK.items())
async def test_a_relation_and_its_other_end_make_one_order(filled, relation, inverse):
    await filled.commit(links(A, Link(B, relation)))
    await filled.commit(links(B, Link(A, inverse)))
    await filled.commit(links(C, Link(B, inverse)))
    assert await refusal(filled, links(C, Link(B, inverse), Link(A, relation))) == ("link_cycle", "links[1]")
    assert await refusal(filled, links(A, Link(C, inverse), Link(B, relation))) == ("link_cycle", "links[0]")


async def test_a_circle_of_one_change_is_refused_whole(filled):
    change = home(*(SetLinks(one, (Link(other, "causes"),)) for one, other in ((A, B), (B, C), (C, A))))
    assert await refusal(filled, change) == ("link_cycle", "links[0]")
    assert [await shown(filled, id_) for id_ in (A, B, C)] == [(), (), ()]


@pytest.mark.parametrize("relation", sorted({*RELATIONS, "reminds_of"} - ORDERED - set(LOOKING_BACK.values())))
async def test_other_relations_may_go_round(filled, relation):
    for one, other in ((A, B), (B, C), (C, A)):
        await filled.commit(links(one, Link(other, relation)))
    assert await linking(filled, A) == {C}


async def test_hidden_links_count_for_the_order_because_they_come_back(filled):
    await filled.commit(links(A, Link(B, "causes")))
    await filled.commit(links(B, Link(C, "causes")))
    await delete(filled, B)
    assert await refusal(filled, links(C, Link(A, "causes"))) == ("link_cycle", "links[0]")


@pytest.fixture
async def chain(ledger, monkeypatch):
    """A hundred memories that each cause the next, and a bound of fewer."""
    ids = [f"mem_3_{number}" for number in range(100)]
    await ledger.commit(put(*map(an_entry, (A, B, *ids))))
    await ledger.commit(home(*(SetLinks(one, (Link(other, "causes"),)) for one, other in pairwise(ids))))
    monkeypatch.setattr(link_order, "WALK_MAX", 60)
    return ids


async def test_what_nothing_leads_to_yet_may_lead_to_any_order_however_long(ledger, chain):
    await ledger.commit(links(A, *(Link(id_, "causes") for id_ in chain[:60])))
    assert len(await shown(ledger, A)) == 60
    await ledger.commit(links(B, *(Link(id_, "caused_by") for id_ in chain[:60])))
    assert len(await shown(ledger, B)) == 60


@pytest.mark.parametrize("relation, inverse", [("causes", "caused_by"), ("caused_by", "causes")])
async def test_what_many_follow_and_go_before_may_go_on_to_what_leads_nowhere_yet(ledger, chain, relation, inverse):
    for number, said in enumerate((relation, inverse)):
        crowd = [an_entry(f"mem_{4 + number}_{each}") for each in range(80)]
        await ledger.commit(put(*crowd))
        await ledger.commit(home(*(SetLinks(each.id, (Link(A, said),)) for each in crowd)))
    await ledger.commit(links(A, Link(B, relation)))
    assert await shown(ledger, A) == (Link(B, relation),)
    assert await refusal(ledger, links(B, Link(A, relation))) == ("link_cycle", "links[0]")


async def test_where_nobody_can_tell_whether_an_order_leads_back_the_link_is_refused_for_that(ledger, chain):
    await ledger.commit(links(A, Link(chain[50], "caused_by")))
    with pytest.raises(Refused, match="too long to be looked at") as refused:
        await ledger.commit(links(A, Link("agent:bo", "causes"), Link(B, "extends"), Link(chain[51], "causes")))
    assert (refused.value.code.name, refused.value.field) == ("link_cycle", "links[2]")


async def test_each_memory_of_a_change_is_looked_at_by_itself_as_far_as_all_of_them_leave_room(
    ledger, chain, monkeypatch
):
    more = [an_entry(f"mem_4_{number}") for number in range(3)]
    await ledger.commit(put(*more))
    between = [(Link(chain[10], "causes"), Link(chain[9], "caused_by")) for _ in more]
    change = home(*(SetLinks(entry.id, said) for entry, said in zip(more, between, strict=True)))
    monkeypatch.setattr(link_order, "WALK_LEAST", 60)
    await ledger.commit(change)
    await ledger.commit(home(*(SetLinks(entry.id, (), tuple(link.pair for link in between[0])) for entry in more)))
    monkeypatch.setattr(link_order, "WALK_LEAST", 5)
    with pytest.raises(LinkRefused) as refused:
        await ledger.commit(change)
    assert (refused.value.source_id, refused.value.undecided) == (more[0].id, True)
    await ledger.commit(home(SetLinks(more[0].id, between[0])))


async def test_who_may_not_hear_an_entry_does_not_find_it_by_its_links(filled):
    await filled.commit(links(A, Link(B, "causes")))
    query = replace(everything(link_target=B), audience=Audience(caller_key="principal:ada"))
    assert (await filled.entries(query)).rows == ()
    assert await filled.matching_ids(query) == frozenset()


async def test_a_version_shows_the_links_it_had(filled):
    await filled.commit(links(A, Link(B, "causes", 0.5), Link(C, "extends", 1.0, "near_duplicate")))
    await delete(filled, C)
    await filled.commit(home(PutEntry(an_entry(A, version=2)), SetLinks(A, (), ((B, "causes"),))))
    assert (await filled.entry(A)).links == ()
    (earlier,) = await filled.versions_before(A, 2, 5)
    assert (earlier.links, earlier.linked) == ((Link(B, "causes", 0.5),), True)


async def test_a_link_of_any_earlier_version_is_known_by_the_rule_that_made_it_until_its_end_is_erased(filled):
    made = "near_duplicate"
    await filled.commit(links(A, Link(B, "relates_to", 0.9, made), Link(C, "causes")))
    assert not await filled.was_linked(A, B, made), "it is linked now"
    dropped = ((B, "relates_to"), (C, "causes"))
    await filled.commit(home(PutEntry(an_entry(A, version=2)), SetLinks(A, (), dropped)))
    for version in range(3, 9):
        await filled.commit(home(PutEntry(an_entry(A, version=version))))
    told = [await filled.was_linked(*asked) for asked in ((A, B, made), (A, C, made), (B, A, made), (A, B, ""))]
    assert told == [True, False, False, False]
    await filled.commit(home(EraseEntry(B, 1, NOW)))
    assert not await filled.was_linked(A, B, made)


@requirement("MEM-005-report-03-orphan-links")
@pytest.mark.parametrize("seed", range(3))
async def test_no_link_that_is_shown_has_a_missing_end_whatever_is_deleted_and_restored(ledger, seed):
    dice, ids = random.Random(seed), [f"mem_1_{number}" for number in range(12)]
    await ledger.commit(put(*map(an_entry, ids)))
    for _ in range(60):
        id_ = dice.choice(ids)
        gone = bool((await ledger.entry(id_)).deleted_at)
        if dice.random() < 0.5:
            await (restore if gone else delete)(ledger, id_)
        elif not gone:
            living = await ledger.living_ids([each for each in ids if each != id_], EVERYTHING)
            targets = [*dice.sample(sorted(living), min(2, len(living))), "agent:bo"]
            await ledger.commit(links(id_, *(Link(target, "relates_to") for target in targets)))
        living = await ledger.living_ids(ids, EVERYTHING)
        for entry in (await ledger.entries_by_id(ids)).values():
            assert all(link.target_id in living or is_foreign(link.target_id) for link in entry.links)
            assert entry.id in living or not entry.links
        for target_id in ids:
            assert await linking(ledger, target_id) <= living


@requirement("MEM-001-1.5-cycle")
@pytest.mark.parametrize("seed", range(6))
async def test_both_ledgers_refuse_the_same_links_of_a_random_network(tmp_path, seed):
    dice, ids = random.Random(seed), [f"mem_1_{number}" for number in range(9)]
    sqlite, memory = await open_ledger(tmp_path / "csbond.db", FixedSigner(), "Luna"), InMemoryLedger(FixedSigner())
    outcomes: set[str] = set()
    for ledger in (sqlite, memory):
        await ledger.commit(put(*map(an_entry, ids)))
    for _ in range(60):
        source_id = dice.choice(ids)
        told = [
            Link(dice.choice(ids), dice.choice(("causes", "caused_by", "extends"))) for _ in range(dice.randint(0, 3))
        ]
        known = [(link.target_id, link.relation) for link in await shown(memory, source_id)]
        drop, said = tuple(pair for pair in known if dice.random() < 0.2), []
        for ledger in (sqlite, memory):
            try:
                await ledger.commit(links(source_id, *told, drop=drop))
                said.append("kept")
            except Refused as fault:
                said.append(f"{fault.code.name} {fault.field}")
        assert said[0] == said[1]
        outcomes.add(said[0].split()[0])
    assert outcomes == {"kept", "link_cycle"}
    for id_ in ids:
        assert await shown(sqlite, id_) == await shown(memory, id_)
    assert await sqlite.check() == []
    await sqlite.close()
