"""What is kept of records that came from elsewhere: the same in every ledger."""

from __future__ import annotations

import math

from csbond.flows.exchange_ledger import NamedRecord
from csbond.flows.memory_changes import EraseEntry, KeepForeignVector, PutForeignName, PutVectorMap
from csbond.protocol.memory.foreign_record import ForeignName, ForeignVector
from csbond.protocol.memory.vector_map import ForeignModel, VectorMap
from csbond.protocol.memory.vectors import pack
from csbond_tests.ledger_samples import NOW, an_entry, home, put
from csbond_tests.requirements import requirement

BY_KEY = ForeignName("Vera", key="note-1")
BY_TIME = ForeignName("青烛 🕯️", timestamp=NOW)


def a_vector(*numbers, model="other", fingerprint="f1"):
    return ForeignVector(pack(numbers), len(numbers), model, fingerprint)


def a_map(from_fingerprint="f1", error=0.2, made_at=NOW):
    return VectorMap(from_fingerprint, "own", 2, 3, pack(range(6)), 60, error, made_at)


async def test_a_record_is_found_by_its_name_and_by_no_other(ledger):
    await ledger.commit(put(an_entry(), an_entry("mem_2", "A stone.")))
    await ledger.commit(
        home(
            PutForeignName("home", BY_KEY, "mem_1", "d1", linked=False),
            PutForeignName("home", BY_TIME, "mem_2", "d2", linked=True),
        )
    )
    others = [ForeignName("Vera", key="note-2"), ForeignName("Vera", timestamp=NOW), ForeignName("Ida", key="note-1")]
    assert await ledger.foreign_names("home", [BY_KEY, BY_TIME, *others]) == {
        BY_KEY: NamedRecord("mem_1", "d1", linked=False),
        BY_TIME: NamedRecord("mem_2", "d2", linked=True),
    }
    assert await ledger.foreign_names("elsewhere", [BY_KEY]) == {}
    await ledger.commit(home(PutForeignName("home", BY_KEY, "mem_2", "d3", linked=True)))
    assert await ledger.foreign_names("home", [BY_KEY]) == {BY_KEY: NamedRecord("mem_2", "d3", linked=True)}


async def test_of_a_memory_that_is_not_there_nothing_is_kept(ledger):
    await ledger.commit(
        home(PutForeignName("home", BY_KEY, "mem_1", "d1", linked=True), KeepForeignVector("mem_1", a_vector(1.0)))
    )
    assert await ledger.foreign_names("home", [BY_KEY]) == {}
    assert await ledger.foreign_models() == ()


@requirement("MEM-003-interop-dimension")
async def test_vectors_of_other_models_are_kept_apart(ledger):
    await ledger.commit(put(an_entry(), an_entry("mem_2", "A stone."), an_entry("mem_3", "A bird.")))
    first, second = a_vector(1.0, 0.0), a_vector(0.0, 1.0)
    third = a_vector(*[1.0] * 2048, model="third", fingerprint="f2")
    kept = [("mem_1", first), ("mem_2", second), ("mem_2", third)]
    await ledger.commit(home(*(KeepForeignVector(id_, vector) for id_, vector in kept)))
    assert await ledger.foreign_models() == (ForeignModel("f1", "other", 2, 2), ForeignModel("f2", "third", 2048, 1))
    assert await ledger.foreign_vectors("home", "f1", "", 9) == (("mem_1", first.numbers), ("mem_2", second.numbers))
    assert await ledger.foreign_vectors("home", "f1", "mem_1", 9) == (("mem_2", second.numbers),)
    assert await ledger.foreign_vectors("home", "f1", "", 1) == (("mem_1", first.numbers),)
    assert await ledger.foreign_vectors("elsewhere", "f1", "", 9) == ()
    assert await ledger.vectors("home", "other", -1, 9) == ()


async def test_a_vector_counts_no_longer_when_its_memory_says_something_else_or_is_deleted(ledger):
    await ledger.commit(put(an_entry(), an_entry("mem_2", "A stone."), an_entry("mem_3", "A bird.")))
    await ledger.commit(home(*(KeepForeignVector(f"mem_{n}", a_vector(float(n))) for n in (1, 2, 3))))
    await ledger.commit(put(an_entry(tags=("new",), version=2), an_entry("mem_2", "A rock.", version=2)))
    await ledger.commit(put(an_entry("mem_3", "A bird.", version=2, deleted_at=NOW)))
    assert [id_ for id_, _ in await ledger.foreign_vectors("home", "f1", "", 9)] == ["mem_1"]
    await ledger.commit(home(KeepForeignVector("mem_2", a_vector(7.0))))
    assert (await ledger.foreign_vectors("home", "f1", "mem_1", 9)) == (("mem_2", pack((7.0,))),)


async def test_the_latest_map_from_a_model_is_kept(ledger):
    await ledger.commit(home(PutVectorMap(a_map()), PutVectorMap(a_map("f2", made_at=NOW - 1))))
    assert await ledger.vector_maps() == (a_map(), a_map("f2", made_at=NOW - 1))
    await ledger.commit(home(PutVectorMap(a_map(error=0.1, made_at=NOW - 2))))
    assert await ledger.vector_maps() == (a_map("f2", made_at=NOW - 1), a_map(error=0.1, made_at=NOW - 2))


@requirement("MEM-005-report-orphans")
async def test_nothing_that_came_with_an_erased_memory_is_left(ledger):
    await ledger.commit(put(an_entry(), an_entry("mem_2", "A stone.")))
    both = [(BY_KEY, "mem_1"), (BY_TIME, "mem_2")]
    await ledger.commit(home(*(PutForeignName("home", name, id_, "d", linked=True) for name, id_ in both)))
    await ledger.commit(home(*(KeepForeignVector(id_, a_vector(math.pi)) for _, id_ in both)))
    await ledger.commit(home(EraseEntry("mem_1", 1, NOW)))
    assert set(await ledger.foreign_names("home", [BY_KEY, BY_TIME])) == {BY_TIME}
    assert [id_ for id_, _ in await ledger.foreign_vectors("home", "f1", "", 9)] == ["mem_2"]
    assert (await ledger.foreign_models())[0].vectors == 1
