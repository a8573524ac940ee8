"""Measures how long it takes to tell the network around a memory, at 10,000 memories and 50,000 links on disk.

There is no peer: the target is a time. Ends with 0 when it is kept, 1 when it is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, cast

from csbond.flows.link_memory import LinkChange, link_memory
from csbond.flows.show_network import show_network, show_whole_network
from csbond.flows.turn import Skill
from csbond.flows.world import Agent, World
from csbond.flows.write_memory import Kept, MemoryRequest, write_memory
from csbond.protocol.audit.record import Intent
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.graph_layout import layout
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.network import SHOWN_DEFAULT
from csbond.protocol.messages.caller import OWNER
from csbond.store.sqlite import open_ledger
from csbond.testing import CountedIdentifiers, FixedSigner, KeptJournal, NoPeers, NullWebhooks, SetClock

MEMORIES, LINKS_EACH, GROUP = 10_000, 5, 250
HUB = 20
"""Every so manieth link leads to one of the first ten memories: they have hundreds of them."""
DEPTH = 2
TARGET_MS = 50.0
"""The 99th percentile of a network of depth 2."""
CALLS, QUICK_CALLS, QUICK_MEMORIES = 1000, 100, 1000
BATCH = 100
INTENT = Intent("measure networks", "owner", "owner token")


def main(arguments: list[str] | None = None) -> int:
    """Fill, measure, show, and judge."""
    options = _options(arguments)
    memories = QUICK_MEMORIES if options.quick else MEMORIES
    calls = (QUICK_CALLS if options.quick else CALLS) * options.rounds
    with tempfile.TemporaryDirectory(prefix="csbond-bench-", dir=options.folder) as folder:
        figures = asyncio.run(_measured(Path(folder), memories, calls))
    for name, figure in figures.items():
        print(f"{name:<44} {figure:>10,.1f}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    kept = figures["a network of depth 2, p99 (ms)"] < TARGET_MS
    print(f"{'kept' if kept else 'missed'}: p99 below {TARGET_MS:g} ms")
    return 0 if kept else 1


async def _measured(folder: Path, memories: int, calls: int) -> dict[str, float]:
    chance, signer = random.Random(20), FixedSigner("bench")  # noqa: S311 - the same network every time
    ledger = await open_ledger(folder / "csbond.db", signer, "bench")
    try:
        world = _world(ledger, signer.did)
        links = await _fill(world, memories, chance)
        first = await _timed(lambda: show_whole_network(world, OWNER, SHOWN_DEFAULT))
        asked = [_id(chance.randrange(memories) if number % 10 else number // 10 % 10) for number in range(calls)]
        took = [await _timed(partial(show_network, world, id_, OWNER, DEPTH, SHOWN_DEFAULT)) for id_ in asked]
        change = LinkChange((Link(_id(1), "relates_to", 0.5),))
        await link_memory(world, _id(memories - 1), change, caller=OWNER, intent=INTENT)
        again = await _timed(lambda: show_network(world, _id(0), OWNER, DEPTH, SHOWN_DEFAULT))
        whole = await show_whole_network(world, OWNER, 300)
        begun = perf_counter()
        layout(whole)
        drawn = (perf_counter() - begun) * 1000
    finally:
        await ledger.close()
    return {
        "memories": memories,
        "links": links,
        "a network of depth 2, p50 (ms)": _share([each.clock for each in took], 0.5),
        "a network of depth 2, p99 (ms)": _share([each.clock for each in took], 0.99),
        "a network of depth 2, processors p99 (ms)": _share([each.processors for each in took], 0.99),
        "a network of depth 2, the longest (ms)": max(each.clock for each in took),
        "the first after the start: all computed (ms)": first.clock,
        "all computed, processors (ms)": first.processors,
        "the first after a link was made (ms)": again.clock,
        "300 of them laid out for a picture (ms)": drawn,
    }


async def _fill(world: World, memories: int, chance: random.Random) -> int:
    """Memories in groups, most links within them, some to a few that everything links to; how many links there are."""
    links = 0
    for start in range(0, memories, BATCH):
        requests = []
        for number in range(start, min(start + BATCH, memories)):
            targets = _targets(number, chance)
            links += len(targets)
            requests.append(MemoryRequest(draft_from_json(_memory(number, targets), world.clock.now(), LevelNames())))
        outcomes = await write_memory(world, requests, OWNER, INTENT)
        if not all(isinstance(outcome, Kept) for outcome in outcomes):
            raise SystemExit(f"not all was kept: {next(each for each in outcomes if not isinstance(each, Kept))}")
    return links


def _targets(number: int, chance: random.Random) -> list[int]:
    """What a memory links to: earlier ones."""
    first = number // GROUP * GROUP
    found: set[int] = set()
    while number and len(found) < min(LINKS_EACH, number):
        if chance.randrange(HUB) == 0:
            found.add(chance.randrange(min(10, number)))
        elif number - first > LINKS_EACH and chance.random() < 0.9:
            found.add(chance.randrange(first, number))
        else:
            found.add(chance.randrange(number))
    return sorted(found)


def _memory(number: int, targets: Sequence[int]) -> dict[str, Any]:
    return {
        "id": _id(number),
        "content": f"Memory {number} of the bench says what happened in group {number // GROUP}. 记忆 {number}。" * 3,
        "tags": [f"group {number // GROUP}"],
        "links": [
            {"target_id": _id(target), "relation": "relates_to", "weight": round(0.1 + target * 7 % 90 / 100, 2)}
            for target in targets
        ],
    }


def _id(number: int) -> str:
    return f"mem_{1_700_000_000_000 + number}_bench"


@dataclass(frozen=True)
class Took:
    """Milliseconds by the clock, and of all processors: on a busy machine the first tells of the others."""

    clock: float
    processors: float


async def _timed(act: Callable[[], Awaitable[object]]) -> Took:
    begun, used = perf_counter(), process_time()
    await act()
    return Took((perf_counter() - begun) * 1000, (process_time() - used) * 1000)


def _share(times: Sequence[float], share: float) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def _world(ledger: Any, did: str) -> World:
    nobody = cast(Any, None)
    return World(
        agent=Agent("bench", did),
        clock=SetClock(),
        identifiers=CountedIdentifiers(),
        ledger=ledger,
        skill=cast(Skill, nobody),
        webhooks=NullWebhooks(),
        peers=NoPeers(),
        journal=KeptJournal(),
    )


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.network.run", description=__doc__)
    parser.add_argument("--rounds", type=int, default=1, help=f"how often {CALLS} networks are asked for")
    parser.add_argument("--quick", action="store_true", help="only see whether it runs; its times mean little")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    parser.add_argument("--folder", type=Path, help="where the ledger goes; default: the system's temporary files")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
