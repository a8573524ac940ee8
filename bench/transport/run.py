"""Measures a node against the A2A library's own server: one run, one machine, one client, durable SQLite on both sides.

Ends with 0 when every target is kept, 1 when one is missed, 2 when it cannot measure.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from bench.transport.load import Spoiled
from bench.transport.measure import Plan, measure
from bench.transport.report import as_json, print_report
from bench.transport.servers import PEER_PYTHON
from bench.transport.targets import targets

SECONDS, ROUNDS, STREAMS = 4.0, 3, 9
QUICK_SECONDS, QUICK_ROUNDS, QUICK_STREAMS = 1.0, 1, 3


def main(arguments: list[str] | None = None) -> int:
    """Measure, show, and judge."""
    options = _options(arguments)
    console, progress = Console(), Console(stderr=True)
    if not PEER_PYTHON.exists():
        progress.print("The peer is not installed: run it by `make bench`.")
        return 2
    plan = Plan(options.seconds, options.rounds, options.streams, lambda text: progress.print(f"[dim]{text}[/]"))
    try:
        with tempfile.TemporaryDirectory(prefix="csbond-bench-", dir=options.folder) as folder:
            figures = measure(plan, Path(folder))
    except (Spoiled, ConnectionError, TimeoutError) as fault:
        progress.print(f"Nothing was measured: {str(fault) or type(fault).__name__}", markup=False)
        return 2
    judged = list(targets(figures))
    print_report(console, figures, judged)
    if options.json:
        stated = {"seconds": options.seconds, "rounds": options.rounds, "streams": options.streams}
        document = json.dumps(as_json(figures, judged, stated), ensure_ascii=False, indent=2)
        options.json.write_text(document + "\n", encoding="utf-8")
    return 0 if all(target.kept for target in judged) else 1


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.transport.run", description=__doc__)
    parser.add_argument("--seconds", type=float, help=f"of each stretch of load ({SECONDS:g})")
    parser.add_argument("--rounds", type=int, help=f"in which every server has its turn ({ROUNDS})")
    parser.add_argument("--quick", action="store_true", help="one round of short stretches: does it run at all?")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure there too")
    parser.add_argument("--folder", type=Path, help="where the databases are written; its disk is what is measured")
    options = parser.parse_args(arguments)
    options.seconds = options.seconds or (QUICK_SECONDS if options.quick else SECONDS)
    options.rounds = options.rounds or (QUICK_ROUNDS if options.quick else ROUNDS)
    options.streams = QUICK_STREAMS if options.quick else STREAMS
    return options


if __name__ == "__main__":
    sys.exit(main())
