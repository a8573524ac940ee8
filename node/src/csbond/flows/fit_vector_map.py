"""A map is fitted from the vectors of another model to those of this node's (CSB v1.0 §1.2.4)."""

from __future__ import annotations

from dataclasses import dataclass

from csbond.flows.memory_record import memory_record
from csbond.flows.world import HOME_SPACE, World
from csbond.flows.write_memory import commit_memory, map_writes
from csbond.protocol.audit.record import Intent
from csbond.protocol.errors import Refused
from csbond.protocol.memory.rights import may_exchange
from csbond.protocol.memory.vector_map import ForeignModel, VectorMap
from csbond.protocol.memory.vectors import BYTES_PER_NUMBER
from csbond.protocol.messages.caller import Caller

PAIRS_MAX = 5_000
"""Texts a map is fitted to: twice the largest dimension; more make it slower and hardly better."""
_PAGE = 500


@dataclass(frozen=True, slots=True)
class MapsShown:
    """The models of which this home has vectors, and the maps from them."""

    models: tuple[ForeignModel, ...]
    maps: tuple[VectorMap, ...]


async def show_vector_maps(world: World, caller: Caller) -> MapsShown:
    """What there is; 1. the caller is the owner (`forbidden`)."""
    may_exchange(caller)
    return MapsShown(await world.ledger.foreign_models(), await world.ledger.vector_maps())


async def fit_vector_map(world: World, fingerprint: str, caller: Caller, intent: Intent) -> VectorMap:
    """The map that is kept from now on, in place of the one before.

    1. the caller is the owner (`forbidden`); 2. this node has a model and can fit maps, and vectors of the other one
    are here (`vector_map_refused`); 3. there are enough texts, and the map is good enough on those it was not fitted to
    (`vector_map_refused`).
    """
    may_exchange(caller)
    if world.embedder is None or world.maps is None:
        raise Refused(
            "vector_map_refused",
            "this node has no model of its own to map to",
            next_step="install csbond[semantic] and set memory.semantic",
        )
    model = next((each for each in await world.ledger.foreign_models() if each.fingerprint == fingerprint), None)
    if model is None:
        raise Refused("vector_map_refused", "no vector of that fingerprint is here", field="fingerprint")
    pairs = await _pairs(world, model, world.embedder.model_id)
    fitted = await world.maps.fit([one for one, _ in pairs], [other for _, other in pairs])
    now = world.clock.now()
    kept = VectorMap(
        from_fingerprint=fingerprint,
        to_model=world.embedder.model_id,
        from_dimension=fitted.from_dimension,
        to_dimension=fitted.to_dimension,
        matrix=fitted.matrix,
        pairs=fitted.pairs,
        error=fitted.error,
        made_at=now,
    )
    details = {"pairs": kept.pairs, "error": round(kept.error, 6), "to_model": kept.to_model}
    await commit_memory(world, map_writes(kept), memory_record(world, "map", HOME_SPACE, intent, now, details))
    return kept


async def _pairs(world: World, model: ForeignModel, own_model: str) -> list[tuple[bytes, bytes]]:
    """The vectors of texts that both models have embedded, as they are now."""
    pairs: list[tuple[bytes, bytes]] = []
    after = ""
    while len(pairs) < PAIRS_MAX:
        rows = await world.ledger.foreign_vectors(HOME_SPACE, model.fingerprint, after, _PAGE)
        if not rows:
            break
        after = rows[-1][0]
        own = await world.ledger.snapshot_vectors(HOME_SPACE, own_model, [id_ for id_, _ in rows])
        size = model.dimension * BYTES_PER_NUMBER
        pairs += ((vector, own[id_]) for id_, vector in rows if id_ in own and len(vector) == size)
    return pairs[:PAIRS_MAX]
