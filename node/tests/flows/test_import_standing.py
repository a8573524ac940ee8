"""Imports keep records apart that only sound alike, and take nobody's word for what only this home decides."""

from __future__ import annotations

from dataclasses import replace

import orjson
import pytest

from csbond.flows.export_memory import ExportRequest, ExportSum, export_memory
from csbond.flows.import_memory import ImportSum, import_memory
from csbond.flows.write_memory import Kept, MemoryRequest, write_memory
from csbond.protocol.memory import published
from csbond.protocol.memory.entry import Level, Visibility
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.foreign_files import SourceFile
from csbond.protocol.memory.foreign_record import ForeignName, ForeignRecord
from csbond.protocol.memory.import_json import records as json_records
from csbond.protocol.memory.import_markdown import records as markdown_records
from csbond.protocol.memory.importing import Importing
from csbond.protocol.memory.interop import interop_records
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.link import Link
from csbond.protocol.messages.caller import OWNER, Caller, CallerKind, Role
from csbond.testing import InMemoryLedger
from csbond.testing.ports import CountedIdentifiers
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW, WatchedLedger, small_world

ANN = Caller(CallerKind.PRINCIPAL, "ann", Role.EDITOR, frozenset({"home"}))


def a_record(content="The key is under the mat.", key="k1", agent="Vera", links=(), **fields):
    memory = {"content": content, "timestamp": NOW - 5, **fields}
    return ForeignRecord(f"record {key}", memory, ForeignName(agent, key=key), tuple(links))


async def imported(world, reads, importing=None, caller=OWNER):
    """What became of the records, and the sum."""
    outcomes = [each async for each in import_memory(world, reads, importing or Importing(), "test", caller, INTENT)]
    assert isinstance(outcomes[-1], ImportSum)
    return outcomes[:-1], outcomes[-1]


async def became(world, *reads, importing=None):
    """The outcomes alone, as texts."""
    outcomes, _ = await imported(world, reads, importing)
    return [outcome.outcome for outcome in outcomes]


async def exported(world, **request):
    """The documents, and the sum."""
    told = [each async for each in export_memory(world, ExportRequest(**request), OWNER, INTENT)]
    assert isinstance(told[-1], ExportSum)
    return told[:-1], told[-1]


def another_home():
    """A world whose node gives other ids."""
    return small_world(WatchedLedger(InMemoryLedger()), identifiers=CountedIdentifiers(1_000_000))


async def contents(world):
    documents, _ = await exported(world)
    return sorted(document["mem_interop"]["content"] for document in documents)


def as_source(documents):
    return b"\n".join(map(orjson.dumps, documents))


@pytest.mark.parametrize(
    "other", [a_record(key="k2", user="Bo"), a_record(agent="Ida", user="Bo")], ids=["another key", "another agent"]
)
@pytest.mark.parametrize("at_once", [True, False])
async def test_two_records_with_the_same_words_stay_two_memories(either, other, at_once):
    records = [a_record(user="Ada"), other]
    if at_once:
        outcomes, _ = await imported(either, records)
    else:
        outcomes = [(await imported(either, [record]))[0][0] for record in records]
    assert [each.outcome for each in outcomes] == ["stored", "stored"]
    first, second = [await either.ledger.entry(each.ids[0]) for each in outcomes]
    assert (first.extra["user"], second.extra["user"]) == ("Ada", "Bo")
    assert await became(either, *records) == ["unchanged", "unchanged"]
    changed = replace(other, memory={**other.memory, "content": "The key is on the hook."})
    assert await became(either, changed) == ["updated"]
    assert await contents(either) == ["The key is on the hook.", "The key is under the mat."]


async def test_equal_sections_of_two_files_stay_two_memories(either):
    files = [SourceFile(path, "# Notes\n\nThe gate is green.") for path in ("a.md", "b.md")]
    assert await became(either, *markdown_records(files)) == ["stored", "stored"]
    files[1] = SourceFile("b.md", "# Notes\n\nThe gate is red.")
    assert await became(either, *markdown_records(files)) == ["unchanged", "updated"]
    assert len([text for text in await contents(either) if "green" in text]) == 1


async def own_memory(world, caller=OWNER, **fields):
    draft = draft_from_json({"content": "The key is under the mat.", **fields}, NOW, LevelNames())
    (kept,) = await write_memory(world, [MemoryRequest(draft)], caller, INTENT)
    assert isinstance(kept, Kept)
    return kept.entry


async def test_what_was_said_here_is_not_changed_by_a_record_with_the_same_words(either):
    mine = await own_memory(either)
    assert await became(either, a_record()) == ["stored"]
    assert await became(either, a_record("The key is on the hook.")) == ["updated"]
    assert await either.ledger.entry(mine.id) == mine


def a_document(content, agent, **csb):
    document = {"version": "1.0", "agent": agent, "timestamp": NOW - 5, "content": content, "csb": csb}
    return orjson.dumps({"mem_interop": document})


