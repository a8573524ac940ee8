"""The node's memory in process: a home as `csb init` makes it, its node and workers, and the stories that doors use.

Run one process a home: `python -m bench.memory.ours HOME CORPUS INDEX`. Only the embedder is another, which gives every
text the vector of the corpus, and no tending falls into what is measured.
"""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any

import apsw
import uvloop

from bench.memory.corpus import Corpus, Told
from bench.memory.given_vectors import GivenVectors
from bench.memory.pipe import Line, answer_lines, answer_lines_async, own_pipe
from bench.transport.load import Spoiled
from csbond.config.home import open_home
from csbond.config.settings_file import read_settings
from csbond.config.settings_rules import database_file
from csbond.engines.index_choice import IndexWish, faiss_installed
from csbond.engines.indexed_nearest import IndexedNearest
from csbond.engines.vector_index import open_index
from csbond.flows.note_use import keep_uses
from csbond.flows.read_memory import read_memory
from csbond.flows.search_memory import MemorySearch, search_memory
from csbond.flows.world import HOME_SPACE, World
from csbond.flows.write_memory import Kept, MemoryRequest, write_memory
from csbond.node import Node, open_node
from csbond.protocol.audit.record import Intent
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.filter import EntryFilter
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.visibility import Audience
from csbond.protocol.messages.caller import OWNER

LIMIT = 10
FAISS: IndexWish = "faiss"
FAISS_SWITCH = 1_000
"""Entries beyond which FAISS is used where it is wished for: fewer than any that are compared."""
INTENT = Intent("measure how fast memory is", "owner", "owner token")
ROW = "SELECT * FROM entry WHERE id = ?"
FILTERS = {
    "": EntryFilter(),
    "level": EntryFilter(level=Level.HOT),
    "type": EntryFilter(type="decision"),
    "tag": EntryFilter(tag="tag-7"),
    "project": EntryFilter(project="project-0"),
}
"""What a search is narrowed by: some 100, a tenth, a twentieth and 150 of the entries."""


class Answers:
    """Does what the run asks of this memory."""

    def __init__(self, node: Node, embedder: GivenVectors, corpus: Corpus) -> None:
        self._node = node
        self._world = node.world
        self._embedder = embedder
        self._corpus = corpus

    async def __call__(self, line: Line) -> Line:
        """The answer to one line."""
        does = {"open": self._opened, "add": self._added, "search": self._searched, "get": self._got}
        answer: Line = await does[line["do"]](line)
        await keep_uses(self._world)  # what was found and read was used: that is not to be charged to who comes next
        return answer

    async def _opened(self, _line: Line) -> Line:
        gc.collect()
        return {"version": f"csbond {version('csbond')}", "resident": _resident()}

    async def _added(self, line: Line) -> Line:
        """Until every vector is searchable; `calls` are the seconds of each request."""
        told = list(self._corpus.told(line["first"], line["count"]))
        for each in told:
            self._embedder.tell(each.document.text, each.vector)
        requests = _batches(told, line["batch"])
        calls: list[float] = []
        began = perf_counter()
        places = await asyncio.gather(*(_write(self._world, requests, calls) for _ in range(line["writers"])))
        await self._world.signals.indexing.until_reached(max(places))
        return {"seconds": perf_counter() - began, "calls": calls}

    async def _searched(self, line: Line) -> Line:
        wanted = FILTERS[line["filter"]]
        calls, found = [], []
        for each in self._corpus.asked(line["among"], line["first"], line["count"]):
            self._embedder.tell(each.question.text, each.vector)
            search = MemorySearch(each.question.text, wanted, LIMIT)
            began = perf_counter()
            answer = await search_memory(self._world, search, Audience(everything=True))
            calls.append(perf_counter() - began)
            if not answer.semantic:
                raise Spoiled(f"searched by words only: {answer.reason}")
            found.append([int(hit.entry.content.partition(":")[0]) for hit in answer.results])
        return {"calls": calls, "found": found}

    async def _got(self, line: Line) -> Line:
        """Seconds of reading by id: the bare row, the entry by the ledger, or the story that a door uses."""
        bare = apsw.Connection(
            str(database_file(self._node.settings.node.database, self._node.home.path)),
            flags=apsw.SQLITE_OPEN_READONLY,
        )
        try:
            ids = _ids(bare, line["first"], line["count"])
            if line["way"] == "bare":
                return {"calls": _timed(ids, lambda id_: bare.execute(ROW, (id_,)).fetchone())}
            if line["way"] == "ledger":
                return {"calls": [await _seconds(self._world.ledger.entry, id_) for id_ in ids]}
            return {"calls": [await _seconds(read_memory, self._world, id_, OWNER) for id_ in ids]}
        finally:
            bare.close()


