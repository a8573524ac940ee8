from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csbond.protocol.errors import LocalProtocolError
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.filter import EntryFilter, Wanted, lets_in
from csbond.protocol.memory.vectors import cosine, pack
from csbond_tests.facets import AUDIENCES, FACETS, FILTERS, PLAIN
from csbond_tests.requirements import requirement

np = pytest.importorskip("numpy", reason="absent extra: semantic")
ExactIndex = pytest.importorskip("csbond.engines.exact_index", reason="absent extra: semantic").ExactIndex

EAST, NORTH, NORTHEAST, WEST = pack([1, 0]), pack([0, 1]), pack([0.6, 0.8]), pack([-1, 0])


@pytest.fixture
def index():
    index = ExactIndex(2)
    for entry_id, vector in (("east", EAST), ("north", NORTH), ("northeast", NORTHEAST), ("west", WEST)):
        index.put("home", entry_id, vector, PLAIN)
    return index


def names(hits: list[tuple[str, float]]) -> list[str]:
    return [entry_id for entry_id, _ in hits]


def test_the_nearest_come_first_with_their_cosine(index):
    hits = index.search("home", NORTH, 3, None)
    assert names(hits) == ["north", "northeast", "east"]
    assert [score for _, score in hits] == pytest.approx([1.0, 0.8, 0.0])


def test_only_wanted_entries_are_found(index):
    assert names(index.search("home", NORTH, 9, Wanted(ids={"west", "east", "gone"}))) == ["east", "west"]
    assert index.search("home", NORTH, 9, Wanted(ids=frozenset())) == []


def test_spaces_do_not_see_each_other(index):
    index.put("other", "stranger", NORTH, PLAIN)
    assert names(index.search("other", EAST, 9, None)) == ["stranger"]
    assert "stranger" not in names(index.search("home", NORTH, 9, None))
    assert index.search("nowhere", NORTH, 9, None) == []
    assert (index.count("home"), index.count("other"), index.count("nowhere")) == (4, 1, 0)


def test_a_vector_put_again_replaces_the_one_before(index):
    index.put("home", "east", NORTH, PLAIN)
    assert index.count("home") == 4
    assert names(index.search("home", NORTH, 2, None)) == ["east", "north"]


def test_a_dropped_entry_is_found_no_more(index):
    index.drop("home", "north")
    index.drop("home", "north")
    index.drop("nowhere", "north")
    assert names(index.search("home", NORTH, 9, None)) == ["northeast", "east", "west"]
    assert index.search("home", NORTH, 9, Wanted(ids={"north"})) == []
    assert index.count("home") == 3


def test_an_entry_that_points_away_is_found_before_one_that_was_dropped(index):
    index.drop("home", "north")
    assert names(index.search("home", EAST, 3, None)) == ["east", "northeast", "west"]


def test_the_numbers_of_a_dropped_entry_are_gone(index):
    matrix = index._spaces["home"]
    index.drop("home", "northeast")
    assert not np.isclose(matrix._vectors, 0.6).any()


def test_a_space_that_is_empty_again_takes_no_room(index):
    for entry_id in ("east", "north", "northeast", "west"):
        index.drop("home", entry_id)
    assert index._spaces == {}


@pytest.mark.parametrize("limit", [0, -1])
def test_no_limit_no_hit(index, limit):
    assert index.search("home", NORTH, limit, None) == []


@pytest.mark.parametrize(
    "vector",
    [b"", b"\0" * 7, pack([1, 0, 0]), pack([1, float("nan")]), pack([float("inf"), 0])],
)
def test_what_is_no_vector_of_this_index_is_refused(index, vector):
    with pytest.raises(LocalProtocolError):
        index.put("home", "odd", vector, PLAIN)
    with pytest.raises(LocalProtocolError):
        index.search("home", vector, 1, None)
    assert index.count("home") == 4


def test_room_grows_by_doubling_and_goes_when_most_is_dropped():
    index = ExactIndex(2)
    for number in range(1000):
        index.put("home", f"e{number}", EAST, PLAIN)
    assert len(index._spaces["home"]._vectors) == 1024
    for number in range(990):
        index.drop("home", f"e{number}")
    assert len(index._spaces["home"]._vectors) <= 128
    assert names(index.search("home", EAST, 20, None)) == sorted(f"e{number}" for number in range(990, 1000))


