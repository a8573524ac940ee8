"""Role centring: what all statements share, and all questions, is taken out of their vectors.

The sentence encoder has no way to be told whether it reads a question or a statement, so questions
lie near questions. Without the mean of its role a question lies near its answers.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from csbond.engines.embedding_frames import Role

Floats: TypeAlias = npt.NDArray[np.float32]

_ROWS: dict[Role, int] = {"document": 0, "query": 1}


@cache
def _data() -> bytes:
    return files("csbond.engines").joinpath("data/role_means.npy").read_bytes()


@cache
def role_means() -> Floats:
    """The mean vector of statements and that of questions, a row each; made by `tools/compute_role_means.py`."""
    means: Floats = np.load(BytesIO(_data()), allow_pickle=False)
    return means


def means_digest() -> str:
    """Eight hex digits that change with the means: vectors centred differently are never mixed."""
    return hashlib.sha256(_data()).hexdigest()[:8]


def centred(vectors: Floats, role: Role) -> Floats:
    """The vectors (one a row) without the mean of their role, each of length one again.

    Texts that are to be compared with each other, not asked for, are both documents.
    """
    moved: Floats = vectors - role_means()[_ROWS[role]]
    lengths = np.linalg.norm(moved, axis=1, keepdims=True)
    return np.asarray(moved / np.where(lengths > 0, lengths, 1.0), dtype="<f4")
