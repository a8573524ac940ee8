"""What is too long, too deep or no text at all gets a clear answer, and nothing of it is kept."""

from __future__ import annotations

import asyncio
import json
from itertools import accumulate
from typing import Any

import pytest

from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.json_shape import deepest_nesting
from csbond.transport.body import read_json
from csbond.transport.limits import TransportLimits
from csbond_tests.requirements import requirement

V1_0 = {"A2A-Version": "1.0", "content-type": "application/json"}
PLACES = ("/", "/message:send", "/v1/message:send")


def wrapped(place: str, part: str) -> bytes:
    """A message with one part, given as JSON text, in the dialect of a place."""
    if place == "/":
        call = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message_with("parts")}}
        return json.dumps(call).replace('"PART"', part).encode()
    name = "parts" if place == "/message:send" else "content"
    return json.dumps({"message": message_with(name)}).replace('"PART"', part).encode()


def message_with(name: str) -> dict[str, Any]:
    return {"messageId": "m-bad", "role": "ROLE_USER", name: ["PART"]}


async def refusal(node, place: str, body: Any, **headers: str) -> tuple[int, str]:
    """The status and the code of a body that must be refused; nothing of it is kept, and the node goes on."""
    before = await node.counts()
    stated = V1_0 if place != "/v1/message:send" else {"content-type": "application/json"}
    async with node.client(node.token) as http:
        answer = await http.post(place, content=body, headers={**stated, **headers})
        assert (await http.get("/health")).status_code == 200
    assert await node.counts() == before
    assert "Traceback" not in answer.text
    error = answer.json()["error"]
    details = error["data" if place == "/" else "details"]
    return answer.status_code, details[0]["metadata"]["csb_code"]


def parse_error(place: str) -> tuple[int, str]:
    return (200 if place == "/" else 400), "parse_error"


@requirement("A2A-RPC-005", "FAULT-21")
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "body",
    [
        b"\xff\xfe",
        b'{"a": "\xff"}',
        b'{"a": "\xc3"}',
        b'{"a": "\xed\xa0\x80"}',
        b"\xef\xbb\xbf{}",
        '{"a": "ü"}'.encode("utf-16"),
        b'{"a": 1e999}',
        b"NaN",
        b"\x00",
        b'{"a": "\x01"}',
        b"{'a': 1}",
    ],
)
async def test_bytes_that_are_no_json_in_utf_8_are_a_parse_error(node, place: str, body: bytes) -> None:
    assert await refusal(node, place, body) == parse_error(place)


@requirement("FAULT-21")
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("part", [r'{"text": "\ud800"}', r'{"text": "\udc00a"}', r'{"data": {"\ud800": 1}}'])
async def test_half_a_surrogate_is_a_parse_error(node, place: str, part: str) -> None:
    assert await refusal(node, place, wrapped(place, part)) == parse_error(place)


@requirement("FAULT-21")
@pytest.mark.parametrize("place", PLACES)
async def test_a_whole_surrogate_pair_is_a_character(node, place: str) -> None:
    async with node.client(node.token) as http:
        headers = V1_0 if place != "/v1/message:send" else {"content-type": "application/json"}
        answer = await http.post(place, content=wrapped(place, r'{"text": "\ud83c\udf38"}'), headers=headers)
    assert "🌸" in answer.text


@requirement("A2A-DATA-008", "FAULT-21")
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("levels", [65, 1000, 200_000])
@pytest.mark.parametrize("brackets", ["[]", "{}"])
async def test_deep_nesting_is_a_parse_error(node, place: str, levels: int, brackets: str) -> None:
    opening = "[" if brackets == "[]" else '{"a":'
    deep = opening * levels + "1" + brackets[1] * levels
    assert await refusal(node, place, wrapped(place, '{"data": DEEP}'.replace("DEEP", deep))) == parse_error(place)


@requirement("A2A-DATA-008")
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("nested", ["[" * 55 + "]" * 55, '{"text": "' + "[{" * 5000 + '"}'])
async def test_what_nests_less_or_only_looks_so_is_taken(node, place: str, nested: str) -> None:
    part = nested if nested.startswith("{") else '{"data": {"a": DEEP}}'.replace("DEEP", nested)
    headers = V1_0 if place != "/v1/message:send" else {"content-type": "application/json"}
    async with node.client(await node.somebody()) as http:
        answer = await http.post(place, content=wrapped(place, part), headers=headers)
    assert answer.status_code == 200
    assert "error" not in answer.json()


