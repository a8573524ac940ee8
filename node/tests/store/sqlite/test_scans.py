from __future__ import annotations

import asyncio
import threading

import pytest

from csbond.flows.memory_changes import SetLinks
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.words import match_any, query_terms
from csbond.protocol.messages.listing import TaskQuery
from csbond.store.sqlite import database
from csbond_tests.ledger_samples import a_message, a_task, an_entry, everything, home, put, said, saved

SCANS = {
    "tasks": lambda ledger: ledger.tasks(TaskQuery("owner")),
    "threads": lambda ledger: ledger.threads(None, ["home"], None, 5),
    "messages of a sender": lambda ledger: ledger.messages_of_sender("Ada", None, None, 5),
    "messages by words": lambda ledger: ledger.search_messages('"hello"', None, 5),
    "entries": lambda ledger: ledger.entries(everything(level=Level.HOT)),
    "entries of a text": lambda ledger: ledger.entries(everything(text="river")),
    "softly deleted entries of a text": lambda ledger: ledger.entries(everything(text="stones", deleted=True)),
    "entries that link": lambda ledger: ledger.entries(everything(link_target="mem_2")),
    "entries of a project": lambda ledger: ledger.entries(everything(project="trips")),
    "ids": lambda ledger: ledger.matching_ids(everything(level=Level.HOT)),
    "entries by words": lambda ledger: ledger.search_entries('"river"', ["river"], everything(), 5),
    "counts": lambda ledger: ledger.counts(),
}


@pytest.fixture
async def filled(sqlite_ledger):
    await sqlite_ledger.commit(put(an_entry("mem_1", project="trips"), an_entry("mem_2", "another")))
    await sqlite_ledger.commit(home(SetLinks("mem_1", (Link("mem_2", "causes"),))))
    await sqlite_ledger.commit(put(an_entry("mem_3", "Wet stones.", deleted_at=1)))
    await sqlite_ledger.commit(said(a_message()))
    await sqlite_ledger.commit(saved(a_task()))
    return sqlite_ledger


@pytest.mark.parametrize("name", SCANS)
async def test_a_scan_answers_the_same_from_a_thread(filled, monkeypatch, name):
    at_once = await SCANS[name](filled)
    monkeypatch.setattr(database, "INLINE_ROWS", -1)
    assert await SCANS[name](filled) == at_once
    assert at_once
    assert getattr(at_once, "rows", True)


async def test_a_scan_of_a_large_table_leaves_the_event_loop(filled, monkeypatch):
    seen = []
    await filled._database.scan("entry", lambda reader: seen.append(threading.current_thread()))
    monkeypatch.setattr(database, "INLINE_ROWS", 1)
    await filled._database.scan("entry", lambda reader: seen.append(threading.current_thread()))
    assert seen[0] is threading.main_thread()
    assert seen[1] is not threading.main_thread()


@pytest.mark.parametrize(
    "look",
    [
        lambda ledger, text: ledger.entries(everything(text=text)),
        lambda ledger, text: ledger.entries(everything(text=text, deleted=True)),
        lambda ledger, text: ledger.matching_ids(everything(text=text)),
        lambda ledger, text: ledger.search_entries('"river"', ["river"], everything(text=text), 5),
        lambda ledger, text: ledger.search_entries(match_any(query_terms(text)), text.split(), everything(), 5),
    ],
    ids=["a page", "a page of deleted ones", "ids", "a filter of a search", "a search"],
)
async def test_many_words_and_single_characters_are_looked_for_in_a_thread(filled, monkeypatch, look):
    threads = []
    scan_long = filled._database.scan_long

    async def seen(read, *arguments):
        threads.append(read)
        return await scan_long(read, *arguments)

    monkeypatch.setattr(filled._database, "scan_long", seen)
    for text in ("山 水 火 风", " ".join(f"word{number}" for number in range(100))):
        await look(filled, text)
        assert threads == []
    for text in ("山 水 火 风 雷", " ".join(f"word{number}" for number in range(250))):
        threads.clear()
        await look(filled, text)
        assert len(threads) == 1


async def test_scans_in_threads_see_every_acknowledged_commit(filled, monkeypatch):
    monkeypatch.setattr(database, "INLINE_ROWS", -1)

    async def write_and_search(number):
        await filled.commit(put(an_entry(f"new_{number}", f"only{number}")))
        return await filled.search_entries(f'"only{number}"', [f"only{number}"], everything(), 5)

    found = await asyncio.gather(*map(write_and_search, range(40)))
    assert [[hit.id for hit in hits.hits] for hits in found] == [[f"new_{number}"] for number in range(40)]
