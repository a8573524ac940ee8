from __future__ import annotations

from csbond.flows.ports import StoredVector
from csbond.protocol.memory.vectors import pack
from csbond_tests.ledger_samples import NOW, an_entry, put
from csbond_tests.requirements import requirement


def a_vector(entry_id, seq=1, numbers=(0.6, 0.8), space="home"):
    return StoredVector(entry_id, space, seq, pack(numbers))


async def test_vectors_and_how_far_they_reach_are_kept_together(ledger):
    await ledger.commit(put(an_entry("mem_1"), an_entry("mem_2")))
    assert await ledger.indexed_through("home", "model-1") == 0
    await ledger.save_vectors("home", "model-1", [a_vector("mem_1"), a_vector("mem_2")], 1)
    assert set(await ledger.vectors("home", "model-1")) == {a_vector("mem_1"), a_vector("mem_2")}
    assert await ledger.indexed_through("home", "model-1") == 1
    assert await ledger.space_seq("home") == 1


@requirement("MEM-002-2.2-rebuilt")
async def test_vectors_of_two_models_and_two_spaces_are_never_mixed(ledger):
    await ledger.commit(put(an_entry("mem_1")))
    await ledger.save_vectors("home", "model-1", [a_vector("mem_1")], 1)
    await ledger.save_vectors("home", "model-2", [a_vector("mem_1", numbers=(1.0, 0.0, 0.0))], 1)
    assert await ledger.vectors("home", "model-1") == (a_vector("mem_1"),)
    assert await ledger.vectors("work", "model-1") == ()
    assert await ledger.vectors("home", "model-3") == ()
    assert await ledger.indexed_through("home", "model-3") == 0


async def test_a_later_vector_takes_the_place_of_the_earlier(ledger):
    await ledger.commit(put(an_entry("mem_1")))
    await ledger.save_vectors("home", "model-1", [a_vector("mem_1")], 1)
    await ledger.commit(put(an_entry("mem_1", version=2)))
    later = a_vector("mem_1", seq=2, numbers=(0.0, 1.0))
    await ledger.save_vectors("home", "model-1", [later], 2)
    assert await ledger.vectors("home", "model-1") == (later,)


async def test_a_softly_deleted_entry_has_no_vector_to_be_found_by(ledger):
    await ledger.commit(put(an_entry("mem_1"), an_entry("mem_2")))
    await ledger.save_vectors("home", "model-1", [a_vector("mem_1"), a_vector("mem_2")], 1)
    await ledger.commit(put(an_entry("mem_1", version=2, deleted_at=NOW)))
    assert await ledger.vectors("home", "model-1") == (a_vector("mem_2"),)


async def test_a_vector_of_an_entry_that_is_not_there_is_left_out(ledger):
    await ledger.save_vectors("home", "model-1", [a_vector("mem_gone")], 4)
    assert await ledger.vectors("home", "model-1") == ()
    assert await ledger.indexed_through("home", "model-1") == 4


async def test_progress_may_go_on_without_any_vector(ledger):
    await ledger.save_vectors("home", "model-1", [], 7)
    await ledger.save_vectors("home", "model-1", [], 9)
    assert await ledger.indexed_through("home", "model-1") == 9
