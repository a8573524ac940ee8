from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.flows.memory_changes import PutEntry
from csbond.flows.ports import EntryQuery
from csbond.protocol.errors import Refused
from csbond.protocol.memory.entry import Level, Origin, Visibility
from csbond.protocol.memory.visibility import Audience, audience_of
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind, Role
from csbond.protocol.messages.listing import position_of
from csbond_tests.ledger_samples import EVERYTHING, NOW, an_entry, everything, home, put
from csbond_tests.requirements import requirement

ADA = Caller(CallerKind.PRINCIPAL, "ada", Role.EDITOR, frozenset({"home"}))


async def _listed(ledger, query):
    return [entry.id for entry in (await ledger.entries(query)).rows]


@requirement("MEM-002-2.1-required")
async def test_an_entry_is_read_as_it_was_written(ledger):
    entry = an_entry(
        content="今天的河水很冷。",
        tags=("河", "cold"),
        level=Level.COLD,
        visibility=Visibility.TRUSTED,
        origin=Origin("anonymous", "thread-1", "message-1", "Ada"),
        last_accessed=NOW,
        access_count=3,
        ttl=1000,
        extends="mem_0",
        piece=1,
        extra={"future": {"field": [1, "二"]}},
        kept_at=NOW + 7,
        project="河-trips",
    )
    await ledger.commit(put(entry))
    kept = replace(entry, seq=1, text_seq=1)
    assert await ledger.entry("mem_1") == kept
    assert await ledger.entry("mem_2") is None
    assert await ledger.entries_by_id(["mem_1", "mem_2"]) == {"mem_1": kept}


@requirement("MEM-001-1.3-version")
async def test_an_entry_moves_from_version_to_version_and_only_so(ledger):
    await ledger.commit(put(an_entry()))
    edited = an_entry(content="The river was warm.", version=2, tags=("warm",), timestamp=NOW + 1)
    await ledger.commit(put(edited))
    assert await ledger.entry("mem_1") == replace(edited, seq=2, text_seq=2)
    for version in (2, 4):
        with pytest.raises(Refused) as refused:
            await ledger.commit(put(an_entry(content="lost update", version=version)))
        assert refused.value.code.name == "version_conflict"
    with pytest.raises(Refused) as refused:
        await ledger.commit(put(an_entry("mem_unknown", version=2)))
    assert refused.value.code.name == "version_conflict"
    with pytest.raises(Refused) as refused:
        await ledger.commit(put(an_entry()))
    assert refused.value.code.name == "already_exists"
    assert await ledger.entry("mem_1") == replace(edited, seq=2, text_seq=2)


async def test_an_entry_never_moves_to_another_space(ledger):
    await ledger.commit(put(an_entry()))
    await ledger.commit(put(an_entry(version=2, space="work")))
    assert (await ledger.entry("mem_1")).space == "home"


async def test_an_entry_may_change_twice_in_one_change(ledger):
    await ledger.commit(home(PutEntry(an_entry()), PutEntry(an_entry(content="second", version=2))))
    assert (await ledger.entry("mem_1")).content == "second"
    assert (await ledger.search_entries('"second"', ["second"], everything(), 5)).hits[0].id == "mem_1"
    assert (await ledger.search_entries('"river"', ["river"], everything(), 5)).hits == ()


@requirement("MEM-005-5.2-soft")
async def test_what_is_softly_deleted_is_read_by_its_id_and_found_nowhere_else(ledger):
    await ledger.commit(put(an_entry(tags=("cold",)), an_entry("mem_2", "Stones were wet.")))
    await ledger.commit(put(an_entry(version=2, tags=("cold",), deleted_at=NOW + 5)))
    assert (await ledger.entry("mem_1")).deleted_at == NOW + 5
    assert await _listed(ledger, everything()) == ["mem_2"]
    assert await _listed(ledger, everything(include_deleted=True)) == ["mem_2", "mem_1"]
    assert await ledger.matching_ids(everything(tag="cold")) == frozenset()
    assert await ledger.matching_ids(everything(source="user")) == {"mem_2"}
    assert (await ledger.search_entries('"river"', ["river"], everything(), 5)).hits == ()
    assert (await ledger.counts())["entries"] == 1
    await ledger.commit(put(an_entry(version=3)))
    assert (await ledger.search_entries('"river"', ["river"], everything(), 5)).hits[0].id == "mem_1"


