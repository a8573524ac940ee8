"""Clients that are slow, that stop in the middle, that close one half, and that vanish."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from csbond.flows.turn import Say
from csbond.protocol.errors import Unavailable
from csbond.protocol.messages.part import text_part
from csbond_tests.requirements import requirement
from csbond_tests.speakers import RpcSpeaker, SaidNo

_numbers = iter(range(1, 1_000_000))
HELLO = {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hi"}]}


@asynccontextmanager
async def connection(node) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", node.port)
    try:
        yield reader, writer
    finally:
        writer.close()
        await asyncio.gather(writer.wait_closed(), return_exceptions=True)


def request(method: str = "SendMessage", length: int | None = None) -> bytes:
    message = {**HELLO, "messageId": f"m-{next(_numbers)}"}
    call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"message": message}}
    body = json.dumps(call).encode()
    head = (
        "POST / HTTP/1.1\r\nhost: x\r\na2a-version: 1.0\r\ncontent-type: application/json\r\n"
        f"content-length: {length or len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def idle(node) -> None:
    """Wait until the node works on nothing."""
    async with asyncio.timeout(10):
        while node.world.live.by_id:
            await asyncio.to_thread(lambda: None)


@requirement("NODE-002")
@pytest.mark.parametrize("sent", [b"", b"P", b"POST / HTTP/1.1\r\n", b"GET /health HTTP/1.1\r\nhost: x\r\nx-slow: "])
async def test_a_head_that_does_not_come_is_answered_with_408_and_closed(serve, sent: bytes) -> None:
    node = await serve(header_timeout_s=0.1)
    async with connection(node) as (reader, writer):
        writer.write(sent)
        answer = await asyncio.wait_for(reader.read(), 10)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408 ")
    length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    assert len(body) == length
    assert json.loads(body)["error"]["code"] == "request_timeout"


@requirement("NODE-002")
async def test_a_second_head_on_the_same_connection_is_waited_for_as_long(serve) -> None:
    node = await serve(header_timeout_s=0.1)
    async with connection(node) as (reader, writer):
        writer.write(b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n")
        first = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
        assert first.startswith(b"HTTP/1.1 200 ")
        writer.write(b"GET /health HTTP/1.1\r\n")
        rest = await asyncio.wait_for(reader.read(), 10)
    assert b"HTTP/1.1 408 " in rest


@requirement("NODE-002")
async def test_a_head_in_pieces_is_read_when_it_comes_in_time(node) -> None:
    async with connection(node) as (reader, writer):
        for piece in (b"GET /hea", b"lth HTTP/1.1\r\nho", b"st: x\r\n\r", b"\n"):
            writer.write(piece)
            await writer.drain()
        answer = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
    assert answer.startswith(b"HTTP/1.1 200 ")


@requirement("NODE-002")
async def test_a_body_that_does_not_come_is_answered_with_a_timeout_and_nothing_is_kept(serve) -> None:
    node = await serve(body_timeout_s=0.1)
    before = await node.counts()
    async with connection(node) as (reader, writer):
        writer.write(request()[:-5])
        answer = await asyncio.wait_for(reader.readuntil(b"}}"), 10)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"request_timeout" in answer
    assert await node.counts() == before


@requirement("NODE-002")
@pytest.mark.parametrize(
    "sent", [request()[:-5], request(length=10_000), request()[:40]], ids=["body", "length", "head"]
)
async def test_a_client_that_vanishes_in_the_middle_leaves_nothing(node, sent: bytes) -> None:
    before = await node.counts()
    async with connection(node) as (_reader, writer):
        writer.write(sent)
        await writer.drain()
    async with node.client() as http:
        assert (await http.get("/health")).status_code == 200
    assert await node.counts() == before
    assert not node.world.live.by_id


@requirement("FAULT-19")
@pytest.mark.parametrize("method", ["SendMessage", "SendStreamingMessage"])
async def test_a_client_that_vanishes_while_it_waits_does_not_stop_its_task(node, method: str) -> None:
    go, asked = asyncio.Event(), asyncio.Event()

    async def slowly(turn):
        yield Say((text_part("a"),))
        asked.set()
        await go.wait()
        yield Say((text_part("b"),), append=True)

    node.play(slowly)
    async with connection(node) as (_reader, writer):
        writer.write(request(method))
        await asyncio.wait_for(asked.wait(), 10)
        (task_id,) = node.world.live.by_id
    go.set()
    await idle(node)
    assert [part.value for part in (await node.world.ledger.artifacts(task_id))[0].parts] == ["ab"]
    assert (await node.world.ledger.task(task_id, None)).state.value == "completed"


@requirement("NODE-002")
@pytest.mark.parametrize("method", ["SendMessage", "SendStreamingMessage"])
async def test_a_client_that_closes_its_sending_half_is_answered(node, method: str) -> None:
    async def slowly(turn):
        await asyncio.sleep(0)
        yield Say((text_part("here it is"),))

    node.play(slowly)
    before = (await node.counts())["tasks"]
    async with connection(node) as (reader, writer):
        writer.write(request(method))
        writer.write_eof()
        answer = await asyncio.wait_for(reader.read(), 10)
    await idle(node)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"here it is" in answer
    assert b"TASK_STATE_COMPLETED" in answer
    assert (await node.counts())["tasks"] == before + 1
    assert not node.world.journal.noted


@requirement("NODE-002")
async def test_requests_in_one_go_are_all_answered_to_a_client_that_closes_its_sending_half(node) -> None:
    async with connection(node) as (reader, writer):
        writer.write(b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n" * 2)
        writer.write_eof()
        answer = await asyncio.wait_for(reader.read(), 10)
    assert answer.count(b"HTTP/1.1 200 ") == 2


@requirement("NODE-002")
@pytest.mark.parametrize(
    "sent", [request()[:-5], request(length=10_000), request()[:40], b"P"], ids=["body", "length", "head", "byte"]
)
async def test_a_client_that_closes_its_sending_half_too_early_is_told_and_leaves_nothing(node, sent: bytes) -> None:
    before = await node.counts()
    async with connection(node) as (reader, writer):
        writer.write(sent)
        writer.write_eof()
        answer = await asyncio.wait_for(reader.read(), 10)
    assert refusal(answer) == (400, "invalid_request")
    assert await node.counts() == before
    assert not node.world.live.by_id


async def test_a_connection_that_is_closed_before_it_says_anything_has_no_answer(node) -> None:
    async with connection(node) as (reader, writer):
        writer.write_eof()
        assert await asyncio.wait_for(reader.read(), 10) == b""


@requirement("FAULT-19")
async def test_a_reader_of_a_stream_who_is_gone_is_noticed_by_what_is_written(serve) -> None:
    go = asyncio.Event()

    async def waiting(turn):
        yield Say((text_part("a"),))
        await go.wait()

    node = await serve(waiting, stream_ping_s=0.05)
    async with connection(node) as (reader, writer):
        writer.write(request("SendStreamingMessage"))
        await asyncio.wait_for(reader.readuntil(b"artifactUpdate"), 10)
        (live,) = node.world.live.by_id.values()
        assert live.holders == 2
    async with asyncio.timeout(10):
        while live.holders > 1:  # the turn itself still holds it
            await asyncio.to_thread(lambda: None)
    go.set()
    await idle(node)


def refusal(answer: bytes) -> tuple[int, str]:
    """The status and the code of an answer that is a refusal in JSON, whole, and the last on its connection."""
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    assert b"content-type: application/json" in lines
    assert b"connection: close" in lines
    assert b"content-length: %d" % len(body) in lines
    return int(lines[0].split()[1]), json.loads(body)["error"]["code"]


@requirement("NODE-002")
@pytest.mark.parametrize("line", [b"x: %s\r\n" % (b"a" * 70_000), b"x: a\r\n" * 20_000], ids=["one", "many"])
@pytest.mark.parametrize("end", [b"", b"\r\n"], ids=["unfinished", "whole"])
async def test_a_head_that_is_too_long_is_refused(node, line: bytes, end: bytes) -> None:
    async with connection(node) as (reader, writer):
        writer.write(b"GET /health HTTP/1.1\r\nhost: x\r\n" + line + end)
        answer = await asyncio.wait_for(reader.read(), 10)
    assert refusal(answer) == (431, "invalid_request")


@requirement("NODE-002")
async def test_a_client_that_goes_on_with_its_head_can_read_why_it_is_refused(serve) -> None:
    node = await serve(header_timeout_s=1.0)
    async with connection(node) as (reader, writer):
        writer.write(b"GET /health HTTP/1.1\r\nhost: x\r\nx: ")
        for _ in range(100):
            writer.write(b"a" * 50_000)
            await writer.drain()
        assert refusal(await asyncio.wait_for(reader.read(), 10)) == (431, "invalid_request")


@requirement("NODE-002")
async def test_fields_behind_a_body_without_end_are_hung_up_on(node) -> None:
    before = await node.counts()
    head, _, body = request().partition(b"\r\n\r\n")
    head = head.rpartition(b"\r\n")[0] + b"\r\ntransfer-encoding: chunked\r\n\r\n"
    async with connection(node) as (reader, writer):
        writer.write(head + b"%x\r\n%s\r\n0\r\n" % (len(body), body) + b"x: a\r\n" * 60_000)
        with contextlib.suppress(ConnectionError):
            assert b"HTTP/1.1 200" not in await asyncio.wait_for(reader.read(), 10)
    assert await node.counts() == before


@requirement("NODE-002")
async def test_heads_on_one_connection_are_counted_each_by_itself(node) -> None:
    head = b"GET /health HTTP/1.1\r\nhost: x\r\nx: " + b"a" * 40_000 + b"\r\n\r\n"
    async with connection(node) as (reader, writer):
        writer.write(head * 3)
        writer.write_eof()
        answer = await asyncio.wait_for(reader.read(), 10)
    assert answer.count(b"HTTP/1.1 200 ") == 3


@requirement("NODE-002")
@pytest.mark.parametrize("sent", [b"HELLO\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET /\x01 HTTP/1.1\r\n\r\n"])
async def test_what_is_no_http_is_refused_in_json(node, sent: bytes) -> None:
    async with connection(node) as (reader, writer):
        writer.write(sent)
        answer = await asyncio.wait_for(reader.read(), 10)
    assert refusal(answer) == (400, "invalid_request")


@requirement("FAULT-06", "A2A-STREAM-010")
async def test_a_reader_that_takes_nothing_is_let_go_with_a_broken_stream_and_disturbs_nobody(serve) -> None:
    chunk, chunks = "x" * 10_000, 2_000
    release = asyncio.Event()

    async def long(turn):
        for number in range(chunks):
            yield Say((text_part(chunk),), append=number > 0)
        await release.wait()

    node = await serve(long, stream_write_timeout_s=0.3)
    stalled = socket.create_connection(("127.0.0.1", node.port))
    try:
        stalled.sendall(request("SendStreamingMessage"))
        async with asyncio.timeout(20):
            while not node.world.live.by_id or len(next(iter(node.world.live.by_id.values())).events) <= chunks:
                await asyncio.to_thread(lambda: None)
        (live,) = node.world.live.by_id.values()
        async with asyncio.timeout(20):
            while live.holders > 1:  # the turn itself still holds it
                await asyncio.to_thread(lambda: None)
        stalled.settimeout(10)
        received = await asyncio.to_thread(read_all, stalled)
    finally:
        stalled.close()
    assert not received.endswith(b"0\r\n\r\n"), "the stream was ended as if it were complete"
    assert b"TASK_STATE_COMPLETED" not in received
    release.set()
    await idle(node)


def read_all(connection: socket.socket) -> bytes:
    received = b""
    try:
        while piece := connection.recv(65536):
            received += piece
    except ConnectionError:
        pass
    return received


@requirement("FAULT-06", "FAULT-07")
async def test_a_slow_reader_has_everything_in_the_end(node) -> None:
    async def long(turn):
        for number in range(300):
            yield Say((text_part(f"{number:05d}" * 200),), append=number > 0)

    node.play(long)
    async with connection(node) as (reader, writer):
        writer.write(request("SendStreamingMessage"))
        received = b""
        while b"\r\n0\r\n\r\n" not in received[-16:]:
            piece = await asyncio.wait_for(reader.read(2048), 10)
            assert piece, "the stream broke"
            received += piece
    for number in range(300):
        assert (f"{number:05d}" * 200).encode() in received
    assert b"TASK_STATE_COMPLETED" in received


async def test_a_silent_stream_is_kept_alive_by_comments(serve) -> None:
    go = asyncio.Event()

    async def silent(turn):
        await go.wait()
        yield Say((text_part("at last"),))

    node = await serve(silent, stream_ping_s=0.05)
    async with connection(node) as (reader, writer):
        writer.write(request("SendStreamingMessage"))
        received = b""
        while received.count(b": still here") < 3:
            received += await asyncio.wait_for(reader.read(4096), 10)
        go.set()
        while b"TASK_STATE_COMPLETED" not in received:
            received += await asyncio.wait_for(reader.read(4096), 10)
    assert b"at last" in received


@requirement("NODE-004", "A2A-STREAM-010")
async def test_a_stream_whose_end_cannot_be_kept_ends_with_an_error_event(serve) -> None:
    go = asyncio.Event()

    async def slowly(turn):
        yield Say((text_part("so far"),))
        await go.wait()

    node = await serve(slowly)
    async with node.client(node.token) as http:
        events = RpcSpeaker(http).stream(HELLO)
        assert "task" in await anext(events)
        assert "artifactUpdate" in await anext(events)
        for _ in range(2):
            node.world.ledger.fail_next(Unavailable("storage_full", "the disk is full"))
        go.set()
        with pytest.raises(SaidNo) as refused:
            await anext(events)
    assert refused.value.name == "storage_full"
