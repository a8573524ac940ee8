"""Vectors of length one that lie in clusters, as those of texts do: a direction for each topic, and some of its own."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bench.memory.texts import TOPICS

__all__ = ["DIMENSION", "Vectors", "question_vectors", "text_vectors"]

Vectors: TypeAlias = npt.NDArray[np.float32]

DIMENSION = 384
_OWN = 0.7
"""How far a text lies from the middle of its topic, and a question from its text."""


def text_vectors(topics: list[int], seed: int) -> Vectors:
    """A vector for each text of these topics."""
    centres = _directions(np.random.default_rng(0), TOPICS)
    return _unit(centres[topics] + _OWN * _directions(np.random.default_rng([1, seed]), len(topics)))


def question_vectors(of_texts: Vectors, seed: int) -> Vectors:
    """A vector near each of the given ones."""
    return _unit(of_texts + _OWN * _directions(np.random.default_rng([2, seed]), len(of_texts)))


def _directions(random: np.random.Generator, count: int) -> Vectors:
    return _unit(random.standard_normal((count, DIMENSION), dtype=np.float32))


def _unit(rows: Vectors) -> Vectors:
    unit: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit
