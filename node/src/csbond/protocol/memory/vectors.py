"""Vectors as they are stored: 32-bit floats, little-endian, one after the other (MEM-002 §2.2)."""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Iterable

BYTES_PER_NUMBER = 4


def pack(numbers: Iterable[float]) -> bytes:
    """The bytes of a vector; numbers are rounded to 32 bits."""
    return _little_endian(array("f", numbers)).tobytes()


def unpack(vector: bytes) -> tuple[float, ...]:
    """The numbers of a vector; ValueError when the bytes are no whole number of them."""
    return tuple(_little_endian(array("f", vector)))


def cosine(one: bytes, other: bytes) -> float:
    """How alike two vectors point, −1…1; 0 when either has no length. ValueError when they differ in size."""
    a, b = unpack(one), unpack(other)
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    length = math.hypot(*a) * math.hypot(*b)
    return max(-1.0, min(1.0, dot / length)) if length > 0 else 0.0


def _little_endian(numbers: array[float]) -> array[float]:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
