"""`csb card` shows a card and believes its signature only by a key of the place it came from."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from a2a.types import AgentCard
from a2a.utils.signing import create_agent_card_signer
from google.protobuf.json_format import MessageToDict, ParseDict

from csbond.cli import card_check
from csbond.config.node_key import NodeKey
from csbond_tests.played_node import NO_ADDRESSES, Played, played
from csbond_tests.requirements import requirement

CARD = {
    "name": "Bo \x1b[31m",
    "description": "plays an agent",
    "version": "1",
    "supportedInterfaces": [{"url": "http://a.example", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
    "capabilities": {"streaming": True, "extensions": [{"uri": "https://ext.example/v1", "required": True}]},
    "defaultInputModes": ["text/plain"],
    "defaultOutputModes": ["text/plain"],
    "skills": [{"id": "tea", "name": "Tea", "description": "makes tea", "tags": ["tea"]}],
}
PATH = "GET /.well-known/agent-card.json"


def signed(key: NodeKey, jku: str | None, kid: str = "k") -> dict[str, Any]:
    header: Any = {"alg": "EdDSA", "typ": "JOSE", "kid": kid} | ({"jku": jku} if jku else {})
    card = create_agent_card_signer(key.private_pem().decode(), header)(ParseDict(CARD, AgentCard()))
    return MessageToDict(card)


def keys(key: NodeKey, kid: str = "k") -> dict[str, Any]:
    public = base64.urlsafe_b64encode(key.public_key).rstrip(b"=").decode()
    return {"keys": ["odd", {"kty": "OKP", "crv": "Ed25519", "x": public, "kid": kid, "alg": "EdDSA"}]}


@pytest.fixture
def key() -> NodeKey:
    return NodeKey.generate()


@pytest.fixture
def verdict(csb, server: Played) -> Callable[[], tuple[int, str, str]]:
    def ask() -> tuple[int, str, str]:
        ended = csb("card", server.url, "--json")
        return ended.status, ended.json["signature"]["verdict"], ended.json["signature"]["reason"]

    return ask


def test_a_card_is_shown_with_what_it_offers(csb, server, key) -> None:
    server.answer(PATH, signed(key, f"{server.url}/keys"))
    server.answer("GET /keys", keys(key))
    ended = csb("card", server.url)
    assert ended.status == 0
    assert "Bo \\x1b[31m" in ended.out
    assert "Tea: makes tea" in ended.out
    assert "https://ext.example/v1 (required)" in ended.out
    assert "valid: signed by a key of the place the card came from" in ended.out


def test_with_json_the_card_is_shown_as_it_is_served(csb, server, key) -> None:
    document = signed(key, f"{server.url}/keys") | {"url": "http://a.example", "unknown": [1]}
    server.answer(PATH, document)
    server.answer("GET /keys", keys(key))
    shown = csb("card", server.url, "--json").json
    assert shown["card"] == document
    assert shown["signature"] == {
        "verdict": "valid",
        "reason": "signed by a key of the place the card came from",
        "key_id": "k",
    }


def test_an_unsigned_card_is_said_to_be_unsigned(server, verdict) -> None:
    server.answer(PATH, CARD)
    assert verdict() == (0, "none", "the card is not signed")


@requirement("A2A-CARD-003")
def test_a_changed_card_is_invalid(server, verdict, key) -> None:
    server.answer(PATH, signed(key, f"{server.url}/keys") | {"name": "Mallory"})
    server.answer("GET /keys", keys(key))
    assert verdict() == (1, "invalid", "the signature does not fit the card")


def test_a_card_signed_by_another_key_is_invalid(server, verdict, key) -> None:
    server.answer(PATH, signed(NodeKey.generate(), f"{server.url}/keys"))
    server.answer("GET /keys", keys(key))
    assert verdict()[:2] == (1, "invalid")


def test_a_key_at_another_place_is_not_asked_for(server, verdict, key) -> None:
    with played() as elsewhere:
        elsewhere.answer("GET /keys", keys(key))
        server.answer(PATH, signed(key, f"{elsewhere.url}/keys"))
        status, found, reason = verdict()
        assert (status, found) == (0, "unchecked")
        assert "is at another place" in reason
        assert elsewhere.asked == []


@pytest.mark.parametrize("jku", [None, "http://[", "no address"])
def test_a_signature_without_a_usable_place_of_its_key_stays_unchecked(server, verdict, key, jku: str | None) -> None:
    server.answer(PATH, signed(key, jku))
    assert verdict()[:2] == (0, "unchecked")


@pytest.mark.parametrize("document", [{"keys": []}, {"keys": 3}, b"[]", b"oops"])
def test_a_signature_whose_key_cannot_be_had_stays_unchecked(server, verdict, key, document: object) -> None:
    server.answer(PATH, signed(key, f"{server.url}/keys"))
    server.answer("GET /keys", document)
    assert verdict()[:2] == (0, "unchecked")


def test_a_key_of_an_unknown_kind_makes_no_valid_signature(server, verdict, key) -> None:
    server.answer(PATH, signed(key, f"{server.url}/keys"))
    server.answer("GET /keys", {"keys": [{"kid": "k", "kty": "none"}]})
    assert verdict()[:2] == (1, "invalid")


def test_a_shared_secret_is_no_signature(server, verdict) -> None:
    secret = base64.urlsafe_b64encode(b"x" * 32).decode()
    header: Any = {"alg": "HS256", "typ": "JOSE", "kid": "k", "jku": f"{server.url}/keys"}
    card = create_agent_card_signer("x" * 32, header)(ParseDict(CARD, AgentCard()))
    server.answer(PATH, MessageToDict(card))
    server.answer("GET /keys", {"keys": [{"kty": "oct", "k": secret, "kid": "k", "alg": "HS256"}]})
    assert verdict()[:2] == (1, "invalid")


def test_damaged_signatures_are_invalid(server, verdict) -> None:
    for protected in ("", "bm90IGpzb24", "W10"):
        server.answer(PATH, CARD | {"signatures": [{"protected": protected, "signature": "AA"}]})
        assert verdict()[:2] == (1, "invalid")


@pytest.mark.parametrize("content", [b"", b"oops", b"[]", b'{"name": 3}', b"[" * 99999, b'"' + b"x" * (1 << 20) + b'"'])
def test_what_is_no_card_is_said_to_be_none(csb, server, content: bytes) -> None:
    server.answer(PATH, content)
    ended = csb("card", server.url, "--json")
    assert (ended.status, ended.error["code"]) == (3, "peer_broke_protocol")
    assert "Traceback" not in ended.err


def test_a_card_that_does_not_end_in_time_is_not_waited_for(csb, server, monkeypatch) -> None:
    monkeypatch.setattr(card_check, "WHOLE_S", -1.0)
    server.answer(PATH, CARD)
    ended = csb("card", server.url, "--json")
    assert (ended.status, ended.error["code"]) == (3, "peer_unreachable")


@pytest.mark.parametrize("place", NO_ADDRESSES)
def test_a_card_that_is_said_to_be_at_no_address_is_none(csb, server, place: str) -> None:
    server.redirect(PATH, place)
    ended = csb("card", server.url, "--json")
    assert ended.status == 3
    assert ended.error["code"] in ("peer_broke_protocol", "peer_unreachable")


def test_no_card_at_either_place_is_said_so(csb, server) -> None:
    ended = csb("card", server.url)
    assert ended.status == 3
    assert "serves no agent card: HTTP 404" in ended.err
    assert [asked.path for asked in server.asked] == ["/.well-known/agent-card.json", "/.well-known/agent.json"]


def test_json_of_a_card_steers_no_terminal(csb, server) -> None:
    server.answer(PATH, CARD)
    ended = csb("card", server.url, "--json")
    assert "\x1b" not in ended.out
    assert json.loads(ended.out)["card"] == CARD
