from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from csbond.flows.memory_changes import SetLinks
from csbond.flows.ports import EntryQuery
from csbond.protocol.memory.entry import Level, MemoryEntry, Origin, Visibility
from csbond.protocol.memory.filter import EntryFilter, admits
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.visibility import Audience
from csbond.protocol.messages.listing import position_of
from csbond_tests.ledger_samples import EVERYTHING, NOW, an_entry, everything, home, put
from csbond_tests.requirements import requirement

TARGET = "mem_1_target"
PARTS: dict[str, Any] = {
    "level": Level.COLD,
    "type": "decision",
    "tag": "河",
    "source": "agent",
    "project": "trips",
    "link_target": TARGET,
    "since": NOW + 10,
    "until": NOW + 45,
    "text": "river stones",
    "thread": "thread-1",
}
"""Every part of a filter, each with a value that about half of the entries have."""
AUDIENCES = {
    "the owner": EVERYTHING,
    "a trusted principal": Audience(caller_key="principal:ada", trusted=True),
    "a principal": Audience(caller_key="principal:ada"),
    "anybody in a thread": Audience(caller_key="anonymous", thread_id="thread-1"),
}


def entries_of_all_kinds() -> list[MemoryEntry]:
    dice = random.Random(7)
    return [
        an_entry(
            f"mem_1_{number:03}",
            dice.choice(("The river had stones.", "Stones of the river.", "River stones", "A river.", "河水很冷")),
            level=dice.choice((Level.COLD, Level.COLD, Level.HOT)),
            type=dice.choice(("decision", "decision", "event")),
            tags=dice.choice((("河",), ("河", "cold"), ("cold",), ())),
            source=dice.choice(("agent", "agent", "user")),
            project=dice.choice(("trips", "trips", "thread:thread-1", "")),
            timestamp=NOW + number // 2,
            visibility=dice.choice(tuple(Visibility)),
            origin=Origin(dice.choice(("owner", "principal:ada", "anonymous")), dice.choice(("", "thread-1"))),
        )
        for number in range(120)
    ]


@pytest.fixture
async def filled(ledger):
    """Entries of all kinds, half of them linked to a target, and every tenth softly deleted."""
    entries = entries_of_all_kinds()
    await ledger.commit(put(an_entry(TARGET, "target"), *entries, an_entry("mem_1_work", space="work")))
    kinds = ((Link(TARGET, "causes"), Link(TARGET, "extends")), (Link(TARGET, "causes"),), (), ())
    await ledger.commit(home(*(SetLinks(entry.id, kinds[number % 4]) for number, entry in enumerate(entries))))
    await ledger.commit(put(*(replace(entry, version=2, deleted_at=NOW) for entry in entries[::10])))
    return ledger


async def expected(ledger, parts, audience=EVERYTHING):
    """What the rule admits, entry by entry; the words of a text are asked of the text itself."""
    entries = (await ledger.entries_by_id([entry.id for entry in entries_of_all_kinds()] + [TARGET])).values()
    words = str(parts.get("text", "")).split()
    wanted = EntryFilter(**{name: value for name, value in parts.items() if name != "text"})
    return {
        entry.id
        for entry in entries
        if admits(wanted, audience, entry) and all(word in entry.content.lower() for word in words)
    }


async def listed(ledger, query):
    """All pages of a list, which count the same and come newest first."""
    shown, totals, before = [], set(), None
    while True:
        page = await ledger.entries(replace(query, before=before, limit=13))
        shown += page.rows
        totals.add(page.total)
        if not page.next_cursor:
            break
        before = position_of(page.next_cursor)
    assert shown == sorted(shown, key=lambda entry: (entry.timestamp, entry.id), reverse=True)
    assert totals == {len(shown)}
    return [entry.id for entry in shown]


@requirement("MEM-003-3.1-filters", "MEM-003-3.1-link-target")
@pytest.mark.parametrize("name", PARTS)
async def test_a_part_of_a_filter_narrows_by_itself_and_not_to_nothing(filled, name):
    parts = {name: PARTS[name]}
    found = await expected(filled, parts)
    assert 0 < len(found) < 109
    assert set(await listed(filled, everything(**parts))) == found


@requirement("MEM-003-3.1-filters", "MEM-003-3.1-link-target")
@pytest.mark.parametrize("names", list(combinations(PARTS, 2)), ids="-".join)
async def test_two_parts_narrow_together_in_lists_ids_and_searches(filled, names):
    parts = {name: PARTS[name] for name in names}
    found, query = await expected(filled, parts), everything(**parts)
    assert found
    assert await listed(filled, query) == sorted(found, reverse=True)
    assert await filled.matching_ids(query) == found
    hits = (await filled.search_entries('"river"', ["river"], query, 200)).hits
    assert {hit.id for hit in hits} == await expected(filled, {**parts, "text": f"{parts.get('text', '')} river"})


