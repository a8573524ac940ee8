"""A map is fitted from the memories that two models have embedded, and kept where it is of use."""

from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.engines.linear_map import LinearMaps
from csbond.flows.fit_vector_map import fit_vector_map, show_vector_maps
from csbond.flows.import_memory import import_memory
from csbond.flows.index_vectors import catch_up
from csbond.protocol.errors import Refused
from csbond.protocol.memory.foreign_record import ForeignName, ForeignRecord, ForeignVector
from csbond.protocol.memory.importing import Importing
from csbond.protocol.memory.vectors import pack, unpack
from csbond.protocol.messages.caller import OWNER, Caller, CallerKind, Role
from csbond.testing import InMemoryLedger
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW, WatchedLedger, meaningful_world, small_world

WORDS = ("cat", "dog", "tea", "river", "key", "price", "rain", "train", "猫", "茶")
"""Any text has some vector; those of the stub model differ by what they are about."""


@pytest.fixture
def world():
    return replace(meaningful_world(WatchedLedger(InMemoryLedger())), maps=LinearMaps())


async def imported(world, count, numbers_of, fingerprint="f1"):
    """So many memories with vectors of another model."""
    texts = [f"{WORDS[n % len(WORDS)]} and {WORDS[(n * 3 + 1) % len(WORDS)]} number {n}" for n in range(count)]
    own = [unpack(vector) for vector in await world.embedder.embed(texts, "document")]
    records = [
        ForeignRecord(
            f"item {n}",
            {"content": text, "timestamp": NOW - n},
            ForeignName("Vera", key=f"k{n}"),
            vector=_vector(numbers_of(n, own[n]), fingerprint),
        )
        for n, text in enumerate(texts)
    ]
    async for _ in import_memory(world, records, Importing(), "test", OWNER, INTENT):
        pass
    await catch_up(world)


def _vector(numbers, fingerprint):
    return ForeignVector(pack(numbers), len(numbers), "other", fingerprint)


def turned(_, own):
    """The same directions, counted the other way round."""
    return tuple(reversed(own))


@requirement("MEM-003-interop-map")
async def test_a_map_is_fitted_from_texts_both_models_have_embedded(world):
    await imported(world, 60, turned)
    kept = await fit_vector_map(world, "f1", OWNER, INTENT)
    assert (kept.from_fingerprint, kept.to_model, kept.pairs, kept.made_at) == ("f1", world.embedder.model_id, 60, NOW)
    assert kept.error < 0.2
    shown = await show_vector_maps(world, OWNER)
    assert shown.maps == (kept,)
    assert [(model.fingerprint, model.vectors) for model in shown.models] == [("f1", 60)]
    record = world.ledger.changes[-1].audit[0]
    assert (record.type, record.details["pairs"]) == ("memory_map", 60)


@requirement("MEM-003-interop-map")
async def test_a_map_that_would_be_of_no_use_is_refused_and_the_one_before_stays(world):
    await imported(world, 60, turned)
    kept = await fit_vector_map(world, "f1", OWNER, INTENT)
    await imported(world, 60, lambda n, own: [float((n * 7919) % 101 - 50) for _ in own], fingerprint="f2")
    with pytest.raises(Refused) as refused:
        await fit_vector_map(world, "f2", OWNER, INTENT)
    assert refused.value.code.name == "vector_map_refused"
    assert (await show_vector_maps(world, OWNER)).maps == (kept,)


@requirement("MEM-003-interop-map")
async def test_too_few_texts_an_unknown_fingerprint_and_a_node_without_a_model_fit_none(world):
    await imported(world, 10, turned)
    bare = small_world(world.ledger)
    for place, fingerprint in ((world, "f1"), (world, "f9"), (bare, "f1")):
        with pytest.raises(Refused) as refused:
            await fit_vector_map(place, fingerprint, OWNER, INTENT)
        assert refused.value.code.name == "vector_map_refused"
    ann = Caller(CallerKind.PRINCIPAL, "ann", Role.EDITOR, frozenset({"home"}))
    for refusal in (fit_vector_map(world, "f1", ann, INTENT), show_vector_maps(world, ann)):
        with pytest.raises(Refused) as refused:
            await refusal
        assert refused.value.code.name == "forbidden"


async def test_texts_that_changed_since_are_not_looked_at(world):
    await imported(world, 55, turned)
    records = [
        ForeignRecord("item", {"content": f"other {n}", "timestamp": NOW - n}, ForeignName("Vera", key=f"k{n}"))
        for n in range(10)
    ]
    async for _ in import_memory(world, records, Importing(), "test", OWNER, INTENT):
        pass
    await catch_up(world)
    with pytest.raises(Refused) as refused:
        await fit_vector_map(world, "f1", OWNER, INTENT)
    assert "45" in refused.value.reason
