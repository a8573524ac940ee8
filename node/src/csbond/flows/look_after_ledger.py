"""The database is looked after: its statistics are renewed, and its log is folded into the file."""

from __future__ import annotations

from csbond.flows.world import World


async def look_after_ledger(world: World) -> None:
    """Let the ledger do what it needs now and then to stay fast; `storage_unavailable`, `storage_full`."""
    await world.ledger.look_after()
