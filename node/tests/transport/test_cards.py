"""The agent card as it is served: complete, signed, cached, and true for old and new clients."""

from __future__ import annotations

import base64
import json
from typing import Any

import jwt
import pytest
from a2a.compat.v0_3 import types as v0_3
from a2a.types import a2a_pb2 as pb
from a2a.utils.proto_utils import validate_proto_required_fields
from a2a.utils.signing import InvalidSignaturesError, create_signature_verifier
from google.protobuf.json_format import ParseDict

from csbond_tests.requirements import requirement
from csbond_tests.speakers import SaidNo

PATHS = ("/.well-known/agent-card.json", "/.well-known/agent.json")
NEW, OLD = PATHS


async def get(node, path: str = NEW, verb: str = "GET", token: str = "", **headers: str) -> Any:
    async with node.client(token, **headers) as http:
        return await http.request(verb, path, follow_redirects=False)


async def key_of(node, key_id: str) -> Any:
    """The key of an id at the place the card names."""
    (key,) = [each for each in (await get(node, "/.well-known/jwks.json")).json()["keys"] if each["kid"] == key_id]
    return jwt.PyJWK.from_dict(key)


async def verify(node, document: dict[str, Any]) -> None:
    """The check of the official SDK, with the key at the place the signature names."""
    card = ParseDict(document, pb.AgentCard(), ignore_unknown_fields=True)
    key = await key_of(node, (await header_of(node, document))["kid"])
    create_signature_verifier(lambda _kid, _jku: key.key, ["EdDSA"])(card)


async def header_of(node, document: dict[str, Any]) -> dict[str, Any]:
    protected = document["signatures"][0]["protected"]
    header: dict[str, Any] = json.loads(base64.urlsafe_b64decode(protected + "=" * (-len(protected) % 4)))
    return header


@requirement("A2A-CARD-001", "DRAFT-013", "FAULT-12")
@pytest.mark.parametrize("path", PATHS)
async def test_the_card_is_at_both_places_without_a_redirect(node, path: str) -> None:
    answer = await get(node, path)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert answer.content == (await get(node, NEW)).content


@requirement("A2A-CARD-001", "FAULT-15")
async def test_the_card_is_complete_by_the_types_of_1_0(node) -> None:
    document = (await get(node)).json()
    card = ParseDict(document, pb.AgentCard(), ignore_unknown_fields=True)
    validate_proto_required_fields(card)
    assert card.name == "Luna"
    assert card.skills[0].id == "played"


@requirement("V03-012", "FAULT-15")
@pytest.mark.parametrize("path", PATHS)
async def test_the_card_is_complete_by_the_types_of_0_3(node, path: str) -> None:
    card = v0_3.AgentCard.model_validate((await get(node, path)).json())
    assert card.url == node.url
    assert card.preferred_transport == "JSONRPC"
    assert (card.protocol_version or "").startswith("0.3")
    assert {each.transport: each.url for each in card.additional_interfaces or []}["HTTP+JSON"] == node.url
    assert card.supports_authenticated_extended_card is True


@requirement("V03-012", "A2A-CARD-001")
async def test_a_node_may_serve_a_pure_card_of_1_0(serve) -> None:
    node = await serve(merged_card=False)
    document = (await get(node)).json()
    ParseDict(document, pb.AgentCard())
    assert {each["protocolVersion"] for each in document["supportedInterfaces"]} == {"1.0"}


@requirement("A2A-CARD-002", "FAULT-35")
async def test_every_interface_of_the_card_answers_in_its_version(node, speak) -> None:
    interfaces = (await get(node)).json()["supportedInterfaces"]
    assert (interfaces[0]["protocolBinding"], interfaces[0]["protocolVersion"]) == ("JSONRPC", "1.0")
    kinds = {(each["protocolBinding"], each["protocolVersion"]) for each in interfaces}
    bindings = {"JSONRPC", "HTTP+JSON"} | ({"GRPC"} if node.grpc else set())
    assert kinds == {(binding, version) for binding in bindings for version in ("1.0", "0.3")}
    for each in interfaces:
        if each["protocolBinding"] == "GRPC":
            scheme = "" if each["protocolVersion"] == "1.0" else "http://"
            assert each["url"] == scheme + node.grpc
            continue
        binding = each["protocolBinding"].lower().replace("jsonrpc", "json-rpc")
        speaker = await speak(node, f"{binding} {each['protocolVersion']}", node.token)
        speaker.http.base_url = each["url"]
        message = {"messageId": f"m-{each}"[:60], "role": "ROLE_USER", "parts": [{"text": "hi"}]}
        assert (await speaker.send(message))["task"]


@requirement("A2A-CARD-003", "NODE-001")
async def test_the_card_is_signed_and_the_check_of_the_sdk_finds_it_so(node) -> None:
    document = (await get(node)).json()
    header = await header_of(node, document)
    assert header["alg"] == "EdDSA"
    assert header["typ"] == "JOSE"
    assert header["jku"] == f"{node.url}/.well-known/jwks.json"
    await verify(node, document)


@requirement("A2A-CARD-003")
@pytest.mark.parametrize("change", [{"name": "Mira"}, {"version": "9"}, {"supportedInterfaces": []}])
async def test_a_changed_card_is_found_out(node, change: dict[str, Any]) -> None:
    with pytest.raises(InvalidSignaturesError):
        await verify(node, {**(await get(node)).json(), **change})


