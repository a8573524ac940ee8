from __future__ import annotations

import pytest

from csbond.flows.name_principal import list_principals, name_principal, remove_principal
from csbond.protocol.errors import CsbError
from csbond.protocol.identifiers import token_digest
from csbond.protocol.messages.caller import Caller, CallerKind, Role
from csbond_tests.small_world import INTENT, NOW

ANN = Caller(CallerKind.PRINCIPAL, "ann", Role.EDITOR, frozenset({"home"}))


async def refused(call):
    with pytest.raises(CsbError) as info:
        await call
    return info.value.code.name, info.value.field


async def test_a_named_principal_is_recognised_by_the_digest_of_its_token_only(world):
    named = await name_principal(world, "ann", "editor", INTENT)
    assert (named.name, named.role, named.spaces) == ("ann", Role.EDITOR, ("home",))
    assert await world.ledger.principal_by_digest(token_digest(named.token)) == ANN
    (write,) = world.ledger.changes[0].writes
    assert named.token not in repr(world.ledger.changes)
    assert write.created_at == NOW


async def test_naming_and_removing_are_recorded_with_their_intent(world):
    await name_principal(world, "ann", "viewer", INTENT, ["home", "work"])
    await remove_principal(world, "ann", INTENT)
    records = [change.audit[0] for change in world.ledger.changes]
    assert [record.type for record in records] == ["command_principal_add", "command_principal_remove"]
    assert {record.target for record in records} == {"principal:ann"}
    assert records[0].details == {"role": "viewer", "spaces": ["home", "work"]}
    assert {record.intent for record in records} == {INTENT}


async def test_a_name_is_given_once(world):
    first = await name_principal(world, "ann", "viewer", INTENT)
    assert (await refused(name_principal(world, "ann", "editor", INTENT)))[0] == "already_exists"
    (row,) = await list_principals(world)
    assert row.caller.role is Role.VIEWER
    assert await world.ledger.principal_by_digest(token_digest(first.token))


async def test_principals_are_listed_by_name(world):
    for name in ("zoe", "ann"):
        await name_principal(world, name, "viewer", INTENT)
    assert [row.caller.name for row in await list_principals(world)] == ["ann", "zoe"]


async def test_a_removed_principal_is_gone_with_its_token_and_cannot_be_removed_again(world):
    named = await name_principal(world, "ann", "viewer", INTENT)
    await remove_principal(world, "ann", INTENT)
    assert await world.ledger.principal_by_digest(token_digest(named.token)) is None
    assert await list_principals(world) == ()
    assert (await refused(remove_principal(world, "ann", INTENT)))[0] == "principal_not_found"


@pytest.mark.parametrize(
    "name, role, spaces, field",
    [
        ("", "viewer", ["home"], "name"),
        ("x" * 65, "viewer", ["home"], "name"),
        ("an n", "viewer", ["home"], "name"),
        ("owner:x", "viewer", ["home"], "name"),
        (None, "viewer", ["home"], "name"),
        ("ann", "owner", ["home"], "role"),
        ("ann", None, ["home"], "role"),
        ("ann", "viewer", [], "spaces"),
        ("ann", "viewer", "home", "spaces"),
        ("ann", "viewer", ["Home"], "spaces"),
        ("ann", "viewer", [7], "spaces"),
        ("ann", "viewer", ["s"] * 33, "spaces"),
        ("ann", "viewer", 7, "spaces"),
    ],
)
async def test_a_name_role_or_space_that_is_none_is_refused(world, name, role, spaces, field):
    assert await refused(name_principal(world, name, role, INTENT, spaces)) == ("invalid_params", field)
    assert world.ledger.changes == []
