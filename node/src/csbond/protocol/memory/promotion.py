"""Two factors decide the tier of a memory: how often it was used, and how long ago (MEM-004 §4.1–4.4)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from csbond.protocol.memory.entry import Level, MemoryEntry
from csbond.protocol.memory.tier_caps import stays
from csbond.protocol.memory.tier_policy import Formula, TierPolicy

USES_KEPT = 16
"""The latest uses an entry remembers singly: more than any threshold asks for."""
TOKEN_LENGTH = 16
"""Characters of one use, so that either engine adds one by appending and cuts by counting."""
_WHOLE = 99
"""The weight of a use that counts whole, in the two digits of a token."""


def token(at: int, weight: float = 1.0) -> str:
    """One use as it is kept: when, in milliseconds, and by how much it counts (0…1)."""
    return f"{at:013d}{round(weight * _WHOLE):02d};"


def with_uses(recent: str, tokens: Iterable[str]) -> str:
    """The uses an entry remembers after some more: the latest 16."""
    return (recent + "".join(tokens))[-USES_KEPT * TOKEN_LENGTH :]


def first_uses(last_accessed: int, access_count: int, now: int) -> tuple[int, str]:
    """What an entry begins with, its latest use and those it remembers, by the metadata it brings.

    A time of access that is missing, or ahead of the clock, is now.
    """
    used_at = last_accessed if 0 < last_accessed <= now else now
    return used_at, token(used_at) * min(access_count, USES_KEPT)


def uses(recent: str, now: int, within: int) -> float:
    """How many uses were within so many milliseconds, each by its weight."""
    return sum(weight for at, weight in _tokens(recent) if at >= now - within) / _WHOLE


def weight_of_use(previous: int, now: int, rhythm: int) -> float:
    """By how much a use counts after the previous one: by its share of the rhythm, whole without one (MEM-004 §4.4)."""
    if rhythm <= 0 or previous == 0:
        return 1.0
    return min(1.0, max(0, now - previous) / rhythm)


def frequency_factor(n: float, threshold: float) -> float:
    """Uses over their threshold, at most 1."""
    return min(n / threshold, 1.0)


def time_factor(since: int, threshold: int, *, rising: bool, formula: Formula = "recent") -> float:
    """Time since the latest use over its threshold, at most 1: that is the published factor, and it is for sinking.

    For rising it is 1 less that, since as published it would reward a memory for not being used; the literal formula
    takes it as published there too.
    """
    idle = min(max(0, since) / threshold, 1.0) if threshold > 0 else 1.0
    return 1.0 - idle if rising and formula == "recent" else idle


def score(frequency: float, time: float, policy: TierPolicy) -> float:
    """The weighted sum of the two factors."""
    return policy.alpha * frequency + policy.beta * time


def promotes(entry: MemoryEntry, now: int, policy: TierPolicy) -> bool:
    """Whether a warm memory has earned a place in hot.

    1. it is warm, not pinned to it, and not so long unused that hot would let it sink again; 2. by the literal formula
    its score is enough; 3. otherwise its recent uses are enough, none longer ago than set, and the score is.
    """
    if entry.level is not Level.WARM or stays(entry, policy) or now - entry.used_at >= policy.hot_idle_ms:
        return False
    if policy.formula == "literal":
        return rising_score(entry, now, policy) >= policy.promote_score
    return (
        uses(entry.recent, now, policy.promote_within_ms) >= policy.promote_uses
        and now - entry.used_at <= policy.promote_within_ms
        and rising_score(entry, now, policy) >= policy.promote_score
    )


def sinks(entry: MemoryEntry, now: int, policy: TierPolicy) -> bool:
    """Whether a hot or warm memory was unused for as long as its tier keeps one; never with a pinned tag."""
    at = idle_at(entry, policy)
    return at is not None and at <= now


def rises_from_cold(entry: MemoryEntry, found_at: int, policy: TierPolicy) -> bool:
    """Whether a cold memory becomes warm because it was found by meaning, which the home has to let."""
    return policy.cold_rises == "found" and entry.level is Level.COLD and found_at > 0 and not stays(entry, policy)


def rising_since(now: int, policy: TierPolicy) -> int:
    """The earliest latest use with which a memory can earn its place in hot: nothing older need be looked at."""
    idle = now - policy.hot_idle_ms + 1
    return idle if policy.formula == "literal" else max(idle, now - policy.promote_within_ms)


def rising_uses(policy: TierPolicy) -> int:
    """The fewest uses a memory must remember to earn its place in hot; the literal formula needs none remembered."""
    return 0 if policy.formula == "literal" else math.ceil(policy.promote_uses)


def rising_score(entry: MemoryEntry, now: int, policy: TierPolicy) -> float:
    """The score that counts for promotion; the literal formula counts every use there ever was, as it is written."""
    n = entry.access_count if policy.formula == "literal" else uses(entry.recent, now, policy.promote_within_ms)
    time = time_factor(now - entry.used_at, policy.promote_within_ms, rising=True, formula=policy.formula)
    return score(frequency_factor(n, policy.promote_uses), time, policy)


def sinking_score(entry: MemoryEntry, now: int, policy: TierPolicy) -> float:
    """How much speaks for sinking, for show: few uses, long ago by the threshold of its tier."""
    frequency = frequency_factor(uses(entry.recent, now, policy.promote_within_ms), policy.promote_uses)
    threshold = policy.hot_idle_ms if entry.level is Level.HOT else policy.warm_idle_ms
    return score(1.0 - frequency, time_factor(now - entry.used_at, threshold, rising=False), policy)


def promoted_at(entry: MemoryEntry, now: int, policy: TierPolicy) -> int | None:
    """When promotion comes without a further use: now or, by the literal formula alone, with waiting."""
    if promotes(entry, now, policy):
        return now
    lacking = policy.promote_score - policy.alpha * frequency_factor(entry.access_count, policy.promote_uses)
    if policy.formula != "literal" or entry.level is not Level.WARM or policy.beta <= 0 or lacking > policy.beta:
        return None
    waiting = math.ceil(lacking / policy.beta * policy.promote_within_ms)
    at = max(now, entry.used_at + waiting)
    return next((each for each in (at, at + 1) if promotes(entry, each, policy)), None)  # the quotient may be rounded


def idle_at(entry: MemoryEntry, policy: TierPolicy) -> int | None:
    """When it sinks unless it is used; None for what idleness does not move."""
    if entry.level is Level.COLD or stays(entry, policy):
        return None
    return entry.used_at + (policy.hot_idle_ms if entry.level is Level.HOT else policy.warm_idle_ms)


def _tokens(recent: str) -> Iterator[tuple[int, int]]:
    for start in range(0, len(recent) - TOKEN_LENGTH + 1, TOKEN_LENGTH):
        yield int(recent[start : start + 13]), int(recent[start + 13 : start + 15])
