"""What is linked while a memory comes back: the links that were hidden until then are nobody's to take away."""

from __future__ import annotations

import pytest

from csbond.flows.delete_memory import delete_memory
from csbond.flows.edit_memory import edit_memory
from csbond.flows.link_memory import LinkChange, link_memory
from csbond.flows.restore_memory import restore_memory
from csbond.flows.write_memory import MemoryRequest, write_memory
from csbond.protocol.errors import Refused
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.link import LINKS_MAX, Link
from csbond.protocol.messages.caller import OWNER
from csbond_tests.memories import remember
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW


@pytest.fixture(params=["in memory", "on disk"])
def house(request, world, stored):
    """A world on each ledger: links are set where they are kept."""
    return world if request.param == "in memory" else stored


class ComesBack:
    """A ledger in which a memory is restored as soon as a change was made ready, and just before it is written."""

    def __init__(self, world, entry_id):
        self._world, self._watched, self._ledger, self._entry_id = world, world.ledger, world.ledger._ledger, entry_id
        self._watched._ledger = self

    async def commit(self, change):
        if self._watched._ledger is self:
            self._watched._ledger = self._ledger
            await restore_memory(self._world, self._entry_id, OWNER, INTENT)
        return await self._ledger.commit(change)

    def __getattr__(self, name):
        return getattr(self._ledger, name)


async def by_link(world, a, c):
    await link_memory(world, a.id, LinkChange([Link(c.id, "causes")]), caller=OWNER, intent=INTENT)


async def by_edit(world, a, c):
    links = {"links": [{"target_id": c.id, "relation": "causes"}]}
    await edit_memory(world, a.id, links, LevelNames(), caller=OWNER, intent=INTENT)


async def by_merge(world, a, c):
    repeated = draft_from_json(
        {"content": a.content, "links": [{"target_id": c.id, "relation": "causes"}]}, NOW, LevelNames()
    )
    await write_memory(world, [MemoryRequest(repeated)], OWNER, INTENT)


@requirement("MEM-001-1.5-two-ends")
@pytest.mark.parametrize("add", [by_link, by_edit, by_merge])
async def test_a_link_that_comes_back_while_another_is_added_stays(house, add):
    a, b, c = [await remember(house, content) for content in "abc"]
    await link_memory(house, a.id, LinkChange([Link(b.id, "relates_to")]), caller=OWNER, intent=INTENT)
    await delete_memory(house, b.id, OWNER, INTENT)
    ComesBack(house, b.id)
    await add(house, a, c)
    found = await house.ledger.entry(a.id)
    assert {link.target_id for link in found.links} == {b.id, c.id}


@requirement("MEM-001-1.5-count")
async def test_hidden_links_count_when_an_entry_gets_more(house):
    a, c = await remember(house, "a"), await remember(house, "c")
    targets = [await remember(house, f"target {number}") for number in range(LINKS_MAX)]
    await link_memory(
        house, a.id, LinkChange([Link(each.id, "causes") for each in targets]), caller=OWNER, intent=INTENT
    )
    await delete_memory(house, targets[0].id, OWNER, INTENT)
    before = await house.ledger.entry(a.id)
    with pytest.raises(Refused) as refused:
        await by_link(house, a, c)
    assert (refused.value.code.name, refused.value.field) == ("invalid_params", "links")
    more = {"links": [{"target_id": each.id, "relation": "causes"} for each in (*targets[1:], c)]}
    with pytest.raises(Refused) as refused:
        await edit_memory(house, a.id, more, LevelNames(), caller=OWNER, intent=INTENT)
    assert (refused.value.code.name, refused.value.field) == ("invalid_params", "links")
    assert await house.ledger.entry(a.id) == before
    await by_edit(house, a, c)
    assert len((await house.ledger.entry(a.id)).links) == 1
