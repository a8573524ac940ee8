"""One builder makes identity.json and /health, and neither holds a secret."""

from __future__ import annotations

import base64
import json
from dataclasses import replace

import pytest

from csbond.config.identity import (
    as_served,
    checked_name,
    health_document,
    identity_document,
    identity_from_document,
    new_identity,
)
from csbond.config.node_key import NodeKey
from csbond.protocol.errors import CsbError
from csbond_tests.requirements import requirement

KEY = NodeKey.generate()
IDENTITY = new_identity("Heng", "⚖️", "agent.example", KEY.public_key, 1_700_000_000_000)


def test_a_document_read_back_is_the_same_identity() -> None:
    assert identity_from_document(json.loads(json.dumps(identity_document(IDENTITY)))) == IDENTITY


def test_the_did_is_the_key_and_the_domain_gives_an_alias() -> None:
    assert IDENTITY.did == KEY.did
    assert IDENTITY.also_known_as == ("did:csb:agent.example:agent:heng",)
    assert new_identity("Heng", "", "", KEY.public_key, 0).also_known_as == ()


@requirement("DRAFT-001")
def test_health_announces_the_public_key_and_its_fingerprint() -> None:
    health = health_document(IDENTITY, uptime_s=1.23456, semantic=False, figures={"index_lag": 3})
    assert (health["status"], health["name"]) == ("ok", "Heng")
    assert {"name", "emoji", "version", "capabilities"} <= set(identity_document(IDENTITY))
    assert health["uptime"] == 1.235
    assert health["semantic"] is False
    assert health["index_lag"] == 3
    assert base64.b64decode(health["pka"]["publicKey"]) == KEY.public_key
    assert health["pka"]["fingerprint"] == KEY.fingerprint
    assert health["pka"]["algorithm"] == "Ed25519"


def test_nothing_private_is_in_any_document() -> None:
    shown = json.dumps([identity_document(IDENTITY), health_document(IDENTITY, uptime_s=0, semantic=True)])
    assert KEY.to_text() not in shown
    assert base64.b64decode(KEY.to_text()).hex() not in shown


def test_settings_rename_tiers_and_the_running_version_is_served() -> None:
    served = as_served(IDENTITY, {"hot": "active"})
    assert served.memory_level_map == {"hot": "active", "warm": "warm", "cold": "cold"}
    assert as_served(IDENTITY, {}) == IDENTITY


@pytest.mark.parametrize("name", ["memory.remember", "memory.tiers", "memory.forget", "memory.snapshot"])
def test_a_home_of_an_earlier_version_can_what_the_running_one_can_but_for_what_it_denies(name: str) -> None:
    assert IDENTITY.capabilities[name] is True
    earlier = replace(IDENTITY, capabilities={"chat": True, "tea": True})
    assert as_served(earlier, {}).capabilities == {**IDENTITY.capabilities, "tea": True}
    denying = replace(IDENTITY, capabilities={name: False})
    assert as_served(denying, {}).capabilities[name] is False


def test_fields_of_later_versions_are_left_alone() -> None:
    assert identity_from_document({**identity_document(IDENTITY), "delegations": []}) == IDENTITY


@pytest.mark.parametrize(
    "field, value",
    [
        ("name", 7),
        ("did", None),
        ("also_known_as", "did:csb:x"),
        ("capabilities", {"chat": "yes"}),
        ("memory_level_map", {"hot": 1}),
        ("memory_level_map", {"icy": "x"}),
        ("memory_level_map", {"hot": "warm"}),
        ("created_at", True),
        ("created_at", -1),
    ],
)
def test_a_wrong_field_is_refused_by_name(field: str, value: object) -> None:
    with pytest.raises(CsbError) as refused:
        identity_from_document({**identity_document(IDENTITY), field: value})
    assert refused.value.field == field


def test_a_name_is_kept_in_nfc_without_blanks_around_it() -> None:
    assert checked_name("  Cafe\u0301 ") == "Café"


@pytest.mark.parametrize("name", ["\u202eevil", "a\x00b", "a\u2028b", "\ud800", "\x1b[31mred"])
def test_a_name_that_would_disturb_a_terminal_is_refused(name: str) -> None:
    with pytest.raises(CsbError, match="no control characters"):
        checked_name(name)


def test_a_name_may_hold_an_emoji_of_several_code_points() -> None:
    assert checked_name("👩‍👩‍👧 family") == "👩‍👩‍👧 family"
