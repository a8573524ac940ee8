from __future__ import annotations

import pytest

from csbond.flows.delete_memory import delete_memory
from csbond.flows.edit_memory import edit_memory
from csbond.flows.link_memory import LinkChange, link_memory
from csbond.flows.restore_memory import restore_memory
from csbond.flows.write_memory import Kept, MemoryRequest, write_memory
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.link import Link
from csbond.protocol.messages.caller import OWNER, Caller, CallerKind, Role
from csbond_tests.memories import remember
from csbond_tests.small_world import INTENT, NOW

ANN = Caller(CallerKind.PRINCIPAL, "ann", Role.EDITOR, frozenset({"home"}))


@pytest.fixture(params=["in memory", "on disk"])
def house(request, world, stored):
    """A world on each ledger: what is linked is known where it is kept."""
    return world if request.param == "in memory" else stored


async def linked(world, entry, *add, drop=(), caller=OWNER, unweighed=()):
    return (await link_memory(world, entry.id, LinkChange(add, drop, unweighed), caller=caller, intent=INTENT)).entry


async def told_by_ann(world, content):
    draft = draft_from_json({"content": content}, NOW, LevelNames())
    (kept,) = await write_memory(world, (MemoryRequest(draft),), ANN, INTENT)
    assert isinstance(kept, Kept)
    return kept.entry


async def edited(world, entry, links, caller=OWNER):
    return await edit_memory(world, entry.id, {"links": links}, LevelNames(), caller=caller, intent=INTENT)


@pytest.mark.parametrize("relation", ["relates_to", ""])
async def test_to_take_away_a_link_that_is_not_there_writes_nothing_whatever_it_names(house, relation):
    own = await told_by_ann(house, "own")
    before = await linked(house, own, Link("agent:bo", "peer"), caller=ANN)
    secret, open_one = await remember(house, "secret"), await remember(house, "open", visibility="public")
    await delete_memory(house, secret.id, OWNER, INTENT)
    written = len(house.ledger.changes)
    for target_id in ("mem_1_nobody", secret.id, open_one.id):
        assert await linked(house, own, drop=((target_id, relation),), caller=ANN) == before
    assert len(house.ledger.changes) == written


async def test_a_hidden_link_is_taken_away_once(house):
    a, b = await remember(house, "a"), await remember(house, "b")
    await linked(house, a, Link(b.id, "causes"))
    await delete_memory(house, b.id, OWNER, INTENT)
    for relation, version in (("extends", 2), ("causes", 3), ("causes", 3), ("", 3)):
        assert (await linked(house, a, drop=((b.id, relation),))).version == version
    await restore_memory(house, b.id, OWNER, INTENT)
    assert (await house.ledger.entry(a.id)).links == ()


@pytest.mark.parametrize("is_deleted", [False, True])
async def test_an_editor_takes_no_link_away_that_it_is_not_told_of(house, is_deleted):
    own, secret = await told_by_ann(house, "own"), await remember(house, "secret")
    await linked(house, own, Link(secret.id, "causes"))
    if is_deleted:
        await delete_memory(house, secret.id, OWNER, INTENT)
    assert (await linked(house, own, drop=((secret.id, ""),), caller=ANN)).version == 2
    if is_deleted:
        await restore_memory(house, secret.id, OWNER, INTENT)
    assert (await house.ledger.entry(own.id)).links == (Link(secret.id, "causes"),)


@pytest.mark.parametrize("is_deleted", [False, True])
async def test_what_a_link_held_beside_its_own_fields_goes_with_it(house, is_deleted):
    a, b = await remember(house, "a"), await remember(house, "b")
    links = [{"target_id": each.id, "note": each.content} for each in (a, b)]
    here = await remember(house, "here", links=links)
    if is_deleted:
        await delete_memory(house, a.id, OWNER, INTENT)
    await linked(house, here, drop=((a.id, ""),))
    if is_deleted:
        await restore_memory(house, a.id, OWNER, INTENT)
    again = await linked(house, here, Link(a.id, "relates_to"))
    assert again.extra == {"link_fields": {b.id: {"relates_to": {"note": "b"}}}}
    assert (await house.ledger.entry(here.id)).extra == again.extra
    assert (await linked(house, here, drop=((b.id, ""),))).extra == {}


async def test_what_hidden_links_hold_stays_through_an_edit_of_the_others(house):
    a, b = await remember(house, "a"), await remember(house, "b")
    links = [{"target_id": each.id, "note": each.content} for each in (a, b)]
    here = await remember(house, "here", links=links)
    await delete_memory(house, a.id, OWNER, INTENT)
    after = await edited(house, here, [])
    assert after.extra == {"link_fields": {a.id: {"relates_to": {"note": "a"}}}}
    await restore_memory(house, a.id, OWNER, INTENT)
    assert (await edited(house, here, None)).extra == {}


async def test_a_link_that_is_taken_away_and_added_at_once_stays_as_it_is(house):
    a, b = await remember(house, "a"), await remember(house, "b")
    before = await linked(house, a, Link(b.id, "causes", 0.5))
    assert await linked(house, a, Link(b.id, "causes", 0.5), drop=((b.id, ""),)) == before
    await linked(house, a, Link(b.id, "extends"))
    after = await linked(house, a, Link(b.id, "causes", 0.6), drop=((b.id, ""),))
    assert after.links == (Link(b.id, "causes", 0.6),)


async def test_a_link_that_is_added_again_without_a_weight_keeps_the_one_it_has(house):
    a, b, c = [await remember(house, content) for content in "abc"]
    before = await linked(house, a, Link(b.id, "causes", 0.5))
    pairs = [(b.id, "causes"), (c.id, "causes")]
    assert await linked(house, a, Link(b.id, "causes"), unweighed=pairs) == before
    after = await linked(house, a, Link(c.id, "causes"), Link(b.id, "extends"), unweighed=pairs)
    assert {(link.target_id, link.relation, link.weight) for link in after.links} == {
        (b.id, "causes", 0.5),
        (b.id, "extends", 1.0),
        (c.id, "causes", 1.0),
    }
