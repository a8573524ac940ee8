"""What of each module is loaded: whole units, newest first, within the budget of its file (§§5.3, 11.3)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from memory_custodian.rules.blocks import Block
from memory_custodian.rules.budgets import budget_of, token_count
from memory_custodian.rules.entry_text import parse_entries
from memory_custodian.rules.parse_blocks import INBOX_SENTINEL, groups, parse, without
from memory_custodian.rules.route import Category, Module, Pack, Reason, Route
from memory_custodian.rules.snapshot import Snapshot

__all__ = ["pack", "pack_text"]

_INBOX: Final = "inbox.md"
_FRAME: Final = frozenset({"title", "preamble"})
"""Blocks that are no unit: they alone are nothing to load."""


class _Kept(NamedTuple):
    text: str
    inactive: tuple[str, ...] = ()
    """The Status of each unit that was left out."""
    candidates: bool = False


def pack(task: str, category: Category, routes: Iterable[Route], snapshot: Snapshot, current: bool) -> Pack:
    """Return the answer of `read`. Only a project of the current protocol leaves units out by their Status.

    Superseded entries are for history and maintenance, candidates and promoted ones for maintenance alone (§5.3).
    A unit is never left out for what it lacks: Evidence, Subject or Facet (§11.3).
    """
    modules = tuple(_module(route, category, snapshot.texts.get(route.file), current) for route in routes)
    return Pack(task, category, modules)


def pack_text(text: str, limit: int | None) -> tuple[str, int, bool]:
    """Return the longest prefix of whole units within a limit, how many were left out, and whether the first is over.

    Tokens count with the title. The first unit is loaded whole even where it alone is over the limit, and then nothing
    behind it is.
    """
    if limit is None or token_count(text) <= limit:
        return text, 0, False
    units = groups(parse(text))
    chosen: list[Block] = []
    used, any_unit = 0, False
    for number, unit in enumerate(units):
        size = sum(token_count(block.text) for block in unit)
        framing = all(block.kind in _FRAME for block in unit)
        if used + size > limit and unit[0].kind != "title":
            forced = not any_unit
            if forced:
                chosen += unit
            left = units[number + 1 :] if forced else units[number:]
            return "".join(block.text for block in chosen), _count(left), forced
        chosen += unit
        used += size
        any_unit = any_unit or not framing
    return text, 0, False


def _module(route: Route, category: Category, text: str | None, current: bool) -> Module:
    limit = budget_of(route.file)
    if text is None:
        reason = Reason("required-file-missing" if route.required else "optional-file-absent", route.file)
        return Module(route, "missing" if route.required else "absent", (*route.reasons, reason), limit=limit)
    kept = _kept(route.file, text, category) if current else _Kept(text)
    packed, omitted, oversized = pack_text(kept.text, limit)
    reasons = route.reasons
    if omitted and limit is not None:
        reasons = (*reasons, Reason("budget-omission", str(token_count(kept.text) - limit)))
    return Module(
        route,
        "loaded",
        reasons,
        packed,
        omitted,
        oversized,
        inactive=len(kept.inactive),
        inactive_statuses=tuple(dict.fromkeys(kept.inactive)),
        candidates=kept.candidates,
        limit=limit,
    )


def _kept(file: str, text: str, category: Category) -> _Kept:
    """Leave out what is no memory for this category."""
    blocks = parse(text)
    by_line = {entry.line: entry.status for entry in parse_entries(file, text)} if "MC-" in text.upper() else {}
    if file == _INBOX:
        statuses = tuple(by_line.get(block.line, "candidate") for block in blocks if _is_item(block))
        return _Kept(text, candidates=bool(statuses)) if category == "maintenance" else _Kept("", statuses)
    hidden = _hidden(category)
    doomed = {place: by_line[block.line] for place, block in enumerate(blocks) if by_line.get(block.line, "") in hidden}
    candidates = category == "maintenance" and "candidate" in by_line.values()
    if not doomed:
        return _Kept(text, candidates=candidates)
    nothing_left = all(block.kind in _FRAME for place, block in enumerate(blocks) if place not in doomed)
    return _Kept("" if nothing_left else without(text, doomed), tuple(doomed.values()), candidates)


def _is_item(block: Block) -> bool:
    """Whether a piece of the inbox is a candidate: also loose prose, but not what an empty inbox says."""
    return block.removable or block.kind == "lead" or (block.kind == "body" and INBOX_SENTINEL not in block.text)


def _hidden(category: Category) -> frozenset[str]:
    if category == "maintenance":
        return frozenset()
    if category == "history":
        return frozenset({"candidate", "promoted"})
    return frozenset({"superseded", "candidate", "promoted"})


def _count(units: tuple[tuple[Block, ...], ...]) -> int:
    return sum(1 for unit in units if not all(block.kind in _FRAME for block in unit))
