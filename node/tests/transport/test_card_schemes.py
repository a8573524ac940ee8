"""The card declares how to authenticate where an operation asks for it."""

from __future__ import annotations

from typing import Any

import pytest
from a2a.client.card_resolver import parse_agent_card

from csbond_tests.requirements import requirement
from csbond_tests.stories import echo

CARD = "/.well-known/agent-card.json"


async def card_of(node: Any) -> Any:
    async with node.client() as client:
        return (await client.get(CARD)).json()


@requirement("V03-022", "A2A-CARD-006")
async def test_a_node_with_an_extended_card_says_how_to_ask_for_it(node) -> None:
    scheme = (await card_of(node))["securitySchemes"]["bearer"]
    assert (scheme["type"], scheme["scheme"]) == ("http", "Bearer")
    assert scheme["httpAuthSecurityScheme"]["scheme"] == "Bearer"


@requirement("V03-022", "A2A-CARD-006")
@pytest.mark.parametrize("merged", [True, False])
async def test_a_node_without_one_declares_no_scheme(serve, merged: bool) -> None:
    card = await card_of(await serve(echo, extended_card=False, merged_card=merged))
    assert not card.keys() & {"securitySchemes", "security", "securityRequirements"}
    assert not card["capabilities"].get("extendedAgentCard")
    assert card.get("supportsAuthenticatedExtendedCard", False) is False


async def test_the_official_reader_finds_the_words_that_were_signed(node) -> None:
    card = await card_of(node)
    signed = card["securitySchemes"]["bearer"]["httpAuthSecurityScheme"]
    read = parse_agent_card(card).security_schemes["bearer"].http_auth_security_scheme
    assert (read.scheme, read.description) == (signed["scheme"], signed["description"])
