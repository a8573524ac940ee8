"""Copies that stay in the gaps of pages, when SQLite moves rows from page to page, go when the file is written anew."""

from __future__ import annotations

import random
import re

import pytest

from csbond.flows.memory_changes import EraseEntry
from csbond.store.sqlite import open_ledger
from csbond.store.sqlite.database import Database
from csbond.testing import FixedSigner
from csbond_tests.ledger_samples import NOW, an_entry, home, put
from csbond_tests.requirements import requirement

GAPS = 5
"""The seed of an order of writes that leaves copies in gaps of pages."""


@pytest.fixture
async def ledger(tmp_path):
    ledger = await open_ledger(tmp_path / "csbond.db", FixedSigner(), "Luna")
    yield ledger
    await ledger.close()


def text_of(number, lengths):
    """A text of any length that can be told from all others wherever a byte of its ends is left."""
    return f"<{number:05d}>{'河ab' * lengths.choice((2, 10, 40, 150, 400))}<{number:05d}>"


async def many_written_and_erased(ledger, seed):
    """The numbers of memories that were erased, of 800 of which half were edited."""
    lengths = random.Random(seed)
    numbers = range(800)
    edited, gone = lengths.sample(numbers, 400), lengths.sample(numbers, 640)
    texts = [(number, 1) for number in numbers] + [(number, 2) for number in edited]
    for start in range(0, len(texts), 50):
        some = texts[start : start + 50]
        await ledger.commit(
            put(*(an_entry(f"mem_{number}", text_of(number, lengths), version=version) for number, version in some))
        )
    latest = dict(texts)
    for start in range(0, len(gone), 50):
        erased = gone[start : start + 50]
        await ledger.commit(home(*(EraseEntry(f"mem_{number}", latest[number], NOW) for number in erased)))
    return set(gone)


def readable(folder, numbers):
    """Those whose text is readable in a file."""
    told = b"".join(file.read_bytes() for file in folder.iterdir())
    return numbers & {int(number) for number in re.findall(rb"<(\d{5})>", told)}


async def not_rewritten(database):
    return True


@requirement("MEM-005-5.2-no-byte")
async def test_no_copy_is_left_where_rows_were_moved_from_page_to_page(tmp_path, ledger):
    gone = await many_written_and_erased(ledger, GAPS)
    assert await ledger.erase_traces()
    assert readable(tmp_path, gone) == set()
    assert len(readable(tmp_path, set(range(800)))) == 160
    assert await ledger.check() == []


async def test_without_writing_the_file_anew_copies_are_left(tmp_path, ledger, monkeypatch):
    """Otherwise the test before this one shows nothing."""
    monkeypatch.setattr(Database, "rewrite", not_rewritten)
    gone = await many_written_and_erased(ledger, GAPS)
    assert await ledger.erase_traces()
    assert readable(tmp_path, gone)
