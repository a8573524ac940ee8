"""What whoever changes a memory holds meanwhile, so that changes of one memory take place one after another.

Names of entries are held after those of requests and texts (`flows/repeated_write.py`), never before.
"""

from __future__ import annotations

from collections.abc import Iterable

from csbond.flows.world import World


def entry_names(ids: Iterable[str]) -> set[str]:
    """What nobody else may be writing while these memories are read and changed."""
    return {f"entry:{entry_id}" for entry_id in ids}


async def names_of_text(world: World, entry_id: str) -> set[str]:
    """The same for all pieces of the text that a memory belongs to."""
    return entry_names((entry_id, *(piece.id for piece in await world.ledger.entry_pieces(entry_id))))
