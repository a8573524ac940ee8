"""The settings of memory in `csb.toml`; the sentence under a field is its documentation, as in `config/settings.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """How memory is searched."""

    semantic: Literal["auto", "off"] = "auto"
    """Search by meaning where the extra `semantic` is installed ("auto"), or by words only ("off")."""
    memory_level_map: Mapping[str, str] = field(default_factory=dict)
    """Names of your own for the tiers hot, warm and cold (MEM-001 §1.2); empty: those identity.json declares."""


@dataclass(frozen=True, slots=True)
class DuplicateSettings:
    """What becomes of a memory that is written twice."""

    same: Literal["merge", "keep"] = "merge"
    """A memory that says what one from the same place says, letter for letter: "merge" the two, or "keep" both."""
