"""Which rule decides whether a memory may be forgotten (MEM-005 §5.3)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from csbond.protocol.memory.entry import EntryType, MemoryEntry

Action = Literal["soft_delete", "protect", "archive", "ttl_evict"]
Priority = Literal["low", "medium", "high"]
DefaultAction = Literal["ttl_evict", "protect"]

KEEPING_MOST: tuple[Action, ...] = ("protect", "ttl_evict", "archive", "soft_delete")
"""The actions, what keeps more first."""
MOST_PRESSING: tuple[Priority, ...] = ("high", "medium", "low")
PROTECTED_TAGS = "protected_tags"
DEFAULT_ACTION = "default_action"
SPARED = "spared"
HOUR_MS = 60 * 60 * 1000


@dataclass(frozen=True, slots=True)
class Match:
    """What a rule is about; what it leaves out fits everything."""

    type: EntryType | None = None
    source: str = ""
    age_hours: float | None = None
    tags: tuple[str, ...] = ()

    @property
    def age_ms(self) -> int | None:
        """The least age in whole milliseconds; None when any age fits."""
        return None if self.age_hours is None else math.ceil(self.age_hours * HOUR_MS)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of the document."""

    name: str
    match: Match
    action: Action
    priority: Priority = "medium"


@dataclass(frozen=True, slots=True)
class ForgettingPolicy:
    """The `selective_forgetting` document."""

    enabled: bool = True
    rules: tuple[Rule, ...] = ()
    default_action: DefaultAction = "ttl_evict"
    protected_tags: frozenset[str] = frozenset({"identity", "milestone"})
    human_only: bool = False
    """Nothing is deleted by itself; each such step waits for a person (MEM-005 §5.5)."""
    version: int = 0
    """Which one of those that were set; 0 before the first."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What may become of a memory."""

    action: Action
    rule: str = ""
    """The rule that decided, or `protected_tags`, `spared` or `default_action`."""


def matches(match: Match, entry: MemoryEntry, now: int) -> bool:
    """Whether everything that the match names fits the entry, each of its tags too; age counts from the timestamp."""
    age = match.age_ms
    return (
        match.type in (None, entry.type)
        and match.source in ("", entry.source)
        and (age is None or now - entry.timestamp >= age)
        and set(match.tags) <= set(entry.tags)
    )


def verdict(policy: ForgettingPolicy, entry: MemoryEntry, now: int) -> Verdict:
    """What may become of an entry.

    1. a protected tag protects it, and for a while a person who kept it; 2. without rules in force the default decides;
    3. of the rules that fit, the one of the highest priority, of those the one that keeps more, of those the first;
    4. where none fits, the default.
    """
    if not policy.protected_tags.isdisjoint(entry.tags):
        return Verdict("protect", PROTECTED_TAGS)
    if now < entry.spared_until:
        return Verdict("protect", SPARED)
    fitting = [rule for rule in policy.rules if matches(rule.match, entry, now)] if policy.enabled else []
    if not fitting:
        return Verdict(policy.default_action, DEFAULT_ACTION)
    first = min(fitting, key=lambda rule: (MOST_PRESSING.index(rule.priority), KEEPING_MOST.index(rule.action)))
    return Verdict(first.action, first.name)
