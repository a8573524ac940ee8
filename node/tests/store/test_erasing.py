"""What erasing removes, and what it leaves: the same in every ledger."""

from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.flows.changes import RememberRequest
from csbond.flows.memory_changes import EraseEntry, PurgeArchive, PutEntry, SetLinks
from csbond.flows.ports import StoredVector
from csbond.protocol.errors import Refused
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.vectors import pack
from csbond.protocol.memory.whitespace import ArchivedMemory
from csbond_tests.ledger_samples import EVERYTHING, NOW, an_entry, everything, home, put
from csbond_tests.requirements import requirement

ALL = (("mem_1", "umbrella"), ("mem_3", "causes"), ("urn:x", "likes"))


def a_record_of(id_="mem_1", cleared_at=NOW, **fields):
    facts = {"reason": "asked for", "operator": "owner", "trigger": "manual", "rule": "", "original_seq": 4}
    return ArchivedMemory(id_, "home", "event", NOW - 9, Level.WARM, NOW - 5, cleared_at, **{**facts, **fields})


async def erased(ledger, id_="mem_1", version=1, archive=None):
    await ledger.commit(home(EraseEntry(id_, version, NOW, archive)))


@requirement("MEM-005-report-orphans")
async def test_nothing_that_belonged_to_an_erased_memory_is_left(ledger):
    await ledger.commit(put(an_entry(tags=("river",)), an_entry("mem_2", "A stone."), an_entry("mem_3", "A bird.")))
    await ledger.commit(put(an_entry(content="The river was warm.", tags=("river", "late"), version=2)))
    await ledger.commit(
        home(SetLinks("mem_1", (Link("mem_2", "causes"),)), SetLinks("mem_2", (Link("mem_1", "extends"),)))
    )
    await ledger.commit(home(SetLinks("mem_3", (Link("mem_1", "extends"), Link("mem_2", "extends")))))
    await ledger.commit(put(an_entry("mem_2", "A stone.", version=2)))
    await ledger.save_vectors("home", "model", [StoredVector(f"mem_{n}", "home", 1, pack((1.0,))) for n in (1, 2)], 3)
    await erased(ledger, version=2)
    assert await ledger.entry("mem_1") is None
    assert await ledger.versions_before("mem_1", 9, 9) == ()
    assert [row.stored.entry_id for row in await ledger.vectors("home", "model", -1, 9)] == ["mem_2"]
    assert (await ledger.search_entries('"river"', ["river"], everything(), 5)).hits == ()
    assert [entry.id for entry in (await ledger.entries(everything(tag="late", include_deleted=True))).rows] == []
    assert await ledger.living_ids(["mem_1", "mem_2"], EVERYTHING) == {"mem_2"}
    second, third = await ledger.entry("mem_2"), await ledger.entry("mem_3")
    assert (second.links, second.linked) == ((), True)  # its version alone still does not say how it is shown
    assert ([link.target_id for link in third.links], third.linked) == (["mem_2"], True)
    (version,) = await ledger.versions_before("mem_2", 2, 9)
    assert version.links == ()
    assert (await ledger.counts())["entries"] == 2


def telling(*ids):
    """What an entry keeps of links beside them."""
    return {
        "link_fields": {id_: {"causes": {"quote": f"says {id_}"}} for id_ in ids},
        "link_metadata": {"declared": {"unresolved": [{"target_id": id_, "quote": f"said {id_}"} for id_ in ids]}},
        "mood": "calm",
    }


@requirement("MEM-005-report-orphans")
async def test_what_others_kept_of_links_to_an_erased_memory_goes_with_it(ledger):
    neighbour = an_entry("mem_2", "A stone.", extra=telling("mem_1", "mem_3"))
    await ledger.commit(put(an_entry(), neighbour, an_entry("mem_3", "A bird."), an_entry("mem_4", extra={"a": 1})))
    await ledger.commit(put(replace(neighbour, version=2)))
    await ledger.commit(put(replace(neighbour, version=3, extra={"mood": "glad"})))
    await ledger.commit(put(an_entry("mem_4", version=2, extra=telling("mem_1"))))
    await erased(ledger)
    earlier = await ledger.versions_before("mem_2", 3, 9)
    assert [version.extra for version in earlier] == [telling("mem_3")] * 2
    assert (await ledger.entry("mem_2")).extra == {"mood": "glad"}
    assert (await ledger.entry("mem_4")).extra == {"mood": "calm"}
    assert (await ledger.entry("mem_4")).version == 2
    await erased(ledger, "mem_2", 3)
    await erased(ledger, "mem_3")
    assert (await ledger.entry("mem_4")).extra == {"mood": "calm"}


