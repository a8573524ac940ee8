from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csbond.protocol.memory.calibration import Calibration
from csbond.protocol.memory.fusion import STRAY_COVERAGE, Scored, fuse, query_coverage
from csbond_tests.requirements import requirement

CURVE = Calibration(slope=20.0, middle=0.4)
WORDS = (Scored("a", 9.0), Scored("b", 6.0), Scored("c", 3.0))
MEANING = (Scored("c", 0.6), Scored("d", 0.5), Scored("a", 0.1))


def ranked(words=WORDS, meaning=MEANING, coverage=1.0):
    return [hit.id for hit in fuse(words, meaning, coverage, CURVE)]


def test_words_lead_when_they_cover_the_query():
    assert ranked(coverage=1.0) == ["a", "c", "b", "d"]


@requirement("MEM-002-2.2-gate")
def test_meaning_leads_when_words_cover_little_of_the_query():
    assert ranked(coverage=0.2) == ["c", "d", "a", "b"]


@requirement("MEM-002-2.2-gate")
def test_words_below_the_floor_do_not_count_at_all():
    by_meaning = fuse((), MEANING, 0.0, CURVE)
    orders = {hit.id: hit.order for hit in fuse(WORDS, MEANING, STRAY_COVERAGE, CURVE)}
    assert {hit.id: hit.order for hit in by_meaning}.items() <= orders.items()
    assert ranked(coverage=0.0) == ranked(coverage=STRAY_COVERAGE) == ["c", "d", "a", "b"]


@requirement("MEM-002-2.2-gate")
def test_each_hit_counts_for_what_its_own_words_cover():
    hits = {hit.id: hit.coverage for hit in fuse(WORDS, MEANING, 0.6, CURVE)}
    assert hits == pytest.approx({"a": 0.6, "b": 0.4, "c": 0.2, "d": 0.0})


def test_a_hit_by_words_that_is_not_among_the_nearest_is_as_far_as_the_last_of_them():
    orders = {hit.id: hit.order for hit in fuse([Scored("a", 5.0), Scored("z", 5.0)], MEANING, 0.5, CURVE)}
    assert orders["z"] == orders["a"]


def test_words_alone_rank_by_words_whatever_they_cover():
    assert ranked(meaning=()) == ranked(meaning=(), coverage=0.0) == ["a", "b", "c"]
    assert [hit.score for hit in fuse(WORDS, (), 0.6, CURVE)] == pytest.approx([0.6, 0.4, 0.2])


def test_meaning_alone_ranks_by_meaning():
    assert ranked(words=(), coverage=0.0) == ["c", "d", "a"]


def test_without_hits_there_is_nothing():
    assert list(fuse((), (), 1.0, CURVE)) == []


def test_a_hit_keeps_what_each_side_gave_it():
    hits = {hit.id: hit for hit in fuse(WORDS, MEANING, 1.0, CURVE)}
    assert (hits["a"].words, hits["a"].cosine) == (9.0, 0.1)
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


def test_in_a_memory_of_two_texts_a_word_of_both_still_covers_its_share():
    both, neither = 2, 0
    assert 0.02 < query_coverage(1.1e-6, [both, neither], 2) < 0.1
    assert query_coverage(1.1e-6, [both], 2) == pytest.approx(0.5)


HITS = st.lists(
    st.builds(Scored, st.sampled_from("abcdefgh"), st.floats(-1e6, 1e6)), max_size=8, unique_by=lambda h: h.id
)


@requirement("MEM-002-2.2-calibrated")
@settings(deadline=None)
@given(HITS, HITS, st.floats(0, 1), st.randoms())
def test_every_hit_comes_once_and_scores_never_rise_in_an_order_of_its_own(words, meaning, coverage, random):
    hits = list(fuse(words, meaning, coverage, CURVE))
    assert sorted(hit.id for hit in hits) == sorted({hit.id for hit in (*words, *meaning)})
    scores = [hit.score for hit in hits]
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert scores == sorted(scores, reverse=True)
    assert [hit.order for hit in hits] == sorted((hit.order for hit in hits), reverse=True)
    random.shuffle(words)
    random.shuffle(meaning)
    assert list(fuse(words, meaning, coverage, CURVE)) == hits
