"""A protobuf request with more values or parts than the limit is refused before anything goes through them."""

from __future__ import annotations

from typing import Any

import pytest
from a2a.types import a2a_pb2 as pb
from google.protobuf.json_format import ParseDict

from csbond.protocol.errors import RemoteProtocolError
from csbond.transport.limits import TransportLimits
from csbond.transport.request_size import check_size
from csbond_tests.bindings import HAS_GRPC
from csbond_tests.requirements import requirement
from csbond_tests.speakers import SaidNo

LIMITS = TransportLimits(json_values=50, message_parts=5)
HELLO: dict[str, Any] = {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hi"}]}
MANY: list[dict[str, Any]] = [
    {"parts": [{"data": [0] * 60}]},
    {"parts": [{"data": {"a": {"b": [[]] * 60}}}]},
    {"parts": [{"data": {str(number): None for number in range(60)}}]},
    {"parts": [{"data": [[0] * 20] * 3}]},
    {"metadata": {"a": [0] * 60}},
    {"parts": [{"text": "hi", "metadata": {"a": [0] * 60}}]},
    {"referenceTaskIds": ["t"] * 60},
    {"parts": [{"text": "hi"}] * 6},
]


@requirement("A2A-DATA-008", "FAULT-22")
@pytest.mark.parametrize("much", MANY, ids=lambda much: str(much)[:40])
def test_more_values_or_parts_than_the_limit_are_refused(much: dict[str, Any]) -> None:
    request = ParseDict({"message": {**HELLO, **much}}, pb.SendMessageRequest())
    with pytest.raises(RemoteProtocolError) as fault:
        check_size(request, LIMITS)
    assert fault.value.code.name == "body_too_large"


def test_as_much_as_the_limits_is_taken() -> None:
    parts: list[Any] = [{"data": [0, "a", None, {"b": [True]}]}, {"url": "https://example.org/"}] * 2 + [{"text": "hi"}]
    check_size(ParseDict({"message": {**HELLO, "parts": parts}}, pb.SendMessageRequest()), LIMITS)


@requirement("A2A-DATA-008", "FAULT-22")
@pytest.mark.skipif(not HAS_GRPC, reason="the extra `grpc` is not installed; `make setup` installs it")
@pytest.mark.parametrize("binding", ["grpc 1.0", "grpc 0.3"], indirect=True)
@pytest.mark.parametrize("much", [{"parts": [{"data": {"a": [0] * 60}}]}, {"parts": [{"text": "hi"}] * 6}], ids=str)
async def test_nothing_of_them_is_read_or_kept(serve, speak, binding, much, monkeypatch) -> None:
    read: list[Any] = []
    monkeypatch.setattr("csbond.transport.request_handler.json_of", read.append)
    node = await serve(grpc=True, json_values=50, message_parts=5)
    before = await node.counts()
    client = await speak(node, binding)
    with pytest.raises(SaidNo) as refused:
        await client.send({**HELLO, **much})
    with pytest.raises(SaidNo) as refused_stream:
        async for _ in client.stream({**HELLO, **much}):
            pass
    assert (refused.value.status, refused_stream.value.status) == ("INVALID_ARGUMENT", "INVALID_ARGUMENT")
    assert not read
    assert await node.counts() == before
