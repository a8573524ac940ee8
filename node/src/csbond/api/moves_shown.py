"""Moves of memories, and questions about them, as the routes of `/v1/memory` tell them (MEM-005 §5.4)."""

from __future__ import annotations

from typing import Any

import orjson

from csbond.flows.tend_memory import Tended
from csbond.protocol.memory.answer_size import within
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.eviction import Move, Place, eviction_details
from csbond.protocol.memory.forgetting_plan import Planned
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.review import Review

_TIERS = frozenset(level.value for level in Level)


def move_to_json(move: Move, at: int, names: LevelNames) -> dict[str, Any]:
    """What its record says of a move, and the step of tending that asks for it; tiers by the names of the home."""
    told = {**eviction_details(move, at), **_levels(move.entry.level, move.to, names)}
    return {**told, "step": move.step} if move.step else told


def planned_to_json(move: Planned, names: LevelNames) -> dict[str, Any]:
    """What a rule would do."""
    told = {"memoryId": move.entry_id, "action": move.action, "rule_name": move.rule}
    return told | _levels(move.before, move.after, names)


def review_to_json(review: Review, names: LevelNames) -> dict[str, Any]:
    """A question to a person, with its answer where there is one."""
    proposed = review.proposed
    return {
        "id": review.id,
        "memory_id": review.entry_id,
        "version": review.entry_version,
        "kind": review.kind,
        "proposed": {
            "to": place_name(str(proposed["to"]), names),
            "trigger": proposed["trigger"],
            **({"rule_name": proposed["rule"]} if proposed.get("rule") else {}),
            **({"step": proposed["step"]} if proposed.get("step") else {}),
        },
        "reason": review.reason,
        "asked_at": review.asked_at,
        "decided_at": review.decided_at,
        "verdict": review.verdict,
        "decided_by": review.decided_by,
        "again_at": review.again_at,
    }


def tended_to_json(tended: Tended, names: LevelNames) -> dict[str, Any]:
    """What a run did, with as many of its questions and moves as one answer holds."""
    asked = [orjson.dumps(review_to_json(review, names)) for review in tended.reviews]
    moves = [orjson.dumps(move_to_json(move, tended.at, names)) for move in tended.moves]
    told = within(map(len, asked + moves))
    return {
        "as_of": tended.as_of,
        "dry_run": tended.dry_run,
        "steps": dict(tended.steps),
        "moves": list(map(orjson.Fragment, moves[: max(0, told - len(asked))])),
        "reviews": list(map(orjson.Fragment, asked[:told])),
        "left_off": tended.left_off + len(asked) + len(moves) - told,
    }


def place_name(place: str, names: LevelNames) -> str:
    """A tier by the home's name of it; `deleted` and `erased` are no tiers."""
    return names.name(Level(place)) if place in _TIERS else place


def _levels(before: Place, after: Place, names: LevelNames) -> dict[str, str]:
    return {"previousLevel": place_name(str(before), names), "newLevel": place_name(str(after), names)}
