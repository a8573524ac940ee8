"""The figures of a run as tables for a person, and as JSON for a program."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.memory.figures import Figures, Row
from bench.memory.plan import HTTP_HOT, HTTP_WARM, Plan
from bench.memory.targets import Target

STATED_MS = {HTTP_HOT: 1.0, HTTP_WARM: 10.0}
"""What the specification says of its tiers (MEM-001 §1.1), on no machine in particular."""


def print_report(console: Console, figures: Figures, judged: Sequence[Target]) -> None:
    """Everything that was seen, the targets last."""
    console.print(_rows(figures))
    if figures.footprints:
        console.print(_footprints(figures))
    for name, reason in figures.absent.items():
        console.print(f"{name} was left out: {reason}", markup=False)
    console.print(_targets(judged))
    console.print("Measured: " + ", ".join(dict.fromkeys(figures.versions.values())), markup=False, highlight=False)


def as_json(figures: Figures, judged: Iterable[Target], plan: Plan) -> dict[str, Any]:
    """The same for a program."""
    return {
        "machine": {
            "processors": os.cpu_count(),
            "python": platform.python_version(),
            "system": f"{platform.system()} {platform.machine()}",
        },
        "options": {name: value for name, value in asdict(plan).items() if name != "say"},
        "versions": figures.versions,
        "absent": figures.absent,
        "rows": [_row(figures, row) for row in figures.rows()],
        "footprints": [asdict(each) for each in figures.footprints],
        "targets": [asdict(target) for target in judged],
    }


def _row(figures: Figures, row: Row) -> dict[str, Any]:
    return {
        **asdict(row),
        "per_second": figures.median(row, "per_second"),
        "p50_ms": figures.median(row, "p50_ms"),
        "p99_ms": figures.p99_ms(row),
        "right": figures.right(row),
        "rounds": [
            {"round": each.round, "calls": len(each.calls_ms), "per_second": each.per_second, "p50_ms": each.p50_ms}
            for each in figures.of(row)
        ],
    }


def _rows(figures: Figures) -> Table:
    title = "Medians of the rounds; p99 of all calls together"
    table = _right(title, "what", "store", "entries", "a second", "p50 ms", "p99 ms", "stated ms", "found")
    for row in figures.rows():
        right, stated = figures.right(row), STATED_MS.get(row.what)
        table.add_row(
            row.what,
            row.store,
            f"{row.entries:,}" if row.entries else "",
            f"{figures.median(row, 'per_second'):,.0f}",
            f"{figures.median(row, 'p50_ms'):.3f}",
            f"{figures.p99_ms(row):.2f}",
            "" if stated is None else f"{stated:g}",
            "" if right is None else f"{right:.0%}",
        )
    return table


def _footprints(figures: Figures) -> Table:
    title = "Bytes of an entry, beyond an empty node"
    table = _right(title, "entries", "in memory", "of it its vector", "on disk")
    for each in figures.footprints:
        sizes = (each.resident_bytes, each.index_bytes, each.disk_bytes)
        table.add_row(f"{each.entries:,}", *(f"{size:,.0f}" for size in sizes))
    return table


def _targets(judged: Iterable[Target]) -> Table:
    table = _right("Ratios, round by round", "", "median", "lowest", "highest", "target", "")
    for target in judged:
        seen = (f"{value:.2f}" for value in (target.seen.median, target.seen.low, target.seen.high))
        table.add_row(target.promise, *seen, target.bound, "[green]kept[/]" if target.kept else "[red]missed[/]")
    return table


def _right(title: str, first: str, *others: str) -> Table:
    table = Table(first, title=title)
    for other in others:
        table.add_column(other, justify="left" if other == "store" else "right")
    return table