@requirement("MEM-005-report-orphans")
async def test_a_link_that_only_an_earlier_version_told_goes_too(ledger):
    await ledger.commit(put(an_entry(), an_entry("mem_2", "A stone."), an_entry("mem_3", "A bird.")))
    await ledger.commit(
        home(SetLinks("mem_2", (Link("mem_1", "umbrella"), Link("mem_3", "causes"), Link("urn:x", "likes"))))
    )
    await ledger.commit(
        home(PutEntry(an_entry("mem_2", "A stone.", version=2, linked=True)), SetLinks("mem_2", (), ALL))
    )
    before = await ledger.entry("mem_2")
    await erased(ledger)
    (version,) = await ledger.versions_before("mem_2", 9, 9)
    assert {link.target_id for link in version.links} == {"mem_3", "urn:x"}
    assert await ledger.entry("mem_2") == before
    await ledger.commit(put(an_entry()))
    (version,) = await ledger.versions_before("mem_2", 9, 9)
    assert len(version.links) == 2


async def test_what_was_read_of_a_neighbour_before_an_erasure_cannot_be_written_any_more(ledger):
    told = {"link_fields": {"mem_1": {"causes": {"quote": "umbrella"}}}}
    await ledger.commit(put(an_entry(), an_entry("mem_2", "A stone.", extra=told), an_entry("mem_3", "A bird.")))
    read = {id_: await ledger.entry(id_) for id_ in ("mem_2", "mem_3")}
    await erased(ledger)
    with pytest.raises(Refused, match="lost what it said of another one") as info:
        await ledger.commit(put(replace(read["mem_2"], version=2)))
    assert info.value.code.name == "version_conflict"
    await ledger.commit(put(replace(read["mem_3"], version=2)))
    await ledger.commit(put(replace(await ledger.entry("mem_2"), version=2)))


async def test_a_softly_deleted_memory_is_erased_with_its_words(ledger):
    await ledger.commit(put(an_entry(deleted_at=NOW), an_entry("mem_2", deleted_at=NOW)))
    await erased(ledger)
    assert [entry.id for entry in (await ledger.entries(everything(deleted=True, text="river"))).rows] == ["mem_2"]
    assert await ledger.due_for_clearing("home", NOW, 9) == (await ledger.entry("mem_2"),)


async def test_only_the_version_that_was_meant_is_erased(ledger):
    await ledger.commit(put(an_entry(deleted_at=NOW)))
    await ledger.commit(put(an_entry(version=2)))
    for id_, version in (("mem_1", 1), ("mem_nowhere", 1)):
        with pytest.raises(Refused) as refused:
            await erased(ledger, id_, version)
        assert refused.value.code.name == "version_conflict"
    assert (await ledger.entry("mem_1")).version == 2


async def test_a_change_that_fails_leaves_what_it_would_have_erased(ledger):
    await ledger.commit(put(an_entry(tags=("river",)), an_entry("mem_2", "A stone.")))
    await ledger.commit(home(SetLinks("mem_2", (Link("mem_1", "extends"),))))
    with pytest.raises(Refused):
        await ledger.commit(home(EraseEntry("mem_1", 1, NOW, a_record_of()), EraseEntry("mem_9", 1, NOW)))
    assert [link.target_id for link in (await ledger.entry("mem_2")).links] == ["mem_1"]
    assert [entry.id for entry in (await ledger.entries(everything(tag="river", text="river"))).rows] == ["mem_1"]
    assert await ledger.archived("mem_1") is None


