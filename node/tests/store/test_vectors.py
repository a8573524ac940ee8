from __future__ import annotations

import pytest

from csbond.flows.ports import ModelVectors, StoredVector
from csbond.protocol.memory.entry import Level, Origin, Visibility
from csbond.protocol.memory.facets import Facets, facets_of
from csbond.protocol.memory.vectors import pack
from csbond_tests.ledger_samples import NOW, an_entry, put
from csbond_tests.requirements import requirement


def a_vector(entry_id, seq=1, numbers=(0.6, 0.8), space="home"):
    return StoredVector(entry_id, space, seq, pack(numbers))


async def vectors(ledger, space="home", model="model-1"):
    """Every vector row there is."""
    return tuple(row.stored for row in await ledger.vectors(space, model, -1, 100))


async def test_vectors_and_how_far_they_reach_are_kept_together(ledger):
    await ledger.commit(put(an_entry("mem_1"), an_entry("mem_2")))
    assert await ledger.indexed_through("home", "model-1") == 0
    await ledger.save_vectors("home", "model-1", [a_vector("mem_1"), a_vector("mem_2")], 1)
    assert set(await vectors(ledger)) == {a_vector("mem_1"), a_vector("mem_2")}
    assert await ledger.indexed_through("home", "model-1") == 1
    assert await ledger.space_seq("home") == 1


@requirement("MEM-002-2.2-rebuilt", "MEM-002-2.2-one-model")
async def test_vectors_of_two_models_and_two_spaces_are_never_mixed(ledger):
    await ledger.commit(put(an_entry("mem_1")))
    await ledger.save_vectors("home", "model-1", [a_vector("mem_1")], 1)
    await ledger.save_vectors("home", "model-2", [a_vector("mem_1", numbers=(1.0, 0.0, 0.0))], 1)
    assert await vectors(ledger) == (a_vector("mem_1"),)
    assert await vectors(ledger, "work") == ()
    assert await vectors(ledger, model="model-3") == ()
    assert await ledger.indexed_through("home", "model-3") == 0


async def test_a_later_vector_takes_the_place_of_the_earlier(ledger):
    await ledger.commit(put(an_entry("mem_1")))
    await ledger.save_vectors("home", "model-1", [a_vector("mem_1")], 1)
    await ledger.commit(put(an_entry("mem_1", version=2)))
    later = a_vector("mem_1", seq=2, numbers=(0.0, 1.0))
    await ledger.save_vectors("home", "model-1", [later], 2)
    assert await vectors(ledger) == (later,)


async def test_a_softly_deleted_entry_has_no_vector_to_be_found_by_and_keeps_it_for_its_return(ledger):
    await ledger.commit(put(an_entry("mem_1"), an_entry("mem_2")))
    await ledger.save_vectors("home", "model-1", [a_vector("mem_1"), a_vector("mem_2")], 1)
    await ledger.commit(put(an_entry("mem_1", version=2, deleted_at=NOW)))
    assert await vectors(ledger) == (a_vector("mem_2"),)
    assert await ledger.vectors_of("home", "model-1", ["mem_1", "mem_3"]) == {"mem_1": a_vector("mem_1")}
    assert await ledger.vectors_of("home", "model-2", ["mem_1"]) == {}


async def test_a_vector_of_an_entry_that_is_not_there_is_left_out(ledger):
    await ledger.save_vectors("home", "model-1", [a_vector("mem_gone")], 4)
    assert await vectors(ledger) == ()
    assert await ledger.indexed_through("home", "model-1") == 4


async def test_progress_may_go_on_without_any_vector(ledger):
    await ledger.save_vectors("home", "model-1", [], 7)
    await ledger.save_vectors("home", "model-1", [], 9)
    assert await ledger.indexed_through("home", "model-1") == 9


async def test_an_entry_that_is_named_as_gone_loses_the_vector_of_that_model_alone(ledger):
    await ledger.commit(put(an_entry("mem_1"), an_entry("mem_2")))
    for model in ("model-1", "model-2"):
        await ledger.save_vectors("home", model, [a_vector("mem_1"), a_vector("mem_2")], 1)
    await ledger.save_vectors("home", "model-1", [], 2, ["mem_1", "mem_gone"])
    assert await vectors(ledger) == (a_vector("mem_2"),)
    assert len(await vectors(ledger, model="model-2")) == 2


async def test_vectors_are_read_page_by_page_with_what_is_asked_of_their_entries(ledger):
    odd = an_entry(
        "mem_2",
        type="todo",
        timestamp=NOW - 5,
        source="agent",
        level=Level.HOT,
        visibility=Visibility.TRUSTED,
        origin=Origin("ann", "t-1", "m-1", "Ann"),
        project="boat",
    )
    entries = [an_entry("mem_1"), odd, an_entry("mem_3")]
    await ledger.commit(put(*entries))
    await ledger.save_vectors("home", "model-1", [a_vector(entry.id) for entry in entries], 1)
    first = await ledger.vectors("home", "model-1", -1, 2)
    rest = await ledger.vectors("home", "model-1", first[-1].place, 2)
    assert [row.stored.entry_id for row in (*first, *rest)] == ["mem_1", "mem_2", "mem_3"]
    assert [row.facets for row in (*first, *rest)] == [facets_of(entry) for entry in entries]
    assert first[1].facets == Facets(
        "todo", NOW - 5, "agent", Level.HOT, Visibility.TRUSTED, Origin("ann", "t-1"), "boat"
    )
    assert await ledger.vectors("home", "model-1", rest[-1].place, 2) == ()


@requirement("MEM-002-2.2-one-model")
async def test_every_model_is_told_with_its_dimension_and_how_far_it_is_through(ledger):
    await ledger.commit(put(an_entry("mem_1"), an_entry("mem_2")))
    await ledger.save_vectors("home", "model-2", [a_vector("mem_1", numbers=(1.0, 0.0, 0.0))], 1)
    await ledger.save_vectors("home", "model-1", [], 3)
    await ledger.save_vectors("work", "model-3", [], 3)
    assert await ledger.models("home") == (ModelVectors("model-1", 0, 0, 3), ModelVectors("model-2", 3, 1, 1))


@requirement("MEM-002-2.2-one-model")
async def test_the_vectors_of_a_model_are_dropped_bit_by_bit_and_nobody_takes_the_rest_for_all(ledger):
    await ledger.commit(put(*(an_entry(f"mem_{number}") for number in range(5))))
    made = [a_vector(f"mem_{number}") for number in range(5)]
    for model in ("model-1", "model-2"):
        await ledger.save_vectors("home", model, made, 1)
    assert await ledger.drop_vectors("home", "model-1", 2)
    assert await ledger.indexed_through("home", "model-1") == -1
    assert await ledger.drop_vectors("home", "model-1", 2)
    assert not await ledger.drop_vectors("home", "model-1", 2)
    assert await vectors(ledger) == ()
    assert await ledger.models("home") == (ModelVectors("model-2", 2, 5, 1),)
    assert await ledger.indexed_through("home", "model-1") == 0


@pytest.mark.parametrize("known", [True, False])
async def test_a_model_without_vectors_is_dropped_at_once(ledger, known):
    if known:
        await ledger.save_vectors("home", "model-1", [], 7)
    assert not await ledger.drop_vectors("home", "model-1", 1)
    assert await ledger.models("home") == ()
