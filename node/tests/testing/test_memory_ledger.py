from __future__ import annotations

import pytest

from csbond.flows.ports import Ledger
from csbond.protocol.audit.record import FIRST_HASH, audit_hash
from csbond.protocol.errors import Unavailable
from csbond.testing import InMemoryLedger
from csbond_tests.ledger_samples import a_chunk, a_record, a_task, an_entry, home, put, saved


@pytest.fixture
def ledger():
    return InMemoryLedger()


def test_it_is_a_ledger(ledger):
    port: Ledger = ledger
    assert port is ledger


async def test_its_records_are_chained(ledger):
    await ledger.commit(home(audit=(a_record("audit_1"), a_record("audit_2"))))
    first, second = ledger.records
    assert first.body["previous"] == FIRST_HASH
    assert second.body["previous"] == first.hash == audit_hash(first.body)
    assert len(second.signature) == 64


async def test_it_shows_the_versions_of_an_entry(ledger):
    for version, content in enumerate(("one", "two", "three"), 1):
        await ledger.commit(put(an_entry(content=content, version=version)))
    await ledger.commit(put(an_entry("mem_2")))
    assert [(entry.version, entry.content) for entry in ledger.versions("mem_1")] == [(1, "one"), (2, "two")]


async def test_it_fails_when_a_test_wants_it_to(ledger):
    ledger.fail_next(Unavailable("storage_full", "the disk is full"))
    with pytest.raises(Unavailable):
        await ledger.commit(put(an_entry()))
    await ledger.commit(put(an_entry()))
    assert await ledger.space_seq("home") == 1


async def test_a_chunk_that_fails_is_told_to_the_end_of_its_task(ledger):
    await ledger.commit(saved(a_task()))
    ledger.fail_next(Unavailable("storage_full", "the disk is full"))
    await ledger.append_chunk_soon(home(a_chunk("lost")))
    with pytest.raises(Unavailable):
        await ledger.commit(saved(a_task(version=2)))
    await ledger.commit(saved(a_task(version=2)))
