"""One identity, wherever it is asked for: the file, /identity.json, /health and the card."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from csbond import __version__
from csbond.config.home import open_home
from csbond.protocol.identifiers import did_key, fingerprint
from csbond_tests.requirements import requirement
from csbond_tests.running import RunningNode, csb

IDENTITY = "https://csb-protocol.org/ext/identity/v1"


def identity_in(card: dict[str, Any]) -> dict[str, Any]:
    (found,) = [each for each in card["capabilities"]["extensions"] if each["uri"] == IDENTITY]
    params: dict[str, Any] = found["params"]
    return params


@requirement("EDGE-008", "DRAFT-001", "DRAFT-002")
def test_the_file_the_documents_and_the_card_say_the_same(echo_node: RunningNode) -> None:
    file = json.loads(echo_node.home.identity_file.read_text(encoding="utf-8"))
    with httpx.Client(base_url=echo_node.url) as asking:
        identity, health = asking.get("/identity.json").json(), asking.get("/health").json()
        card, keys = asking.get("/.well-known/agent-card.json").json(), asking.get("/.well-known/jwks.json").json()
        extended = asking.get("/extendedAgentCard", headers={**echo_node.owner, "a2a-version": "1.0"}).json()
    assert identity == file
    facts = identity_in(card)
    assert identity_in(extended) == facts
    for said in (identity, health, facts):
        assert said["did"] == echo_node.home.identity.did
        assert said["emoji"] == "🌙"
    assert {identity["name"], health["name"], card["name"]} == {"Luna"}
    assert {identity["version"], health["version"], card["version"]} == {__version__}
    assert identity["also_known_as"] == facts["also_known_as"] == health["also_known_as"]

    public_key = base64.b64decode(health["pka"]["publicKey"])
    assert did_key(public_key) == identity["did"]
    assert identity["did"].startswith("did:key:z6Mk")
    assert health["pka"]["fingerprint"] == facts["fingerprint"] == fingerprint(public_key)
    (key,) = keys["keys"]
    assert base64.urlsafe_b64decode(key["x"] + "=") == public_key
    assert key["kid"] == identity["did"]
    assert "d" not in key


@requirement("EDGE-008")
@pytest.mark.parametrize(
    "options, known_as", [((), []), (("--domain", "agent.example"), ["did:csb:agent.example:agent:luna"])]
)
def test_the_did_is_that_of_the_key_and_a_domain_adds_an_alias(tmp_path: Path, options: Any, known_as: Any) -> None:
    ended = csb(tmp_path / "home", "init", "--name", "Luna", *options)
    assert ended.status == 0, ended.err
    home = open_home(tmp_path / "home")
    document = json.loads(home.identity_file.read_text(encoding="utf-8"))
    assert document["did"] == home.node_key().did == did_key(home.node_key().public_key)
    assert document["also_known_as"] == known_as
