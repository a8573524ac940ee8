"""Role centring: what all statements share, and all questions, is taken out of their vectors.

The sentence encoder has no way to be told whether it reads a question or a statement, so questions
lie near questions. Without the mean of its role a question lies near its answers.
"""

from __future__ import annotations

from functools import cache
from io import BytesIO
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from csbond.engines.embedding_frames import Role
from csbond.engines.embedding_model import role_means_file

Floats: TypeAlias = npt.NDArray[np.float32]

_ROWS: dict[Role, int] = {"document": 0, "query": 1}


@cache
def role_means() -> Floats:
    """The mean vector of statements and that of questions, a row each."""
    means: Floats = np.load(BytesIO(role_means_file()), allow_pickle=False)
    return means


def centred(vectors: Floats, role: Role) -> Floats:
    """The vectors (one a row) without the mean of their role, each of length one again.

    Texts that are to be compared with each other, not asked for, are both documents.
    """
    moved: Floats = vectors - role_means()[_ROWS[role]]
    lengths = np.linalg.norm(moved, axis=1, keepdims=True)
    return np.asarray(moved / np.where(lengths > 0, lengths, 1.0), dtype="<f4")