def test_replacing_for_ever_takes_no_more_room():
    index = ExactIndex(2)
    for _ in range(10_000):
        index.put("home", "one", EAST, PLAIN)
    assert len(index._spaces["home"]._vectors) <= 128


NUMBER = st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0])
VECTOR = st.tuples(NUMBER, NUMBER, NUMBER).map(pack)
PLACE = st.integers(0, 120)
STEP = st.one_of(
    st.tuples(st.just("put"), PLACE, VECTOR, FACETS),
    st.tuples(st.just("refile"), PLACE, VECTOR, FACETS),
    st.tuples(st.just("drop"), PLACE, VECTOR, FACETS),
)
SOME = st.one_of(st.none(), st.sets(PLACE))


def lived(index, steps):
    """What is kept after steps of an index, by id."""
    kept: dict = {}
    for step, number, vector, facets in steps:
        entry_id = f"e{number}"
        if step == "put":
            index.put("home", entry_id, vector, facets)
            kept[entry_id] = vector, facets
        elif step == "refile":
            assert index.refile("home", entry_id, facets) is (entry_id in kept)
            if entry_id in kept:
                kept[entry_id] = kept[entry_id][0], facets
        else:
            index.drop("home", entry_id)
            kept.pop(entry_id, None)
    return kept


@settings(deadline=None)
@given(st.lists(STEP, max_size=200), VECTOR, st.integers(1, 20), FILTERS, AUDIENCES, SOME)
def test_it_finds_what_comparing_one_by_one_finds(steps, query, limit, wanted, audience, some):
    index = ExactIndex(3)
    kept = lived(index, steps)
    ids = None if some is None else frozenset(f"e{number}" for number in some)
    hits = index.search("home", query, limit, Wanted(wanted, audience, ids))
    scores = {
        entry_id: float(np.dot(np.frombuffer(vector, "<f4"), np.frombuffer(query, "<f4")))
        for entry_id, (vector, facets) in kept.items()
        if lets_in(wanted, audience, facets) and (ids is None or entry_id in ids)
    }
    assert index.count("home") == len(kept)
    assert [score for _, score in hits] == pytest.approx(sorted(scores.values(), reverse=True)[:limit])
    assert all(scores[entry_id] == pytest.approx(score) for entry_id, score in hits)
    assert hits == sorted(hits, key=lambda hit: (-hit[1], hit[0]))


@requirement("MEM-002-2.2-filter-inside")
def test_few_wanted_ones_among_many_are_all_found():
    """Up to a tenth of the rows are compared alone."""
    index = ExactIndex(2)
    for number in range(1000):
        vector = pack((math.cos(number), math.sin(number)))
        index.put("home", f"e{number}", vector, replace(PLAIN, level=Level.HOT if number % 50 == 0 else Level.COLD))
    hits = index.search("home", EAST, 30, Wanted(EntryFilter(level=Level.HOT)))
    assert set(names(hits)) == {f"e{number}" for number in range(0, 1000, 50)}
    assert [score for _, score in hits] == pytest.approx(
        sorted((math.cos(number) for number in range(0, 1000, 50)), reverse=True), abs=1e-6
    )


def test_what_changed_of_an_entry_is_what_it_is_found_by(index):
    hot = Wanted(EntryFilter(level=Level.HOT))
    assert index.search("home", EAST, 9, hot) == []
    assert index.refile("home", "west", replace(PLAIN, level=Level.HOT))
    assert names(index.search("home", EAST, 9, hot)) == ["west"]
    assert not index.refile("home", "gone", PLAIN)
    assert not index.refile("nowhere", "west", PLAIN)


def test_an_index_that_begins_again_has_forgotten_everything_and_takes_another_dimension(index):
    index.begin(3)
    assert index.count("home") == 0
    index.put("home", "up", pack([0, 0, 1]), PLAIN)
    assert names(index.search("home", pack([0, 0, 1]), 9)) == ["up"]


def test_the_scalar_product_of_vectors_of_length_one_is_their_cosine(index):
    assert index.search("home", NORTHEAST, 1, Wanted(ids={"east"}))[0][1] == pytest.approx(cosine(NORTHEAST, EAST))
