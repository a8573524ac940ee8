"""The node's memory beside other stores: the same documents added one by one, the same questions asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path

from bench.memory.corpus import Corpus
from bench.memory.figures import Figures, Row
from bench.memory.plan import ADD, BATCH, FILTERED, PEERS, SEARCH, VECTOR_PEER, Plan
from bench.memory.stores import EXACT, OURS, Absent, Store, make_home, running_node, running_peer
from bench.memory.texts import HOT_ENTRIES
from bench.memory.turns import Subject, Turn, take_turns

__all__ = ["measure_peers"]


def measure_peers(plan: Plan, folder: Path, corpus: Corpus, figures: Figures) -> None:
    """Add to all of them in turn; then fill those that are asked, and ask them in turn."""
    with ExitStack() as stack:
        subjects: dict[str, Subject] = {}
        for name in (OURS, *PEERS):
            plan.say(f"open: {name}")
            store = stack.enter_context(_running(name, folder, corpus))
            try:
                figures.versions[name] = store.ask(do="open")["version"]
            except Absent as reason:
                figures.absent[name] = str(reason)
                continue
            subjects[name] = Subject(store, corpus, plan.small)
        for subject in subjects.values():
            subject.add(HOT_ENTRIES, batch=BATCH)  # what comes first pays for what is made once
        for number in range(1, plan.rounds + 1):
            plan.say(f"round {number} of {plan.rounds}: add to each store")
            take_turns(figures, number, _adds(plan, subjects))
        searched = {name: subjects[name] for name in (OURS, VECTOR_PEER) if name in subjects}
        for name, subject in searched.items():
            plan.say(f"fill to {plan.small:,}: {name}")
            subject.fill(plan.small)
            subject.search(10)
        for number in range(1, plan.rounds + 1):
            plan.say(f"round {number} of {plan.rounds}: search among {plan.small:,}")
            take_turns(figures, number, _searches(plan, searched))


def _running(name: str, folder: Path, corpus: Corpus) -> AbstractContextManager[Store]:
    return (
        running_node(make_home(folder / OURS), corpus, EXACT)
        if name == OURS
        else running_peer(name, folder / name, corpus)
    )


def _adds(plan: Plan, subjects: Mapping[str, Subject]) -> Iterator[Turn]:
    for name, subject in subjects.items():
        yield Turn(Row(ADD, name, 0), plan.fresh, subject.add)


def _searches(plan: Plan, subjects: Mapping[str, Subject]) -> Iterator[Turn]:
    """The peer is narrowed by type alone: by one filter it shows what filters cost it."""
    for name, subject in subjects.items():
        yield Turn(Row(SEARCH, name, plan.small), plan.asked, subject.search)
        for narrowed, what in FILTERED.items():
            if name == OURS or narrowed == "type":
                yield Turn(Row(what, name, plan.small), plan.asked, partial(subject.search, narrowed=narrowed))
