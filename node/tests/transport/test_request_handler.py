"""Over gRPC: a caller who gives up, and numbers that JSON and protobuf do not share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from csbond_tests.bindings import HAS_GRPC
from csbond_tests.requirements import requirement
from csbond_tests.stories import HeldLedger, ask_then_echo, echo

pytestmark = pytest.mark.skipif(not HAS_GRPC, reason="the extra `grpc` is not installed; `make setup` installs it")

if HAS_GRPC:
    from a2a.types import a2a_pb2 as pb
    from google.protobuf.struct_pb2 import Value

    from csbond.transport.request_handler import json_of
    from csbond_tests.grpc_speakers import GrpcSpeaker
    from csbond_tests.speakers import SaidNo


def request(text: str = "hi", number: float | None = None, **facts: Any) -> Any:
    part = pb.Part(text=text) if number is None else pb.Part(data=Value(number_value=number))
    message = pb.Message(message_id=f"m {text}", role=pb.ROLE_USER, parts=[part], **facts)
    return pb.SendMessageRequest(message=message)


async def ask_until(speaker: GrpcSpeaker, task_id: str, holds: Callable[[Any], bool]) -> Any:
    """Ask how a task stands until something holds; the task then."""
    async with asyncio.timeout(10):
        while True:
            task = await speaker.call("GetTask", pb.GetTaskRequest(id=task_id))
            if holds(task):
                return task


async def give_up(ledger: HeldLedger, speaker: GrpcSpeaker, task_id: str, call: Any) -> None:
    """Leave a call whose write waits, and let the write through when the node knows."""
    await ask_until(speaker, task_id, lambda _: ledger.waiting == 1)
    call.cancel()
    await speaker.call("GetTask", pb.GetTaskRequest(id=task_id))  # on one connection, the cancel comes before it
    ledger.let_go()


@pytest.fixture
def ledger() -> HeldLedger:
    return HeldLedger()


@requirement("A2A-GRPC-001")
@pytest.mark.parametrize("name", ["SendMessage", "SendStreamingMessage"])
async def test_a_message_is_answered_although_its_sender_gives_up_while_it_is_kept(serve, ledger, name: str) -> None:
    node = await serve(ask_then_echo, ledger, grpc=True)
    speaker = GrpcSpeaker(node.grpc, node.token)
    task_id = (await speaker.call("SendMessage", request("one"))).task.id
    ledger.hold()
    sending = getattr(speaker.stub, name)(request("two", task_id=task_id), metadata=speaker.metadata)
    await give_up(ledger, speaker, task_id, sending)
    task = await ask_until(speaker, task_id, lambda task: task.status.message.parts[0].text == "and after two?")
    assert task.status.state == pb.TASK_STATE_INPUT_REQUIRED
    assert not node.world.live.by_id
    await speaker.close()


@requirement("A2A-GRPC-001")
async def test_followers_hear_of_a_cancel_whose_caller_gives_up(serve, ledger) -> None:
    node = await serve(ask_then_echo, ledger, grpc=True)
    speaker = GrpcSpeaker(node.grpc, node.token)
    task_id = (await speaker.call("SendMessage", request())).task.id
    following = speaker.stub.SubscribeToTask(pb.SubscribeToTaskRequest(id=task_id), metadata=speaker.metadata)
    assert (await following.read()).HasField("task")
    ledger.hold()
    canceling = speaker.stub.CancelTask(pb.CancelTaskRequest(id=task_id), metadata=speaker.metadata)
    await give_up(ledger, speaker, task_id, canceling)
    event = await asyncio.wait_for(following.read(), 10)
    assert event.status_update.status.state == pb.TASK_STATE_CANCELED
    await speaker.close()


@requirement("A2A-GRPC-001")
@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("place", ["data", "metadata of the message", "metadata of the request"])
async def test_a_number_that_json_cannot_say_is_an_invalid_argument(node, number: float, place: str) -> None:
    asked = request(number=number) if place == "data" else request()
    if place != "data":
        metadata = asked.metadata if place.endswith("request") else asked.message.metadata
        metadata["deep"] = {"er": [number]}
    before, noted = await node.counts(), len(node.world.journal.noted)
    speaker = GrpcSpeaker(node.grpc, node.token)
    with pytest.raises(SaidNo) as refused:
        await speaker.call("SendMessage", asked)
    await speaker.close()
    assert refused.value.status == "INVALID_ARGUMENT"
    assert await node.counts() == before
    assert len(node.world.journal.noted) == noted


@requirement("A2A-GRPC-001")
@pytest.mark.parametrize("number", [0.0, -3.0, 2.0**53, 2.0**53 + 2, 1e20, -1e300, 1.5])
async def test_a_large_number_is_kept_as_it_came(node, number: float) -> None:
    node.play(echo)
    speaker = GrpcSpeaker(node.grpc, node.token)
    task = (await speaker.call("SendMessage", request(str(number), number))).task
    await speaker.close()
    assert task.artifacts[0].parts[0].data.number_value == number


def test_whole_numbers_are_whole_again_where_every_reader_of_json_knows_them() -> None:
    assert (
        repr(json_of([3.0, -(2.0**53), 2.0**54, 1e300, 0.5]))
        == "[3, -9007199254740992, 1.8014398509481984e+16, 1e+300, 0.5]"
    )
