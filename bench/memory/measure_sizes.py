"""The node's memory beside itself: with few and with many entries, one writer and many, a read and the bare row."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from bench.memory.corpus import Corpus
from bench.memory.figures import Figures, Footprint, Row
from bench.memory.plan import (
    GROWN,
    GROWN_FAISS,
    READ,
    READ_BARE,
    READ_LEDGER,
    WRITE,
    WRITE_BY_MANY,
    WRITERS,
    Plan,
)
from bench.memory.stores import EXACT, FAISS, OURS, Absent, make_home, running_node
from bench.memory.turns import Part, Subject, Turn, take_turns
from bench.memory.vectors import DIMENSION

__all__ = ["filled_home", "measure_sizes"]

_WAYS = {READ_BARE: "bare", READ_LEDGER: "ledger", READ: "story"}


def measure_sizes(plan: Plan, folder: Path, corpus: Corpus, figures: Figures) -> None:
    """Fill a home of each size, see what it takes, and let them take turns."""
    homes = {size: filled_home(size, plan, folder, corpus, figures) for size in plan.sizes}
    beside = shutil.copytree(homes[plan.large], folder / "faiss")
    os.sync()  # or the disk is busy with what was filled and copied when it is to be measured
    with ExitStack() as stack:
        subjects: dict[int, Subject] = {}
        for size, home in homes.items():
            store = stack.enter_context(running_node(home, corpus, EXACT))
            figures.versions[OURS] = store.ask(do="open")["version"]
            subjects[size] = Subject(store, corpus, min(size, plan.large), told=size)
        faiss = stack.enter_context(running_node(beside, corpus, FAISS))
        try:
            faiss.ask(do="open")
            approximate: Subject | None = Subject(faiss, corpus, plan.large, told=plan.large)
        except Absent as reason:
            figures.absent["FAISS"], approximate = str(reason), None
        for number in range(plan.rounds + 1):
            plan.say(f"round {number} of {plan.rounds}: " + ", ".join(f"{size:,}" for size in homes))
            # Round 0 only warms what is kept in memory.
            into = figures if number else Figures()
            take_turns(into, number, _turns(plan, subjects, approximate))


def filled_home(size: int, plan: Plan, folder: Path, corpus: Corpus, figures: Figures) -> Path:
    """A home with so many entries, which is made where it is not there; what it takes is seen by opening it anew."""
    home = folder / f"home-{size}"
    if home.exists():
        return home
    plan.say(f"fill a home with {size:,}")
    make_home(home)
    with running_node(home, corpus, EXACT) as store:
        empty, disk = store.ask(do="open")["resident"], store.bytes_on_disk()
        Subject(store, corpus, size).fill(size)
    with running_node(home, corpus, EXACT) as store:
        resident = (store.ask(do="open")["resident"] - empty) / size
        figures.footprints.append(Footprint(size, resident, (store.bytes_on_disk() - disk) / size, 4 * DIMENSION))
    return home


def _turns(plan: Plan, subjects: Mapping[int, Subject], approximate: Subject | None) -> Iterator[Turn]:
    small, large = subjects[plan.small], subjects[plan.large]
    for size, subject in subjects.items():
        yield Turn(Row(WRITE, OURS, size), plan.adds, subject.add)
    yield Turn(Row(WRITE_BY_MANY, OURS, plan.small), plan.adds_by_many, partial(small.add, writers=WRITERS))
    yield Turn(Row(GROWN, OURS, plan.small), plan.asked, small.search)
    yield Turn(Row(GROWN, OURS, plan.large), plan.asked, large.search)
    if approximate:
        yield Turn(Row(GROWN_FAISS, OURS, plan.large), plan.asked, approximate.search)
    for what, way in _WAYS.items():
        yield Turn(Row(what, OURS, plan.small), plan.reads, partial(_read, small, way))


def _read(subject: Subject, way: str, count: int) -> Part:
    return subject.read(count, way)
