from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csbond.protocol.memory.fusion import Fused, Scored, fuse, query_coverage

WORDS = (Scored("a", 9.0), Scored("b", 6.0), Scored("c", 3.0))
MEANING = (Scored("c", 0.8), Scored("d", 0.5), Scored("a", 0.2))


def ranked(*args: object, **options: float) -> list[tuple[str, float]]:
    return [(hit.id, round(hit.score, 3)) for hit in fuse(*args, **options)]  # type: ignore[arg-type]


def test_each_side_is_scaled_and_counts_the_same_when_the_query_is_covered():
    assert ranked(WORDS, MEANING, 1.0) == [("a", 0.5), ("c", 0.5), ("b", 0.25), ("d", 0.25)]


def test_words_count_less_when_they_cover_little_of_the_query():
    assert ranked(WORDS, MEANING, 0.1) == [("c", 0.667), ("a", 0.333), ("d", 0.333), ("b", 0.167)]
    assert ranked(WORDS, MEANING, 0.1, tau=0.1) == ranked(WORDS, MEANING, 1.0)


def test_words_do_not_count_when_they_cover_nothing():
    assert ranked(WORDS, MEANING, 0.0) == [("c", 1.0), ("d", 0.5), ("a", 0.0), ("b", 0.0)]


def test_a_gate_of_zero_is_no_gate():
    assert ranked(WORDS, MEANING, 0.0, tau=0.0) == ranked(WORDS, MEANING, 1.0)


def test_words_alone_rank_by_words_whatever_they_cover():
    assert ranked(WORDS, (), 0.0) == [("a", 1.0), ("b", 0.5), ("c", 0.0)]


def test_meaning_alone_ranks_by_meaning():
    assert ranked((), MEANING, 0.0) == [("c", 1.0), ("d", 0.5), ("a", 0.0)]


def test_without_hits_there_is_nothing():
    assert fuse((), (), 1.0) == []


def test_a_single_hit_scores_one():
    assert fuse([Scored("a", -3.0)], (), 0.0) == [Fused("a", 1.0, -3.0, None)]


def test_a_hit_keeps_what_each_side_gave_it():
    hits = {hit.id: hit for hit in fuse(WORDS, MEANING, 1.0)}
    assert (hits["a"].words, hits["a"].cosine) == (9.0, 0.2)
    assert (hits["b"].words, hits["b"].cosine) == (6.0, None)
    assert (hits["d"].words, hits["d"].cosine) == (None, 0.5)


def test_coverage_is_the_share_of_the_best_possible_rank():
    weight = math.log((100 - 4 + 0.5) / (4 + 0.5))
    assert query_coverage(weight * 2.2, [4], 100) == pytest.approx(1.0)
    assert query_coverage(weight * 1.1, [4], 100) == pytest.approx(0.5)
    assert query_coverage(weight * 1.1, [4, 4], 100) == pytest.approx(0.25)


def test_a_term_that_occurs_nowhere_lowers_the_coverage_most():
    known, unknown = query_coverage(5.0, [4, 4], 100), query_coverage(5.0, [4, 0], 100)
    assert unknown < known


@pytest.mark.parametrize("best, frequencies, texts", [(1.0, [], 100), (0.0, [3], 100), (-1.0, [3], 10)])
def test_coverage_of_nothing_is_zero(best, frequencies, texts):
    assert query_coverage(best, frequencies, texts) == 0.0


def test_terms_of_every_text_never_cover_more_than_all():
    assert query_coverage(3.0, [100, 100], 100) == 1.0


HITS = st.lists(
    st.builds(Scored, st.sampled_from("abcdefgh"), st.floats(-1e6, 1e6)), max_size=8, unique_by=lambda h: h.id
)


@settings(deadline=None)
@given(HITS, HITS, st.floats(0, 1), st.randoms())
def test_every_hit_comes_once_within_0_and_1_in_an_order_of_its_own(words, meaning, coverage, random):
    hits = fuse(words, meaning, coverage)
    assert sorted(hit.id for hit in hits) == sorted({hit.id for hit in (*words, *meaning)})
    assert all(0.0 <= hit.score <= 1.0 for hit in hits)
    assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.id))
    random.shuffle(words)
    random.shuffle(meaning)
    assert fuse(words, meaning, coverage) == hits
