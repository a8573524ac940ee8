from __future__ import annotations

import threading
from typing import Any

import pytest

from csbond.engines import indexed_nearest as module
from csbond.engines.indexed_nearest import IndexedNearest
from csbond.flows.ports import EntryQuery
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.filter import EntryFilter, Wanted
from csbond.protocol.memory.vectors import pack
from csbond.protocol.memory.visibility import Audience
from csbond.testing.meaning import ScannedIndex
from csbond_tests.facets import PLAIN

EVERYTHING = Audience(everything=True)
EAST = pack([1, 0])


class Ids:
    """Answers with some ids, and keeps what was asked."""

    def __init__(self, ids):
        self.ids = ids
        self.asked: list = []

    async def matching_ids(self, query):
        self.asked.append(query)
        return self.ids


class Watched(ScannedIndex):
    """Keeps what is wanted and the thread that searches."""

    def search(self, space, query, limit, wanted=None):
        seen.append((wanted, threading.current_thread() is threading.main_thread()))
        return super().search(space, query, limit, wanted)


seen: list = []


@pytest.fixture
def index():
    seen.clear()
    index = Watched()
    index.put("home", "east", EAST, PLAIN)
    index.put("home", "north", pack([0, 1]), PLAIN)
    return index


async def test_what_the_columns_hold_is_compared_where_the_vectors_are(index):
    ledger, query = Ids(frozenset()), EntryQuery("home", EVERYTHING, level=Level.WARM, project="")
    assert await IndexedNearest(index, ledger).nearest(query, EAST, 9) == [("east", 1.0), ("north", 0.0)]
    assert ledger.asked == []
    assert seen == [(Wanted(EntryFilter(level=Level.WARM, project=""), EVERYTHING), True)]


@pytest.mark.parametrize("part", ["tag", "text", "link_target"])
async def test_tags_words_and_links_are_looked_up(index, part):
    asked: Any = {part: "x"}
    ledger, query = Ids(frozenset({"north"})), EntryQuery("home", Audience(), **asked)
    assert await IndexedNearest(index, ledger).nearest(query, EAST, 9) == [("north", 0.0)]
    assert ledger.asked == [query]


async def test_nothing_that_matches_is_nothing_to_compare(index):
    assert await IndexedNearest(index, Ids(frozenset())).nearest(EntryQuery("home", EVERYTHING, tag="x"), EAST, 9) == []
    assert seen == []


async def test_what_was_deleted_has_no_vector(index):
    assert await IndexedNearest(index, Ids(None)).nearest(EntryQuery("home", EVERYTHING, deleted=True), EAST, 9) == []


async def test_an_empty_space_is_not_searched(index):
    assert await IndexedNearest(index, Ids(None)).nearest(EntryQuery("work", EVERYTHING), b"odd", 9) == []


async def test_many_vectors_are_compared_in_another_thread(index, monkeypatch):
    monkeypatch.setattr(module, "COUNT_AT_ONCE", 1)
    assert len(await IndexedNearest(index, Ids(None)).nearest(EntryQuery("home", EVERYTHING), EAST, 9)) == 2
    assert seen[0][1] is False
