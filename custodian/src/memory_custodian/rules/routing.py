"""Which modules a task asks for, and by which route of the manifest or argument (§3.1). Nothing else is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memory_custodian.rules.budgets import budget_of
from memory_custodian.rules.manifest import Manifest
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.route import Category, Reason, Route
from memory_custodian.rules.scope import safe_name

if TYPE_CHECKING:
    from memory_custodian.rules.finding import Issue

__all__ = ["route", "route_issues"]


def route(
    manifest: Manifest, category: Category, profiles: Sequence[str], areas: Sequence[str], memory_dir: str
) -> tuple[Route, ...]:
    """Return the modules of a category: always-load, task route, profiles, areas, each once with all its reasons.

    A module is required where one route requires it; a profile or area that is named may be absent, and need not be
    in the index. Refuses an invalid name, and a broken route of this category.
    """
    named = [(f"profiles/{safe_name('profile', name)}.md", Reason("explicit-profile", name)) for name in profiles]
    named += [(f"areas/{safe_name('area', name)}.md", Reason("explicit-area", name)) for name in areas]
    _require_sound(manifest, category)
    asked = [(line.path, line.required, Reason("always-load", "general")) for line in manifest.always]
    asked += [
        (line.path, line.required, Reason("canonical-task-route", category))
        for line in manifest.tasks.get(category, ())
    ]
    asked += [(file, False, reason) for file, reason in named]
    files = dict.fromkeys(file for file, _, _ in asked)
    return tuple(
        Route(
            file,
            f"{memory_dir}/{file}",
            any(required for other, required, _ in asked if other == file),
            tuple(dict.fromkeys(reason for other, _, reason in asked if other == file)),
        )
        for file in files
    )


def route_issues(manifest: Manifest) -> tuple[Issue, ...]:
    """Return what `check` reports of the manifest: faults of routes, and budgets that differ from those in force."""
    from memory_custodian.rules.finding import Issue

    faults = (Issue("ERROR", fault.code, "manifest.md", fault.message, line=fault.line) for fault in manifest.faults)
    return (*faults, *_budget_issues(manifest))


def _require_sound(manifest: Manifest, category: Category) -> None:
    broken = (fault for fault in manifest.faults if fault.fatal and fault.category in {"general", category})
    fault = next(broken, None)
    if fault:
        place = f" (line {fault.line})" if fault.line else ""
        raise Refused(f"{fault.message}{place}")


def _budget_issues(manifest: Manifest) -> Iterator[Issue]:
    """Compare the numbers that a person reads in the manifest with those the program uses."""
    from memory_custodian.rules.finding import Issue

    for stated in manifest.budgets:
        limit = budget_of(f"{stated.file}any.md" if stated.file.endswith("/") else stated.file)
        if stated.tokens != limit:
            message = (
                f"manifest.md: Context budget says {stated.tokens} for {stated.file}; the limit in force is {limit}"
            )
            yield Issue("WARNING", "manifest-budget", "manifest.md", message, line=stated.line)
