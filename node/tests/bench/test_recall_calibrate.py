"""Scores say how often they are right, on pairs that nothing was fitted to."""

from __future__ import annotations

import pytest

from bench.recall.calibrate import WIDEST, Bin, Shown, bins, fitted, shown
from bench.recall.data import pair_collections
from csbond.engines.embedder_choice import EmbedderSettings, load_embedder
from csbond.engines.embedding_model import ENCODERS, EncoderName
from csbond.protocol.memory.calibration import probability
from csbond_tests.requirements import requirement


def test_a_curve_is_found_again_from_what_it_says():
    grid = [at / 100 for at in range(100)]
    results = [
        Shown(0.0, cosine, wanted=number + 10 < 1000 * probability(15 * (cosine - 0.6)))
        for cosine in grid
        for number in range(0, 1000, 20)
    ]
    curve = fitted(results)
    assert curve.slope == pytest.approx(15, abs=1)
    assert curve.middle == pytest.approx(0.6, abs=0.02)


def test_bins_go_from_the_highest_score_down_and_small_ones_join_the_next():
    results = [Shown(0.95, None, True)] * 5 + [Shown(0.7, None, False)] * 15 + [Shown(0.1, None, False)] * 30
    first, last = bins(results)
    assert (first.hits, first.precision, last.hits, last.precision) == (20, 0.25, 30, 0.0)
    assert not first.agrees
    assert last.agrees


def test_a_bin_may_be_off_by_so_much_and_no_more():
    assert Bin(20, 0.5, 0.49 + WIDEST).agrees
    assert not Bin(20, 0.5, 0.51 + WIDEST).agrees


@requirement("MEM-002-2.2-calibrated")
@pytest.mark.parametrize("name", ENCODERS)
async def test_scores_of_the_frozen_half_are_as_high_as_they_are_often_right(tmp_path, name: EncoderName):
    embedder = load_embedder(EmbedderSettings(wish=name)).embedder
    if embedder is None:
        pytest.skip(f"absent extra: {ENCODERS[name].extra}")
    try:
        frozen = next(each for each in pair_collections() if each.name == "frozen")
        results = await shown(frozen, embedder, tmp_path / "frozen")
    finally:
        await embedder.close()
    assert all(each.agrees for each in bins(results))
