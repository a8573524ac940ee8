"""What rules are about to do, told before it is done, under a name that fits nothing else (MEM-005 §5.3)."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from csbond.protocol.canonical_json import canonical_bytes
from csbond.protocol.memory.entry import refused
from csbond.protocol.memory.eviction import EvictionAction, Move, Place, action_of
from csbond.protocol.memory.forgetting import ForgettingPolicy
from csbond.protocol.memory.forgetting_json import policy_to_json

_ALL = "all"


@dataclass(frozen=True, slots=True)
class Planned:
    """One memory that a rule would delete or archive."""

    entry_id: str
    version: int
    """As which it was looked at."""
    timestamp: int
    action: EvictionAction
    rule: str
    before: Place
    after: Place
    pieces: tuple[tuple[str, int], ...] = ()
    """The other pieces of its text that go along, each as it was looked at."""


def planned(move: Move) -> Planned:
    """What is told of a move before it is made."""
    entry = move.entry
    pieces = tuple((piece.id, piece.version) for piece in move.pieces)
    return Planned(entry.id, entry.version, entry.timestamp, action_of(move), move.rule, entry.level, move.to, pieces)


def in_order(moves: Iterable[Planned]) -> tuple[Planned, ...]:
    """The plan as it is listed: the latest memories first."""
    return tuple(sorted(moves, key=place_of, reverse=True))


def place_of(move: Planned) -> tuple[int, str]:
    """Its place in the list, for the page after it."""
    return move.timestamp, move.entry_id


def chosen_rules(policy: ForgettingPolicy, names: Collection[str]) -> frozenset[str]:
    """The rules of those names, all for none; `invalid_params` for a name that no rule has."""
    known = {rule.name for rule in policy.rules}
    for place, name in enumerate(names):
        if name not in known:
            raise refused(f"rules[{place}]", f"names no rule of the document: {str(name)[:64]!r}")
    return frozenset(names) or frozenset(known)


def plan_name(policy: ForgettingPolicy, rules: Collection[str], moves: Sequence[Planned]) -> str:
    """The name of a plan: another document, choice of rules, memory or version of one makes another name."""
    numbers = [str(number) for number, rule in enumerate(policy.rules) if rule.name in rules]
    choice = _ALL if len(numbers) == len(policy.rules) else "-".join(numbers)
    told = hashlib.sha256(canonical_bytes({"choice": choice, **policy_to_json(policy)}))
    for move in moves:
        told.update(f"\n{move.entry_id} {move.version} {move.action} {move.rule}".encode())
        for entry_id, version in move.pieces:
            told.update(f"\n {entry_id} {version}".encode())
    return f"{choice}:{told.hexdigest()}"


def rules_of_plan(policy: ForgettingPolicy, plan: str) -> frozenset[str]:
    """The rules a plan was made with, if the policy was the same; `invalid_params` for what names no plan."""
    choice, colon, _ = plan.partition(":")
    if not colon or not (choice == _ALL or all(part.isascii() and part.isdecimal() for part in choice.split("-"))):
        raise refused("plan", "is none this node gave; ask for a preview first")
    wanted = None if choice == _ALL else set(choice.split("-"))
    return frozenset(rule.name for number, rule in enumerate(policy.rules) if wanted is None or str(number) in wanted)
