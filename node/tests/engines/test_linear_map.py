"""The map between two models' spaces (CSB v1.0 §1.2.4)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from csbond.engines.linear_map import TEXTS_MIN, LinearMaps, fitted
from csbond.protocol.errors import Refused
from csbond_tests.requirements import requirement

TEXTS, SOURCE, TARGET = 200, 24, 16


def of_length_one(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def told(rows):
    return [row.astype("<f4").tobytes() for row in rows]


@pytest.fixture
def spaces():
    """The vectors of some texts by two models, of which the second is nearly a turn of the first."""
    numbers = np.random.default_rng(7)
    texts = of_length_one(numbers.normal(size=(TEXTS, SOURCE)))
    turn = numbers.normal(size=(SOURCE, TARGET))
    return texts, of_length_one(texts @ turn + 0.1 * numbers.normal(size=(TEXTS, TARGET)))


@requirement("MEM-003-interop-map")
def test_a_map_brings_texts_it_has_not_seen_near_to_where_the_other_model_has_them(spaces):
    source, target = spaces
    found = fitted(told(source[:150]), told(target[:150]))
    assert (found.from_dimension, found.to_dimension, found.pairs) == (SOURCE, TARGET, 150)
    matrix = np.frombuffer(found.matrix, "<f4").reshape(SOURCE, TARGET)
    cosines = np.sum(of_length_one(source[150:] @ matrix) * target[150:], axis=1)
    assert np.mean(cosines) > 0.95
    assert abs((1 - found.error) - np.mean(cosines)) < 0.02


@requirement("MEM-003-interop-map")
def test_its_error_is_that_of_texts_it_was_not_fitted_to(spaces):
    source, target = spaces
    spoiled = target.copy()
    spoiled[4::5] = -spoiled[4::5]  # exactly those that are held out
    with pytest.raises(Refused) as refused:
        fitted(told(source), told(spoiled))
    assert "-0." in refused.value.reason
    without = np.delete(np.arange(TEXTS), np.arange(4, TEXTS, 5))
    others = target.copy()
    others[without] = -others[without]
    with pytest.raises(Refused):
        fitted(told(source), told(others))


@requirement("MEM-003-interop-map")
def test_a_map_between_spaces_that_have_nothing_in_common_is_refused(spaces):
    source, _ = spaces
    other = np.random.default_rng(8).normal(size=(TEXTS, TARGET))
    with pytest.raises(Refused) as refused:
        fitted(told(source), told(other))
    assert refused.value.code.name == "vector_map_refused"
    assert "mean cosine" in refused.value.reason
    assert fitted(told(source), told(other), bound=-1).error > 0.5


@requirement("MEM-003-interop-map")
@pytest.mark.parametrize("texts, dimension", [(0, 8), (TEXTS_MIN - 1, 8), (255, 1024), (511, 2048)])
def test_too_few_texts_fit_no_map(texts, dimension):
    rows = told(np.ones((texts, dimension)))
    with pytest.raises(Refused) as refused:
        fitted(rows, rows)
    assert str(max(TEXTS_MIN, dimension // 4 if texts else 0)) in refused.value.reason


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_no_number_fits_no_map(spaces, bad):
    source, target = spaces
    source[3, 3] = bad
    with pytest.raises(Refused) as refused:
        fitted(told(source), told(target))
    assert "finite" in refused.value.reason
    with pytest.raises(Refused):
        fitted([*told(target[:99]), b"\0" * 4], told(target[:100]))


def test_vectors_without_a_length_are_borne(spaces):
    source, target = spaces
    source[0] = target[4] = 0
    assert fitted(told(source), told(target)).error < 0.2


async def test_maps_are_fitted_beside_the_event_loop(spaces):
    source, target = spaces
    assert await LinearMaps().fit(told(source), told(target)) == fitted(told(source), told(target))
