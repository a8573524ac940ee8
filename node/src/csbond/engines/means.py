"""Role centring: what all statements share, and all questions, is taken out of their vectors.

Questions lie near questions, and some encoders lay all texts near each other. Without the mean of its role a question
lies near its answers, and a text far from what has nothing to do with it.
"""

from __future__ import annotations

from functools import cache
from io import BytesIO
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from csbond.engines.embedding_frames import Role
from csbond.engines.embedding_model import EncoderName, means_file

Floats: TypeAlias = npt.NDArray[np.float32]

_ROWS: dict[Role, int] = {"document": 0, "query": 1}


@cache
def role_means(encoder: EncoderName = "use") -> Floats:
    """The mean vector of statements and that of questions, a row each."""
    means: Floats = np.load(BytesIO(means_file(encoder)), allow_pickle=False)
    return means


def centred(vectors: Floats, role: Role, encoder: EncoderName = "use") -> Floats:
    """The vectors (one a row) without the mean of their role, each of length one again.

    Texts that are to be compared with each other, not asked for, are both documents.
    """
    moved: Floats = vectors - role_means(encoder)[_ROWS[role]]
    lengths = np.linalg.norm(moved, axis=1, keepdims=True)
    return np.asarray(moved / np.where(lengths > 0, lengths, 1.0), dtype="<f4")
