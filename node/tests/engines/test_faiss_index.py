from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.engines.index_choice import Comparing
from csbond.flows.ports import IndexState
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.filter import EntryFilter, Wanted
from csbond_tests.facets import PLAIN
from csbond_tests.requirements import requirement

np = pytest.importorskip("numpy", reason="absent extra: semantic")
pytest.importorskip("faiss", reason="absent extra: faiss")
exact = pytest.importorskip("csbond.engines.exact_index", reason="absent extra: semantic")
module = pytest.importorskip("csbond.engines.faiss_index", reason="absent extra: faiss")

COUNT, DIMENSION = 3_000, 32
HOT = Wanted(EntryFilter(level=Level.HOT))
SWITCHED = Comparing(switch=1_000, faiss_there=True)


@pytest.fixture(scope="module")
def vectors():
    """Clustered, as texts are: among random ones all are equally far."""
    chance = np.random.default_rng(7)
    centres = chance.standard_normal((60, DIMENSION))
    made = centres[chance.integers(0, 60, COUNT)] + 0.4 * chance.standard_normal((COUNT, DIMENSION))
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype("<f4")


def filled(index, vectors, start=0):
    for number, vector in enumerate(vectors, start):
        facets = replace(PLAIN, level=Level.HOT if number % 3 else Level.COLD)
        index.put("home", f"e{number}", vector.tobytes(), facets)
    return index


@pytest.fixture
def both(vectors, monkeypatch):
    monkeypatch.setattr(module, "EXACT_ROWS", 100)
    monkeypatch.setattr(module, "PLACES", 16)
    index = filled(module.FaissIndex(DIMENSION, SWITCHED), vectors)
    index.settle("home")
    return index, filled(exact.ExactIndex(DIMENSION), vectors)


@requirement("MEM-002-2.2-faiss")
@pytest.mark.parametrize("wanted", [None, HOT])
def test_it_finds_nearly_what_comparing_one_by_one_finds_with_the_same_cosines(both, vectors, wanted):
    index, truth = both
    assert index.state("home") == IndexState("faiss")
    right = 0
    for query in vectors[::100]:
        found = dict(index.search("home", query.tobytes(), 10, wanted))
        expected = dict(truth.search("home", query.tobytes(), 10, wanted))
        right += len(found.keys() & expected.keys())
        assert len(found) == 10
        assert all(found[each] == pytest.approx(expected[each]) for each in found.keys() & expected.keys())
    assert right / 300 >= 0.95


@requirement("MEM-002-2.2-faiss")
def test_the_looking_is_done_by_the_inverted_index(both, vectors, monkeypatch):
    index, _ = both
    monkeypatch.setattr(module.VectorRows, "nearest", None)
    assert index.search("home", vectors[5].tobytes(), 1)[0][0] == "e5"


def test_few_wanted_ones_are_compared_one_by_one(both, vectors):
    index, truth = both
    few = Wanted(ids=frozenset(f"e{number}" for number in range(0, COUNT, 40)))
    query = vectors[1].tobytes()
    assert index.search("home", query, 20, few) == truth.search("home", query, 20, few)


def test_a_search_that_finds_too_few_in_the_right_places_looks_in_all(both, vectors):
    index, truth = both
    query = vectors[3].tobytes()
    found = index.search("home", query, 2_000, HOT)
    assert len(found) == len(truth.search("home", query, 2_000, HOT)) == 2_000


def test_what_was_put_dropped_or_refiled_since_it_was_built_counts_at_once(both, vectors):
    index, _ = both
    assert not index.unsettled("home")
    index.put("home", "fresh", vectors[9].tobytes(), PLAIN)
    index.drop("home", "e9")
    assert [entry_id for entry_id, _ in index.search("home", vectors[9].tobytes(), 1)] == ["fresh"]
    index.refile("home", "e10", replace(PLAIN, level=Level.COLD))
    assert "e10" not in dict(index.search("home", vectors[10].tobytes(), 10, HOT))


def test_it_is_built_again_when_a_fifth_has_come_or_gone(both, vectors):
    index, _ = both
    for number in range(500):
        index.drop("home", f"e{number}")
    assert not index.unsettled("home")
    filled(index, vectors[:150], COUNT)
    assert index.unsettled("home")
    index.settle("home")
    assert not index.unsettled("home")
    assert index.search("home", vectors[149].tobytes(), 1)[0][0] == f"e{COUNT + 149}"


def test_below_the_switch_and_until_it_is_built_vectors_are_compared_one_by_one(vectors):
    index = filled(module.FaissIndex(DIMENSION, SWITCHED), vectors[:1_000])
    assert (index.unsettled("home"), index.state("home")) == (False, IndexState("exact"))
    filled(index, vectors[1_000:1_001], 1_000)
    assert index.unsettled("home")
    assert "is being built" in index.state("home").note
    assert index.search("home", vectors[1_000].tobytes(), 1)[0][0] == "e1000"
    index.settle("home")
    assert index.state("home") == IndexState("faiss")
    index.drop("home", "e1")
    assert index.unsettled("home")
    index.settle("home")
    assert (index.unsettled("home"), index.state("home")) == (False, IndexState("exact"))


def test_rows_that_moved_are_searched_exactly_until_it_is_built_again(vectors):
    index = filled(module.FaissIndex(DIMENSION, Comparing(switch=100, faiss_there=True)), vectors)
    index.settle("home")
    for number in range(2_000):
        index.drop("home", f"e{number}")
    assert index.unsettled("home")
    assert index.search("home", vectors[2_500].tobytes(), 1)[0][0] == "e2500"
    index.settle("home")
    assert index.state("home") == IndexState("faiss")


def test_an_index_that_begins_again_has_nothing(both):
    index, _ = both
    index.begin(4)
    index.settle("home")
    assert (index.count("home"), index.unsettled("home")) == (0, False)
