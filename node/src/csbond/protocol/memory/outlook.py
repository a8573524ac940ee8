"""What a memory waits for: its factors and scores, and where it goes next by itself, and when (MEM-004 §4.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from csbond.protocol.memory.entry import Level, MemoryEntry
from csbond.protocol.memory.eviction import Move, Place
from csbond.protocol.memory.forgetting import ForgettingPolicy, verdict
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.lifetime import next_down, outlived_at
from csbond.protocol.memory.promotion import (
    frequency_factor,
    idle_at,
    promoted_at,
    rises_from_cold,
    rising_score,
    sinking_score,
    time_factor,
    uses,
)
from csbond.protocol.memory.review import ReviewKind, kind_of, needs_review
from csbond.protocol.memory.tier_caps import stays
from csbond.protocol.memory.tier_policy import TierPolicy
from csbond.protocol.memory.whole_text import as_one, judged_apart, strictest_verdict

_PRESET = ForgettingPolicy()
_NONE: Mapping[ReviewKind, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class NextMove:
    """Where a memory goes by itself, when, and why."""

    at: int
    """In milliseconds since 1970; never before now."""
    to: Place
    because: str
    """`uses`, `found`, `unused`, `ttl` or `rule`."""
    rule: str = ""
    """The rule that takes it."""
    asked: bool = False
    """Whether a person is asked then, before it goes."""


def outlook(
    pieces: Sequence[MemoryEntry],
    now: int,
    policy: TierPolicy,
    forgetting: ForgettingPolicy = _PRESET,
    names: LevelNames | None = None,
    *,
    rests: Mapping[ReviewKind, int] = _NONE,
) -> Mapping[str, Any]:
    """The factors and scores of a memory, of a text of its first piece, and its next move if nobody used it any more.

    `next_move` is null when nothing moves it by itself. Caps are not in it, since they depend on the others. `rests`
    says until when what a person declined is not asked again.
    """
    names, entry = names or LevelNames(), as_one(pieces)
    n = uses(entry.recent, now, policy.promote_within_ms)
    since = max(0, now - entry.used_at)
    move = next_move(pieces, now, policy, forgetting, rests)
    return {
        "level": names.name(entry.level),
        "uses": round(n, 4),
        "uses_wanted": policy.promote_uses,
        "unused_ms": since,
        "frequency_factor": round(frequency_factor(n, policy.promote_uses), 4),
        "time_factor": round(time_factor(since, policy.promote_within_ms, rising=True, formula=policy.formula), 4),
        "score": round(rising_score(entry, now, policy), 4),
        "score_wanted": policy.promote_score,
        "sinking_score": round(sinking_score(entry, now, policy), 4),
        "pinned": stays(entry, policy),
        "next_move": _shown(move, names) if move else None,
    }


def next_move(
    pieces: Sequence[MemoryEntry],
    now: int,
    policy: TierPolicy,
    forgetting: ForgettingPolicy,
    rests: Mapping[ReviewKind, int] = _NONE,
) -> NextMove | None:
    """The first move that comes without a further use; of several at one time the one that tending makes first."""
    if pieces[0].deleted_at:
        return None
    text = judged_apart(pieces)
    moves = (_with_person(each, text, policy, forgetting, rests) for each in _moves(text, now, policy, forgetting))
    return min(moves, key=lambda move: move.at, default=None)


def _shown(move: NextMove, names: LevelNames) -> Mapping[str, Any]:
    return {
        "to": names.name(move.to) if isinstance(move.to, Level) else move.to,
        "at": move.at,
        "because": move.because,
        **({"rule": move.rule} if move.rule else {}),
        **({"asked": True} if move.asked else {}),
    }


def _with_person(
    move: NextMove,
    text: Sequence[MemoryEntry],
    policy: TierPolicy,
    forgetting: ForgettingPolicy,
    rests: Mapping[ReviewKind, int],
) -> NextMove:
    """The move, at the time at which a person may be asked about it, if one has to be."""
    wish = Move(text[0], move.to, "ttl", pieces=tuple(text[1:]))
    if not needs_review(wish, policy, forgetting):
        return move
    return replace(move, asked=True, at=max(move.at, rests.get(kind_of(wish), 0)))


def _moves(
    text: Sequence[MemoryEntry], now: int, policy: TierPolicy, forgetting: ForgettingPolicy
) -> Iterator[NextMove]:
    entry = as_one(text)
    ruled, end = _ruled(text, now, forgetting), _end(text, now, policy, forgetting)
    if ruled is not None:
        yield ruled
    if end is not None:
        yield NextMove(end, next_down(entry.level), "ttl")
    idle, promoted = idle_at(entry, policy), promoted_at(entry, now, policy)
    if idle is not None:
        yield NextMove(max(now, idle), next_down(entry.level), "unused")
    if rises_from_cold(entry, entry.found_at, policy):
        yield NextMove(now, Level.WARM, "found")
    if promoted is not None:
        yield NextMove(promoted, Level.HOT, "uses")


def _ruled(text: Sequence[MemoryEntry], now: int, forgetting: ForgettingPolicy) -> NextMove | None:
    """When a rule takes the text first, which has to fit its first piece."""
    first = text[0]
    for at in _turns(text, now, forgetting):
        said = strictest_verdict(forgetting, text, at)
        if said != verdict(forgetting, first, at):
            continue
        if said.action == "soft_delete":
            return NextMove(at, "deleted", "rule", said.rule)
        if said.action == "archive" and first.level is not Level.COLD:
            return NextMove(at, Level.COLD, "rule", said.rule)
    return None


def _end(text: Sequence[MemoryEntry], now: int, policy: TierPolicy, forgetting: ForgettingPolicy) -> int | None:
    """When its time to live takes it: at its end, or when no rule holds against it any more."""
    end = outlived_at(text[0], policy)
    if end is None:
        return None
    cold = text[0].level is Level.COLD
    for at in _turns(text, max(now, end), forgetting):
        action = strictest_verdict(forgetting, text, at).action
        if action == "ttl_evict" or not (cold or action == "protect"):
            return at
    return None


def _turns(text: Sequence[MemoryEntry], since: int, forgetting: ForgettingPolicy) -> list[int]:
    """A time, and those after it at which rules by age begin to fit or what is spared is so no more."""
    ages = {rule.match.age_ms for rule in forgetting.rules if rule.match.age_ms is not None}
    turns = {piece.timestamp + age for piece in text for age in ages} | {piece.spared_until for piece in text}
    return sorted({since, *(turn for turn in turns if turn > since)})
