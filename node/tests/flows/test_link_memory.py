from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from csbond.flows.delete_memory import delete_memory
from csbond.flows.edit_memory import edit_memory
from csbond.flows.link_memory import LinkChange, link_memory
from csbond.flows.restore_memory import restore_memory
from csbond.flows.write_memory import Kept, MemoryRequest, write_memory
from csbond.protocol.errors import CsbError
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.link import LINKS_MAX, Link
from csbond.protocol.messages.caller import OWNER, Caller, CallerKind, Role
from csbond_tests.memories import remember
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW

ANN = Caller(CallerKind.PRINCIPAL, "ann", Role.EDITOR, frozenset({"home"}))


@pytest.fixture(params=["in memory", "on disk"])
def house(request, world, stored):
    """A world on each ledger: links are checked where they are kept."""
    return world if request.param == "in memory" else stored


async def linked(world, entry, *add, drop=(), caller=OWNER, expected=()):
    return (await changed(world, entry, *add, drop=drop, caller=caller, expected=expected)).entry


async def changed(world, entry, *add, drop=(), caller=OWNER, expected=()):
    return await link_memory(world, entry.id, LinkChange(add, drop), caller=caller, intent=INTENT, expected=expected)


async def refusal(doing):
    with pytest.raises(CsbError) as info:
        await doing
    return info.value.code.name, info.value.field


def asked(content, **fields):
    return MemoryRequest(draft_from_json({"content": content, **fields}, NOW, LevelNames()))


async def batch(world, *requests, caller=OWNER):
    return await write_memory(world, requests, caller, INTENT)


async def test_a_link_is_the_next_version_and_is_kept_with_its_record(house):
    a, b = await remember(house, "a"), await remember(house, "b")
    after = await linked(house, a, Link(b.id, "causes", 0.5))
    assert (after.version, after.links, after.text_seq) == (2, (Link(b.id, "causes", 0.5),), a.text_seq)
    assert await house.ledger.entry(a.id) == after
    (record,) = house.ledger.changes[-1].audit
    assert (record.type, record.target, record.intent) == ("memory_link", a.id, INTENT)
    assert record.details == {"from_version": 1, "to_version": 2, "added": [[b.id, "causes"]], "removed": []}


async def test_a_link_that_is_there_already_writes_nothing(house):
    a, b = await remember(house, "a"), await remember(house, "b")
    first = await linked(house, a, Link(b.id, "causes"), expected=(1,))
    again = await linked(house, a, Link(b.id, "causes"), expected=(1,))
    assert again == first
    assert len(house.ledger.changes) == 3


@requirement("MEM-003-idempotent")
async def test_whether_a_change_of_links_made_a_version_is_told_by_who_made_it(house):
    a, b = await remember(house, "a"), await remember(house, "b")
    assert (await changed(house, a, Link(b.id, "causes"))).changed is True
    done, _ = await asyncio.gather(changed(house, a, Link(b.id, "causes")), changed(house, a, Link("agent:bo", "peer")))
    assert done.changed is False, "somebody else changed it meanwhile"
    assert (await changed(house, a, drop=((b.id, ""),))).changed is True


async def test_the_same_link_with_another_weight_is_weighed_anew(house):
    a, b = await remember(house, "a"), await remember(house, "b")
    await linked(house, a, Link(b.id, "causes", 0.5))
    after = await linked(house, a, Link(b.id, "causes", 0.7))
    assert (after.links, after.version) == ((Link(b.id, "causes", 0.7),), 3)


@pytest.mark.parametrize(
    "relation, left", [("causes", ["relates_to"]), ("", []), ("extends", ["causes", "relates_to"])]
)
async def test_links_are_taken_away_by_target_and_relation(house, relation, left):
    a, b = await remember(house, "a"), await remember(house, "b")
    await linked(house, a, Link(b.id, "causes"), Link(b.id, "relates_to"))
    after = await linked(house, a, drop=((b.id, relation),))
    assert [link.relation for link in after.links] == left
    assert (await house.ledger.entry(a.id)).links == after.links
    assert after.version == (2 if len(left) == 2 else 3)


