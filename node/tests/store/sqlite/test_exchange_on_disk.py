"""Imports and the file: of an erased memory neither its key nor a vector that came with it is left."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import csbond_tests
from csbond.flows.delete_memory import delete_memory
from csbond.flows.erase_memory import erase_memory
from csbond.flows.import_memory import import_memory
from csbond.protocol.memory.foreign_record import ForeignName, ForeignRecord, ForeignVector
from csbond.protocol.memory.formation import join_pieces
from csbond.protocol.memory.importing import Importing, RecordOutcome
from csbond.protocol.memory.vectors import pack
from csbond.protocol.messages.caller import OWNER
from csbond.store.sqlite import open_ledger
from csbond.testing import FixedSigner
from csbond.testing.ports import CountedIdentifiers
from csbond_tests.import_crash_script import RECORDS, imported
from csbond_tests.ledger_samples import everything
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, small_world

STEP = 7
"""Of so many points of an import each first one is looked at."""
SECRET = "Quicksilver marmalade 灯塔下面埋着一罐橘子酱"
KEY = "the-key-under-which-marmalade-came"
AGENT = "The keeper of marmalade"
VECTOR = pack((0.123456789, 0.987654321, 0.55555555))


def a_record(content=SECRET, key=KEY, agent=AGENT, vector=VECTOR):
    foreign = ForeignVector(vector, 3, "another-model", "f1")
    return ForeignRecord(
        "line 1", {"content": content, "tags": [content[:11]]}, ForeignName(agent, key=key), (), foreign
    )


def held(folder, *parts):
    """The files that hold one of these."""
    return [file.name for file in folder.iterdir() if any(part in file.read_bytes() for part in parts)]


@requirement("MEM-005-5.2-no-byte", "MEM-005-report-orphans")
async def test_no_byte_of_an_erased_memory_its_key_and_its_foreign_vector_is_left(tmp_path):
    ledger = await open_ledger(tmp_path / "csbond.db", FixedSigner(), "Luna")
    world = small_world(ledger)
    told = (SECRET[:8].encode(), "灯塔下面".encode(), KEY.encode()[:16], AGENT.encode()[:16], VECTOR[:8])
    long_text = SECRET * 90
    records = [
        a_record(),
        a_record(f"{SECRET} again", "another-key-of-marmalade"),
        a_record(long_text, f"{KEY}-long"),
        a_record("A stone.", "k2", "Vera", pack((1.0, 2.0, 3.0))),
    ]
    outcomes = [each async for each in import_memory(world, records, Importing(), "test", OWNER, INTENT)]
    ids = [each.ids for each in outcomes if isinstance(each, RecordOutcome)]
    again = a_record(f"{SECRET} otherwise")
    assert [each async for each in import_memory(world, [again], Importing(), "test", OWNER, INTENT)]
    assert held(tmp_path, *told)
    await delete_memory(world, ids[0][0], OWNER, INTENT)
    for first, *_ in ids[:3]:
        erased = await erase_memory(world, first, OWNER, INTENT)
        assert erased.erased
    assert held(tmp_path, *told) == []
    assert [model.vectors for model in await ledger.foreign_models()] == [1]
    assert set(await ledger.foreign_names("home", [each.name for each in records])) == {records[3].name}
    assert await ledger.check() == []
    await ledger.close()
    assert held(tmp_path, *told) == []


@requirement("MEM-005-report-re-ingest", "MEM-003-interop-each")
async def test_an_import_that_is_killed_leaves_nothing_half_and_the_same_again_completes_it(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(Path(csbond_tests.__file__).parent.parent)}
    run = subprocess.run(
        [sys.executable, "-m", "csbond_tests.import_crash_script", str(tmp_path), str(STEP)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    lives, texts = int(run.stdout), {record.memory["content"] for record in RECORDS}
    assert lives > 5
    for number in range(1, lives + 1):
        ledger = await open_ledger(tmp_path / f"{number}.db", FixedSigner(), "Luna")
        world = small_world(ledger, identifiers=CountedIdentifiers(1_000_000))
        assert await ledger.check() == []
        total = await imported(world, RECORDS)
        assert total.outcomes["refused"] == total.links_refused == 0
        named = await ledger.foreign_names("home", [record.name for record in RECORDS])
        entries = {name.key: await ledger.entry_pieces(record.entry_id) for name, record in named.items()}
        assert {join_pieces(pieces) for pieces in entries.values()} == texts
        assert [len(entries[f"k{place}"][0].links) for place in range(5)] == [1] * 5
        living = [entry.id for entry in (await ledger.entries(everything(limit=99))).rows]
        assert sorted(living) == sorted(piece.id for pieces in entries.values() for piece in pieces)
        assert dict((await imported(world, RECORDS)).outcomes) == {"unchanged": 5}
        await ledger.close()
