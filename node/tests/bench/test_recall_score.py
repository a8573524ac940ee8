"""The marks of the recall benchmark against values computed by hand."""

from __future__ import annotations

import pytest

from bench.recall.score import marks, mean_marks, ndcg_at, recall_at

RANKED = list("abcdefghijkl")


@pytest.mark.parametrize(
    "depth, wanted, share",
    [
        (1, "a", 1.0),
        (1, "b", 0.0),
        (5, "e", 1.0),
        (5, "f", 0.0),
        (1, "ab", 0.5),  # one result cannot show two
        (10, "aj", 1.0),
        (10, "ak", 0.5),  # k stands at place 11
        (10, "acz", 2 / 3),
        (10, "z", 0.0),
    ],
)
def test_recall_is_the_share_of_the_wanted_among_the_first(depth, wanted, share):
    assert recall_at(depth, RANKED, wanted) == pytest.approx(share)


@pytest.mark.parametrize(
    "wanted, gain",
    [
        ("a", 1.0),
        ("b", 0.6309297536),  # 1 / log2 3
        ("c", 0.5),  # 1 / log2 4
        ("j", 0.2890648263),  # 1 / log2 11
        ("k", 0.0),
        ("ab", 1.0),
        ("bc", 0.6934264036),  # (0.6309297536 + 0.5) / (1 + 0.6309297536)
        ("ac", 0.9197207891),  # (1 + 0.5) / (1 + 0.6309297536)
        ("az", 0.6131471928),  # 1 / (1 + 0.6309297536)
        ("abcdefghijkl", 1.0),  # twelve are wanted, ten can be shown
    ],
)
def test_the_gain_is_discounted_by_place_and_measured_by_the_best_ranking(wanted, gain):
    assert ndcg_at(10, RANKED, wanted) == pytest.approx(gain)


def test_a_ranking_shorter_than_the_depth_is_marked_as_it_is():
    assert marks([], {"a"}) == {"R@1": 0.0, "R@5": 0.0, "R@10": 0.0, "nDCG@10": 0.0}
    assert marks(["a"], {"a", "b"})["R@10"] == 0.5


def test_a_ranking_that_shows_an_entry_twice_is_refused():
    with pytest.raises(ValueError, match="twice"):
        marks(["a", "b", "a"], {"a"})


def test_the_mean_is_over_questions_each_counting_the_same():
    of_questions = [marks(["a"], {"a"}), marks(["x", "a"], {"a"}), marks(["x"], {"a", "b"}), marks(["a"], {"a", "b"})]
    mean = mean_marks(of_questions)
    assert mean["R@1"] == pytest.approx((1 + 0 + 0 + 0.5) / 4)
    assert mean["R@5"] == pytest.approx((1 + 1 + 0 + 0.5) / 4)
    assert mean["nDCG@10"] == pytest.approx((1 + 0.6309297536 + 0 + 0.6131471928) / 4)


def test_there_is_no_mean_of_nothing():
    with pytest.raises(ValueError, match="nothing was asked"):
        mean_marks([])
