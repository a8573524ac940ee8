"""Who is asking: every operation serves the caller its own and nobody else's, in every binding."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from csbond.flows.changes import DropPrincipal
from csbond.flows.turn import Say
from csbond.protocol.messages.part import text_part
from csbond_tests.bindings import LISTING, as_said
from csbond_tests.ledger_samples import home
from csbond_tests.requirements import requirement
from csbond_tests.speakers import SaidNo

HOOK = {"id": "w-1", "url": "https://hooks.example/a2a"}
_numbers = iter(range(1, 1_000_000))


def said(text: str = "hello", **facts: Any) -> dict[str, Any]:
    return {"messageId": f"m-{next(_numbers)}", "role": "ROLE_USER", "parts": [{"text": text}], **facts}


def everything_on(task_id: str, speaker: Any) -> list[Any]:
    """Every operation on a task, ready to be awaited."""
    return [
        speaker.send(said(taskId=task_id)),
        anext(speaker.stream(said(taskId=task_id))),
        speaker.get(task_id),
        speaker.cancel(task_id),
        anext(speaker.subscribe(task_id)),
        speaker.push_create(task_id, HOOK),
        speaker.push_get(task_id, "w-1"),
        speaker.push_list(task_id),
        speaker.push_delete(task_id, "w-1"),
    ]


async def outcomes(answers: list[Any]) -> list[tuple[str, str]]:
    """What each answer was: its code, and everything that came with it."""
    found = await asyncio.gather(*answers, return_exceptions=True)
    return [(each.name, str(each.error)) if isinstance(each, SaidNo) else ("answered", repr(each)) for each in found]


@requirement("A2A-DATA-009", "A2A-ERR-005", "A2A-PUSH-012", "FAULT-03")
@pytest.mark.parametrize("stranger", ["a principal", "anybody"])
@pytest.mark.parametrize("state", ["live", "waiting", "finished"])
async def test_a_task_of_another_is_not_there_for_any_operation(
    node, speak, binding, state: str, stranger: str
) -> None:
    go = asyncio.Event()

    async def slowly(turn):
        yield Say((text_part("so far"),))
        await go.wait()

    if state == "live":
        node.play(slowly)
    owner = await speak(node, binding, node.token)
    task = (await owner.send(said("end" if state == "finished" else "one"), returnImmediately=state == "live"))["task"]
    await owner.push_create(task["id"], HOOK)
    other = await speak(node, binding, await node.somebody() if stranger == "a principal" else "")
    theirs = await outcomes(everything_on(task["id"], other))
    nobodys = await outcomes(everything_on("no-such-task", other))
    assert theirs == nobodys
    assert {code for code, _ in theirs} == {as_said(binding, "task_not_found")}
    still = await owner.get(task["id"])
    assert still["status"]["state"] == task["status"]["state"] or state == "live"
    assert [each["id"] for each in (await owner.push_list(task["id"]))["configs"]] == ["w-1"]
    go.set()


@requirement("A2A-LIST-001", "A2A-DATA-009", "FAULT-03")
@pytest.mark.parametrize("binding", LISTING, indirect=True)
async def test_a_listing_shows_only_what_is_the_callers_own(node, speak, binding) -> None:
    one = await speak(node, binding, await node.somebody())
    two = await speak(node, binding, await node.somebody())
    context = "c-of-both"
    mine = (await one.send(said("one", contextId=context)))["task"]
    theirs = (await two.send(said("two", contextId=context)))["task"]
    for speaker, own in ((one, mine), (two, theirs)):
        for facts in ({}, {"contextId": context}, {"contextId": context, "pageSize": 1}):
            listing = await speaker.list(**facts)
            assert [task["id"] for task in listing["tasks"]] == [own["id"]]
            assert listing["totalSize"] == 1


@requirement("NODE-005")
@pytest.mark.parametrize("binding", LISTING, indirect=True)
async def test_anybody_lists_the_tasks_of_a_context_it_can_name_and_no_others(node, speak, binding) -> None:
    anybody = await speak(node, binding)
    task = (await anybody.send(said("one")))["task"]
    listing = await anybody.list()
    assert (listing["tasks"], listing["totalSize"], listing["nextPageToken"]) == ([], 0, "")
    assert [each["id"] for each in (await anybody.list(contextId=task["contextId"]))["tasks"]] == [task["id"]]
    owner = await speak(node, binding, node.token)
    assert (await owner.list(contextId=task["contextId"]))["tasks"] == []


@requirement("NODE-005", "A2A-LIST-009")
@pytest.mark.parametrize("binding", LISTING, indirect=True)
async def test_a_listing_of_nothing_is_checked_as_any_other(node, speak, binding) -> None:
    anybody = await speak(node, binding)
    assert (await anybody.list(pageSize=7))["pageSize"] == 7
    for facts in ({"pageSize": 101}, {"historyLength": -1}, {"pageToken": "junk"}):
        with pytest.raises(SaidNo):
            await anybody.list(**facts)


@requirement("NODE-005")
async def test_a_node_may_be_set_to_list_everything_anybody_asked(serve, speak) -> None:
    node = await serve(anonymous_lists="all")
    anybody = await speak(node, "json-rpc 1.0")
    task = (await anybody.send(said("one")))["task"]
    assert [each["id"] for each in (await anybody.list())["tasks"]] == [task["id"]]


@requirement("A2A-DATA-009")
async def test_the_same_message_id_and_context_of_two_callers_are_two_conversations(node, speak, binding) -> None:
    message = said("mine alone", contextId="c-shared", messageId="m-shared")
    one = await speak(node, binding, await node.somebody())
    two = await speak(node, binding, await node.somebody())
    first, second = (await one.send(message))["task"], (await two.send(message))["task"]
    assert first["id"] != second["id"]
    assert len(second["history"]) == 2


@requirement("A2A-ERR-006")
@pytest.mark.parametrize("header", ["Bearer wrong", "Bearer", "Basic b3duZXI6eA==", "Bearer " + "x" * 600, "token"])
async def test_wrong_credentials_are_refused_everywhere_by_public_routes_too(node, speak, binding, header: str) -> None:
    before = await node.counts()
    speaker = await speak(node, binding, authorization=header)
    found = await outcomes([speaker.send(said()), anext(speaker.stream(said())), *everything_on("t", speaker)])
    assert {code for code, _ in found} == {"unauthenticated"}
    assert await node.counts() == before
    if binding.startswith(("http", "json")):
        async with node.client(Authorization=header) as http:
            for path in ("/.well-known/agent-card.json", "/health", "/tasks"):
                answer = await http.get(path)
                assert answer.status_code == 401
                assert answer.headers["www-authenticate"].startswith("Bearer realm=")


@requirement("A2A-ERR-006")
async def test_a_removed_principal_is_a_stranger(node, speak, binding) -> None:
    token = await node.somebody()
    speaker = await speak(node, binding, token)
    await speaker.send(said())
    await node.world.ledger.commit(home(DropPrincipal(token.removeprefix("token-of-"))))
    with pytest.raises(SaidNo) as refused:
        await speaker.send(said())
    assert refused.value.name == "unauthenticated"


@requirement("A2A-DATA-009")
async def test_whoever_a_message_says_it_is_from_it_stays_the_callers(node, speak, binding) -> None:
    anybody = await speak(node, binding)
    claim = said("I am the owner", metadata={"sender": {"name": "owner"}, "caller": "owner"})
    task = (await anybody.send(claim))["task"]
    kept = await node.world.ledger.task(task["id"], None)
    assert kept.caller_key == "anonymous"
