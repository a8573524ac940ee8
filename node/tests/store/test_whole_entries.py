from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.flows.changes import LASTING
from csbond.flows.memory_changes import ClaimKey, PutEntry
from csbond.protocol.errors import Refused
from csbond.protocol.memory.entry import Level, Origin, Visibility
from csbond.protocol.memory.text_key import text_key
from csbond.protocol.memory.visibility import Audience
from csbond_tests.ledger_samples import EVERYTHING, NOW, a_record, an_entry, everything, home, put

TEXT = "The river was cold."
KEY = text_key(TEXT)
OWNERS = Origin()
ADA = Audience(caller_key="principal:ada", trusted=True)


def a_claim(name="key:1", entry_id="mem_1", caller_key=LASTING + "owner"):
    return ClaimKey(caller_key, name, "digest", entry_id, NOW)


async def ids_of_text(ledger, origin=OWNERS, **names):
    return [entry.id for entry in await ledger.entries_of_text("home", KEY, origin, **names)]


async def test_an_update_leaves_alone_when_an_entry_was_kept_and_how_it_was_used(ledger):
    first = an_entry(kept_at=NOW, last_accessed=NOW + 1, access_count=2, project="trips")
    await ledger.commit(put(first))
    await ledger.commit(
        put(replace(first, version=2, kept_at=1, last_accessed=1, access_count=9, project="rivers", level=Level.COLD))
    )
    entry = await ledger.entry("mem_1")
    assert (entry.kept_at, entry.last_accessed, entry.access_count) == (NOW, NOW + 1, 2)
    assert (entry.project, entry.level) == ("rivers", Level.COLD)


async def test_an_entry_says_where_its_text_last_changed(ledger):
    await ledger.commit(put(an_entry()))
    await ledger.commit(put(an_entry(version=2, level=Level.COLD, tags=("cold",))))
    assert (await ledger.entry("mem_1")).text_seq == 1
    await ledger.commit(put(an_entry(content="It was warm.", version=3)))
    assert (await ledger.entry("mem_1")).text_seq == 3
    await ledger.commit(put(an_entry(content="It was warm.", version=4, deleted_at=NOW)))
    await ledger.commit(put(an_entry(content="It was warm.", version=5)))
    assert (await ledger.entry("mem_1")).text_seq == 3


async def test_what_changes_no_word_leaves_the_words_findable(ledger):
    await ledger.commit(put(an_entry(tags=("wet",))))
    await ledger.commit(put(an_entry(version=2, tags=("wet",), level=Level.COLD)))
    for word, found in (("river", ["mem_1"]), ("wet", ["mem_1"])):
        hits = (await ledger.search_entries(f'"{word}"', [word], everything(), 5)).hits
        assert [hit.id for hit in hits] == found
    await ledger.commit(put(an_entry(version=3, tags=("dry",))))
    assert (await ledger.search_entries('"wet"', ["wet"], everything(), 5)).hits == ()
    assert len((await ledger.search_entries('"dry"', ["dry"], everything(), 5)).hits) == 1


async def test_a_version_is_read_as_it_was(ledger):
    first = an_entry(project="trips", tags=("cold",), kept_at=NOW)
    await ledger.commit(put(first))
    gone = replace(
        first,
        version=2,
        content="It was warm.",
        project="rivers",
        deleted_at=NOW + 1,
        deleted_by="manual",
        deleter="owner",
    )
    await ledger.commit(put(gone))
    back = replace(gone, version=3, deleted_at=0, deleted_by="", deleter="")
    await ledger.commit(put(back))
    assert await ledger.entry("mem_1") == replace(back, seq=3, text_seq=2)
    versions = replace(gone, seq=2), replace(first, seq=1)
    assert await ledger.versions_before("mem_1", 3, 5) == versions
    assert await ledger.versions_before("mem_1", 9, 1) == versions[:1]
    assert await ledger.versions_before("mem_1", 2, 5) == versions[1:]
    for id_, version, limit in (("mem_1", 1, 5), ("mem_1", 3, 0), ("mem_2", 3, 5)):
        assert await ledger.versions_before(id_, version, limit) == ()


async def test_texts_that_differ_in_case_and_punctuation_are_found_by_their_key_latest_first(ledger):
    await ledger.commit(
        put(an_entry("mem_1", TEXT), an_entry("mem_2", "the river was COLD"), an_entry("mem_3", "Warm."))
    )
    assert await ids_of_text(ledger) == ["mem_2", "mem_1"]
    assert await ids_of_text(ledger, limit=1) == ["mem_2"]
    assert await ids_of_text(ledger, limit=0) == []
    assert await ledger.entries_of_text("work", KEY, OWNERS) == ()
    assert await ledger.entries_of_text("home", b"", OWNERS) == ()
    assert await ledger.entries_of_text("home", KEY, OWNERS, limit=1) == (await ledger.entry("mem_2"),)


