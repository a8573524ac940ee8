"""What a score means: how likely a hit is what was asked for, whatever else was found (MEM-003 §3.1).

Cosines mean something else with every model: 0.5 is near for one and far for another. Each model has two numbers of
its own, fitted on what a search really shows (`bench/recall/calibrate.py`), that turn a cosine into log odds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

_SURE = 50.0
"""Log odds beyond which a probability is 0 or 1 as far as a float goes."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """The curve of one model: even odds at the cosine `middle`, and `slope` log odds for each 1.0 of cosine."""

    slope: float
    middle: float
    near: float = 0.8
    """The least cosine of two statements that may say the same: opposites are as near, the words have to decide."""

    def log_odds(self, cosine: float) -> float:
        """How meaning alone speaks for a hit: 0 is even, more is likelier."""
        return self.slope * (cosine - self.middle)


DEFAULT = Calibration(slope=18.0, middle=0.41)
"""For a model that was not measured: fits encoders whose unrelated texts lie around 0."""
CALIBRATIONS: Mapping[str, Calibration] = {
    "use-multilingual-3": Calibration(slope=18.0, middle=0.41),
    "multilingual-e5-small-q4": Calibration(slope=20.8, middle=0.46),
}
"""By the name of the model: what its id begins with, up to the first stroke."""


def calibration_of(model_id: str) -> Calibration:
    """The calibration of a model, or the one of models that were not measured."""
    return CALIBRATIONS.get(model_id.partition("/")[0], DEFAULT)


def probability(log_odds: float) -> float:
    """From 0 to 1."""
    return 1.0 / (1.0 + math.exp(-max(-_SURE, min(_SURE, log_odds))))


def relevance(calibration: Calibration, cosine: float | None, coverage: float) -> float:
    """How likely a hit is what was asked for, 0…1: by its meaning, or by the share of the query that its words cover.

    A cosine that is not known says nothing: the words alone speak.
    """
    by_meaning = 0.0 if cosine is None else probability(calibration.log_odds(cosine))
    return 1.0 - (1.0 - by_meaning) * (1.0 - min(1.0, max(0.0, coverage)))
