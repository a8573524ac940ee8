from __future__ import annotations

import apsw
import pytest

from csbond.flows.changes import AppendMessage, KeepThread
from csbond.flows.memory_changes import PutEntry, SetLinks
from csbond.flows.ports import StoredVector
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.vectors import pack
from csbond.store.sqlite import open_ledger
from csbond.testing import FixedSigner
from csbond_tests.ledger_samples import a_message, a_record, a_task, a_thread, an_entry, everything, home, put, saved
from csbond_tests.requirements import requirement


@pytest.fixture
async def filled(sqlite_ledger):
    for number in range(3):
        writes = (KeepThread(a_thread()), AppendMessage(a_message(f"m-{number}")), PutEntry(an_entry(f"mem_{number}")))
        records = tuple(a_record(f"audit_{number}{letter}") for letter in "abc")
        await sqlite_ledger.commit(home(*writes, audit=records))
    await sqlite_ledger.commit(saved(a_task()))
    await sqlite_ledger.commit(home(SetLinks("mem_0", (Link("mem_2", "causes"), Link("mem_1", "extends")))))
    await sqlite_ledger.commit(put(an_entry("mem_0", version=2), an_entry("mem_1", version=2, deleted_at=1)))
    await sqlite_ledger.save_vectors("home", "model-1", [StoredVector("mem_0", "home", 6, pack((1.0, 0.0)))], 6)
    return sqlite_ledger


@pytest.fixture
def tampered(tmp_path, filled):
    """Executes statements behind the back of the ledger, and returns what it finds wrong."""

    async def execute(*texts):
        connection = apsw.Connection(str(tmp_path / "csbond.db"))
        for text in texts:
            connection.execute(text)
        connection.close()
        return await filled.check()

    return execute


async def test_a_ledger_that_was_left_alone_has_no_faults(filled):
    assert await filled.check() == []
    assert await filled.verify_audit() == []


async def test_a_text_in_pieces_is_no_fault(sqlite_ledger):
    ids = [f"mem_{number}" for number in range(4)]
    await sqlite_ledger.commit(
        put(*(an_entry(id_, extends=ids[place - 1] if place else "", piece=place) for place, id_ in enumerate(ids)))
    )
    assert await sqlite_ledger.check() == []


async def test_a_ledger_in_use_has_no_faults_either(sqlite_ledger):
    """The full text index's own check calls it damage when its connection knows an earlier state of the index."""
    for number in range(300):
        await sqlite_ledger.commit(put(an_entry(f"mem_{number}", f"words of entry number{number}")))
        if number % 50 == 0:
            assert (await sqlite_ledger.search_entries('"words"', ["words"], everything(), 5)).hits
            assert await sqlite_ledger.check() == []


@pytest.mark.parametrize(
    "text, fault",
    [
        ("DELETE FROM thread", "a row of message points to a row of thread that is not there"),
        ("DELETE FROM entry_words WHERE rowid = 1", "the entry mem_0 cannot be found by its words"),
        ("INSERT INTO entry_words (rowid, words) VALUES (77, 'x')", "of entries knows a row 77 that is not there"),
        ("UPDATE entry SET deleted_at = 5 WHERE row = 1", "of entries knows a row 1 that is not there"),
        ("UPDATE entry SET deleted_at = 5 WHERE row = 1", "the deleted entry mem_0 cannot be found by its words"),
        ("UPDATE entry SET deleted_at = 0 WHERE row = 2", "of deleted entries knows a row 2 that is not there"),
        ("DELETE FROM message_words WHERE rowid = 2", "the message m-1 cannot be found by its words"),
        ("INSERT INTO message_words (rowid, words) VALUES (77, 'x')", "of messages knows a row 77 that is not there"),
        ("DELETE FROM entry_version WHERE entry_row = 1", "the entry mem_0 does not have all its versions"),
        ("UPDATE thread SET message_count = 9", "the thread thread-1 counts other messages than it has"),
        ("DELETE FROM entry WHERE row = 3", "a row of entry_link points to a row of entry that is not there"),
        ("UPDATE entry SET linked = 0 WHERE row = 1", "the entry mem_0 has links and does not say so"),
        ("UPDATE entry_link SET target_row = 1 WHERE target_row = 2", "a link to mem_1 leads to another entry"),
        ("UPDATE entry SET text_key = x'01' WHERE row = 3", "the entry mem_2 is compared by another text than it has"),
        ("UPDATE entry SET content = 'x' WHERE row = 3", "the entry mem_2 is compared by another text than it has"),
        ("UPDATE entry SET extends = id, piece = 1 WHERE row = 3", "mem_2 goes on from no beginning of a text"),
        ("UPDATE entry SET extends = 'mem_9' WHERE row = 3", "mem_2 goes on from no beginning of a text"),
        (
            "UPDATE entry SET extends = iif(row = 1, 'mem_1', 'mem_0') WHERE row < 3",
            "mem_1 goes on from no beginning of a text",
        ),
        ("UPDATE entry SET recent = 'often' WHERE row = 3", "the uses of the entry mem_2 cannot be read"),
        (f"UPDATE entry SET recent = '{'0' * 272}' WHERE row = 3", "the uses of the entry mem_2 cannot be read"),
        (
            f"INSERT INTO archive VALUES ('mem_2', {'0, ' * 10} 0)",
            "the entry mem_2 is there, and is said to be cleared",
        ),
        ("INSERT INTO policy VALUES ('rules', 2, '{}', 0)", "the document rules does not have all its versions"),
        ("UPDATE entry SET text_seq = 7 WHERE row = 1", "the entry mem_0 is found by what it said before"),
        ("UPDATE space SET seq = 1", "mem_2 claims a later place than its Space has given"),
        ("UPDATE entry_words_data SET block = x'00' WHERE id > 10", "the file is damaged"),
    ],
)
async def test_every_kind_of_damage_is_named(tampered, text, fault):
    assert any(fault in said for said in await tampered(text))


