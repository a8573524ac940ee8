"""The forgetting rules that are in force: the latest document the owner set, or the preset one (MEM-005 §5.3)."""

from __future__ import annotations

from csbond.flows.world import World
from csbond.protocol.memory.forgetting import ForgettingPolicy
from csbond.protocol.memory.forgetting_json import DOCUMENT, policy_from_json


async def forgetting_in_force(world: World) -> ForgettingPolicy:
    """The rules, with the version of their document; the preset ones, of version 0, before the first.

    The ledger keeps the document under its own name, `forgetting_json.DOCUMENT`.
    """
    kept = await world.ledger.policy(DOCUMENT)
    return policy_from_json(kept[1], kept[0]) if kept else ForgettingPolicy()
