"""What may be done with a vector that comes with a memory (CSB v1.0 §1.2.4)."""

from __future__ import annotations

from typing import Literal

from csbond.protocol.memory.entry import EMBEDDING_MAX, refused
from csbond.protocol.memory.foreign_record import ForeignVector
from csbond.protocol.memory.interop import model_fingerprint


def usable(vector: ForeignVector, own_model: str, own_dimension: int) -> Literal["own", "apart"]:
    """Whether a vector is one of this node's model, which makes its own from the text, or is to be kept apart.

    Any dimension up to 2,048 is taken; another dimension under the name of this node's model is `invalid_params`, and
    so is the name with another fingerprint.
    """
    if not 1 <= vector.dimension <= EMBEDDING_MAX:
        raise refused("embedding.dimension", f"must be a whole number from 1 to {EMBEDDING_MAX}")
    fingerprint = model_fingerprint(own_model, own_dimension) if own_model else ""
    if own_model and vector.model == own_model and vector.dimension != own_dimension:
        raise refused("embedding.dimension", f"is {vector.dimension}; vectors of {own_model} have {own_dimension}")
    if own_model and vector.model == own_model and vector.fingerprint != fingerprint:
        raise refused("embedding.model_fingerprint", f"is not that of {own_model} as this node has it")
    return "own" if own_model and vector.fingerprint == fingerprint else "apart"
