"""Imports and exports as stories: what comes in, what comes again, and that what leaves comes back as it was."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import orjson
import pytest

from csbond.flows.delete_memory import delete_memory
from csbond.flows.edit_memory import edit_memory
from csbond.flows.erase_memory import erase_memory
from csbond.flows.export_memory import ExportRequest, ExportSum, export_memory
from csbond.flows.import_memory import ImportSum, import_memory
from csbond.flows.index_vectors import catch_up
from csbond.flows.read_memory import read_memory
from csbond.flows.restore_memory import restore_memory
from csbond.protocol.errors import Refused, RemoteProtocolError, Unavailable
from csbond.protocol.memory import published
from csbond.protocol.memory.entry import Level, Visibility
from csbond.protocol.memory.filter import EntryFilter
from csbond.protocol.memory.foreign_files import SourceFile
from csbond.protocol.memory.foreign_record import ForeignLink, ForeignName, ForeignRecord
from csbond.protocol.memory.import_markdown import records as markdown_records
from csbond.protocol.memory.import_mcp import records as mcp_records
from csbond.protocol.memory.importing import Importing
from csbond.protocol.memory.interop import embedding_document, interop_records, vector_of
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.vectors import pack
from csbond.protocol.messages.caller import OWNER, Caller, CallerKind, Role
from csbond.testing import InMemoryLedger
from csbond.testing.ports import CountedIdentifiers
from csbond_tests.import_samples import SAMPLES
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW, WatchedLedger, meaningful_world, small_world

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


@requirement("MEM-003-interop-upsert", "MEM-003-interop-each")
async def test_a_record_that_comes_again_otherwise_is_the_next_version_of_its_memory(either):
    (first,), _ = await imported(either, [a_record(tags=["key"])])
    (second,), total = await imported(either, [a_record("The key is on the hook.", tags=["key", "hook"])])
    assert (first.outcome, second.outcome, first.ids) == ("stored", "updated", second.ids)
    entry = await either.ledger.entry(first.ids[0])
    assert (entry.content, entry.tags, entry.version) == ("The key is on the hook.", ("key", "hook"), 2)
    (before,) = await either.ledger.versions_before(entry.id, 2, 9)
    assert before.content == "The key is under the mat."
    assert dict(total.outcomes) == {"updated": 1}


@requirement("MEM-003-interop-upsert")
async def test_without_a_key_the_agent_and_the_time_name_a_record(either):
    name = ForeignName("青烛 🕯️", timestamp=NOW - 5)
    one, other = (replace(a_record(text), name=name) for text in ("first", "second"))
    elsewhere = replace(a_record("third"), name=ForeignName("Ida", timestamp=NOW - 5))
    outcomes, _ = await imported(either, [one, other, elsewhere])
    assert [outcome.outcome for outcome in outcomes] == ["stored", "updated", "stored"]
    assert [outcome.same_key for outcome in outcomes] == [False, True, False]
    assert await contents(either) == ["second", "third"]


@requirement("MEM-005-report-re-ingest")
@pytest.mark.parametrize("sample", SAMPLES)
async def test_importing_a_source_twice_adds_nothing(either, sample):
    first, _ = await imported(either, SAMPLES[sample]())
    before, _ = await exported(either)
    counts = await either.ledger.counts()
    second, total = await imported(either, SAMPLES[sample]())
    assert {outcome.outcome for outcome in second} <= {"unchanged", "refused"}
    assert [each.ids for each in second] == [each.ids for each in first]
    assert (await exported(either))[0] == before
    assert (await either.ledger.counts())["entries"] == counts["entries"]
    assert total.records == len([each for each in second if ", links[" not in each.place])


@requirement("MEM-005-report-re-ingest")
async def test_what_was_edited_here_stays_so_when_its_record_comes_again_as_it_was(either):
    (first,), _ = await imported(either, [a_record()])
    await edit_memory(either, first.ids[0], {"tags": ["mine"]}, LevelNames(), caller=OWNER, intent=INTENT)
    assert await became(either, a_record()) == ["unchanged"]
    assert (await either.ledger.entry(first.ids[0])).tags == ("mine",)


async def test_an_update_leaves_the_tier_and_the_visibility_as_they_are_here(either):
    (first,), _ = await imported(either, [a_record(level="hot", visibility="private")])
    edit = {"level": "cold"}
    await edit_memory(either, first.ids[0], edit, LevelNames(), caller=OWNER, intent=INTENT)
    assert await became(either, a_record("Elsewhere.", level="hot", visibility="public")) == ["updated"]
    entry = await either.ledger.entry(first.ids[0])
    assert (entry.level, entry.visibility) == (Level.COLD, Visibility.PRIVATE)


@requirement("MEM-005-report-02-deleted-come-back")
async def test_what_was_deleted_here_does_not_come_back_with_its_record(either):
    (first,), _ = await imported(either, [a_record()])
    await delete_memory(either, first.ids[0], OWNER, INTENT)
    (again,), _ = await imported(either, [a_record("Otherwise.")])
    assert (again.outcome, again.fault.code.name) == ("refused", "already_exists")
    assert await contents(either) == []
    await restore_memory(either, first.ids[0], OWNER, INTENT)
    assert await became(either, a_record()) == ["unchanged"]


@requirement("MEM-005-report-02-deleted-come-back")
async def test_an_id_that_was_erased_is_not_taken_again_by_an_import(either):
    (first,), _ = await imported(either, [a_record(id="mem_1_a")])
    await erase_memory(either, first.ids[0], OWNER, INTENT)
    assert await either.ledger.foreign_names("home", [a_record().name]) == {}
    assert await became(either, a_record(id="mem_1_a")) == ["refused"]
    assert await contents(either) == []


@requirement("MEM-001-1.3-import-4096", "MEM-003-interop-each")
async def test_a_long_text_comes_in_pieces_and_leaves_as_one(either):
    text = "这是一句话。" * 700
    (first,), total = await imported(either, [a_record(text, tags=["long"])])
    assert (first.outcome, len(first.ids), dict(total.outcomes)) == ("pieces", 3, {"pieces": 1})
    shown = await read_memory(either, first.ids[0], OWNER)
    assert shown.text == text
    assert [len(piece.content) <= 2048 and piece.tags == ("long",) for piece in shown.pieces] == [True] * 3
    assert await contents(either) == [text]
    assert await became(either, a_record(text, tags=["long"])) == ["unchanged"]


@requirement("MEM-001-1.3-import-4096")
async def test_an_import_may_be_held_to_the_4096_characters_of_the_published_schema(either):
    held = Importing(text_max=4096)
    (fits, too_long), _ = await imported(either, [a_record("a" * 4096), a_record("b" * 4097, key="k2")], held)
    assert (fits.outcome, len(fits.ids)) == ("pieces", 2)
    assert (too_long.outcome, too_long.fault.field) == ("refused", "content")
    assert await became(either, a_record("b" * 4097, key="k2")) == ["pieces"]


@pytest.mark.parametrize(
    "before, after",
    [("x" * 5000, "y" * 3000), ("x" * 3000, "y" * 7000), ("x" * 5000, "short"), ("short", "y" * 5000)],
    ids=["fewer pieces", "more pieces", "one piece", "from one piece"],
)
@requirement("MEM-003-interop-upsert")
async def test_a_long_text_that_comes_otherwise_is_rewritten_piece_by_piece(either, before, after):
    (first,), _ = await imported(either, [a_record(before)])
    (second,), _ = await imported(either, [a_record(after)])
    assert (second.outcome, second.ids[0]) == ("updated", first.ids[0])
    shown = await read_memory(either, first.ids[0], OWNER)
    assert shown.text == after
    assert tuple(piece.id for piece in shown.pieces) == second.ids
    assert await contents(either) == [after]
    assert await became(either, a_record(after)) == ["unchanged"]
    assert await became(either, a_record(before)) == ["updated"]
    assert await contents(either) == [before]


async def test_links_lead_to_records_that_come_later_and_the_order_of_a_source_does_not_matter(either):
    links = [ForeignLink("k2", "causes"), ForeignLink("agent:清漪", "peer", 0.8)]
    outcomes, total = await imported(either, [a_record(links=links), a_record("A stone.", key="k2")])
    assert ([each.outcome for each in outcomes], total.links_set) == (["stored", "stored"], 2)
    entry = await either.ledger.entry(outcomes[0].ids[0])
    assert [(link.target_id, link.relation, link.weight) for link in entry.links] == [
        ("agent:清漪", "peer", 0.8),
        (outcomes[1].ids[0], "causes", 1.0),
    ]


@requirement("MEM-003-interop-each")
async def test_a_link_to_nothing_is_named_and_set_when_its_record_comes_again_with_its_target(either):
    lone = a_record(links=[ForeignLink("k2", "causes")])
    (stored, fault), total = await imported(either, [lone])
    assert (stored.outcome, fault.outcome, fault.place) == ("stored", "refused", "record k1, links[0]")
    assert (total.records, total.links_refused) == (1, 1)
    outcomes, total = await imported(either, [lone, a_record("A stone.", key="k2")])
    assert ([each.outcome for each in outcomes], total.links_set) == (["unchanged", "stored"], 1)
    _, total = await imported(either, [lone])
    assert (total.links_set, total.links_refused) == (0, 0)


async def test_a_link_that_would_lead_an_order_back_is_kept_as_another_with_its_name(either):
    records = [
        a_record(links=[ForeignLink("k2", "causes")]),
        a_record("A stone.", key="k2", links=[ForeignLink("k1", "causes")]),
    ]
    outcomes, total = await imported(either, records)
    assert ([each.outcome for each in outcomes], total.links_set) == (["stored", "stored"], 2)
    second = await either.ledger.entry(outcomes[1].ids[0])
    assert [link.relation for link in second.links] == ["relates_to"]
    assert second.extra["link_fields"] == {outcomes[0].ids[0]: {"relates_to": {"declared": "causes"}}}


@requirement("MEM-003-interop-mcp", "MEM-003-interop-each")
async def test_a_memory_server_comes_with_its_entities_observations_and_relations(either):
    outcomes, total = await imported(either, SAMPLES["mcp"]())
    assert dict(total.outcomes) == {"stored": 4, "refused": 4, "linked": 3}
    assert total.records == 11
    mira = await either.ledger.entry(outcomes[0].ids[0])
    assert (mira.content, mira.tags, mira.project) == ("Mira: Keeps bees on the roof.", ("Mira",), "person")
    assert {link.relation for link in mira.links} == {"member_of", "relates_to"}
    assert [each.place for each in outcomes if each.outcome == "refused"] == ["line 7", "line 8", "line 9", "line 6"]


async def test_an_observation_that_was_taken_away_moves_no_other(either):
    def source(*observations):
        return orjson.dumps({"type": "entity", "name": "Mira", "entityType": "person", "observations": observations})

    assert await became(either, *mcp_records(source("a", "b", "c"))) == ["stored"] * 3
    assert await became(either, *mcp_records(source("c", "b"))) == ["unchanged"] * 2


@requirement("MEM-003-interop-custodian")
async def test_a_project_memory_comes_with_what_replaced_what(either):
    outcomes, total = await imported(either, SAMPLES["custodian"]())
    assert total.outcomes["refused"] == 0
    by_key = {name.key: named.entry_id for name, named in (await named_of(either, SAMPLES["custodian"]())).items()}
    entries = await either.ledger.entries_by_id(list(by_key.values()))
    old = next(entry for entry in entries.values() if entry.extra.get("custodian", {}).get("status") == "superseded")
    new = entries[by_key[old.extra["custodian"]["superseded_by"]]]
    assert [(link.target_id, link.relation) for link in new.links] == [(old.id, "supersedes")]
    assert (old.level, new.level, new.type) == (Level.COLD, Level.WARM, "decision")
    assert {len(outcome.ids) for outcome in outcomes} <= {1, 2}


async def named_of(world, reads):
    return await world.ledger.foreign_names("home", [each.name for each in reads if isinstance(each, ForeignRecord)])


@requirement("MEM-003-interop-markdown")
async def test_front_matter_is_text_and_decides_no_field(either):
    text = "---\nid: mem_1_forged\nvisibility: public\nlevel: hot\ntype: decision\n---\n# Gate\n\nClosed at night."
    (outcome,), _ = await imported(either, markdown_records([SourceFile("gate.md", text)]))
    entry = await either.ledger.entry(outcome.ids[0])
    assert entry.id != "mem_1_forged"
    assert (entry.visibility, entry.level, entry.type) == (Visibility.PRIVATE, Level.WARM, "other")
    assert entry.extra["markdown"]["front_matter"].startswith("id: mem_1_forged")


@requirement("MEM-003-interop-round-trip", "MEM-003-interop-types", "MEM-001-1.4.2-unknown")
async def test_what_one_home_exports_another_imports_and_exports_again_as_it_was(either, tmp_path):
    for sample in ("interop", "mcp", "custodian", "json-list"):
        await imported(either, SAMPLES[sample]())
    await imported(
        either, [a_record("长文本。" * 900, key="long", level="hot", visibility="public", mood={"is": "glad"})]
    )
    documents, total = await exported(either)
    assert total.memories == len(documents) > 20
    other = another_home()
    outcomes, sums = await imported(other, interop_records(as_source(documents), other.agent.name))
    assert [each.fault for each in outcomes if each.fault] == []
    assert sums.links_refused == 0
    again, _ = await exported(other)
    assert by_id(again) == by_id(documents)
    assert await became(either, *interop_records(as_source(again), either.agent.name)) == ["unchanged"] * len(again)


def by_id(documents):
    return {each["mem_interop"]["csb"]["id"]: each for each in documents}


async def test_an_export_says_what_it_leaves_out_and_a_filter_narrows_it(either):
    await imported(either, [a_record(tags=["a"]), a_record("A stone.", key="k2"), a_record("x" * 5000, key="k3")])
    documents, total = await exported(either, wanted=EntryFilter(tag="a"))
    assert [each["mem_interop"]["content"] for each in documents] == ["The key is under the mat."]
    assert total.memories == 1
    assert {"vectors", "versions", "uses"} <= set(total.left_out)
    with pytest.raises(RemoteProtocolError):
        await exported(either, wanted=EntryFilter(deleted=True))


async def test_an_export_has_every_memory_of_many_pages_once(either):
    await imported(either, [a_record(f"Number {n}.", key=f"k{n}") for n in range(230)])
    documents, total = await exported(either)
    assert total.memories == len(by_id(documents)) == 230


@requirement("MEM-002-2.1-published")
async def test_a_published_export_names_what_its_form_does_not_say(either):
    await imported(either, [a_record(tags=["v0.8"], visibility="public", type="relation"), a_record("B.", key="k2")])
    documents, total = await exported(either, format="published")
    assert documents[1 if documents[0]["content"] == "B." else 0]["tags"] == ["v0_8"]
    assert dict(total.lost) == {"visibility": 2, "tags": 1, "type": 1}
    other = another_home()
    assert await became(other, *published.records(as_source(documents))) == ["stored"] * 2


@requirement("MEM-003-interop-vector", "MEM-003-interop-dimension")
async def test_a_vector_of_this_model_is_made_anew_and_one_of_another_kept_apart():
    world = meaningful_world(WatchedLedger(InMemoryLedger()))
    own = vector_of(embedding_document(pack([0.0] * world.embedder.dimension), world.embedder.model_id))
    apart = vector_of(embedding_document(pack([1.0, 2.0, 3.0]), "another"))
    records = [replace(a_record(), vector=own), replace(a_record("A stone.", key="k2"), vector=apart)]
    outcomes, _ = await imported(world, records)
    await catch_up(world)
    assert [model.model for model in await world.ledger.foreign_models()] == ["another"]
    found = await world.ledger.foreign_vectors("home", apart.fingerprint, "", 9)
    assert found == ((outcomes[1].ids[0], apart.numbers),)
    vectors = {
        row.stored.entry_id: row.stored.vector
        for row in await world.ledger.vectors("home", world.embedder.model_id, -1, 99)
    }
    assert set(vectors) == {outcome.ids[0] for outcome in outcomes}
    assert vectors[outcomes[0].ids[0]] != own.numbers
    documents, _ = await exported(world, embeddings=True)
    assert {each["mem_interop"]["embedding"]["model"] for each in documents} == {world.embedder.model_id}
    wrong = replace(own, dimension=3, numbers=apart.numbers)
    (refused,), _ = await imported(world, [replace(a_record("C.", key="k3"), vector=wrong)])
    assert (refused.outcome, refused.fault.field) == ("refused", "embedding.dimension")


async def test_only_the_owner_imports_and_exports(world):
    for caller in (ANN, replace(ANN, role=Role.VIEWER)):
        with pytest.raises(Refused) as refused:
            await imported(world, [a_record()], caller=caller)
        assert refused.value.code.name == "forbidden"
        with pytest.raises(Refused):
            async for _ in export_memory(world, ExportRequest(), caller, INTENT):
                pass
    assert world.ledger.changes == []


@requirement("AUDIT-memory")
async def test_imports_and_exports_leave_records_that_say_nothing_of_what_memories_say(world):
    await imported(world, [a_record("A secret garden.", tags=["garden"])])
    await exported(world, wanted=EntryFilter(text="garden"))
    records = [record for change in world.ledger.changes for record in change.audit]
    assert {record.type for record in records} == {"memory_write", "memory_import", "memory_export"}
    assert "garden" not in str([record.details for record in records])


@requirement("MEM-003-interop-each")
async def test_a_full_disk_ends_an_import_and_the_same_source_goes_on_where_it_ended(world):
    records = [a_record(f"Number {n}.", key=f"k{n}") for n in range(450)]
    told = []

    async def until_the_disk_is_full():
        async for each in import_memory(world, records, Importing(), "test", OWNER, INTENT):
            told.append(each)
            if len(told) == 250:
                world.ledger.fault = Unavailable("storage_full", "the disk is full")

    with pytest.raises(Unavailable):
        await until_the_disk_is_full()
    world.ledger.fault = None
    assert len(told) == 250
    _outcomes, total = await imported(world, records)
    assert dict(total.outcomes) == {"unchanged": 250, "stored": 200}


async def test_two_imports_of_one_source_at_once_add_it_once(either):
    records = [a_record(f"Number {n}.", key=f"k{n}") for n in range(30)]
    (_, one), (_, other) = await asyncio.gather(imported(either, records), imported(either, records))
    assert one.outcomes + other.outcomes == {"stored": 30, "unchanged": 30}
    assert (await either.ledger.counts())["entries"] == 30