@requirement("AUDIT-memory")
@pytest.mark.parametrize(
    "text, fault",
    [
        ("UPDATE audit SET body = replace(body, 'keep a fact', 'keep a lie') WHERE seq = 4", "audit_1a was changed"),
        ("UPDATE audit SET hash = 'sha256:0' WHERE seq = 4", "audit_1a was changed"),
        ("DELETE FROM audit WHERE seq = 4", "audit_1b does not follow the one before it"),
        ("DELETE FROM audit WHERE seq = 1", "audit_0b does not follow the one before it"),
        ("DELETE FROM audit WHERE seq = 9", "audit_2c, which carries the signature of its group, is missing"),
        ("DELETE FROM audit WHERE seq > 7", "audit_2c, which carries the signature of its group, is missing"),
        ("UPDATE audit SET seq = 99 WHERE seq = 4", "does not follow the one before it"),
        ("UPDATE audit SET type = 'memory_delete' WHERE seq = 4", "audit_1a and its columns differ"),
        ("UPDATE audit SET timestamp = 1 WHERE seq = 4", "audit_1a and its columns differ"),
        ("UPDATE audit SET body = 'no json' WHERE seq = 4", "audit_1a and its columns differ"),
        ("UPDATE audit SET signature = zeroblob(64) WHERE seq = 6", "audit_1c has no good signature"),
        ("UPDATE audit SET signature = NULL WHERE seq = 6", "audit_1c has no good signature"),
        ("UPDATE audit SET signed_by = id WHERE seq = 4", "audit_1a has no good signature"),
        ("UPDATE audit SET signed_by = 'audit_2c' WHERE seq = 4", "a record of the group of audit_2c is missing"),
    ],
)
async def test_tampering_with_the_records_is_found(tampered, text, fault):
    assert any(fault in said for said in await tampered(text))


async def test_a_chain_that_another_key_made_is_not_this_nodes(tmp_path, filled):
    await filled.close()
    other = await open_ledger(tmp_path / "csbond.db", FixedSigner("somebody else"), "Luna")
    faults = await other.verify_audit()
    assert "the record audit_0a names another key than this node's" in faults
    assert "the record audit_0c has no good signature" in faults
    await other.close()


async def test_records_hold_what_was_done_and_the_stated_intent(tmp_path, filled):
    connection = apsw.Connection(str(tmp_path / "csbond.db"))
    row = connection.execute(
        "SELECT body ->> '$.action.operation', body ->> '$.intent.goal', body ->> '$.agent.name',"
        " body ->> '$.details.why', body ->> '$.agent.id' FROM audit WHERE seq = 1"
    ).fetchall()
    connection.close()
    assert row == [("write_memory", "keep a fact", "Luna", "因为", FixedSigner().did)]
