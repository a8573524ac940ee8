from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csbond.protocol.memory.calibration import (
    CALIBRATIONS,
    DEFAULT,
    Calibration,
    calibration_of,
    probability,
    relevance,
)
from csbond_tests.requirements import requirement

CURVE = Calibration(slope=20.0, middle=0.4)


def test_a_model_is_known_by_the_beginning_of_its_id():
    assert calibration_of("use-multilingual-3/0.2.1/means-0a1b2c3d") is CALIBRATIONS["use-multilingual-3"]
    assert calibration_of("someone-elses/1") is DEFAULT
    assert calibration_of("") is DEFAULT


def test_at_its_middle_the_odds_are_even():
    assert probability(CURVE.log_odds(0.4)) == pytest.approx(0.5)
    assert probability(CURVE.log_odds(0.5)) == pytest.approx(0.881, abs=0.001)


@requirement("MEM-002-2.2-calibrated")
def test_the_same_cosine_and_coverage_score_the_same_whatever_else_was_found():
    assert relevance(CURVE, 0.5, 0.0) == pytest.approx(0.881, abs=0.001)
    assert relevance(CURVE, None, 0.3) == pytest.approx(0.3)
    assert relevance(CURVE, 0.4, 0.5) == pytest.approx(0.75)


@requirement("MEM-002-2.2-calibrated")
@given(st.floats(-2, 2), st.floats(-1, 2), st.floats(0, 1))
def test_a_score_is_from_0_to_1_and_rises_with_both_sides(cosine, coverage, more):
    score = relevance(CURVE, cosine, coverage)
    assert 0.0 <= score <= 1.0
    assert relevance(CURVE, cosine + more, coverage) >= score
    assert relevance(CURVE, cosine, coverage + more) >= score


@pytest.mark.parametrize("odds", [-1e9, 1e9, float("-inf"), float("inf")])
def test_no_odds_are_too_long_to_be_told(odds):
    assert probability(odds) == pytest.approx(0.0 if odds < 0 else 1.0)
