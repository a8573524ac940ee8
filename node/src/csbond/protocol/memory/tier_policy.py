"""What the owner set about tiers and about what is left of a memory that was cleared (MEM-004 §4.2–4.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from csbond.protocol.memory.deletion import DAY_MS

Formula = Literal["recent", "literal"]
"""How promotion is decided: by uses that are recent, or by the formula as MEM-004 §4.1 writes it."""


@dataclass(frozen=True, slots=True)
class TierPolicy:
    """Thresholds of MEM-004 §4.2 and caps of MEM-001 §1.1; times in milliseconds."""

    hot_cap: int = 100
    """Memories in hot."""
    warm_cap: int = 200
    """Memories of one project in warm."""
    promote_uses: float = 3.0
    """Uses that make a warm memory hot …"""
    promote_within_ms: int = 7 * DAY_MS
    """… when none is longer ago than this."""
    hot_idle_ms: int = 30 * DAY_MS
    """Without a use for so long, a hot memory becomes warm."""
    warm_idle_ms: int = 90 * DAY_MS
    """Without a use for so long, a warm memory becomes cold."""
    alpha: float = 0.7
    """Weight of the frequency factor."""
    beta: float = 0.3
    """Weight of the time factor."""
    promote_score: float = 0.7
    """The least score that makes a warm memory hot."""
    formula: Formula = "recent"
    cold_rises: Literal["manual", "found"] = "manual"
    """Whether a cold memory that is found by meaning becomes warm, or only one that somebody names."""
    rhythm_ms: int = 0
    """Uses that follow each other faster count by their share of it only; 0: each counts whole."""
    cold_evicts: bool = True
    """Whether cold memories leave when their time to live has passed; otherwise cold keeps for ever."""
    cold_ttl_ms: int = 0
    """How long a cold memory is kept after its latest use; 0: as long as its own time to live says."""
    pinned_tags: frozenset[str] = frozenset({"pinned"})
    """A memory with one of these tags stays in its tier, whatever its uses and the caps."""
    review_decisions: bool = False
    """Whether a person is asked before a decision is lowered."""


@dataclass(frozen=True, slots=True)
class WhitespacePolicy:
    """Whether a cleared memory leaves a record without content, and how long (MEM-004 §4.3)."""

    enabled: bool = True
    retention_years: int = 3
