"""A linear map from the vectors of another model to those of this node's (CSB v1.0 §1.2.4)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VectorMap:
    """A map that was good enough to be kept."""

    from_fingerprint: str
    to_model: str
    from_dimension: int
    to_dimension: int
    matrix: bytes
    """32-bit floats, little-endian, a row of `to_dimension` for each number that goes in."""
    pairs: int
    """Texts of which both models have a vector."""
    error: float
    """1 − the mean cosine between mapped vectors and this model's own, on texts it was not fitted to."""
    made_at: int
    """Milliseconds since 1970."""


@dataclass(frozen=True, slots=True)
class ForeignModel:
    """A model of which this home keeps vectors apart."""

    fingerprint: str
    model: str
    dimension: int
    vectors: int


@dataclass(frozen=True, slots=True)
class FittedMap:
    """A map that was fitted, before it is kept; as in `VectorMap`."""

    matrix: bytes
    from_dimension: int
    to_dimension: int
    pairs: int
    error: float