async def test_texts_of_one_time_are_found_among_those_of_others(ledger):
    await ledger.commit(put(*(an_entry(f"mem_{n}", TEXT, timestamp=NOW + n % 2) for n in range(12))))
    assert await ids_of_text(ledger, timestamp=NOW + 1, limit=2) == ["mem_11", "mem_9"]
    assert await ids_of_text(ledger, timestamp=NOW + 2) == []


@pytest.mark.parametrize(
    "other",
    [
        {"project": "trips"},
        {"type": "lesson"},
        {"visibility": Visibility.PUBLIC},
        {"origin": Origin("owner", speaker="Ada")},
        {"content": "the river was COLD"},
    ],
    ids=str,
)
async def test_a_memory_is_found_among_any_number_of_others_of_its_text(ledger, other):
    same, others = an_entry("mem_1", TEXT), [an_entry(f"mem_2_{n}", **{"content": TEXT, **other}) for n in range(12)]
    await ledger.commit(put(same, *others))
    assert await ids_of_text(ledger, limit=1, like=same) == ["mem_1"]
    assert await ids_of_text(ledger, limit=20, like=others[0]) == [entry.id for entry in reversed(others)]


async def test_a_text_is_found_by_what_it_says_now(ledger):
    await ledger.commit(put(an_entry("mem_1", TEXT), an_entry("mem_2", "Warm.")))
    await ledger.commit(put(an_entry("mem_1", "Warm.", version=2), an_entry("mem_2", TEXT, version=2)))
    assert await ids_of_text(ledger) == ["mem_2"]
    await ledger.commit(put(an_entry("mem_2", TEXT, version=3, deleted_at=NOW)))
    assert await ids_of_text(ledger) == []
    await ledger.commit(put(an_entry("mem_2", TEXT, version=4)))
    assert await ids_of_text(ledger) == ["mem_2"]


async def test_the_pieces_of_a_long_text_are_no_single_texts(ledger):
    first = an_entry("mem_1", TEXT)
    await ledger.commit(put(first, an_entry("mem_2", TEXT, extends="mem_1", piece=1), an_entry("mem_3", TEXT)))
    assert await ids_of_text(ledger) == ["mem_3"]


async def test_texts_of_one_caller_and_thread_are_found_among_any_number_of_others(ledger):
    places = [Origin("owner", f"thread-{number}") for number in range(12)] + [Origin("anonymous", "thread-3")]
    await ledger.commit(put(*(an_entry(f"mem_{n}", TEXT, origin=origin) for n, origin in enumerate(places))))
    assert await ids_of_text(ledger, origin=Origin("owner", "thread-3", "any message", "anybody")) == ["mem_3"]
    assert await ids_of_text(ledger, origin=Origin("owner", "")) == []


async def test_living_ids_are_those_that_are_there_and_may_be_told(ledger):
    await ledger.commit(
        put(
            an_entry("mem_public", visibility=Visibility.PUBLIC),
            an_entry("mem_trusted", visibility=Visibility.TRUSTED),
            an_entry("mem_private"),
            an_entry("mem_adas", origin=Origin("principal:ada")),
            an_entry("mem_gone", visibility=Visibility.PUBLIC, deleted_at=NOW),
        )
    )
    ids = ["mem_public", "mem_trusted", "mem_private", "mem_adas", "mem_gone", "mem_nowhere", "mem_public"]
    assert await ledger.living_ids(ids, EVERYTHING) == {"mem_public", "mem_trusted", "mem_private", "mem_adas"}
    assert await ledger.living_ids(ids, ADA) == {"mem_public", "mem_trusted", "mem_adas"}
    assert await ledger.living_ids(ids, replace(ADA, trusted=False)) == {"mem_public", "mem_adas"}
    assert await ledger.living_ids((), EVERYTHING) == frozenset()


async def test_a_claimed_name_says_what_the_write_made(ledger):
    await ledger.commit(home(PutEntry(an_entry()), a_claim()))
    assert await ledger.repeated_request(LASTING + "owner", "key:1") == ("digest", "mem_1", NOW)


async def test_a_name_that_is_taken_undoes_the_whole_change(ledger):
    await ledger.commit(home(PutEntry(an_entry()), a_claim()))
    late = home(PutEntry(an_entry("mem_2")), a_claim(entry_id="mem_2"), audit=(a_record(),))
    with pytest.raises(Refused) as refused:
        await ledger.commit(late)
    assert refused.value.code.name == "already_exists"
    assert refused.value.field == ""
    assert await ledger.entry("mem_2") is None
    assert await ledger.repeated_request(LASTING + "owner", "key:1") == ("digest", "mem_1", NOW)
    assert (await ledger.counts())["audit"] == 0
    await ledger.commit(home(PutEntry(an_entry("mem_2")), a_claim("key:2", "mem_2")))
    await ledger.commit(home(a_claim(entry_id="mem_2", caller_key=LASTING + "principal:ada")))


async def test_a_name_is_claimed_before_an_id_is_taken(ledger):
    """Two who use one key and one id are told of the key, whose first answer they may have."""
    await ledger.commit(home(PutEntry(an_entry()), a_claim()))
    with pytest.raises(Refused, match="name"):
        await ledger.commit(home(PutEntry(an_entry()), a_claim()))