@pytest.mark.parametrize(
    "text, depth",
    [
        (b"1", 0),
        (b"[]", 1),
        (b'{"a": [1, {}]}', 3),
        (b'{"a": [1, {}], "b": [[], []], "c": {}}', 3),
        (b"[[],[],[],[],[[]]]", 3),
        (b'"[[["', 0),
        (rb'["\"[[", "\\", "[["]', 1),
        (rb'["\\\"[[[[", {}]', 2),
        (b"[" * 50 + b"1" + b"]" * 50, 50),
        (b'{"a":' * 50 + b"1" + b"}" * 50, 50),
    ],
)
def test_brackets_are_counted_as_deep_as_they_nest_and_not_inside_of_texts(text: bytes, depth: int) -> None:
    assert deepest_nesting(text) == depth


@pytest.mark.parametrize("text", [b"[" * 100, b"[{" * 50, b"]" * 10 + b"[" * 100, b"[[]" * 100])
def test_brackets_that_are_never_closed_count_as_deep(text: bytes) -> None:
    assert deepest_nesting(text) > 64


ZEROS = ",".join(["0"] * 1000)


@requirement("A2A-DATA-008", "FAULT-22")
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "part",
    [
        '{"data": [ZEROS]}',
        '{"data": {"a": [LISTS]}}',
        '{"data": [TEXTS]}',
        '{"text": "hi", "metadata": {"a": [ZEROS]}}',
        '{"text": "hi", "unknown": [ZEROS]}',
    ],
)
async def test_more_values_than_the_limit_are_refused(serve, place: str, part: str) -> None:
    node = await serve(json_values=1000)
    lists, texts = ",".join(["[[]]"] * 400), ",".join(['""'] * 2000)
    part = part.replace("ZEROS", ZEROS).replace("LISTS", lists).replace("TEXTS", texts)
    assert await refusal(node, place, wrapped(place, part)) == (413, "body_too_large")


@requirement("A2A-DATA-008", "FAULT-22")
@pytest.mark.parametrize("place", PLACES)
async def test_more_parts_than_the_limit_are_refused(serve, place: str) -> None:
    node = await serve(message_parts=10)
    body = wrapped(place, ",".join(['{"text": "hi"}'] * 11))
    assert await refusal(node, place, body) == (413, "body_too_large")


@requirement("A2A-DATA-008", "FAULT-22")
@pytest.mark.parametrize("place", PLACES)
async def test_other_lists_of_a_message_are_bounded_as_well(serve, place: str) -> None:
    node = await serve(message_parts=10)
    body = wrapped(place, '{"text": "hi"}').replace(b'"messageId"', b'"extensions": LIST, "messageId"')
    listed = json.dumps(["https://example.org/"] * 11).encode()
    assert await refusal(node, place, body.replace(b"LIST", listed)) == (413, "body_too_large")


@requirement("A2A-DATA-008")
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("part", ['{"data": [0,0,0,0,0]}', '{"text": "TEXT"}', ",".join(['{"text": "hi"}'] * 10)])
async def test_as_many_values_and_parts_as_the_limits_are_taken(serve, place: str, part: str) -> None:
    node = await serve(json_values=40, message_parts=10)
    text = r"a, [b], {c}, \\\", " * 100
    headers = V1_0 if place != "/v1/message:send" else {"content-type": "application/json"}
    async with node.client(node.token) as http:
        answer = await http.post(place, content=wrapped(place, part.replace("TEXT", text)), headers=headers)
    assert answer.status_code == 200
    assert "error" not in answer.json()


@pytest.mark.parametrize(
    "body, code",
    [
        (b"[" * 65 + b"]" * 100_000, "parse_error"),
        (b"]" * 100_000, "parse_error"),
        (b"[" * 100_000, "parse_error"),
        (b'"' * 100_000, "parse_error"),
        (b"," * 100_000, "body_too_large"),
        (b"[" + b",".join([b"[" * 50 + b"]" * 50] * 100) + b"]", "body_too_large"),
        (b"[" + b",".join([b"[" * 64 + b"]" * 64] * 5) + b"]", "parse_error"),
    ],
)
def test_nothing_is_looped_over_that_was_not_counted(monkeypatch, body: bytes, code: str) -> None:
    looped: list[int] = []

    def noted(runs: Any) -> Any:
        counted = list(runs)
        looped.append(len(counted))
        return accumulate(counted)

    monkeypatch.setattr("csbond.protocol.json_shape.accumulate", noted)
    with pytest.raises(RemoteProtocolError) as fault:
        read_json(body, TransportLimits(json_values=1000))
    assert fault.value.code.name == code
    assert sum(looped) <= 1001


