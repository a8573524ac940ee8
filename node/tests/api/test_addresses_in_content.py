"""Addresses in what is remembered are texts: a whole node lives with them and calls none."""

from __future__ import annotations

import socket

import httpx
import pytest

from csbond.asgi import build_application, operations_of
from csbond.config.home import create_home
from csbond.config.memory_settings import MemorySettings
from csbond.config.settings import Settings
from csbond.flows.answer_message import answer_message
from csbond.flows.delete_memory import delete_memory
from csbond.flows.erase_memory import erase_memory
from csbond.flows.forget_memory import ForgetRequest, forget_memory
from csbond.flows.move_memory import raise_memory
from csbond.flows.preview_forgetting import apply_forgetting, preview_forgetting
from csbond.flows.review_memory import decide_review, list_reviews
from csbond.flows.set_forgetting import set_forgetting
from csbond.flows.show_archive import list_archive
from csbond.flows.tend_memory import tend_memory
from csbond.node import open_node
from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.filter import EntryFilter
from csbond.protocol.messages.caller import OWNER
from csbond.protocol.messages.incoming import IncomingMessage
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import Part, PartKind, text_part
from csbond.testing import CountedIdentifiers, SetClock
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT
from csbond_tests.ways_out import watched


@pytest.fixture
def listener():
    """A port of this machine that nobody is to call."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


@pytest.fixture
def address(listener):
    return f"http://127.0.0.1:{listener.getsockname()[1]}/hook"


@pytest.fixture
async def node(tmp_path):
    clock, identifiers = SetClock(), CountedIdentifiers()
    home = create_home(tmp_path / "luna", "Luna", "", "", clock, identifiers)
    opened = await open_node(
        home, Settings(memory=MemorySettings(semantic="off")), clock=clock, identifiers=identifiers
    )
    yield opened
    await opened.close()


def memory_with(address):
    """A memory that names the address wherever one can stand."""
    return {
        "content": f"Report it to {address}, or to https://hook.example#audit.",
        "type": "todo",
        "tags": ["hook"],
        "whitespace_archive": {"enabled": True, "retention_years": 3, "audit_hook": address},
        "audit_hook": address,
        "links": [{"target_id": address, "relation": "cited_by"}],
        "link_metadata": {"source": address},
        "business_context": {"scenario": "memory", "webhook": address},
        "fault_tolerance": {"compatibility": "v1", "fallback": address},
        "metadata": {"project": "hooks", "callback": address},
    }


async def written(node, address):
    """What the door of REST answers to such a memory, and to an edit, a search and a page of it."""
    token = (node.home.path / "owner.token").read_text().strip()
    application = build_application(node, operations_of(node, "http://node"))
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(application), base_url="http://node", headers=headers
    ) as owner:
        kept = await owner.post("/v1/memory", json=memory_with(address))
        assert kept.status_code == 201, kept.text
        edited = await owner.put(f"/v1/memory/{kept.json()['id']}", json={"content": f"Report it to {address} now."})
        assert edited.status_code == 200, edited.text
        for path in ("/v1/memory?tag=hook", f"/v1/memory/{kept.json()['id']}"):
            assert (await owner.get(path)).status_code == 200
        assert (await owner.post("/v1/memory/search", json={"query": "report"})).status_code == 200
        return edited.json()


async def said(node, address):
    parts = (text_part(f"Remember this: the hook is {address}"), Part(PartKind.URL, address))
    await answer_message(node.world, IncomingMessage(Message("m-1", "user", parts)), OWNER)


async def forgotten(node, entry_id):
    """Everything the node can do to move and forget what names the address."""
    world = node.world
    await raise_memory(world, entry_id, caller=OWNER, intent=INTENT)
    rules = {"rules": [{"name": "hooks", "match": {"tags": ["hook"]}, "action": "soft_delete"}], "human_only": True}
    await set_forgetting(world, rules, OWNER, INTENT)
    preview = await preview_forgetting(world, OWNER)
    assert [row.entry_id for row in preview.page.rows] == [entry_id]
    await tend_memory(world)
    (row,) = (await list_reviews(world, OWNER)).rows
    await decide_review(world, row.review.id, "approved", OWNER, INTENT)
    node.world.clock.advance(31 * DAY_MS)
    await tend_memory(world)
    assert (await list_archive(world, OWNER)).total == 1
    await apply_forgetting(world, (await preview_forgetting(world, OWNER)).plan, OWNER, INTENT)


@requirement("MEM-004-4.3-hook-not-called")
async def test_no_address_in_a_memory_is_ever_called(node, listener, address):
    with watched() as seen:
        memory = await written(node, address)
        assert memory["audit_hook"] == memory["whitespace_archive"]["audit_hook"] == address
        await said(node, address)
        await forgotten(node, memory["id"])
        told = await forget_memory(node.world, ForgetRequest(EntryFilter(text="hook")), OWNER, INTENT)
        assert told.count == 1
        await delete_memory(node.world, told.page.rows[0].id, OWNER, INTENT)
        await erase_memory(node.world, told.page.rows[0].id, OWNER, INTENT)
        assert (await list_archive(node.world, OWNER)).total == 2
    assert seen == []
    with pytest.raises(BlockingIOError):
        listener.accept()


def test_a_call_would_be_seen(listener):
    with watched() as seen, socket.create_connection(listener.getsockname()):
        listener.accept()[0].close()
    assert [each for each in seen if each.startswith("socket.connect")]