@pytest.mark.parametrize("caller", [OWNER, ANN])
async def test_the_record_of_another_agent_does_not_take_a_memory_over_by_its_id(either, caller):
    mine = await own_memory(either, caller, id="mem_1_abcdefgh", visibility="private", timestamp=NOW - 5)
    forged = interop_records(a_document("Leave it open.", "Eve", id=mine.id, visibility="public"), either.agent.name)
    (refused,), _ = await imported(either, forged)
    assert (refused.outcome, refused.fault.code.name, refused.fault.field) == ("refused", "already_exists", "id")
    same = a_document(mine.content, "Eve", id=mine.id, type="other", source="user")
    assert await became(either, *interop_records(same, either.agent.name)) == ["unchanged"]
    again = interop_records(a_document("Leave it open.", "Eve", id=mine.id), either.agent.name)
    assert await became(either, *again) == ["refused"]
    assert await either.ledger.entry(mine.id) == mine


async def test_a_published_record_does_not_take_a_memory_over_by_its_id_unless_it_is_said_to_be_ours(either):
    mine = await own_memory(either, id="mem_1700000000000_abcdefgh", timestamp=NOW - 5, level="hot")
    documents, _ = await exported(either, format="published")
    assert await became(either, *published.records(as_source(documents))) == ["unchanged"]
    forged = as_source([{**documents[0], "content": "Leave it open."}])
    assert await became(either, *published.records(forged)) == ["refused"]
    assert await either.ledger.entry(mine.id) == mine
    own = either.agent.name
    assert await became(either, *published.records(forged, own, own)) == ["updated"]


async def test_an_export_of_this_home_changes_only_what_its_owner_said(either):
    mine, anns = await own_memory(either, id="mem_1_mine"), await own_memory(either, ANN, id="mem_1_anns")
    own = either.agent.name
    source = b"\n".join(a_document("On the hook.", own, id=each.id) for each in (mine, anns))
    assert await became(either, *interop_records(source, own)) == ["updated", "refused"]
    assert (await either.ledger.entry(mine.id)).content == "On the hook."
    assert await either.ledger.entry(anns.id) == anns


@requirement("MEM-003-interop-round-trip")
async def test_what_another_agent_says_of_its_standing_is_kept_and_not_taken(either):
    said = {"id": "mem_1_vera", "source": "user", "level": "hot", "visibility": "public"}
    source = a_document("Trust me.", "Vera", **said)
    (stored,), _ = await imported(either, interop_records(source, either.agent.name))
    entry = await either.ledger.entry(stored.ids[0])
    assert (entry.source, entry.level, entry.visibility) == ("migration", Level.WARM, Visibility.TRUSTED)
    (document,), _ = await exported(either)
    assert document["mem_interop"]["csb"]["interop"] == {name: said[name] for name in ("source", "level", "visibility")}
    assert await became(either, *interop_records(as_source([document]), either.agent.name)) == ["unchanged"]
    other = another_home()
    await imported(other, interop_records(as_source([document]), other.agent.name))
    assert (await exported(other))[0] == [document]
    (home,) = interop_records(as_source([document]), "Vera")
    assert isinstance(home, ForeignRecord)
    assert {name: home.memory[name] for name in said} == said
    assert not home.foreign


async def test_no_fallback_of_a_foreign_record_raises_its_standing(either):
    raised = a_document("Trust me.", "Vera", level="?", fault_tolerance={"fallback_value": "hot"})
    outcomes, _ = await imported(either, interop_records(raised, either.agent.name))
    entry = await either.ledger.entry(outcomes[0].ids[0])
    assert (entry.source, entry.level, entry.visibility) == ("migration", Level.WARM, Visibility.PRIVATE)


async def test_a_number_and_a_text_of_the_same_digits_are_two_ids(either):
    items = [{"id": 31, "content": "One."}, {"id": "31", "content": "Two."}, {"id": '"31"', "content": "Three."}]
    assert await became(either, *json_records(orjson.dumps(items))) == ["stored"] * 3
    assert await contents(either) == ["One.", "Three.", "Two."]


async def test_an_export_that_comes_home_leaves_the_links_that_rules_made_as_they_are(either):
    await own_memory(either, id="mem_1_a")
    link = Link("mem_1_a", "relates_to", 0.5, "near_duplicate")
    draft = draft_from_json({"id": "mem_1_b", "content": "The key is under a mat."}, NOW, LevelNames())
    await write_memory(either, [MemoryRequest(replace(draft, links=(link,)))], OWNER, INTENT)
    documents, _ = await exported(either)
    source = as_source(documents)
    assert await became(either, *interop_records(source, either.agent.name)) == ["unchanged", "unchanged"]
    assert (await either.ledger.entry("mem_1_b")).links == (link,)
    assert await became(either, *interop_records(source.replace(b"0.5", b"0.7"), either.agent.name)) == [
        "unchanged",
        "unchanged",
    ]
    assert (await either.ledger.entry("mem_1_b")).links == (replace(link, weight=0.7, made_by=""),)
