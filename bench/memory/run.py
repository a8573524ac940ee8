"""Measures the node's memory: beside other stores, beside itself with more entries, and over HTTP. Everything durable.

Ends with 0 when every target is kept, 1 when one is missed, 2 when it cannot measure.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console

from bench.memory.corpus import Corpus, write_corpus
from bench.memory.figures import Figures
from bench.memory.measure_http import measure_http
from bench.memory.measure_peers import measure_peers
from bench.memory.measure_sizes import measure_sizes
from bench.memory.plan import QUESTIONS, Plan
from bench.memory.report import as_json, print_report
from bench.memory.stores import PEER_PYTHON
from bench.memory.targets import targets
from bench.transport.load import Spoiled

PEERS, SIZES, HTTP = "peers", "sizes", "http"
PARTS: dict[str, Callable[[Plan, Path, Corpus, Figures], None]] = {
    PEERS: measure_peers,
    SIZES: measure_sizes,
    HTTP: measure_http,
}
ROUNDS, QUICK_ROUNDS = 5, 1
HUGE = 1_000_000


def main(arguments: list[str] | None = None) -> int:
    """Measure, show, and judge."""
    options = _options(arguments)
    console, progress = Console(), Console(stderr=True)
    parts = options.parts or list(PARTS)
    if PEERS in parts and not PEER_PYTHON.exists():
        progress.print("The peers are not installed: run it by `make bench-memory`.")
        return 2
    plan = _plan(options, lambda text: progress.print(f"[dim]{text}[/]"))
    figures = Figures()
    try:
        with tempfile.TemporaryDirectory(prefix="csbond-bench-", dir=options.folder) as name:
            folder = Path(name)
            corpus = _corpus(folder / "corpus", plan, parts)
            for part in parts:
                PARTS[part](plan, folder, corpus, figures)
    except (Spoiled, ConnectionError, TimeoutError) as fault:
        progress.print(f"Nothing was measured: {str(fault) or type(fault).__name__}", markup=False)
        return 2
    judged = list(targets(figures, plan))
    print_report(console, figures, judged)
    if options.json:
        document = json.dumps(as_json(figures, judged, plan), ensure_ascii=False, indent=2)
        options.json.write_text(document + "\n", encoding="utf-8")
    return 0 if all(target.kept for target in judged) else 1


def _corpus(folder: Path, plan: Plan, parts: Sequence[str]) -> Corpus:
    """As many documents and questions as the parts need."""
    if parts == [PEERS]:
        return write_corpus(folder, plan.small, min(QUESTIONS, plan.small), (plan.small,), plan.say)
    return write_corpus(folder, plan.documents, min(QUESTIONS, plan.small), plan.asked_among, plan.say)


def _plan(options: argparse.Namespace, say: Callable[[str], None]) -> Plan:
    if options.quick:
        return Plan(options.rounds or QUICK_ROUNDS, say, 500, 1_000, 3_000, 0, fresh=100, asked=20, requests=100)
    return Plan(options.rounds or ROUNDS, say, huge=HUGE if options.long else 0)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.memory.run", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"what to measure: {', '.join(PARTS)} (all of them)")
    parser.add_argument("--rounds", type=int, help=f"in which everybody has a turn ({ROUNDS})")
    parser.add_argument("--quick", action="store_true", help="few entries and one round: does it run at all?")
    parser.add_argument("--long", action="store_true", help=f"also write to {HUGE:,} entries: takes long to fill")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure there too")
    parser.add_argument("--folder", type=Path, help="where the databases are written; its disk is what is measured")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.parts) - set(PARTS))
    if unknown:
        parser.error(f"there is no part {unknown[0]}: {', '.join(PARTS)}")
    return options


if __name__ == "__main__":
    sys.exit(main())
