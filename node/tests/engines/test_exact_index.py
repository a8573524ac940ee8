from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csbond.protocol.errors import LocalProtocolError
from csbond.protocol.memory.vectors import cosine, pack

np = pytest.importorskip("numpy", reason="absent extra: semantic")
ExactIndex = pytest.importorskip("csbond.engines.exact_index", reason="absent extra: semantic").ExactIndex

EAST, NORTH, NORTHEAST, WEST = pack([1, 0]), pack([0, 1]), pack([0.6, 0.8]), pack([-1, 0])


@pytest.fixture
def index():
    index = ExactIndex(2)
    for entry_id, vector in (("east", EAST), ("north", NORTH), ("northeast", NORTHEAST), ("west", WEST)):
        index.put("home", entry_id, vector)
    return index


def names(hits: list[tuple[str, float]]) -> list[str]:
    return [entry_id for entry_id, _ in hits]


def test_the_nearest_come_first_with_their_cosine(index):
    hits = index.search("home", NORTH, 3, None)
    assert names(hits) == ["north", "northeast", "east"]
    assert [score for _, score in hits] == pytest.approx([1.0, 0.8, 0.0])


def test_only_allowed_entries_are_found(index):
    assert names(index.search("home", NORTH, 9, {"west", "east", "gone"})) == ["east", "west"]
    assert names(index.search("home", NORTH, 9, ["west", "west"])) == ["west"]
    assert index.search("home", NORTH, 9, frozenset()) == []


def test_spaces_do_not_see_each_other(index):
    index.put("other", "stranger", NORTH)
    assert names(index.search("other", EAST, 9, None)) == ["stranger"]
    assert "stranger" not in names(index.search("home", NORTH, 9, None))
    assert index.search("nowhere", NORTH, 9, None) == []
    assert (index.count("home"), index.count("other"), index.count("nowhere")) == (4, 1, 0)


def test_a_vector_put_again_replaces_the_one_before(index):
    index.put("home", "east", NORTH)
    assert index.count("home") == 4
    assert names(index.search("home", NORTH, 2, None)) == ["east", "north"]


def test_a_dropped_entry_is_found_no_more(index):
    index.drop("home", "north")
    index.drop("home", "north")
    index.drop("nowhere", "north")
    assert names(index.search("home", NORTH, 9, None)) == ["northeast", "east", "west"]
    assert index.search("home", NORTH, 9, {"north"}) == []
    assert index.count("home") == 3


def test_an_entry_that_points_away_is_found_before_one_that_was_dropped(index):
    index.drop("home", "north")
    assert names(index.search("home", EAST, 3, None)) == ["east", "northeast", "west"]


def test_the_numbers_of_a_dropped_entry_are_gone(index):
    matrix = index._spaces["home"]
    index.drop("home", "northeast")
    assert not np.isclose(matrix._rows, 0.6).any()


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
        index.put("home", "odd", vector)
    with pytest.raises(LocalProtocolError):
        index.search("home", vector, 1, None)
    assert index.count("home") == 4


def test_room_grows_by_doubling_and_goes_when_most_is_dropped():
    index = ExactIndex(2)
    for number in range(1000):
        index.put("home", f"e{number}", EAST)
    assert len(index._spaces["home"]._rows) == 1024
    for number in range(990):
        index.drop("home", f"e{number}")
    assert len(index._spaces["home"]._rows) <= 128
    assert names(index.search("home", EAST, 20, None)) == sorted(f"e{number}" for number in range(990, 1000))


def test_replacing_for_ever_takes_no_more_room():
    index = ExactIndex(2)
    for _ in range(10_000):
        index.put("home", "one", EAST)
    assert len(index._spaces["home"]._rows) <= 128


NUMBER = st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0])
VECTOR = st.tuples(NUMBER, NUMBER, NUMBER).map(pack)
STEP = st.one_of(
    st.tuples(st.just("put"), st.integers(0, 200), VECTOR), st.tuples(st.just("drop"), st.integers(0, 200), VECTOR)
)


@settings(deadline=None)
@given(st.lists(STEP, max_size=300), VECTOR, st.integers(1, 20), st.one_of(st.none(), st.sets(st.integers(0, 200))))
def test_it_finds_what_comparing_one_by_one_finds(steps, query, limit, allowed):
    index, kept = ExactIndex(3), {}
    for step, number, vector in steps:
        entry_id = f"e{number}"
        if step == "put":
            index.put("home", entry_id, vector)
            kept[entry_id] = vector
        else:
            index.drop("home", entry_id)
            kept.pop(entry_id, None)
    chosen = None if allowed is None else {f"e{number}" for number in allowed}
    hits = index.search("home", query, limit, chosen)
    scores = {
        entry_id: float(np.dot(np.frombuffer(vector, "<f4"), np.frombuffer(query, "<f4")))
        for entry_id, vector in kept.items()
        if chosen is None or entry_id in chosen
    }
    assert index.count("home") == len(kept)
    assert [score for _, score in hits] == pytest.approx(sorted(scores.values(), reverse=True)[:limit])
    assert all(scores[entry_id] == pytest.approx(score) for entry_id, score in hits)
    assert hits == sorted(hits, key=lambda hit: (-hit[1], hit[0]))


def test_the_scalar_product_of_vectors_of_length_one_is_their_cosine(index):
    assert index.search("home", NORTHEAST, 1, {"east"})[0][1] == pytest.approx(cosine(NORTHEAST, EAST))