async def test_a_link_is_replaced_in_one_version(house):
    a, b, c = [await remember(house, content) for content in "abc"]
    await linked(house, a, Link(b.id, "causes"))
    after = await linked(house, a, Link(c.id, "causes"), drop=((b.id, ""),))
    assert (after.version, [link.target_id for link in after.links]) == (3, [c.id])


async def test_a_link_to_what_was_deleted_can_be_taken_away_for_good(house):
    a, b = await remember(house, "a"), await remember(house, "b")
    await linked(house, a, Link(b.id, "causes"))
    await delete_memory(house, b.id, OWNER, INTENT)
    assert (await house.ledger.entry(a.id)).links == ()
    await linked(house, a, drop=((b.id, "causes"),))
    await restore_memory(house, b.id, OWNER, INTENT)
    assert (await house.ledger.entry(a.id)).links == ()


@requirement("MEM-001-1.5-two-ends")
async def test_links_are_hidden_with_what_is_deleted_and_come_back_with_it(house):
    a, b, c = [await remember(house, content) for content in "abc"]
    before = await linked(house, a, Link(b.id, "causes"))
    await delete_memory(house, b.id, OWNER, INTENT)
    await linked(house, a, Link(c.id, "extends"))
    await restore_memory(house, b.id, OWNER, INTENT)
    assert set((await house.ledger.entry(a.id)).links) == {*before.links, Link(c.id, "extends")}


@requirement("MEM-001-1.5-target")
@pytest.mark.parametrize("target", ["unknown", "deleted", "private"])
async def test_a_link_to_nothing_the_caller_may_be_told_is_refused_with_its_place(house, target):
    here = (await batch(house, asked("here"), caller=ANN))[0].entry
    public = await remember(house, "public", visibility="public")
    hidden = await remember(house, "hidden", visibility="private" if target == "private" else "public")
    if target == "deleted":
        await delete_memory(house, hidden.id, OWNER, INTENT)
    target_id = "mem_1_nobody" if target == "unknown" else hidden.id
    bad = Link(target_id, "causes")
    assert await refusal(linked(house, here, Link(public.id, "causes"), bad, caller=ANN)) == (
        "memory_not_found",
        "links[1].target_id",
    )
    links = [{"target_id": target_id, "relation": "causes"}]
    edit = edit_memory(house, here.id, {"links": links}, LevelNames(), caller=ANN, intent=INTENT)
    assert await refusal(edit) == ("memory_not_found", "links[0].target_id")
    (refused,) = await batch(house, asked("there", links=links), caller=ANN)
    assert (refused.code.name, refused.field) == ("memory_not_found", "links[0].target_id")
    assert await house.ledger.entry(here.id) == here


@requirement("MEM-001-1.5-cycle")
async def test_a_link_that_leads_back_is_refused_and_nothing_is_written(house):
    a, b, c = [await remember(house, content) for content in "abc"]
    await linked(house, a, Link(b.id, "causes"))
    await linked(house, b, Link(c.id, "causes"))
    code, field = await refusal(linked(house, c, Link(a.id, "causes")))
    assert (code, field) == ("link_cycle", "links[0]")
    assert await house.ledger.entry(c.id) == c
    assert (await linked(house, c, Link(a.id, "relates_to"))).version == 2


@requirement("MEM-001-1.5-cycle", "MEM-001-1.5-target")
async def test_a_refused_link_is_named_by_its_place_among_those_that_were_sent(house):
    a, b, c = [await remember(house, content) for content in "abc"]
    await linked(house, b, Link(a.id, "causes"))
    await linked(house, a, Link(c.id, "extends"))
    fine, bad, missing = Link(c.id, "supersedes"), Link(b.id, "causes"), Link("mem_0_nobody", "causes")
    for sent, told in (((fine, bad), ("link_cycle", "links[1]")), ((bad, fine), ("link_cycle", "links[0]"))):
        raw = [{"target_id": link.target_id, "relation": link.relation} for link in sent]
        assert await refusal(linked(house, a, *sent)) == told
        edit = edit_memory(house, a.id, {"links": raw}, LevelNames(), caller=OWNER, intent=INTENT)
        assert await refusal(edit) == told
    raw = [{"target_id": link.target_id} for link in (fine, missing)]
    edit = edit_memory(house, a.id, {"links": raw}, LevelNames(), caller=OWNER, intent=INTENT)
    assert await refusal(edit) == ("memory_not_found", "links[1].target_id")
    (refused,) = await batch(house, asked("there", links=raw))
    assert refused.field == "links[1].target_id"
    circle = [{"target_id": b.id, "relation": "causes"}, {"target_id": a.id, "relation": "caused_by"}]
    (refused,) = await batch(house, asked("between", id="mem_9_z", links=circle))
    assert (refused.code.name, refused.field) == ("link_cycle", "links[1]"), "the first by its target is named"
    assert await house.ledger.entry("mem_9_z") is None


