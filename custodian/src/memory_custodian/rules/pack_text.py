"""The answer of `read`, as lines and as data (§3.1); both are made from the same values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from memory_custodian.rules.budgets import token_count
from memory_custodian.rules.route import Module, Pack

if TYPE_CHECKING:
    from memory_custodian.rules.entry import Entry

__all__ = ["CANDIDATES_LABEL", "pack_data", "pack_lines"]

CANDIDATES_LABEL: Final = "Candidates: unconfirmed, not project memory."
"""Stands above what a maintenance task sees of the inbox (§5.3)."""


def pack_lines(pack: Pack, names_only: bool) -> list[str]:
    """Return a context pack in the order of 0.9.1: task, lists of what is in it and what is not, then the texts."""
    loaded = [module for module in pack.modules if module.state == "loaded"]
    lines = ["# Memory Context Pack", f"Task: {pack.task}", "Loaded:"]
    lines += [f"- {module.route.file}" for module in loaded] or ["- none"]
    lines += _listed("Missing required:", pack, lambda module: module.state == "missing", _nothing)
    lines += _listed("Skipped optional:", pack, lambda module: module.state == "absent", _nothing)
    lines += _listed("Omitted:", pack, lambda module: bool(module.omitted), _omitted)
    lines += _listed("Oversized atomic entries:", pack, lambda module: module.oversized, _oversized)
    lines += _listed("Inactive:", pack, lambda module: bool(module.inactive), _inactive)
    if names_only:
        return lines
    return [*lines, *(line for module in loaded for line in _text_lines(module))]


def pack_data(pack: Pack, names_only: bool) -> dict[str, Any]:
    """Return the same for programs: every module that was asked for, with its identity and the sources it came by."""
    modules = [_module_data(module, names_only) for module in pack.modules]
    return {"task": pack.task, "category": pack.category, "modules": modules}


def _listed(head: str, pack: Pack, wanted: Callable[[Module], bool], said: Callable[[Module], str]) -> list[str]:
    found = [f"- {module.route.file}{said(module)}" for module in pack.modules if wanted(module)]
    return [head, *found] if found else []


def _nothing(_module: Module) -> str:
    return ""


def _omitted(module: Module) -> str:
    entries = "entry" if module.omitted == 1 else "entries"
    return f": {module.omitted} complete {entries} omitted because of the {module.limit}-token budget"


def _oversized(module: Module) -> str:
    return f": the first entry alone is over the {module.limit}-token budget, and is loaded whole"


def _inactive(module: Module) -> str:
    entries = "entry" if module.inactive == 1 else "entries"
    return f": {module.inactive} {' or '.join(module.inactive_statuses)} {entries} not loaded"


def _text_lines(module: Module) -> list[str]:
    label = [CANDIDATES_LABEL] if module.candidates else []
    text = ["", module.text.rstrip("\n")] if module.text else []
    return ["", f"## {module.route.file}", *label, *text]


def _module_data(module: Module, names_only: bool) -> dict[str, Any]:
    data: dict[str, Any] = {
        "module": module.route.module,
        "file": module.route.file,
        "state": module.state,
        "required": module.route.required,
        "reasons": [{"source": reason.source, "detail": reason.detail} for reason in module.reasons],
        "tokens": token_count(module.text),
        "limit": module.limit,
        "omitted_units": module.omitted,
        "oversized": module.oversized,
        "inactive_units": module.inactive,
        "candidates": module.candidates,
    }
    if not names_only and module.state == "loaded":
        from memory_custodian.rules.entry_text import parse_entries

        data["text"] = module.text
        data["entries"] = [_entry_data(entry) for entry in parse_entries(module.route.file, module.text)]
    return data


def _entry_data(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "title": entry.title,
        "status": entry.status,
        "scope": entry.field("Scope"),
        "subject": entry.field("Subject") or entry.field("Provisional-Subject"),
        "facet": entry.field("Facet") or entry.field("Provisional-Facet"),
        "evidence": list(entry.evidence),
        "bodies": dict(entry.bodies),
    }
