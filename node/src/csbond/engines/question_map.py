"""Questions are turned toward their answers, as far as pairs of our own sentences show the way.

Role centring takes out what all questions share. What a question and its answer still differ in by rule, not by
topic, is learned from pairs of a question and the statement that answers it: a small linear map, the identity plus a
correction of low rank. Only questions go through it, so the vectors that are kept do not depend on it.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from io import BytesIO

import numpy as np

from csbond.engines.embedding_frames import Role
from csbond.engines.means import Floats, centred


@cache
def correction() -> tuple[Floats, Floats]:
    """The factors of the correction, left and right, as made by `tools/compute_question_map.py`."""
    kept = files("csbond.engines").joinpath("data/question_map.npy").read_bytes()
    left, right = np.load(BytesIO(kept), allow_pickle=False).astype(np.float32)
    return left.T, right


def turned(questions: Floats) -> Floats:
    """Centred vectors of questions (one a row), turned toward their answers, each of length one again."""
    left, right = correction()
    moved = np.asarray(questions + (questions @ left) @ right, dtype=np.float32)
    lengths = np.linalg.norm(moved, axis=1, keepdims=True)
    return np.asarray(moved / np.where(lengths > 0, lengths, 1.0), dtype="<f4")


def placed(vectors: Floats, role: Role) -> Floats:
    """The encoder's vectors where questions lie near their answers: both centred, questions turned."""
    moved = centred(vectors, role)
    return turned(moved) if role == "query" else moved