@requirement("MEM-003-3.1-filters")
@pytest.mark.parametrize("audience", AUDIENCES.values(), ids=AUDIENCES)
async def test_any_parts_narrow_together_for_any_audience(filled, audience):
    dice, some = random.Random(1), 0
    for _ in range(60):
        parts = {name: PARTS[name] for name in dice.sample(sorted(PARTS), dice.randint(0, 4))}
        if dice.random() < 0.2:
            parts["deleted"] = True
        found, query = await expected(filled, parts, audience), EntryQuery("home", audience, **parts)
        some += bool(found)
        assert set(await listed(filled, query)) == found, parts
        if parts or audience != EVERYTHING:
            living = set() if "deleted" in parts else found
            assert await filled.matching_ids(query) == living, parts
    assert some > 15


@requirement("MEM-003-3.1-filters")
async def test_entries_of_no_project_and_of_none_there_is_are_asked_for(filled):
    assert set(await listed(filled, everything(project=""))) == await expected(filled, {"project": ""})
    assert await listed(filled, everything(project="nowhere")) == []


async def test_a_text_without_words_is_in_no_entry(filled):
    query = everything(text="。，!")
    assert await listed(filled, query) == []
    assert await filled.matching_ids(query) == frozenset()
    assert (await filled.search_entries('"river"', ["river"], query, 5)).hits == ()


async def test_a_text_is_no_query_language(filled):
    for text in ('"', "river OR nothing", "river*", "NEAR(river)", "content:river", "-river", "rows:^river"):
        await listed(filled, everything(text=text))
    assert await listed(filled, everything(text='the "river"')) == await listed(filled, everything(text="river"))
    assert await listed(filled, everything(text="rive*")) == []


async def test_times_of_a_filter_take_in_their_own_moment_and_any_number(filled):
    ids = await listed(filled, everything(since=NOW + 7, until=NOW + 7))
    assert ids == ["mem_1_015", "mem_1_014"]
    everything_living = await listed(filled, everything())
    assert await listed(filled, everything(since=0, until=2**63 - 1)) == everything_living
    assert await listed(filled, everything(since=-(2**63), until=2**70)) == everything_living
    assert await listed(filled, everything(since=2**70)) == []


async def test_softly_deleted_entries_are_listed_by_themselves_and_by_their_words(filled):
    gone = await expected(filled, {"deleted": True})
    assert len(gone) == 12
    assert set(await listed(filled, everything(deleted=True))) == gone
    of_text = await expected(filled, {"deleted": True, "text": "river stones"})
    assert 0 < len(of_text) < 12
    assert set(await listed(filled, everything(deleted=True, text="river stones"))) == of_text
    assert await listed(filled, everything(deleted=True, link_target=TARGET)) == []
    assert await filled.matching_ids(everything(deleted=True)) == frozenset()
    both = await listed(filled, everything(include_deleted=True))
    assert set(both) == gone | await expected(filled, {})


@requirement("MEM-003-3.1-paging")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "parts",
    [{}, {"project": "trips"}, {"link_target": TARGET}, {"text": "river"}, {"tag": "河", "since": NOW + 5}],
    ids=["all", "project", "link_target", "text", "tag and since"],
)
async def test_what_is_there_throughout_comes_once_whatever_is_written_meanwhile(filled, parts, seed):
    dice = random.Random(seed)
    shown: list[str] = []
    before = None
    throughout = await expected(filled, parts) - {TARGET}
    for number in range(100):
        page = await filled.entries(everything(before=before, limit=5, **parts))
        shown += [entry.id for entry in page.rows]
        if not page.next_cursor:
            break
        before = position_of(page.next_cursor)
        fresh = an_entry(
            f"mem_1_new{number}",
            "A new river",
            project="trips",
            tags=("河",),
            timestamp=NOW + dice.randint(0, 60),
        )
        gone = await filled.entry(dice.choice(sorted(throughout)))
        throughout.discard(gone.id)
        await filled.commit(put(fresh, replace(gone, version=gone.version + 1, deleted_at=gone.deleted_at or NOW)))
        await filled.commit(home(SetLinks(fresh.id, (Link(TARGET, "causes"),))))
    assert len(shown) == len(set(shown))
    assert throughout <= set(shown)
    assert len(shown) > 20
