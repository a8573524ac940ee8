"""What of each module is loaded: whole units, newest first, within the budget of its file (§§5.3, 11.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from memory_custodian.rules.blocks import Block
from memory_custodian.rules.budgets import budget_of, token_count
from memory_custodian.rules.parse_blocks import INBOX_SENTINEL, groups, parse
from memory_custodian.rules.protocol import INBOX
from memory_custodian.rules.route import Category, Module, Pack, Reason, Route
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.value import Value

__all__ = ["pack", "pack_text"]

_FRAME: Final = frozenset({"title", "preamble"})
"""Blocks that are no unit: they alone are nothing to load."""


class _Kept(Value):
    blocks: Sequence[Block]
    inactive: tuple[str, ...] = ()
    """The Status of each unit that was left out."""
    candidates: bool = False


class _Packed(Value):
    text: str
    omitted: int
    oversized: bool
    tokens: int
    """Of everything, also of what was left out."""


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
    packed = _packed(parse(text), limit)
    return packed.text, packed.omitted, packed.oversized


def _packed(blocks: Sequence[Block], limit: int | None) -> _Packed:
    units = groups(blocks)
    sizes = [sum(token_count(block.text) for block in unit) for unit in units]
    total = sum(sizes)
    end = len(units) if limit is None or total <= limit else _end(units, sizes, limit)
    text = "".join(block.text for unit in units[:end] for block in unit)
    forced = bool(end) and units[end - 1][0].kind != "title"
    oversized = limit is not None and forced and sum(sizes[:end]) > limit
    return _Packed(text, sum(map(_counts, units[end:])), oversized, total)


def _end(units: Sequence[tuple[Block, ...]], sizes: Sequence[int], limit: int) -> int:
    """Return how many units are loaded of a text that is over the limit."""
    used, any_unit = 0, False
    for number, unit in enumerate(units):
        used += sizes[number]
        if used > limit and unit[0].kind != "title":
            return number if any_unit else number + 1
        any_unit = any_unit or _counts(unit)
    return len(units)


def _module(route: Route, category: Category, text: str | None, current: bool) -> Module:
    limit = budget_of(route.file)
    if text is None:
        reason = Reason("required-file-missing" if route.required else "optional-file-absent", route.file)
        return Module(route, "missing" if route.required else "absent", (*route.reasons, reason), limit=limit)
    kept = _kept(route.file, text, category) if current else _Kept(parse(text))
    packed = _packed(kept.blocks, limit)
    reasons = route.reasons
    if packed.omitted and limit is not None:
        reasons = (*reasons, Reason("budget-omission", str(packed.tokens - limit)))
    return Module(
        route,
        "loaded",
        reasons,
        packed.text,
        packed.omitted,
        packed.oversized,
        inactive=len(kept.inactive),
        inactive_statuses=tuple(dict.fromkeys(kept.inactive)),
        candidates=kept.candidates,
        limit=limit,
    )


def _kept(file: str, text: str, category: Category) -> _Kept:
    """Leave out what is no memory for this category."""
    blocks = parse(text)
    statuses = [_status(block) for block in blocks]
    if file == INBOX:
        items = tuple(status or "candidate" for block, status in zip(blocks, statuses, strict=True) if _is_item(block))
        return _Kept(blocks, candidates=bool(items)) if category == "maintenance" else _Kept((), items)
    hidden = _hidden(category)
    left = [block for block, status in zip(blocks, statuses, strict=True) if status not in hidden]
    inactive = tuple(status for status in statuses if status in hidden)
    nothing = bool(inactive) and all(block.kind in _FRAME for block in left)
    return _Kept(() if nothing else left, inactive, category == "maintenance" and "candidate" in statuses)


def _status(block: Block) -> str:
    """Return the Status of an entry, without reading the rest of it where no code fence could hide a line."""
    if block.kind != "entry" or block.entry_id.startswith("MC-SUBJ-"):
        return ""
    if "```" in block.text or "~~~" in block.text:
        from memory_custodian.rules.entry_text import parse_entries

        return parse_entries("", block.text)[0].status
    lines = (line for line in block.text.split("\n") if line.startswith("Status:"))
    return next(lines, "").partition(":")[2].strip().lower()


def _is_item(block: Block) -> bool:
    """Whether a piece of the inbox is a candidate: also loose prose, but not what an empty inbox says."""
    return block.removable or block.kind == "lead" or (block.kind == "body" and INBOX_SENTINEL not in block.text)


def _hidden(category: Category) -> frozenset[str]:
    if category == "maintenance":
        return frozenset()
    if category == "history":
        return frozenset({"candidate", "promoted"})
    return frozenset({"superseded", "candidate", "promoted"})


def _counts(unit: tuple[Block, ...]) -> bool:
    """Whether it is more than the title or the preamble."""
    return any(block.kind not in _FRAME for block in unit)