async def test_a_whole_text_is_erased_in_one_change(ledger):
    await ledger.commit(
        put(an_entry(), an_entry("mem_2", "A stone.", extends="mem_1", piece=1), an_entry("mem_3", "x"))
    )
    await ledger.commit(home(EraseEntry("mem_1", 1, NOW), EraseEntry("mem_2", 1, NOW)))
    assert await ledger.entry_pieces("mem_2") == ()
    assert [entry.id for entry in (await ledger.entries(everything(include_deleted=True))).rows] == ["mem_3"]


async def test_what_is_written_after_an_erasure_is_found_by_its_own_words_only(ledger):
    """It may get the place in the tables that the erased one had."""
    await ledger.commit(put(an_entry()))
    await ledger.commit(home(EraseEntry("mem_1", 1, NOW), PutEntry(an_entry("mem_2", "A stone."))))
    await ledger.commit(put(an_entry("mem_3", "A bird.")))
    for text, wanted in (("river", []), ("stone", ["mem_2"]), ("bird", ["mem_3"])):
        assert [entry.id for entry in (await ledger.entries(everything(text=text))).rows] == wanted


async def test_the_request_that_wrote_an_erased_memory_stays_taken(ledger):
    await ledger.commit(home(PutEntry(an_entry()), RememberRequest("memory:owner", "id:mem_1", "d", "mem_1", NOW)))
    await erased(ledger)
    assert await ledger.repeated_request("memory:owner", "id:mem_1") == ("d", "mem_1", NOW)


# the records of what was cleared


@requirement("MEM-004-4.3-archive", "MEM-004-4.3-ethical-log")
async def test_the_record_of_a_cleared_memory_is_kept_whole(ledger):
    await ledger.commit(put(an_entry()))
    record = a_record_of(reason="为了隐私", operator="principal:Ada", trigger="rule", rule="old events")
    await erased(ledger, archive=record)
    assert await ledger.archived("mem_1") == record
    assert await ledger.archived("mem_2") is None
    assert await ledger.archived_by_id(["mem_2", "mem_1"]) == {"mem_1": record}


@requirement("MEM-004-4.3-optional")
async def test_without_a_record_nothing_is_left(ledger):
    await ledger.commit(put(an_entry()))
    await erased(ledger)
    assert await ledger.archived("mem_1") is None
    await ledger.commit(put(an_entry()))
    assert (await ledger.entry("mem_1")).version == 1


async def test_the_id_of_a_cleared_memory_is_taken_while_its_record_is_kept(ledger):
    await ledger.commit(put(an_entry()))
    await erased(ledger, archive=a_record_of())
    with pytest.raises(Refused) as refused:
        await ledger.commit(put(an_entry()))
    assert (refused.value.code.name, refused.value.field) == ("already_exists", "id")
    await ledger.commit(home(PurgeArchive(("mem_1", "mem_nowhere"))))
    await ledger.commit(put(an_entry()))


async def archive_of(ledger, **cleared_at):
    for id_, at in cleared_at.items():
        await ledger.commit(put(an_entry(id_)))
        await erased(ledger, id_, archive=a_record_of(id_, at))


async def test_records_are_listed_latest_first(ledger):
    await archive_of(ledger, mem_a=5, mem_b=9, mem_c=5, mem_d=7)
    first = await ledger.archive_page("home", None, 3)
    assert ([record.id for record in first.rows], first.total) == (["mem_b", "mem_d", "mem_c"], 4)
    assert first.next_cursor
    rest = await ledger.archive_page("home", (5, "mem_c"), 3)
    assert ([record.id for record in rest.rows], rest.next_cursor) == (["mem_a"], "")
    assert (await ledger.archive_page("elsewhere", None, 3)).rows == ()


@requirement("MEM-004-4.3-three-years")
async def test_records_that_were_kept_long_enough_are_told_earliest_first_and_purged(ledger):
    await archive_of(ledger, mem_a=5, mem_b=9, mem_c=5, mem_d=7)
    expired = await ledger.expired_archive("home", 7, 9)
    assert [record.id for record in expired] == ["mem_a", "mem_c", "mem_d"]
    assert await ledger.expired_archive("home", 7, 9, expired[0]) == expired[1:]
    assert await ledger.expired_archive("home", 7, 0) == ()
    await ledger.commit(home(PurgeArchive(tuple(record.id for record in expired))))
    assert [record.id for record in (await ledger.archive_page("home", None, 9)).rows] == ["mem_b"]