@requirement("A2A-CARD-003", "A2A-CARD-005")
async def test_the_extended_card_is_signed_as_well(node, speak) -> None:
    owner = await speak(node, "http+json 1.0", node.token)
    await verify(node, await owner.card())


@requirement("NODE-001")
async def test_the_published_keys_have_no_private_half(node) -> None:
    document = (await get(node, "/.well-known/jwks.json")).json()
    (key,) = document["keys"]
    assert (key["kty"], key["crv"], key["alg"], key["use"]) == ("OKP", "Ed25519", "EdDSA", "sig")
    assert "d" not in key


@requirement("A2A-CARD-004", "FAULT-12")
@pytest.mark.parametrize("path", PATHS)
async def test_a_card_that_did_not_change_is_not_sent_again(node, path: str) -> None:
    first = await get(node, path)
    assert "max-age=" in first.headers["cache-control"]
    assert first.headers["last-modified"].endswith("GMT")
    etag = first.headers["etag"]
    assert (etag[0], etag[-1]) == ('"', '"')
    for known in (etag, f'"other", {etag}', f"W/{etag}", "*"):
        again = await get(node, path, **{"if-none-match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag), known
    assert (await get(node, path, **{"if-none-match": '"other"'})).status_code == 200


@requirement("FAULT-12")
@pytest.mark.parametrize("path", PATHS)
async def test_the_head_of_a_card_is_that_of_the_card(node, path: str) -> None:
    whole, head = await get(node, path), await get(node, path, "HEAD")
    assert (head.status_code, head.content) == (200, b"")
    for name in ("etag", "last-modified", "cache-control", "content-type", "content-length"):
        assert head.headers[name] == whole.headers[name]
    assert (await get(node, path, "HEAD", **{"if-none-match": whole.headers["etag"]})).status_code == 304


@requirement("A2A-CARD-006")
async def test_the_capabilities_are_those_the_node_has(serve) -> None:
    node = await serve(enabled=False)
    capabilities = (await get(node)).json()["capabilities"]
    assert capabilities["streaming"] is True
    assert capabilities.get("pushNotifications", False) is False
    assert capabilities["extendedAgentCard"] is True


@requirement("A2A-CARD-006")
async def test_a_node_without_an_extended_card_says_so_and_refuses_it(serve, speak) -> None:
    node = await serve(extended_card=False)
    document = (await get(node)).json()
    assert document["capabilities"].get("extendedAgentCard", False) is False
    assert document.get("supportsAuthenticatedExtendedCard", False) is False
    for binding in ("json-rpc 1.0", "http+json 1.0"):
        owner = await speak(node, binding, node.token)
        with pytest.raises(SaidNo) as refused:
            await owner.card()
        assert refused.value.name == "unsupported_operation"


@requirement("A2A-EXT-001")
async def test_the_extensions_of_the_node_have_their_version_in_their_uri(node) -> None:
    extensions = (await get(node)).json()["capabilities"]["extensions"]
    names = {each["uri"].rpartition("/ext/")[2] for each in extensions}
    assert names >= {"session-context/v1", "sender/v1", "identity/v1"}
    assert all(not each.get("required", False) for each in extensions)


@requirement("A2A-CARD-007")
async def test_no_card_holds_a_secret_or_the_place_of_the_home(node, speak) -> None:
    public = (await get(node)).text
    extended = json.dumps(await (await speak(node, "json-rpc 1.0", node.token)).card())
    seed = (node.node.home.path / "node.key").read_text().strip()
    for text in (public, extended):
        for secret in (node.token, seed, str(node.node.home.path)):
            assert secret not in text


@requirement("FAULT-13")
async def test_forwarded_headers_of_a_stranger_change_nothing(node) -> None:
    answer = await get(node, **{"x-forwarded-host": "evil.example", "x-forwarded-proto": "https"})
    assert "evil.example" not in answer.text


@requirement("FAULT-13", "A2A-CARD-003")
async def test_behind_a_trusted_proxy_the_card_names_the_outside_address_and_is_signed_with_it(serve) -> None:
    node = await serve(trusted_proxies=("127.0.0.1",))
    proxied = {"x-forwarded-host": "agent.example", "x-forwarded-proto": "https", "x-forwarded-prefix": "/luna"}
    document = (await get(node, **proxied)).json()
    urls = [each["url"] for each in document["supportedInterfaces"] if each["protocolBinding"] != "GRPC"]
    assert all(url.startswith("https://agent.example/luna") for url in urls)
    assert (await header_of(node, document))["jku"] == "https://agent.example/luna/.well-known/jwks.json"
    await verify(node, document)
    assert node.url in (await get(node)).text


@requirement("FAULT-13")
async def test_an_address_that_is_set_is_always_the_one_in_the_card(serve) -> None:
    node = await serve(trusted_proxies=("127.0.0.1",), base_url="https://luna.example")
    # `served` builds the application for the address it listens at; what is set there wins over headers.
    document = (await get(node, **{"x-forwarded-host": "other.example"})).json()
    assert "other.example" not in json.dumps(document)
