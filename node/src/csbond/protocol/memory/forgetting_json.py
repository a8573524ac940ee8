"""The `selective_forgetting` document as it is written (MEM-005 §5.3), with `human_only` beside (§5.5)."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from typing import Any, get_args

from csbond.protocol.errors import CsbError
from csbond.protocol.memory import entry_fields as fields
from csbond.protocol.memory.entry import TAGS_MAX, checked_tags, refused
from csbond.protocol.memory.forgetting import (
    DEFAULT_ACTION,
    KEEPING_MOST,
    MOST_PRESSING,
    PROTECTED_TAGS,
    SPARED,
    Action,
    DefaultAction,
    ForgettingPolicy,
    Match,
    Priority,
    Rule,
)

DOCUMENT = "selective_forgetting"
RULES_MAX = 200
RULE_NAME_MAX = 64
"""Code points of a rule's name."""
PROTECTED_TAGS_MAX = 200
AGE_HOURS_MAX = 1000 * 366 * 24
"""A thousand years."""

AGE_MS_MIN = 60_000
"""The least age that says anything by itself, in milliseconds."""

_DEFAULT_ACTIONS: tuple[DefaultAction, ...] = get_args(DefaultAction)


def policy_from_json(raw: object, version: int = 0) -> ForgettingPolicy:
    """The policy of a document, `{"selective_forgetting": {…}}` or what is inside; what it leaves out is as preset.

    `invalid_params` names the place of the first thing that is not understood: an unknown key, action, priority, type
    or source; a second rule of one name; a match without anything that narrows, unless it protects; a default that
    would delete or archive; more than 200 rules.
    """
    inside = dict(_inside(raw))
    preset = ForgettingPolicy()
    known = {name: reader(f"{DOCUMENT}.{name}", inside[name]) for name, reader in _PARTS.items() if name in inside}
    _only(inside, _PARTS, DOCUMENT)
    return ForgettingPolicy(
        enabled=known.get("enabled", preset.enabled),
        rules=known.get("rules", preset.rules),
        default_action=known.get("default_action", preset.default_action),
        protected_tags=known.get("protected_tags", preset.protected_tags),
        human_only=known.get("human_only", preset.human_only),
        version=version,
    )


def policy_to_json(policy: ForgettingPolicy) -> dict[str, Any]:
    """The document of a policy, complete; its version is not part of it."""
    return {
        DOCUMENT: {
            "enabled": policy.enabled,
            "rules": [_rule_to_json(rule) for rule in policy.rules],
            "default_action": policy.default_action,
            "protected_tags": sorted(policy.protected_tags),
            "human_only": policy.human_only,
        }
    }


def _inside(raw: object) -> Mapping[str, Any]:
    """The parts of the document, whichever way it is wrapped; `human_only` may stand beside it."""
    document = _object(DOCUMENT, raw)
    if DOCUMENT not in document:
        return document
    inside = _object(DOCUMENT, document[DOCUMENT])
    for name in document:
        if name not in (DOCUMENT, "human_only"):
            raise refused(DOCUMENT, f"may have human_only beside it, but not {str(name)[:64]!r}")
    if "human_only" not in document:
        return inside
    if "human_only" in inside:
        raise refused("human_only", f"is given twice, in {DOCUMENT} and beside it")
    return {**inside, "human_only": document["human_only"]}


def _rules(place: str, raw: Any) -> tuple[Rule, ...]:
    items = _list(place, raw)
    if len(items) > RULES_MAX:
        raise refused(place, f"are {len(items)}; at most {RULES_MAX} are kept")
    rules: dict[str, Rule] = {}
    for number, item in enumerate(items):
        rule = _rule(f"{place}[{number}]", item)
        if rule.name in rules:
            raise refused(f"{place}[{number}].name", "is the name of an earlier rule too")
        rules[rule.name] = rule
    return tuple(rules.values())