async def test_entries_are_paged_newest_first(ledger):
    entries = [an_entry(f"mem_{number}", timestamp=NOW + number // 2) for number in range(7)]
    await ledger.commit(put(*entries, an_entry("mem_work", space="work")))
    shown, before = [], None
    while True:
        page = await ledger.entries(everything(before=before, limit=3))
        shown += [entry.id for entry in page.rows]
        assert page.total == 7
        if not page.next_cursor:
            break
        before = position_of(page.next_cursor)
    assert shown == [f"mem_{number}" for number in (6, 5, 4, 3, 2, 1, 0)]


FILTERS = [
    ({"level": Level.COLD}, {"mem_cold"}),
    ({"type": "decision"}, {"mem_decision", "mem_two_tags"}),
    ({"source": "agent"}, {"mem_agent"}),
    ({"tag": "河"}, {"mem_two_tags", "mem_one_tag"}),
    ({"tag": "河", "type": "decision"}, {"mem_two_tags"}),
    ({"tag": "none"}, set()),
]


@pytest.mark.parametrize("narrowed, expected", FILTERS)
@requirement("MEM-003-3.1-list")
async def test_every_filter_narrows_lists_ids_and_searches_alike(ledger, narrowed, expected):
    await ledger.commit(
        put(
            an_entry("mem_cold", level=Level.COLD),
            an_entry("mem_decision", type="decision"),
            an_entry("mem_agent", source="agent"),
            an_entry("mem_two_tags", type="decision", tags=("河", "b")),
            an_entry("mem_one_tag", tags=("河",)),
            an_entry("mem_work", space="work", level=Level.COLD, type="decision", source="agent", tags=("河",)),
        )
    )
    query = everything(**narrowed)
    page = await ledger.entries(query)
    assert {entry.id for entry in page.rows} == expected
    assert page.total == len(expected)
    assert await ledger.matching_ids(query) == expected
    found = await ledger.search_entries('"river"', ["river"], query, 10)
    assert {hit.id for hit in found.hits} == expected


async def test_a_filter_that_admits_all_of_the_space_is_no_filter(ledger):
    await ledger.commit(put(an_entry()))
    assert await ledger.matching_ids(everything()) is None


async def test_tags_that_an_edit_takes_away_are_gone(ledger):
    await ledger.commit(put(an_entry(tags=("old", "both"))))
    await ledger.commit(put(an_entry(version=2, tags=("both", "new"))))
    for tag, ids in (("old", set()), ("both", {"mem_1"}), ("new", {"mem_1"})):
        assert await ledger.matching_ids(everything(tag=tag)) == ids


@requirement("MEM-007-7.3-audience")
@pytest.mark.parametrize(
    "audience, expected",
    [
        (audience_of(OWNER), {"public", "by ada", "anonymous here", "anonymous there", "by hand"}),
        (audience_of(ADA, "thread-2"), {"public", "by ada"}),
        (audience_of(ANONYMOUS, "thread-1"), {"public", "anonymous here"}),
        (audience_of(ANONYMOUS), {"public"}),
        (Audience(), {"public"}),
    ],
    ids=["owner", "principal", "anonymous in a thread", "anonymous in none", "nobody"],
)
async def test_a_hidden_entry_never_leaves_the_store(ledger, audience, expected):
    await ledger.commit(
        put(
            an_entry("public", visibility=Visibility.PUBLIC),
            an_entry("by ada", origin=Origin("principal:ada", "thread-1"), visibility=Visibility.TRUSTED),
            an_entry("anonymous here", origin=Origin("anonymous", "thread-1")),
            an_entry("anonymous there", origin=Origin("anonymous", "thread-2")),
            an_entry("by hand"),
        )
    )
    query = EntryQuery("home", audience)
    assert set(await _listed(ledger, query)) == expected
    allowed = await ledger.matching_ids(query)
    assert allowed == (None if audience == EVERYTHING else expected)
    found = await ledger.search_entries('"river"', ["river"], query, 10)
    assert {hit.id for hit in found.hits} == expected
    tagged = await ledger.matching_ids(EntryQuery("home", audience, tag="none"))
    assert tagged == frozenset()


@requirement("MEM-001-1.3-long")
async def test_the_pieces_of_a_long_text_are_found_from_any_of_them_in_order(ledger):
    chain = [
        an_entry("p0"),
        an_entry("p1", extends="p0", piece=1),
        an_entry("p2", extends="p1", piece=2),
        an_entry("p3", extends="p2", piece=3, deleted_at=NOW),
    ]
    star = [an_entry("s0"), an_entry("s1", extends="s0", piece=1), an_entry("s2", extends="s0", piece=2)]
    await ledger.commit(put(*reversed(chain), *star, an_entry("alone"), an_entry("orphan", extends="gone", piece=1)))
    for id_, expected in (
        ("p0", ["p0", "p1", "p2", "p3"]),
        ("p2", ["p0", "p1", "p2", "p3"]),
        ("s1", ["s0", "s1", "s2"]),
        ("alone", ["alone"]),
        ("orphan", ["orphan"]),
        ("unknown", []),
    ):
        assert [piece.id for piece in await ledger.entry_pieces(id_)] == expected


async def test_changed_entries_come_oldest_change_first_deleted_ones_too(ledger):
    await ledger.commit(put(an_entry("mem_1"), an_entry("mem_2")))
    await ledger.commit(put(an_entry("mem_3")))
    await ledger.commit(put(an_entry("mem_1", version=2, deleted_at=NOW)))
    await ledger.commit(put(an_entry("mem_work", space="work")))
    changed = await ledger.entries_after("home", 0, 10)
    assert [(entry.id, entry.seq) for entry in changed] == [("mem_2", 1), ("mem_3", 2), ("mem_1", 3)]
    assert [entry.id for entry in await ledger.entries_after("home", 1, 1)] == ["mem_3"]
    assert await ledger.entries_after("home", 3, 10) == ()
