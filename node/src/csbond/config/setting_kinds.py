"""How a setting's annotation says what it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated


@dataclass(frozen=True, slots=True)
class Bounds:
    """The smallest and the greatest number a setting takes."""

    low: float
    high: float = float("inf")


@dataclass(frozen=True, slots=True)
class HomePath:
    """Marks a text that names a file; a relative one starts at the home."""


Port = Annotated[int, Bounds(0, 65535)]
FilePath = Annotated[str, HomePath()]