def _rule(place: str, raw: Any) -> Rule:
    item = _object(place, raw)
    _only(item, ("name", "match", "action", "priority"), place)
    name = _name(f"{place}.name", item.get("name"))
    action: Action = _one_of(KEEPING_MOST)(f"{place}.action", item.get("action"))
    priority: Priority = _one_of(MOST_PRESSING)(f"{place}.priority", item.get("priority", "medium"))
    match = _match(f"{place}.match", item.get("match", {}))
    if action != "protect" and not _narrows(match):
        raise refused(f"{place}.match", f"must name what the rule is about: {action} for everything is no rule")
    return Rule(name, match, action, priority)


def _match(place: str, raw: Any) -> Match:
    item = _object(place, raw)
    _only(item, ("type", "source", "age_hours", "tags"), place)
    return Match(
        type=fields.TYPE.exact(f"{place}.type", item["type"]) if "type" in item else None,
        source=fields.SOURCE.exact(f"{place}.source", item["source"]) if "source" in item else "",
        age_hours=_age(f"{place}.age_hours", item["age_hours"]) if "age_hours" in item else None,
        tags=_match_tags(f"{place}.tags", item["tags"]) if "tags" in item else (),
    )


def _narrows(match: Match) -> bool:
    """An age narrows from a minute on: whatever is younger is a moment old when rules are next looked at."""
    return bool(match.type or match.source or match.tags or (match.age_ms or 0) >= AGE_MS_MIN)


def _name(place: str, value: Any) -> str:
    name = unicodedata.normalize("NFC", fields.checked_name(place, value, RULE_NAME_MAX)).strip()
    if name in (PROTECTED_TAGS, DEFAULT_ACTION, SPARED):
        raise refused(place, "is what a verdict without a rule is called: choose another")
    return name


def _age(place: str, value: Any) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 <= value <= AGE_HOURS_MAX:
        raise refused(place, f"must be a number of hours from 0 to {AGE_HOURS_MAX}")
    return float(value)


def _match_tags(place: str, value: Any) -> tuple[str, ...]:
    tags = _tags(place, value, TAGS_MAX)
    if not tags:
        raise refused(place, "must name at least one tag, or be left out")
    return tags


def _protected_tags(place: str, value: Any) -> frozenset[str]:
    return frozenset(_tags(place, value, PROTECTED_TAGS_MAX))


def _tags(place: str, value: Any, most: int) -> tuple[str, ...]:
    items = _list(place, value)
    if len(items) > most:
        raise refused(place, f"are {len(items)}; at most {most} are kept")
    return tuple(dict.fromkeys(_tag(f"{place}[{number}]", item) for number, item in enumerate(items)))


def _tag(place: str, value: Any) -> str:
    try:
        (tag,) = checked_tags((value,))
    except CsbError as fault:
        raise refused(place, fault.reason.removeprefix("tags ")) from None
    return tag


def _truth(place: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise refused(place, "must be true or false")
    return value


def _one_of(choices: tuple[Any, ...]) -> Callable[[str, Any], Any]:
    return fields.choice(choices).exact


def _object(place: str, value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise refused(place, "must be an object")
    return value


def _list(place: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise refused(place, "must be a list")
    return value


def _only(item: Mapping[str, Any], known: Any, place: str) -> None:
    for name in item:
        if name not in known:
            raise refused(f"{place}.{str(name)[:64]}", f"is not known; there are {', '.join(known)}")


def _rule_to_json(rule: Rule) -> dict[str, Any]:
    match = rule.match
    parts = {"type": match.type, "source": match.source, "age_hours": match.age_hours, "tags": list(match.tags)}
    return {
        "name": rule.name,
        "match": {name: value for name, value in parts.items() if value not in (None, "", [])},
        "action": rule.action,
        "priority": rule.priority,
    }


_PARTS: Mapping[str, Callable[[str, Any], Any]] = {
    "enabled": _truth,
    "rules": _rules,
    "default_action": _one_of(_DEFAULT_ACTIONS),
    "protected_tags": _protected_tags,
    "human_only": _truth,
}
