"""The figures of a run as tables for a person, and as JSON for a program."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.transport.figures import Figures, Sample
from bench.transport.measure import CONCURRENCY
from bench.transport.servers import Kind
from bench.transport.targets import Target


def print_report(console: Console, figures: Figures, judged: Sequence[Target]) -> None:
    """Everything that was seen, the targets last."""
    tables = (_messages(figures), _streams(figures), _writing(figures), _footprints(figures), _targets(judged))
    for table in tables:
        console.print(table)
    _print_vectors(console, figures)


def as_json(figures: Figures, judged: Iterable[Target], options: dict[str, Any]) -> dict[str, Any]:
    """The same for a program."""
    return {
        "machine": {
            "processors": os.cpu_count(),
            "python": platform.python_version(),
            "system": f"{platform.system()} {platform.machine()}",
        },
        "options": options,
        **asdict(figures),
        "targets": [asdict(target) for target in judged],
    }


def _messages(figures: Figures) -> Table:
    title = "SendMessage: medians of the rounds, all answers verified"
    table = _right(title, "server", "at once", "a second", "p50 ms", "p99 ms")
    for concurrency in CONCURRENCY:
        for server in Kind:
            seen = [each for each in figures.samples if (each.server, each.concurrency) == (server, concurrency)]
            p50, p99 = _median(seen, "p50_ms"), _median(seen, "p99_ms")
            table.add_row(server, str(concurrency), f"{_median(seen, 'per_second'):.0f}", f"{p50:.1f}", f"{p99:.1f}")
        table.add_section()
    return table


def _median(samples: Iterable[Sample], name: str) -> float:
    value: float = median(getattr(sample, name) for sample in samples)
    return value


def _streams(figures: Figures) -> Table:
    table = _right("SendStreamingMessage: one after the other", "server", "chunks", "first event ms", "whole ms")
    for server in dict.fromkeys(stream.server for stream in figures.streams):
        seen = [stream for stream in figures.streams if stream.server is server]
        first, whole = median(each.first_event_ms for each in seen), median(each.whole_ms for each in seen)
        table.add_row(server, str(seen[0].chunks), f"{first:.1f}", f"{whole:.1f}")
    return table


def _writing(figures: Figures) -> Table:
    table = _right(
        "What the database writes, a chunk of a streamed answer",
        "server",
        "chunks",
        "calls of write",
        "bytes",
        "rows",
    )
    for each in figures.writings:
        rows = "" if each.rows_per_chunk is None else f"{each.rows_per_chunk:g}"
        bytes_ = f"{each.bytes_per_chunk:,.0f}"
        table.add_row(each.server, str(each.chunks), f"{each.calls_per_chunk:.2f}", bytes_, rows)
    return table


def _footprints(figures: Figures) -> Table:
    table = _right(
        "Start and resident memory in MiB (+ embedder)",
        "server",
        "start s",
        "idle",
        "after the load",
        "answers",
    )
    for each in figures.footprints:
        idle, loaded = f"{each.idle_mib:.0f}", f"{each.loaded_mib:.0f}"
        if each.idle_children_mib:
            idle, loaded = f"{idle} + {each.idle_children_mib:.0f}", f"{loaded} + {each.loaded_children_mib:.0f}"
        table.add_row(each.server, f"{each.start_s:.2f}", idle, loaded, str(each.answers))
    return table


def _targets(judged: Iterable[Target]) -> Table:
    table = _right("Node ÷ peer, round by round", "", "median", "lowest", "highest", "target", "")
    for target in judged:
        seen = (f"{value:.2f}" for value in (target.seen.median, target.seen.low, target.seen.high))
        table.add_row(target.promise, *seen, target.bound, "[green]kept[/]" if target.kept else "[red]missed[/]")
    return table


def _right(title: str, first: str, *others: str) -> Table:
    table = Table(first, title=title)
    for other in others:
        table.add_column(other, justify="right")
    return table


def _print_vectors(console: Console, figures: Figures) -> None:
    kept = figures.kept
    if kept is None or not kept.semantic:
        console.print("The node searched by words only: no vectors were made.")
        return
    worst = max(figures.followings, key=lambda following: following.lag)
    longest = max(following.seconds for following in figures.followings)
    console.print(
        f"Vectors: {kept.vectors} of {kept.entries} memories have one. "
        f"The largest lag was {worst.lag}; catching up took at most {longest:.1f} s after a stretch of load."
    )
