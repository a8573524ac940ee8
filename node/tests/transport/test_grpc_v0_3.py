"""The gRPC service of v0.3 refuses what the rewriting of the SDK would misread, and says which field is wrong."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from csbond_tests.bindings import HAS_GRPC
from csbond_tests.requirements import requirement
from csbond_tests.stories import echo

pytestmark = pytest.mark.skipif(not HAS_GRPC, reason="the extra `grpc` is not installed; `make setup` installs it")

if HAS_GRPC:
    import grpc
    import grpc.aio
    from a2a.compat.v0_3 import a2a_v0_3_pb2 as pb
    from a2a.compat.v0_3 import a2a_v0_3_pb2_grpc

    from csbond.transport.grpc_v0_3 import as_base64


def request(**facts: Any) -> Any:
    whole: dict[str, Any] = {"message_id": "m-1", "role": pb.ROLE_USER, "content": [pb.Part(text="hi")]}
    return pb.SendMessageRequest(request=pb.Message(**(whole | facts)))


@requirement("V03-019", "V03-014")
@pytest.mark.parametrize(
    "facts, field",
    [
        ({"message_id": ""}, "message.message_id"),
        ({"role": 0}, "message.role"),
        ({"role": 7}, "message.role"),
        ({"content": [{}]}, "message.content[]"),
        ({"content": []}, "message.parts"),
    ],
)
async def test_a_message_that_cannot_be_read_is_an_invalid_argument(node, facts: dict[str, Any], field: str) -> None:
    before = await node.counts()
    async with grpc.aio.insecure_channel(node.grpc) as channel:
        stub = a2a_v0_3_pb2_grpc.A2AServiceStub(channel)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await stub.SendMessage(request(**facts))
        with pytest.raises(grpc.aio.AioRpcError) as refused_stream:
            async for _ in stub.SendStreamingMessage(request(**facts)):
                pass
    for fault in (refused.value, refused_stream.value):
        assert fault.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert field in (fault.details() or "")
    assert await node.counts() == before


@requirement("V03-023")
@pytest.mark.parametrize("content", [b"\x00\xff picture", base64.b64encode(b"picture")])
async def test_a_file_is_read_from_its_bytes_and_from_their_base64(node, content: bytes) -> None:
    node.play(echo)
    part = pb.Part(file=pb.FilePart(file_with_bytes=content, mime_type="image/png", name="a.png"))
    async with grpc.aio.insecure_channel(node.grpc) as channel:
        stub = a2a_v0_3_pb2_grpc.A2AServiceStub(channel)
        answer = await stub.SendMessage(request(content=[part]))
    (given,) = answer.task.artifacts[0].parts
    assert given.file.file_with_bytes == as_base64(content)
    assert (given.file.mime_type, given.file.name) == ("image/png", "a.png")


@requirement("V03-023")
def test_base64_stays_as_it_is() -> None:
    assert as_base64(b"aGk=") == b"aGk="
    assert as_base64(b"hi!") == b"aGkh"
