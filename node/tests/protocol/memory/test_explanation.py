from __future__ import annotations

import pytest

from csbond.protocol.memory.calibration import Calibration
from csbond.protocol.memory.explanation import explained
from csbond.protocol.memory.fusion import STRAY_COVERAGE, Scored, fuse
from csbond_tests.requirements import requirement

CURVE = Calibration(slope=20.0, middle=0.4)


@requirement("MEM-002-2.2-explained")
def test_a_hit_of_both_sides_says_what_each_gave_and_what_came_of_it():
    (hit,) = fuse([Scored("a", 4.0)], [Scored("a", 0.5)], 0.6, CURVE)
    why = explained(hit, "The workshop moved.", (("workshop", 3), ("floor", 9)), CURVE)
    assert why["words"] == {"rank": 4.0, "coverage": 0.6, "terms": [{"term": "workshop", "in": 3}]}
    assert why["meaning"] == {"cosine": 0.5, "p": pytest.approx(0.880797)}
    assert why["gate"] == pytest.approx(0.6 - STRAY_COVERAGE)
    assert (why["order"], why["score"]) == (round(hit.order, 6), round(hit.score, 6))


@requirement("MEM-002-2.2-explained")
def test_a_side_that_did_not_find_it_is_null():
    by_words, by_meaning = fuse([Scored("a", 4.0)], [Scored("b", 0.5)], 1.0, CURVE)
    assert explained(by_words, "x", (), CURVE)["meaning"] is None
    assert explained(by_meaning, "x", (), CURVE)["words"] is None


def test_words_alone_count_for_all_they_cover():
    (hit,) = fuse([Scored("a", 4.0)], (), 0.05, CURVE)
    assert explained(hit, "x", (), None)["gate"] == 0.05


def test_who_may_not_know_how_many_memories_hold_a_term_is_not_told():
    (hit,) = fuse([Scored("a", 4.0)], (), 0.5, CURVE)
    assert explained(hit, "the key", (("key", None),), None)["words"]["terms"] == [{"term": "key"}]


@pytest.mark.parametrize(
    "text, term, held",
    [
        ("The policies changed.", "policy", True),
        ("She moves to Porto.", "moved", True),
        ("The keyboard is new.", "car", False),
        ("钥匙在垫子下面。", "钥匙", True),
        ("钥匙在垫子下面。", "会议", False),
        ("ＡＢＣ", "abc", True),
    ],
)
def test_terms_are_told_as_near_as_words_can_be(text, term, held):
    (hit,) = fuse([Scored("a", 4.0)], (), 0.5, CURVE)
    terms = explained(hit, text, ((term, 1),), None)["words"]["terms"]
    assert terms == ([{"term": term, "in": 1}] if held else [])
