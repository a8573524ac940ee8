"""Measures memory-custodian on 500 entries against an interpreter that only imports argparse, side by side.

Ends with 0 when every target is kept, 1 when one is missed, 2 when it cannot measure.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

from bench.custodian.measure import SCRIPT, WRITERS, Figures, Pairs, Spoiled, measure
from bench.custodian.targets import Target, targets

ROUNDS, QUICK_ROUNDS = 41, 5


def main(arguments: list[str] | None = None) -> int:
    """Measure, show, and judge."""
    options = _options(arguments)
    if not SCRIPT.exists():
        print("memory-custodian is not installed beside this interpreter: run it by `make bench`.", file=sys.stderr)
        return 2
    try:
        with tempfile.TemporaryDirectory(prefix="csbond-bench-", dir=options.folder) as folder:
            figures = measure(Path(folder), options.rounds, lambda text: print(text, file=sys.stderr))
    except (Spoiled, OSError) as fault:
        print(f"Nothing was measured: {fault}", file=sys.stderr)
        return 2
    judged = list(targets(figures))
    print("\n".join(_lines(figures, judged)))
    if options.json:
        document = json.dumps(_document(figures, judged), ensure_ascii=False, indent=2)
        options.json.write_text(document + "\n", encoding="utf-8")
    return 0 if all(target.kept for target in judged) else 1


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.custodian.run", description=__doc__)
    parser.add_argument("--rounds", type=int, help=f"with a pair of each command ({ROUNDS})")
    parser.add_argument("--quick", action="store_true", help="a few rounds: does it run at all?")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure there too")
    parser.add_argument("--folder", type=Path, help="where the memory is written; its disk is part of `add`")
    options = parser.parse_args(arguments)
    options.rounds = options.rounds or (QUICK_ROUNDS if options.quick else ROUNDS)
    return options


def _lines(figures: Figures, judged: Sequence[Target]) -> list[str]:
    crowd = figures.crowd
    return [
        _pairs_line("read --task implementation", figures.read),
        _pairs_line("add", figures.add),
        f"{WRITERS} writers at once: {crowd.written} written, {crowd.timed_out} timed out, {crowd.seconds:.1f} s",
        *(
            f"{'kept  ' if target.kept else 'MISSED'}  {target.promise}: {target.seen:.2f} (≤ {target.bound:.2f})"
            for target in judged
        ),
    ]


def _pairs_line(name: str, pairs: Pairs) -> str:
    command = median(run.ms for run in pairs.command)
    interpreter = median(run.ms for run in pairs.interpreter)
    low, high = min(pairs.ratios), max(pairs.ratios)
    times = f"{command:.1f} ms beside {interpreter:.1f} ms"
    ratio = f"ratio {pairs.ratio:.2f} ({low:.2f} to {high:.2f}), on the processor {pairs.cpu_ratio:.2f}"
    return f"{name}: {times}; {ratio}; {len(pairs.ratios)} pairs"


def _document(figures: Figures, judged: Sequence[Target]) -> dict[str, Any]:
    return {
        "machine": {"processors": os.cpu_count(), "python": platform.python_version(), "system": platform.platform()},
        "memory": {"entries": figures.memory.entries, "files": figures.memory.files},
        **{
            name: {**asdict(pairs), "ratio": pairs.ratio, "cpu_ratio": pairs.cpu_ratio}
            for name, pairs in (("read", figures.read), ("add", figures.add))
        },
        "crowd": asdict(figures.crowd),
        "targets": [{**target._asdict(), "kept": target.kept} for target in judged],
    }


if __name__ == "__main__":
    sys.exit(main())
