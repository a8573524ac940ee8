from __future__ import annotations

import pytest

from csbond.flows.name_principal import name_principal
from csbond.flows.recognise_caller import recognise_caller
from csbond.protocol.errors import Refused
from csbond.protocol.identifiers import token_digest
from csbond.protocol.messages.caller import ANONYMOUS, OWNER
from csbond_tests.small_world import INTENT

OWNER_DIGEST = token_digest("the owner's token")


async def recognised(world, authorization):
    return await recognise_caller(world.ledger, OWNER_DIGEST, authorization)


async def test_without_a_header_a_caller_is_anybody(world):
    assert await recognised(world, None) is ANONYMOUS


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
async def test_the_owner_is_recognised_by_its_token(world, scheme):
    assert await recognised(world, f"{scheme} the owner's token") is OWNER


async def test_a_principal_is_recognised_by_its_token(world):
    named = await name_principal(world, "ann", "viewer", INTENT)
    assert (await recognised(world, f"Bearer {named.token}")).key == "principal:ann"


@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer", "Bearer ", "Basic dXNlcjpwYXNz", "Bearer wrong", "Bearer " + "x" * 600, f"Bearer {OWNER_DIGEST}"],
)
async def test_any_other_header_is_refused_without_repeating_it(world, authorization):
    with pytest.raises(Refused) as info:
        await recognised(world, authorization)
    assert info.value.code.name == "unauthenticated"
    shown = authorization.partition(" ")[2].strip()
    assert not shown or shown not in info.value.reason + info.value.next_step
