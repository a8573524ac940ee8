from __future__ import annotations

from urllib.parse import quote

import pytest

from csbond_tests.memories import tell
from csbond_tests.requirements import requirement
from csbond_tests.small_world import NOW


@requirement("CSB-1.2.3-thread", "CSB-1.2.2-ref", "CSB-1.2.2-lifespan")
async def test_a_thread_is_shown_with_sessions_messages_and_parts(owner, world):
    await tell(world, "第一天。", session="s-1", said_at=NOW)
    await tell(world, "第二天。", session="s-2", ref="s-1", said_at=NOW + 1)
    shown = (await owner.get("/v1/continuity/thread/t-1")).json()
    assert (shown["thread_id"], shown["message_count"], shown["caller"]) == ("t-1", 2, "owner")
    assert shown["sessions"] == [
        {"session_id": "s-1", "continuity_ref": None, "agent_lifespan": 38.0, "opened_at": NOW},
        {"session_id": "s-2", "continuity_ref": "s-1", "agent_lifespan": 38.0, "opened_at": NOW + 1},
    ]
    first = shown["messages"][0]
    assert (first["text"], first["parts"], first["role"]) == ("第一天。", [{"text": "第一天。"}], "user")
    assert first["sender"] == {"name": "Ann", "did": "", "verified": False}


async def test_a_thread_is_read_page_by_page(owner, world):
    for number in range(5):
        await tell(world, f"line {number}")
    first = (await owner.get("/v1/continuity/thread/t-1", params={"limit": 3})).json()
    rest = (await owner.get("/v1/continuity/thread/t-1", params={"limit": 3, "cursor": first["next_cursor"]})).json()
    assert [message["text"] for message in rest["messages"]] == ["line 0", "line 1"]
    assert rest["next_cursor"] == ""


@pytest.mark.parametrize("thread_id", ["a/b", "线程 一", "x" * 256, "%2F", "search"])
async def test_any_thread_id_can_be_read(owner, world, thread_id):
    await tell(world, "Here.", thread=thread_id, session="s-1")
    answer = await owner.get(f"/v1/continuity/thread/{quote(thread_id, safe='')}")
    assert answer.json()["thread_id"] == thread_id


@requirement("CSB-1.2.3-agent")
async def test_agents_of_one_name_are_listed_apart_by_did(owner, world):
    await tell(world, "one", by="青烛 🕯️", did="did:key:zA")
    await tell(world, "two", by="青烛 🕯️", thread="t-2")
    shown = (await owner.get(f"/v1/continuity/agent/{quote('青烛 🕯️')}")).json()
    assert shown["agent_name"] == "青烛 🕯️"
    assert [(agent["did"], [message["text"] for message in agent["messages"]]) for agent in shown["agents"]] == [
        (None, ["two"]),
        ("did:key:zA", ["one"]),
    ]


@requirement("CSB-1.2.3-search")
@pytest.mark.parametrize("query", ["清漪+第20天", "清漪%20第20天", "清漪%2B第20天"])
async def test_a_plus_in_q_is_a_space_and_terms_are_anded(owner, world, query):
    await tell(world, "第20天和清漪的第一次对话。")
    await tell(world, "第20天没有见到她。")
    found = (await owner.get(f"/v1/continuity/search?q={query}")).json()
    assert [result["text"] for result in found["results"]] == ["第20天和清漪的第一次对话。"]
    assert found["total"] == 1
    assert "parts" not in found["results"][0]


async def test_threads_are_listed_latest_first(owner, world):
    for number in range(3):
        await tell(world, "hello", thread=f"t-{number}", said_at=NOW + number)
    first = (await owner.get("/v1/continuity/threads", params={"limit": 2})).json()
    assert [thread["thread_id"] for thread in first["threads"]] == ["t-2", "t-1"]
    rest = (await owner.get("/v1/continuity/threads", params={"cursor": first["next_cursor"]})).json()
    assert [thread["thread_id"] for thread in rest["threads"]] == ["t-0"]


@requirement("CSB-1.2.3-access")
async def test_a_principal_reads_its_spaces_through_every_route(ann, world):
    await tell(world, "The key is at home.", thread="t-1")
    await tell(world, "The key is at work.", thread="t-2", space="work")
    assert [each["thread_id"] for each in (await ann.get("/v1/continuity/threads")).json()["threads"]] == ["t-1"]
    assert (await ann.get("/v1/continuity/thread/t-1")).status_code == 200
    assert (await ann.get("/v1/continuity/thread/t-2")).status_code == 404
    found = (await ann.get("/v1/continuity/search?q=key")).json()
    assert [result["thread_id"] for result in found["results"]] == ["t-1"]
    agents = (await ann.get("/v1/continuity/agent/Ann")).json()["agents"]
    assert [message["thread_id"] for message in agents[0]["messages"]] == ["t-1"]


@pytest.mark.parametrize(
    "path, status, code, field",
    [
        ("/v1/continuity/thread/nowhere", 404, "thread_not_found", None),
        ("/v1/continuity/agent/nobody", 404, "thread_not_found", None),
        ("/v1/continuity/thread/" + "x" * 257, 400, "invalid_params", "thread_id"),
        ("/v1/continuity/agent/%00", 400, "invalid_params", "agent_name"),
        ("/v1/continuity/search", 400, "invalid_params", "q"),
        ("/v1/continuity/search?q=+", 400, "invalid_params", "q"),
        ("/v1/continuity/search?q=" + "x" * 1025, 400, "invalid_params", "q"),
        ("/v1/continuity/threads?cursor=no", 400, "invalid_params", "cursor"),
        ("/v1/continuity/thread/t?limit=0", 400, "invalid_params", "limit"),
    ],
)
async def test_what_is_not_there_or_not_asked_well_is_said_so(owner, path, status, code, field):
    answer = await owner.get(path)
    assert answer.status_code == status
    assert (answer.json()["error"]["code"], answer.json()["error"].get("field")) == (code, field)