@requirement("A2A-DATA-008", "FAULT-22")
@pytest.mark.parametrize("place", PLACES)
async def test_a_body_beyond_the_limit_is_refused_by_its_stated_length(serve, place: str) -> None:
    node = await serve(body_bytes=2000)
    body = wrapped(place, json.dumps({"text": "x" * 3000}))
    assert await refusal(node, place, body) == (413, "body_too_large")


async def go_on(writer: asyncio.StreamWriter, chunk: bytes) -> None:
    while True:
        writer.write(chunk)
        await writer.drain()


@requirement("A2A-DATA-008", "FAULT-22")
@pytest.mark.parametrize("place", PLACES)
async def test_a_body_without_end_is_refused_as_it_comes_and_hung_up_on(serve, place: str) -> None:
    node = await serve(body_bytes=2000, header_timeout_s=0.2)
    before = await node.counts()
    head = f"POST {place} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\ncontent-type: application/json\r\n"
    if place != "/v1/message:send":
        head += "a2a-version: 1.0\r\n"
    chunk = b"3e8\r\n" + b" " * 1000 + b"\r\n"
    reader, writer = await asyncio.open_connection("127.0.0.1", node.port)
    try:
        writer.write(head.encode() + b"\r\n" + 3 * chunk)
        answer = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
        assert answer.startswith(b"HTTP/1.1 413 ")
        answer = await asyncio.wait_for(reader.readuntil(b"}"), 10)
        assert b"body_too_large" in answer or b"BODY_TOO_LARGE" in answer
        with pytest.raises(ConnectionError):
            await asyncio.wait_for(go_on(writer, chunk), 20)
    finally:
        writer.close()
        await asyncio.gather(writer.wait_closed(), return_exceptions=True)
    assert await node.counts() == before


@requirement("A2A-DATA-008")
@pytest.mark.parametrize("place", PLACES)
async def test_a_body_of_just_the_limit_is_taken(serve, place: str) -> None:
    node = await serve(body_bytes=2000)
    body = wrapped(place, '{"text": "hi"}').ljust(2000)
    headers = V1_0 if place != "/v1/message:send" else {"content-type": "application/json"}
    async with node.client(node.token) as http:
        answer = await http.post(place, content=body, headers=headers)
    assert answer.status_code == 200
    assert "error" not in answer.json()


@requirement("A2A-DATA-008")
@pytest.mark.parametrize("place", PLACES)
async def test_files_beyond_their_limit_are_refused(serve, place: str) -> None:
    node = await serve(file_bytes=10)
    part = (
        '{"raw": "MDEyMzQ1Njc4OTA="}'
        if place != "/v1/message:send"
        else '{"file": {"fileWithBytes": "MDEyMzQ1Njc4OTA="}}'
    )
    assert await refusal(node, place, wrapped(place, part)) == (413, "body_too_large")


@requirement("A2A-DATA-008")
@pytest.mark.parametrize("length", ["-1", "abc", "1e3", "99999999999999999999999"])
async def test_an_odd_content_length_breaks_nothing(node, length: str) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", node.port)
    writer.write(
        f"POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{{}}".encode()
    )
    await writer.drain()
    answer = await asyncio.wait_for(reader.read(4096), 10)
    assert answer.startswith((b"HTTP/1.1 4", b"HTTP/1.1 413"))
    writer.close()
    await writer.wait_closed()


@requirement("A2A-DATA-008")
async def test_a_large_message_within_the_limits_is_answered_whole(node) -> None:
    text = "长" * 100_000
    async with node.client(await node.somebody(), **V1_0) as http:
        message = {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": text}]}
        answer = (await http.post("/message:send", json={"message": message})).json()
    assert answer["task"]["artifacts"][0]["parts"] == [{"text": text}]
