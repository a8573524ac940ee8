"""Measures what the memory search finds: by words alone, by meaning alone, and as the node searches.

Ends with 0 when every target is kept, 1 when one is missed, 2 when it cannot measure.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.recall.ask import Unsemantic
from bench.recall.data import (
    DIALOGUES,
    PARAGRAPHS,
    Collection,
    Unreadable,
    data_folder,
    dialogue_collections,
    pair_collections,
    paragraph_collections,
    shortened,
)
from bench.recall.ingest import Spoiled
from bench.recall.measure import Figures, measure
from bench.recall.score import METRICS
from bench.recall.targets import Target, targets
from csbond.engines.embedder_choice import EmbedderSettings, load_embedder
from csbond.flows.ports import Embedder
from csbond.protocol.errors import CsbError

PAIRS = "pairs"
SETS = (PAIRS, DIALOGUES, PARAGRAPHS)
QUICK_MEMORIES = 100
"""Of the dialogues and of the paragraphs, when it only has to run."""


def main(arguments: list[str] | None = None) -> int:
    """Measure, show, and judge."""
    options = _options(arguments)
    embedder = load_embedder(EmbedderSettings(wish="use")).embedder
    if embedder is None:
        print("Nothing was measured: the extra `semantic` is not installed.", file=sys.stderr)
        return 2
    try:
        with tempfile.TemporaryDirectory(prefix="csbond-bench-", dir=options.folder) as folder:
            figures = asyncio.run(_measured(list(_collections(options)), embedder, Path(folder)))
    except (CsbError, OSError, Spoiled, Unreadable, Unsemantic) as fault:
        print(f"Nothing was measured: {fault}", file=sys.stderr)
        return 2
    if not figures:
        return 2
    judged = list(targets(figures))
    if options.json == "-":
        print(_document(figures, judged, embedder.model_id))
    else:
        print("\n".join(_lines(figures, judged)))
        if options.json:
            Path(options.json).write_text(_document(figures, judged, embedder.model_id) + "\n", encoding="utf-8")
    return 0 if all(target.kept for target in judged) else 1


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.recall.run", description=__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"what to ask: {', '.join(SETS)} (all of them)")
    parser.add_argument("--data", type=Path, default=data_folder(), help="where dialogues and paragraphs lie")
    parser.add_argument("--quick", action="store_true", help="little beside the pairs: does it run at all?")
    parser.add_argument("--rounds", type=int, help="for other benchmarks; here every run finds the same")
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE", help="every figure there, or here alone")
    parser.add_argument("--folder", type=Path, help="where the memories are written meanwhile")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.sets) - set(SETS))
    if unknown:
        parser.error(f"there is no set {unknown[0]}: {', '.join(SETS)}")
    return options


def _collections(options: argparse.Namespace) -> Iterator[Collection]:
    chosen = options.sets or SETS
    if PAIRS in chosen:
        yield from pair_collections()
    for name, read in ((DIALOGUES, dialogue_collections), (PARAGRAPHS, paragraph_collections)):
        if name not in chosen:
            continue
        found = list(read(options.data))
        if not found:
            print(f"Left out, there are no {name} in {options.data}", file=sys.stderr)
        yield from shortened(found, QUICK_MEMORIES) if options.quick else found


async def _measured(collections: Sequence[Collection], embedder: Embedder, folder: Path) -> Figures:
    try:
        return await measure(collections, embedder, folder, lambda text: print(text, file=sys.stderr))
    finally:
        await embedder.close()


def _lines(figures: Figures, judged: Sequence[Target]) -> Iterator[str]:
    yield f"{'':<20}{'questions':>10}{'entries':>9}  {'':<9}" + "".join(f"{metric:>9}" for metric in METRICS)
    for name, result in figures.items():
        head = f"{name:<20}{result.questions:>10}{result.entries:>9}"
        for way, marks in result.ways.items():
            yield f"{head:<39}  {way:<9}" + "".join(f"{marks[metric]:>9.3f}" for metric in METRICS)
            head = ""
    for target in judged:
        bound = f"{'>' if target.strict else '≥'} {target.bound:.3f}"
        yield f"{'kept  ' if target.kept else 'MISSED'}  {target.promise}: {target.seen:.3f} ({bound})"


def _document(figures: Figures, judged: Sequence[Target], model: str) -> str:
    document: dict[str, Any] = {
        "machine": {"python": platform.python_version(), "system": platform.platform()},
        "model": model,
        "sets": {name: asdict(result) for name, result in figures.items()},
        "targets": [{**asdict(target), "kept": target.kept} for target in judged],
    }
    return json.dumps(document, ensure_ascii=False, indent=2)


if __name__ == "__main__":
    sys.exit(main())
