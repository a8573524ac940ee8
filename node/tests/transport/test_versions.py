"""Which version is spoken where: header, query and metadata, in every binding and dialect."""

from __future__ import annotations

from typing import Any

import pytest

from csbond_tests.bindings import BINDINGS, as_said
from csbond_tests.requirements import requirement
from csbond_tests.speakers import HttpSpeaker, RpcSpeaker, SaidNo

HELLO = {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hi"}]}
OLD_HELLO = {"kind": "message", "messageId": "m", "role": "user", "parts": [{"kind": "text", "text": "hi"}]}
HTTP_OLD_HELLO = {"messageId": "m", "role": "ROLE_USER", "content": [{"text": "hi"}]}
VERSIONS = ("", "0.3", "1.0", "1.0.0", "1.7", "2.0", "junk")
FIT_NEW = {"1.0", "1.0.0"}
FIT_OLD = {"", "0.3", "1.0", "1.0.0"}
NEW = ("json-rpc 1.0", "http+json 1.0")
HTTP = [each for each in BINDINGS if isinstance(each, str)]
GRPC = [each for each in BINDINGS if not isinstance(each, str)]


async def ask(node, binding: str, headers: dict[str, str], query: str) -> Any:
    """The refusal's number or status, or nothing, of a message sent with a version in header and query."""
    async with node.client(node.token) as http:
        if binding.startswith("json-rpc"):
            method, message = ("SendMessage", HELLO) if binding == "json-rpc 1.0" else ("message/send", OLD_HELLO)
            body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"message": message}}
            answer = (await http.post(f"/{query}", json=body, headers=headers)).json()
            return answer.get("error", {}).get("code")
        path, message = ("", HELLO) if binding == "http+json 1.0" else ("/v1", HTTP_OLD_HELLO)
        answer = await http.post(f"{path}/message:send{query}", json={"message": message}, headers=headers)
        if answer.status_code == 200:
            return None
        assert answer.json()["error"]["details"][0]["reason"] == "VERSION_NOT_SUPPORTED"
        return answer.status_code


@requirement("A2A-VER-001", "A2A-VER-002", "A2A-VER-003", "A2A-VER-004", "FAULT-11", "FAULT-34")
@pytest.mark.parametrize("place", ["header", "query"])
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("binding", HTTP)
async def test_a_version_is_looked_at_wherever_it_is_stated(node, binding: str, version: str, place: str) -> None:
    headers = {"A2A-Version": version} if place == "header" and version else {}
    query = f"?A2A-Version={version}" if place == "query" and version else ""
    fits = version in (FIT_NEW if binding in NEW else FIT_OLD)
    refused = -32009 if binding.startswith("json-rpc") else 400
    assert await ask(node, binding, headers, query) == (None if fits else refused)


@requirement("A2A-VER-003")
@pytest.mark.parametrize("binding", NEW)
async def test_the_header_counts_before_the_query(node, binding: str) -> None:
    assert await ask(node, binding, {"A2A-Version": "1.0"}, "?A2A-Version=2.0") is None
    assert await ask(node, binding, {"A2A-Version": "2.0"}, "?A2A-Version=1.0") is not None


@requirement("A2A-VER-001", "A2A-VER-002", "A2A-VER-004", "A2A-GRPC-002", "FAULT-11")
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("binding", GRPC, indirect=True)
async def test_a_version_is_looked_at_in_the_metadata_of_a_call(node, speak, binding: str, version: str) -> None:
    speaker = await speak(node, binding, node.token)
    speaker.metadata = tuple(pair for pair in speaker.metadata if pair[0] != "a2a-version")
    if version:
        speaker.metadata += (("a2a-version", version),)
    for answer in (speaker.get("no-such-task"), anext(speaker.subscribe("no-such-task")), speaker.card()):
        try:
            found = "answered" if await answer else "nothing"
        except SaidNo as refused:
            found = refused.name
        fits = version in (FIT_NEW if binding == "grpc 1.0" else FIT_OLD)
        assert (found != as_said(binding, "version_not_supported")) == fits, found


@requirement("A2A-VER-001")
async def test_the_draft_dialect_is_answered_whichever_version_its_clients_send(node) -> None:
    params = {"message": {"role": "user", "parts": [{"text": "hi"}]}}
    async with node.client() as http:
        for version in ("", "0.3", "0.6", "1.0"):
            body = {"jsonrpc": "2.0", "id": 1, "method": "tasks/send", "params": params}
            answer = await http.post("/", json=body, headers={"A2A-Version": version} if version else {})
            assert "result" in answer.json(), version


