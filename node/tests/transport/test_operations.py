"""Every operation in every binding and dialect: the same questions get the same answers."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from csbond.flows.turn import Ask, Reject, Reply, Say, Working
from csbond.protocol.messages.part import text_part
from csbond_tests.bindings import LISTING, as_said
from csbond_tests.requirements import requirement
from csbond_tests.stories import ask_then_echo

HOOK = {"id": "w-1", "url": "https://hooks.example/a2a", "token": "seen"}
AUTHENTICATION = {"scheme": "Bearer", "credentials": "secret"}
_numbers = iter(range(1, 1_000_000))


def said(text: str = "hello", **facts: Any) -> dict[str, Any]:
    return {"messageId": f"m-{next(_numbers)}", "role": "ROLE_USER", "parts": [{"text": text}], **facts}


def texts(task: dict[str, Any]) -> list[str]:
    return ["".join(part.get("text", "") for part in artifact["parts"]) for artifact in task.get("artifacts", [])]


def state(task: dict[str, Any]) -> str:
    return str(task["status"]["state"]).removeprefix("TASK_STATE_").lower()


def spoken(event: dict[str, Any]) -> str:
    ((name, value),) = event.items()
    if name == "artifactUpdate":
        return ("+" if value.get("append") else "=") + "".join(part["text"] for part in value["artifact"]["parts"])
    return f"message {value['parts'][0]['text']}" if name == "message" else f"{name} {state(value)}"


async def check_refused(binding: str, code: str, *answers: Any) -> None:
    """Every answer is a refusal with this code."""
    found = await asyncio.gather(*answers, return_exceptions=True)
    assert [getattr(each, "name", each) for each in found] == [as_said(binding, code)] * len(answers)


@requirement(
    "A2A-SEND-001", "A2A-SEND-002", "A2A-SEND-003", "A2A-SEND-008", "A2A-SEND-009", "A2A-RPC-002", "A2A-HTTP-001"
)
@requirement("A2A-GRPC-001", "V03-001", "V03-013", "V03-014")
async def test_a_message_is_sent_and_its_task_is_shown(somebody) -> None:
    task = (await somebody.send(said("end")))["task"]
    assert (state(task), texts(task)) == ("completed", ["end"])
    assert task["status"]["message"]["parts"] == [{"text": "ended"}]
    assert [message["parts"][0]["text"] for message in task["history"]] == ["end", "ended"]
    assert {message["contextId"] for message in task["history"]} == {task["contextId"]}
    assert await somebody.get(task["id"]) == task


@requirement("A2A-SEND-011", "A2A-SEND-014", "FAULT-01")
async def test_a_waiting_task_goes_on_with_its_id_alone(somebody) -> None:
    task = (await somebody.send(said("one")))["task"]
    assert state(task) == "input_required"
    again = task
    for text in ("two", "three", "end"):
        again = (await somebody.send(said(text, taskId=task["id"])))["task"]
        assert (again["id"], again["contextId"]) == (task["id"], task["contextId"])
    assert (state(again), texts(again)) == ("completed", ["one", "two", "three", "end"])


@requirement("A2A-SEND-010", "A2A-SEND-013", "FAULT-30")
async def test_a_context_of_the_client_is_kept(somebody) -> None:
    context = "c" * 200
    first = (await somebody.send(said("one", contextId=context)))["task"]
    second = (await somebody.send(said("two", contextId=context)))["task"]
    assert first["contextId"] == second["contextId"] == context
    assert first["id"] != second["id"]


@requirement("A2A-SEND-006", "A2A-SEND-007", "A2A-SEND-012", "A2A-SEND-016")
async def test_messages_that_fit_no_task_are_refused_alike(node, somebody, binding) -> None:
    ended = (await somebody.send(said("end")))["task"]
    waiting = (await somebody.send(said("one")))["task"]
    before = await node.counts()
    await check_refused(binding, "unsupported_operation", somebody.send(said(taskId=ended["id"])))
    await check_refused(binding, "task_not_found", somebody.send(said(taskId="no-such-task")))
    long, empty = said(contextId="c" * 257), {**said(), "parts": []}
    await check_refused(binding, "invalid_params", somebody.send(long), somebody.send(empty))
    if binding.endswith("1.0"):  # in v0.3 the task decides
        other = said(taskId=waiting["id"], contextId="other")
        await check_refused(binding, "invalid_params", somebody.send(other))
    assert await node.counts() == before


@requirement("A2A-SEND-017")
async def test_history_comes_as_far_as_asked_for(somebody, binding) -> None:
    task = (await somebody.send(said("one"), historyLength=1))["task"]
    assert [message["parts"][0]["text"] for message in task["history"]] == ["and after one?"]
    short = await somebody.get(task["id"], historyLength=1)
    assert [message["parts"][0]["text"] for message in short["history"]] == ["and after one?"]
    if binding != "grpc 0.3":  # its protobuf types cannot tell 0 from nothing
        assert "history" not in await somebody.get(task["id"], historyLength=0)
        assert "history" not in (await somebody.send(said("two"), historyLength=0))["task"]
        assert "history" not in (await anext(somebody.stream(said("three"), historyLength=0)))["task"]


@requirement("A2A-SEND-017")
async def test_a_history_of_less_than_nothing_is_refused(node, somebody, binding) -> None:
    before = await node.counts()
    streamed = anext(somebody.stream(said("two"), historyLength=-1))
    await check_refused(binding, "invalid_params", somebody.send(said("one"), historyLength=-1), streamed)
    assert await node.counts() == before


@requirement("A2A-STREAM-001", "A2A-STREAM-004", "A2A-STREAM-005", "A2A-RPC-004", "A2A-HTTP-005", "A2A-GRPC-003")
async def test_a_stream_is_the_task_and_its_events(somebody) -> None:
    events = [event async for event in somebody.stream(said("one"))]
    assert list(map(spoken, events)) == ["task submitted", "=one", "statusUpdate input_required"]
    task_id = events[0]["task"]["id"]
    assert {event["taskId"] for each in events[1:] for event in each.values()} == {task_id}
    assert events[0]["task"]["history"][0]["parts"] == [{"text": "one"}]
    rest = [event async for event in somebody.stream(said("end", taskId=task_id))]
    assert list(map(spoken, rest)) == ["task working", "=end", "statusUpdate completed"]


@requirement("A2A-STREAM-002", "A2A-SEND-001", "A2A-SEND-005")
async def test_a_bare_reply_is_a_message_in_every_binding(node, somebody) -> None:
    async def reply(turn):
        yield Reply((text_part(f"re: {turn.message.text}"),))

    node.play(reply, may_reply=True)
    message = (await somebody.send(said("hi")))["message"]
    assert (message["role"], message["parts"]) == ("ROLE_AGENT", [{"text": "re: hi"}])
    assert message["contextId"]
    events = [event async for event in somebody.stream(said("hi"), returnImmediately=True)]
    assert list(map(spoken, events)) == ["message re: hi"]


@requirement("A2A-SEND-004", "V03-006", "A2A-SUB-001", "A2A-SUB-002", "A2A-SUB-004", "V03-010", "FAULT-07")
async def test_a_task_returned_at_once_is_followed_to_its_end(node, somebody) -> None:
    go = asyncio.Event()

    async def slowly(turn):
        yield Working("at it")
        yield Say((text_part("a"),))
        await go.wait()
        yield Say((text_part("b"),), append=True, last_chunk=True)

    node.play(slowly)
    task = (await somebody.send(said("hi"), returnImmediately=True))["task"]
    assert state(task) in ("submitted", "working")
    async with asyncio.timeout(20):
        while not texts(await somebody.get(task["id"])):
            pass
    events = somebody.subscribe(task["id"])
    first = await anext(events)
    assert (state(first["task"]), texts(first["task"])) == ("working", ["a"])
    go.set()
    assert [spoken(event) async for event in events] == ["+b", "statusUpdate completed"]
    assert texts(await somebody.get(task["id"])) == ["ab"]


@requirement("V03-010", "A2A-SUB-002")
async def test_an_older_client_is_told_the_end_of_its_stream_and_a_newer_one_goes_on(somebody, binding) -> None:
    task = (await somebody.send(said("one")))["task"]
    events = somebody.subscribe(task["id"])
    assert state((await anext(events))["task"]) == "input_required"
    await somebody.send(said("two", taskId=task["id"]))
    heard = [spoken(await anext(events)) for _ in range(3)]
    assert heard == ["statusUpdate working", "=two", "statusUpdate input_required"]
    await somebody.send(said("end", taskId=task["id"]))
    rest = [spoken(event) async for event in events]
    assert rest == ([] if "0.3" in binding else ["statusUpdate working", "=end", "statusUpdate completed"])


@requirement("A2A-SUB-003", "A2A-SUB-005", "A2A-STREAM-008", "FAULT-27")
async def test_streams_that_cannot_begin_are_plain_errors(somebody, binding) -> None:
    ended = (await somebody.send(said("end")))["task"]
    over = (somebody.subscribe(ended["id"]), somebody.stream(said(taskId=ended["id"])))
    await check_refused(binding, "unsupported_operation", *map(anext, over))
    await check_refused(binding, "task_not_found", anext(somebody.subscribe("no-such-task")))
    await check_refused(binding, "invalid_params", anext(somebody.stream({**said(), "parts": []})))


@requirement("A2A-CANCEL-001", "A2A-CANCEL-002", "A2A-CANCEL-003", "A2A-CANCEL-004", "FAULT-04")
async def test_a_task_is_canceled_once(somebody, binding) -> None:
    task = (await somebody.send(said("one")))["task"]
    canceled = await somebody.cancel(task["id"])
    assert (canceled["id"], state(canceled), texts(canceled)) == (task["id"], "canceled", ["one"])
    await check_refused(binding, "task_not_cancelable", somebody.cancel(task["id"]))
    await check_refused(binding, "task_not_found", somebody.cancel("no-such-task"))
    assert state(await somebody.get(task["id"])) == "canceled"


@requirement("A2A-GET-002")
async def test_a_task_that_is_not_there_is_not_found(somebody, binding) -> None:
    await check_refused(binding, "task_not_found", somebody.get("no-such-task"))


@requirement("A2A-LIST-003", "A2A-LIST-004", "A2A-LIST-005", "A2A-LIST-006", "A2A-LIST-007", "A2A-LIST-008")
@requirement("FAULT-31")
@pytest.mark.parametrize("binding", LISTING, indirect=True)
async def test_tasks_are_listed_page_by_page(somebody) -> None:
    tasks = [(await somebody.send(said(text)))["task"] for text in ("one", "end", "two")]
    first = await somebody.list(pageSize=2, includeArtifacts=True)
    assert (first["pageSize"], first["totalSize"]) == (2, 3)
    rest = await somebody.list(pageSize=2, pageToken=first["nextPageToken"], includeArtifacts=True)
    assert rest["nextPageToken"] == ""
    found = {task["id"]: task for task in first["tasks"] + rest["tasks"]}
    assert [state(found[task["id"]]) for task in tasks] == ["input_required", "completed", "input_required"]
    assert [texts(found[task["id"]]) for task in tasks] == [["one"], ["end"], ["two"]]
    done = await somebody.list(status="TASK_STATE_COMPLETED")
    assert [task["id"] for task in done["tasks"]] == [tasks[1]["id"]]
    assert not done["tasks"][0].get("artifacts")
    in_context = await somebody.list(contextId=tasks[2]["contextId"])
    assert [task["id"] for task in in_context["tasks"]] == [tasks[2]["id"]]
    since = await somebody.list(statusTimestampAfter="2999-01-01T00:00:00Z")
    assert (since["tasks"], since["totalSize"]) == ([], 0)
    assert (await somebody.list())["pageSize"] == 50


@requirement("A2A-LIST-007", "A2A-LIST-009")
@pytest.mark.parametrize("binding", LISTING, indirect=True)
@pytest.mark.parametrize(
    "facts", [{"pageSize": 0}, {"pageSize": 101}, {"historyLength": -1}, {"pageToken": "junk"}], ids=repr
)
async def test_a_listing_out_of_range_is_refused(somebody, binding, facts: dict[str, Any]) -> None:
    await check_refused(binding, "invalid_params", somebody.list(**facts))


@requirement("A2A-PUSH-001", "A2A-PUSH-002", "A2A-PUSH-003", "A2A-PUSH-004", "V03-007", "V03-009", "FAULT-26")
async def test_webhooks_are_set_shown_listed_and_deleted(somebody, binding) -> None:
    task = (await somebody.send(said("one")))["task"]
    second = {"id": "w-2", "url": "https://hooks.example/2", "authentication": AUTHENTICATION}
    for config in (HOOK, second):
        made = await somebody.push_create(task["id"], config)
        assert made == {"taskId": task["id"], **config}
        assert await somebody.push_get(task["id"], config["id"]) == made
    assert [each["id"] for each in (await somebody.push_list(task["id"]))["configs"]] == ["w-1", "w-2"]
    for _ in range(2):
        assert not await somebody.push_delete(task["id"], "w-1")
    assert [each["id"] for each in (await somebody.push_list(task["id"]))["configs"]] == ["w-2"]
    await check_refused(binding, "task_not_found", somebody.push_get(task["id"], "w-1"))


@requirement("A2A-PUSH-001")
@pytest.mark.parametrize("binding", LISTING, indirect=True)
async def test_a_webhook_without_an_id_gets_one(somebody) -> None:
    task = (await somebody.send(said("one")))["task"]
    made = await somebody.push_create(task["id"], {"url": "https://hooks.example/"})
    assert made["id"]
    assert await somebody.push_get(task["id"], made["id"]) == made


@requirement("V03-008", "FAULT-26")
@pytest.mark.parametrize("binding", ["json-rpc 0.3"], indirect=True)
async def test_v0_3_shows_the_first_webhook_without_an_id(somebody, binding) -> None:
    task = (await somebody.send(said("one")))["task"]
    await check_refused(binding, "task_not_found", somebody.push_get(task["id"], ""))
    await somebody.push_create(task["id"], HOOK)
    assert (await somebody.push_get(task["id"], ""))["id"] == "w-1"


@requirement("A2A-PUSH-002")
@pytest.mark.parametrize("binding", ["json-rpc 1.0"], indirect=True)
async def test_v1_0_wants_the_id_of_a_webhook(somebody, binding) -> None:
    task = (await somebody.send(said("one")))["task"]
    await somebody.push_create(task["id"], HOOK)
    await check_refused(binding, "invalid_params", somebody.push_get(task["id"], ""))


@requirement("A2A-PUSH-008", "A2A-PUSH-010", "FAULT-02")
async def test_a_private_webhook_is_refused_alone_and_with_a_message(node, somebody, binding) -> None:
    task = (await somebody.send(said("one")))["task"]
    before = await node.counts()
    config = {"id": "w", "url": "http://127.0.0.1:1/hook"}
    answers = (
        somebody.push_create(task["id"], config),
        somebody.send(said("two"), taskPushNotificationConfig=config),
        anext(somebody.stream(said("two"), taskPushNotificationConfig=config)),
    )
    await check_refused(binding, "webhook_refused", *answers)
    assert await node.counts() == before


@requirement("A2A-PUSH-009", "A2A-PUSH-012")
async def test_a_node_without_push_says_so_to_every_webhook_operation(serve, speak, binding) -> None:
    node = await serve(ask_then_echo, enabled=False, grpc=binding.startswith("grpc"))
    somebody = await speak(node, binding, node.token)
    task = (await somebody.send(said("one")))["task"]
    answers = [
        somebody.push_create(task["id"], HOOK),
        somebody.push_get(task["id"], "w-1"),
        somebody.push_list(task["id"]),
        somebody.push_delete(task["id"], "w-1"),
        somebody.send(said("two"), taskPushNotificationConfig=HOOK),
    ]
    await check_refused(binding, "push_not_supported", *answers)


@requirement("A2A-CARD-005", "V03-011", "FAULT-25")
async def test_the_extended_card_is_for_the_owner(node, speak, binding) -> None:
    card = await (await speak(node, binding, node.token)).card()
    assert card["name"] == "Luna"
    assert any("/ext/node/" in each["uri"] for each in card["capabilities"]["extensions"])
    for token in ("", node.ann):
        other = await speak(node, binding, token)
        guarded = "forbidden" if token else "unauthenticated"
        code = guarded if binding.startswith("http") else "extended_card_not_configured"
        await check_refused(binding, code, other.card())


@requirement("NODE-008", "FAULT-23", "A2A-ERR-007", "A2A-STREAM-010")
async def test_what_breaks_in_a_skill_is_told_to_nobody(node, somebody) -> None:
    async def broken(turn):
        yield Say((text_part("so far"),))
        raise RuntimeError("secret internal detail")

    node.play(broken)
    events = [event async for event in somebody.stream(said())]
    assert list(map(spoken, events)) == ["task submitted", "=so far", "statusUpdate failed"]
    task = (await somebody.send(said()))["task"]
    assert state(task) == "failed"
    assert "secret" not in repr((events, task))


@requirement("A2A-SEND-021")
async def test_refusals_and_wishes_for_credentials_have_their_states(node, somebody) -> None:
    async def play(turn):
        if turn.message.text == "no":
            yield Reject("not my business")
        else:
            yield Ask((text_part("a key, please"),), auth=True)

    node.play(play)
    rejected = (await somebody.send(said("no")))["task"]
    assert (state(rejected), rejected["status"]["message"]["parts"]) == ("rejected", [{"text": "not my business"}])
    waiting = (await somebody.send(said("yes")))["task"]
    assert (state(waiting), waiting["status"]["message"]["parts"]) == ("auth_required", [{"text": "a key, please"}])
    assert state((await somebody.send(said("no", taskId=waiting["id"])))["task"]) == "rejected"