@requirement("MEM-001-1.5-count", "MEM-007-7.3-everywhere")
async def test_a_refusal_of_too_many_links_does_not_say_how_many_nobody_told_of(house):
    own = (await batch(house, asked("own"), caller=ANN))[0].entry
    hidden = await remember(house, "hidden")
    await linked(house, own, Link(hidden.id, "causes"))
    many = [Link(f"agent:{number}", "relates_to") for number in range(LINKS_MAX)]
    with pytest.raises(CsbError) as info:
        await linked(house, own, *many, caller=ANN)
    assert (info.value.code.name, info.value.field) == ("invalid_params", "links")
    assert str(LINKS_MAX + 1) not in info.value.reason
    await linked(house, own, *many[1:], caller=ANN)


@requirement("MEM-001-1.5-self", "MEM-001-1.5-count")
async def test_a_link_to_itself_and_a_65th_are_refused(world):
    here = await remember(world, "here")
    assert await refusal(linked(world, here, Link(here.id, "causes"))) == ("invalid_params", "links[0].target_id")
    many = [Link(f"agent:{number}", "relates_to") for number in range(LINKS_MAX)]
    full = await linked(world, here, *many)
    assert len(full.links) == LINKS_MAX
    assert await refusal(linked(world, here, Link("agent:one-more", "relates_to"))) == ("invalid_params", "links")
    assert await world.ledger.entry(here.id) == full


async def test_links_with_a_version_that_was_overtaken_are_refused(house):
    a, b = await remember(house, "a"), await remember(house, "b")
    await linked(house, a, Link(b.id, "causes"))
    assert (await refusal(linked(house, a, Link(b.id, "extends"), expected=(1,))))[0] == "version_conflict"


async def test_links_made_at_the_same_time_are_all_kept(stored):
    here, *others = [await remember(stored, f"number {number}") for number in range(5)]
    await asyncio.gather(*(linked(stored, here, Link(each.id, "relates_to")) for each in others))
    after = await stored.ledger.entry(here.id)
    assert {link.target_id for link in after.links} == {each.id for each in others}
    assert after.version == 5


@requirement("MEM-003-3.1-principals")
async def test_an_editor_links_what_it_told_and_nothing_else(world):
    own = (await batch(world, asked("own"), caller=ANN))[0].entry
    foreign = await remember(world, "foreign", visibility="public")
    assert (await linked(world, own, Link(foreign.id, "relates_to"), caller=ANN)).version == 2
    code, _ = await refusal(linked(world, foreign, Link(own.id, "relates_to"), caller=ANN))
    assert code == "forbidden"


async def test_what_an_editor_may_not_be_told_stays_linked_through_its_edits(world):
    own = (await batch(world, asked("own"), caller=ANN))[0].entry
    private, public = await remember(world, "private"), await remember(world, "public", visibility="public")
    await linked(world, own, Link(private.id, "relates_to"))
    links = [{"target_id": public.id, "relation": "extends"}]
    after = await edit_memory(world, own.id, {"links": links}, LevelNames(), caller=ANN, intent=INTENT)
    assert after.links == (Link(public.id, "extends"),)
    kept = (await world.ledger.entry(own.id)).links
    assert set(kept) == {Link(private.id, "relates_to"), Link(public.id, "extends")}


async def test_an_edit_sets_the_links_it_names_and_leaves_them_otherwise(house):
    a, b, c = [await remember(house, content) for content in "abc"]
    await linked(house, a, Link(b.id, "causes"))
    links = [{"target_id": c.id, "relation": "extends"}]
    after = await edit_memory(house, a.id, {"links": links}, LevelNames(), caller=OWNER, intent=INTENT)
    assert after.links == (Link(c.id, "extends"),)
    assert await house.ledger.entry(a.id) == after
    renamed = await edit_memory(house, a.id, {"content": "new"}, LevelNames(), caller=OWNER, intent=INTENT)
    assert renamed.links == after.links
    bare = await edit_memory(house, a.id, {"links": None}, LevelNames(), caller=OWNER, intent=INTENT)
    assert (bare.links, (await house.ledger.entry(a.id)).links) == ((), ())