async def _write(world: World, requests: Iterator[Sequence[Told]], calls: list[float]) -> int:
    """Write what is left, request by request; the place of the last."""
    place = 0
    for batch in requests:
        began = perf_counter()
        now = world.clock.now()
        drafts = [MemoryRequest(draft_from_json(_raw(each), now, LevelNames())) for each in batch]
        for outcome in await write_memory(world, drafts, OWNER, INTENT):
            if not isinstance(outcome, Kept) or outcome.merged:
                raise Spoiled(f"not kept as a new entry: {outcome}")
            place = outcome.entry.seq
        calls.append(perf_counter() - began)
    return place


def _raw(told: Told) -> dict[str, Any]:
    document = told.document
    return {
        "content": document.text,
        "level": document.level,
        "type": document.type,
        "tags": [document.tag],
        "metadata": {"project": document.project},
    }


def _batches(told: Iterable[Told], size: int) -> Iterator[Sequence[Told]]:
    rest = iter(told)
    while batch := list(islice(rest, size)):
        yield batch


def _ids(connection: apsw.Connection, first: int, count: int) -> list[str]:
    rows = connection.execute("SELECT id FROM entry WHERE row > ? ORDER BY row LIMIT ?", (first, count))
    return [id_ for (id_,) in rows]


def _timed(ids: Iterable[str], read: Callable[[str], object]) -> list[float]:
    taken = []
    for id_ in ids:
        began = perf_counter()
        read(id_)
        taken.append(perf_counter() - began)
    return taken


async def _seconds(read: Callable[..., Any], *arguments: Any) -> float:
    began = perf_counter()
    await read(*arguments)
    return perf_counter() - began


def _resident() -> int:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    pages = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(pages.split()[1]) * 1024


@asynccontextmanager
async def opened(path: Path, embedder: GivenVectors, wish: IndexWish) -> AsyncIterator[Node]:
    """The node of a home, its workers running and the index in memory that is wished for."""
    home = open_home(path)
    node = await open_node(home, read_settings(home.settings_file))
    index = open_index(wish, FAISS_SWITCH)
    nearest = IndexedNearest(index, node.world.ledger)
    node.world = replace(node.world, embedder=embedder, index=index, nearest=nearest)
    await node.start()
    try:
        await node.world.signals.indexing.until_reached(await node.world.ledger.space_seq(HOME_SPACE))
        if index.unsettled(HOME_SPACE):
            await asyncio.to_thread(index.settle, HOME_SPACE)
        yield node
    finally:
        await node.close()


async def _answer(path: Path, corpus: Corpus, wish: IndexWish) -> None:
    pipe, embedder = own_pipe(), GivenVectors()
    async with opened(path, embedder, wish) as node:
        gc.collect()
        gc.freeze()
        answers = Answers(node, embedder, corpus)
        await answer_lines_async(answers, lambda: asyncio.to_thread(sys.stdin.readline), pipe)


def main() -> None:
    """Open the home and answer until the run hangs up; without the index it is to have it says only that."""
    home, corpus, index = sys.argv[1:4]
    if index == FAISS and not faiss_installed():
        answer_lines(lambda _: {"absent": "the extra `faiss` is not installed"}, own_pipe())
    else:
        uvloop.run(_answer(Path(home), Corpus(Path(corpus)), FAISS if index == FAISS else "exact"))


if __name__ == "__main__":
    main()
