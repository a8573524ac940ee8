"""Behind a proxy: the card names the outside address where a trusted proxy says it, and nowhere else."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from csbond_tests.requirements import requirement
from csbond_tests.running import RunningNode, csb, new_home, running

SETTINGS = """
[memory]
semantic = "off"
[node]
trusted_proxies = ["127.0.0.1"]
"""
FORWARDED = {
    "x-forwarded-host": "agent.example",
    "x-forwarded-proto": "https",
    "x-forwarded-prefix": "/luna",
}
OUTSIDE = "https://agent.example/luna"


@pytest.fixture(scope="module")
def node(folder: Path) -> Iterator[RunningNode]:
    with running(new_home(folder / "behind", SETTINGS)) as behind:
        yield behind


def asked_from(address: str) -> httpx.Client:
    """A client that calls from an address of this machine."""
    return httpx.Client(transport=httpx.HTTPTransport(local_address=address))


def addresses(card: dict[str, Any]) -> set[str]:
    named = {card["url"], *(each["url"] for each in card["supportedInterfaces"])}
    return named | {each["url"] for each in card["additionalInterfaces"]}


@requirement("FAULT-13", "A2A-CARD-002")
@pytest.mark.parametrize("path", ["/.well-known/agent-card.json", "/.well-known/agent.json"])
def test_the_card_names_the_address_a_trusted_proxy_says(node: RunningNode, path: str) -> None:
    with asked_from("127.0.0.1") as proxy:
        assert addresses(proxy.get(node.url + path, headers=FORWARDED).json()) == {OUTSIDE}
        plain = FORWARDED | {"x-forwarded-proto": "http", "x-forwarded-prefix": ""}
        assert addresses(proxy.get(node.url + path, headers=plain).json()) == {"http://agent.example"}
        assert addresses(proxy.get(node.url + path).json()) == {node.url}


@requirement("FAULT-13")
def test_anybody_else_who_writes_the_headers_is_shown_the_address_of_the_node(node: RunningNode) -> None:
    with asked_from("127.0.0.2") as stranger:
        card = stranger.get(f"{node.url}/.well-known/agent-card.json", headers=FORWARDED).json()
    assert addresses(card) == {node.url}


@requirement("FAULT-13", "A2A-CARD-005")
def test_the_extended_card_names_the_same_address(node: RunningNode) -> None:
    headers = {**FORWARDED, **node.owner, "a2a-version": "1.0"}
    with asked_from("127.0.0.1") as proxy, asked_from("127.0.0.2") as stranger:
        assert addresses(proxy.get(f"{node.url}/extendedAgentCard", headers=headers).json()) == {OUTSIDE}
        call = {"jsonrpc": "2.0", "id": 1, "method": "GetExtendedAgentCard", "params": {}}
        assert addresses(proxy.post(node.url, json=call, headers=headers).json()["result"]) == {OUTSIDE}
        assert addresses(stranger.get(f"{node.url}/extendedAgentCard", headers=headers).json()) == {node.url}


@requirement("FAULT-13", "A2A-CARD-003")
def test_each_address_has_a_signature_that_names_its_own_place_of_keys(node: RunningNode) -> None:
    with asked_from("127.0.0.1") as proxy:
        card = proxy.get(f"{node.url}/.well-known/agent-card.json", headers=FORWARDED)
        own = proxy.get(f"{node.url}/.well-known/agent-card.json")
        again = proxy.get(
            f"{node.url}/.well-known/agent-card.json", headers={**FORWARDED, "if-none-match": own.headers["etag"]}
        )
    assert card.headers["etag"] != own.headers["etag"]
    assert again.status_code == 200
    assert place_of_keys(card.json()) == f"{OUTSIDE}/.well-known/jwks.json"
    assert place_of_keys(own.json()) == f"{node.url}/.well-known/jwks.json"


def place_of_keys(card: dict[str, Any]) -> str:
    protected = card["signatures"][0]["protected"]
    place: str = json.loads(base64.urlsafe_b64decode(protected + "=" * (-len(protected) % 4)))["jku"]
    return place


@requirement("EDGE-005")
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "node.example"])
def test_an_address_others_reach_is_refused_without_tls_or_proxy_and_the_reason_is_told(
    tmp_path: Path, host: str
) -> None:
    ended = csb(new_home(tmp_path / "home"), "serve", "--host", host, "--port", "0")
    assert ended.status == 2
    assert ended.out == ""
    assert f"{host} can be reached from other machines, and without TLS" in ended.err
    assert "--tls-cert" in ended.err
    assert "node.trusted_proxies" in ended.err