@requirement("A2A-VER-002")
async def test_a_lenient_node_takes_calls_of_1_0_without_a_version(serve) -> None:
    node = await serve(lenient_version=True)
    for binding in NEW:
        assert await ask(node, binding, {}, "") is None
        assert await ask(node, binding, {"A2A-Version": "0.3"}, "") is not None


@requirement("A2A-EXT-003", "FAULT-24")
async def test_a_required_extension_must_be_declared(serve, speak, binding) -> None:
    uri = "https://ext.example/must/v1"
    node = await serve(required_extensions=(uri,), grpc=binding.startswith("grpc"))
    message = {**HELLO, "messageId": "m-2"}
    for headers in ({}, {"a2a-extensions": "https://ext.example/other/v1"}):
        speaker = await speak(node, binding, node.token, **headers)
        for answer in (speaker.send(message), anext(speaker.stream(message))):
            with pytest.raises(SaidNo) as refused:
                await answer
            assert refused.value.name == as_said(binding, "extension_support_required")
    declared = await speak(node, binding, node.token, **{"a2a-extensions": f"https://ext.example/other/v1, {uri}"})
    assert (await declared.send(message))["task"]


@requirement("A2A-SEND-022")
async def test_a_node_may_be_set_to_refuse_media_types_its_card_does_not_list(serve, speak, binding) -> None:
    node = await serve(validate_modes=True, input_modes=("text/plain",), grpc=binding.startswith("grpc"))
    speaker = await speak(node, binding, node.token)
    image = {"raw": "aGk=", "mediaType": "image/png"}
    for answer in (speaker.send({**HELLO, "parts": [image]}), anext(speaker.stream({**HELLO, "parts": [image]}))):
        with pytest.raises(SaidNo) as refused:
            await answer
        assert refused.value.name == as_said(binding, "content_type_not_supported")
    assert (await speaker.send(HELLO))["task"]


@requirement("A2A-EXT-003", "A2A-EXT-001")
async def test_a_required_extension_is_in_the_card(serve) -> None:
    uri = "https://ext.example/must/v1"
    node = await serve(required_extensions=(uri,))
    async with node.client() as http:
        card = (await http.get("/.well-known/agent-card.json")).json()
    assert {"uri": uri, "required": True} in card["capabilities"]["extensions"]


@requirement("A2A-EXT-003")
async def test_extensions_may_come_in_several_headers_and_under_their_old_name(serve) -> None:
    first, second = "https://ext.example/a/v1", "https://ext.example/b/v1"
    node = await serve(required_extensions=(first, second))
    async with node.client(node.token) as http:
        headers = [("A2A-Version", "1.0"), ("A2A-Extensions", first), ("X-A2A-Extensions", second)]
        answer = await http.post("/message:send", json={"message": HELLO}, headers=headers)
    assert answer.status_code == 200


@requirement("A2A-EXT-002")
async def test_an_unknown_extension_is_ignored(node, speak, binding) -> None:
    speaker = await speak(node, binding, await node.somebody(), **{"a2a-extensions": "https://ext.example/new/v9"})
    assert (await speaker.send(HELLO))["task"]


@requirement("A2A-EXT-001", "A2A-SEND-018")
async def test_what_an_extension_adds_to_a_message_comes_back(node, speak, binding) -> None:
    uri = "https://ext.example/geo/v1"
    speaker = await speak(node, binding, await node.somebody())
    message = {**HELLO, "extensions": [uri], "metadata": {uri: {"latitude": 47.5, "names": ["a", "b"]}}}
    task = (await speaker.send(message))["task"]
    assert task["history"][0]["extensions"] == [uri]
    assert task["history"][0]["metadata"] == message["metadata"]


@requirement("FAULT-20")
async def test_a_tenant_stands_before_the_path_or_in_the_params(node) -> None:
    async with node.client(await node.somebody()) as http:
        below = HttpSpeaker(http, "/some-tenant")
        task = (await below.send(HELLO))["task"]
        assert (await below.get(task["id"]))["id"] == task["id"]
        assert [each["id"] for each in (await below.list())["tasks"]] == [task["id"]]
        assert (await below.cancel(task["id"]))["status"]["state"] == "TASK_STATE_CANCELED"
        rpc = RpcSpeaker(http)
        assert (await rpc.get(task["id"], tenant="some-tenant"))["id"] == task["id"]
