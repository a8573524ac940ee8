"""The owner reads and sets the rules of forgetting: one document, kept by version (MEM-005 §5.3)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from csbond.flows.edit_memory import unless
from csbond.flows.forgetting_in_force import forgetting_in_force
from csbond.flows.made_again import made_again
from csbond.flows.memory_record import memory_record
from csbond.flows.world import World
from csbond.flows.write_memory import commit_memory, policy_writes
from csbond.protocol.audit.record import Intent
from csbond.protocol.errors import Refused
from csbond.protocol.memory.forgetting import ForgettingPolicy
from csbond.protocol.memory.forgetting_json import DOCUMENT, policy_from_json, policy_to_json
from csbond.protocol.memory.rights import may_forget
from csbond.protocol.messages.caller import Caller


async def read_forgetting(world: World, caller: Caller) -> ForgettingPolicy:
    """The rules in force, with their version: 0 before any were set. `forbidden` for anybody but the owner."""
    may_forget(caller)
    return await forgetting_in_force(world)


async def set_forgetting(
    world: World, document: object, caller: Caller, intent: Intent, expected: Collection[int] = ()
) -> ForgettingPolicy:
    """The rules of a document, in force from now on; those that are in force already make no version.

    1. the caller is the owner (`forbidden`); 2. the document is understood (`invalid_params` with the place); 3. one of
    the expected versions, if any, is in force (`version_conflict`). What it leaves out is as preset, not as before.
    """
    may_forget(caller)
    wanted = policy_from_json(document)
    return await made_again(lambda: _set(world, wanted, intent, expected), unless(expected))


async def _set(world: World, wanted: ForgettingPolicy, intent: Intent, expected: Collection[int]) -> ForgettingPolicy:
    before = await forgetting_in_force(world)
    after = replace(wanted, version=before.version)
    if after == before and before.version:
        return before
    if expected and before.version not in expected:
        raise Refused(
            "version_conflict",
            f"the rules have version {before.version} now",
            next_step="read them again and make the edit on what they say now",
        )
    after, now = replace(wanted, version=before.version + 1), world.clock.now()
    details = {"from_version": before.version, "to_version": after.version, "rules": len(after.rules)}
    record = memory_record(world, "rules", DOCUMENT, intent, now, details)
    await commit_memory(world, policy_writes(DOCUMENT, after.version, policy_to_json(after), now), record)
    return after
