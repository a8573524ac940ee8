"""A principal is named, listed or removed: somebody with a token, a role and Spaces, who is not the owner."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from csbond.flows.changes import Change, DropPrincipal, SavePrincipal, Write
from csbond.flows.ports import PrincipalRow
from csbond.flows.world import HOME_SPACE, World
from csbond.protocol.audit.record import AuditDraft, Intent
from csbond.protocol.errors import Refused, RemoteProtocolError
from csbond.protocol.identifiers import dated_id, token_digest
from csbond.protocol.messages.caller import Role

SPACES_MAX = 32
"""Spaces of one principal: more are a sign that it should be the owner."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SPACE = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class NamedPrincipal:
    """A new principal with its token, which is shown this once: only its digest is kept."""

    name: str
    role: Role
    spaces: tuple[str, ...]
    token: str


async def name_principal(
    world: World, name: Any, role: Any, intent: Intent, spaces: Any = (HOME_SPACE,)
) -> NamedPrincipal:
    """A new principal; `invalid_params` for a name, role or Space that is none, `already_exists` for a name in use."""
    principal = NamedPrincipal(_name(name), _role(role), _spaces(spaces), world.identifiers.secret())
    write = SavePrincipal(
        principal.name, principal.role, principal.spaces, token_digest(principal.token), world.clock.now()
    )
    details = {"role": principal.role.value, "spaces": list(principal.spaces)}
    await _commit(world, write, "command_principal_add", principal.name, intent, details)
    return principal


async def list_principals(world: World) -> tuple[PrincipalRow, ...]:
    """All named principals, by name."""
    return await world.ledger.principals()


async def remove_principal(world: World, name: str, intent: Intent) -> None:
    """End a principal and its token; `principal_not_found` when there is none of that name."""
    if all(row.caller.name != name for row in await world.ledger.principals()):
        raise Refused("principal_not_found", f"there is no principal {name!r}", next_step="list the principals")
    await _commit(world, DropPrincipal(name), "command_principal_remove", name, intent, {})


async def _commit(world: World, write: Write, type_: str, name: str, intent: Intent, details: dict[str, Any]) -> None:
    now = world.clock.now()
    record = AuditDraft(
        id=dated_id("audit", now, world.identifiers.letters(8)),
        type=type_,
        timestamp=now,
        operation=type_.removeprefix("command_"),
        target=f"principal:{name}",
        intent=intent,
        details=details,
    )
    await world.ledger.commit(Change(HOME_SPACE, (write,), (record,)))


def _name(value: Any) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise _refuse("name", "must have 1 to 64 letters, digits, dots, hyphens or underscores")
    return value


def _role(value: Any) -> Role:
    for role in Role:
        if value == role.value:
            return role
    raise _refuse("role", f"must be one of {', '.join(role.value for role in Role)}")


def _spaces(value: Any) -> tuple[str, ...]:
    spaces = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else []
    if not 1 <= len(spaces) <= SPACES_MAX:
        raise _refuse("spaces", f"must be a list of 1 to {SPACES_MAX} Spaces")
    if not all(isinstance(space, str) and _SPACE.fullmatch(space) for space in spaces):
        raise _refuse("spaces", "must hold names of lower-case letters, digits, dots, hyphens and underscores")
    return tuple(dict.fromkeys(spaces))


def _refuse(field: str, reason: str) -> RemoteProtocolError:
    return RemoteProtocolError("invalid_params", f"{field} {reason}", field=field)