@requirement("MEM-003-3.1-batch-links")
async def test_entries_of_a_batch_link_to_each_other_whatever_their_order(house):
    outcomes = await batch(
        house,
        asked("first", id="mem_1_a", links=[{"target_id": "mem_1_b", "relation": "causes"}]),
        asked("second", id="mem_1_b", links=[{"target_id": "mem_1_c", "relation": "causes"}]),
        asked("third", id="mem_1_c"),
    )
    assert all(isinstance(outcome, Kept) for outcome in outcomes)
    for outcome in outcomes:
        assert await house.ledger.entry(outcome.entry.id) == outcome.entry
    assert outcomes[0].entry.links == (Link("mem_1_b", "causes"),)
    assert len(house.ledger.changes) == 1


@requirement("MEM-003-3.1-batch-links")
async def test_in_a_batch_a_link_to_what_is_refused_is_refused_too_and_the_rest_is_kept(house):
    first, second, third = await batch(
        house,
        asked("first", id="mem_1_a", links=[{"target_id": "mem_1_b"}]),
        asked("second", id="mem_1_b", links=[{"target_id": "mem_1_nobody"}]),
        asked("third", id="mem_1_c"),
    )
    assert (first.code.name, first.field) == ("memory_not_found", "links[0].target_id")
    assert (second.code.name, second.field) == ("memory_not_found", "links[0].target_id")
    assert third.entry.id == "mem_1_c"
    assert (await house.ledger.counts())["entries"] == 1


@requirement("MEM-003-3.1-batch-links", "MEM-001-1.5-cycle")
async def test_in_a_batch_the_link_that_closes_a_circle_is_refused_and_the_rest_is_kept(house):
    outcomes = await batch(
        house,
        asked("first", id="mem_1_a", links=[{"target_id": "mem_1_b", "relation": "causes"}]),
        asked("second", id="mem_1_b", links=[{"target_id": "mem_1_a", "relation": "caused_by"}]),
        asked("third", id="mem_1_c", links=[{"target_id": "mem_1_d", "relation": "extends"}]),
        asked("fourth", id="mem_1_d", links=[{"target_id": "mem_1_c", "relation": "extends"}]),
        asked("fifth", id="mem_1_e"),
    )
    codes = ["" if isinstance(outcome, Kept) else outcome.code.name for outcome in outcomes]
    assert codes == ["", "", "memory_not_found", "link_cycle", ""]
    assert (await house.ledger.counts())["entries"] == 3
    assert len(house.ledger.changes) == 1


@requirement("MEM-005-report-05-unknown-id")
@pytest.mark.parametrize("doing", ["edit", "link", "unlink", "restore", "delete"])
@pytest.mark.parametrize("caller", [OWNER, ANN])
async def test_what_is_asked_of_an_unknown_id_is_refused_and_nothing_is_recorded_as_done(house, doing, caller):
    private = await remember(house, "private")
    before = list(house.ledger.changes)
    for entry in (replace(private, id="mem_1_nobody"), *([private] if caller is ANN else [])):
        doings = {
            "edit": lambda id_: edit_memory(house, id_, {"content": "new"}, LevelNames(), caller=caller, intent=INTENT),
            "link": lambda id_: link_memory(
                house, id_, LinkChange((Link("agent:bo", "causes"),)), caller=caller, intent=INTENT
            ),
            "unlink": lambda id_: link_memory(
                house, id_, LinkChange(drop=(("agent:bo", ""),)), caller=caller, intent=INTENT
            ),
            "restore": lambda id_: restore_memory(house, id_, caller, INTENT),
            "delete": lambda id_: delete_memory(house, id_, caller, INTENT),
        }
        assert (await refusal(doings[doing](entry.id)))[0] == "memory_not_found"
    assert house.ledger.changes == before
    assert await house.ledger.entry(private.id) == private
