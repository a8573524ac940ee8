"""Imports and the file: of an erased memory neither its key nor a vector that came with it is left."""

from __future__ import annotations

from csbond.flows.delete_memory import delete_memory
from csbond.flows.erase_memory import erase_memory
from csbond.flows.import_memory import import_memory
from csbond.protocol.memory.foreign_record import ForeignName, ForeignRecord, ForeignVector
from csbond.protocol.memory.importing import Importing, RecordOutcome
from csbond.protocol.memory.vectors import pack
from csbond.protocol.messages.caller import OWNER
from csbond.store.sqlite import open_ledger
from csbond.testing import FixedSigner
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, small_world

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
