"""How what is due is found: the same in every ledger."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest

from csbond.flows.memory_changes import TouchEntries
from csbond.protocol.memory.entry import EntryType, Level
from csbond.protocol.memory.forgetting import Match, matches
from csbond.protocol.memory.promotion import token
from csbond.protocol.memory.use import Use
from csbond_tests.ledger_samples import NOW, an_entry, home, in_batches, put, touched
from csbond_tests.requirements import requirement

LATER = NOW + 1_000_000


async def ids(found):
    return [entry.id for entry in await found]


# what is due


@requirement("MEM-005-5.2-cleared")
async def test_what_was_deleted_long_enough_ago_is_due_for_clearing(ledger):
    await ledger.commit(
        put(*(an_entry(f"mem_{place}", deleted_at=at) for place, at in enumerate((9, 5, 0, 5, 12, 10))))
    )
    assert await ids(ledger.due_for_clearing("home", 10, 9)) == ["mem_1", "mem_3", "mem_0", "mem_5"]
    first = await ledger.due_for_clearing("home", 10, 1)
    assert await ids(ledger.due_for_clearing("home", 10, 9, first[-1])) == ["mem_3", "mem_0", "mem_5"]
    assert await ids(ledger.due_for_clearing("elsewhere", 10, 9)) == []


@pytest.mark.parametrize("level", [Level.WARM, Level.COLD])
async def test_what_has_outlived_its_time_is_told_earliest_first(ledger, level):
    facts = {
        "late": (50, 40),
        "ever": (1, 0),
        "tie b": (20, 30),
        "tie a": (40, 10),
        "exact": (60, 40),
        "young": (99, 2),
    }
    for id_, (timestamp, ttl) in facts.items():
        await ledger.commit(put(an_entry(id_, timestamp=timestamp, ttl=ttl, level=level)))
    await ledger.commit(put(an_entry("deleted", timestamp=1, ttl=1, level=level, deleted_at=2)))
    await ledger.commit(put(an_entry("hot", timestamp=1, ttl=1, level=Level.HOT)))
    assert await ids(ledger.outlived("home", level, 100, 9)) == ["tie a", "tie b", "late", "exact"]
    found = await in_batches(lambda size, last: ledger.outlived("home", level, 100, size, last), 1)
    assert [entry.id for entry in found] == ["tie a", "tie b", "late", "exact"]


async def test_the_longest_time_to_live_there_is_never_passes(ledger):
    await ledger.commit(put(an_entry(ttl=2**63 - 1, level=Level.WARM)))
    assert await ids(ledger.outlived("home", Level.WARM, 2**62, 9)) == []


@requirement("MEM-005-5.1-hot-lru")
async def test_a_tier_is_told_in_the_order_of_eviction(ledger):
    used = {"mem_b": 7, "mem_a": 7, "mem_c": 3, "mem_d": 9, "mem_e": 8}
    await ledger.commit(put(*(an_entry(id_, used_at=at, level=Level.HOT) for id_, at in used.items())))
    await ledger.commit(put(an_entry("mem_w", used_at=1, level=Level.WARM)))
    await ledger.commit(put(an_entry("mem_x", used_at=1, level=Level.HOT, deleted_at=1)))
    ordered = ["mem_c", "mem_a", "mem_b", "mem_e", "mem_d"]
    assert await ids(ledger.least_used("home", Level.HOT, NOW, 9)) == ordered
    assert await ids(ledger.least_used("home", Level.HOT, NOW, 9, used_until=8)) == ordered[:4]
    for size in (1, 2, 3):
        found = await in_batches(lambda many, last: ledger.least_used("home", Level.HOT, NOW, many, last), size)
        assert [entry.id for entry in found] == ordered
    assert await ledger.tier_size("home", Level.HOT) == 5
    assert await ledger.tier_size("home", Level.COLD) == 0


@pytest.mark.parametrize("level", [Level.WARM, Level.HOT])
async def test_a_project_is_told_by_itself_and_what_has_none_too(ledger, level):
    projects = {"mem_1": "trips", "mem_2": "", "mem_3": "trips", "mem_4": "work"}
    for at, (id_, project) in enumerate(projects.items()):
        await ledger.commit(put(an_entry(id_, project=project, used_at=9 - at, level=level)))
    assert await ids(ledger.least_used("home", level, NOW, 9, project="trips")) == ["mem_3", "mem_1"]
    assert await ids(ledger.least_used("home", level, NOW, 9, project="")) == ["mem_2"]
    assert await ids(ledger.least_used("home", level, NOW, 9, project="trips", used_until=7)) == ["mem_3"]


async def test_crowded_projects_are_counted(ledger):
    for number, project in enumerate(("trips", "trips", "trips", "", "", "work", "work")):
        await ledger.commit(put(an_entry(f"mem_{number}", project=project, level=Level.WARM)))
    await ledger.commit(put(an_entry("mem_h", project="work", level=Level.HOT)))
    await ledger.commit(put(an_entry("mem_d", project="work", level=Level.WARM, deleted_at=4)))
    assert await ledger.crowded_projects("home", 2) == (("trips", 3),)
    assert await ledger.crowded_projects("home", 1) == (("", 2), ("trips", 3), ("work", 2))


async def test_what_was_used_lately_in_warm_is_told(ledger):
    for number, level in enumerate((Level.WARM, Level.WARM, Level.HOT, Level.WARM, Level.COLD)):
        await ledger.commit(put(an_entry(f"mem_{number}", used_at=10 + number, level=level)))
    assert await ids(ledger.often_used("home", 11, NOW, 9)) == ["mem_1", "mem_3"]
    first = await ledger.often_used("home", 11, NOW, 1)
    assert await ids(ledger.often_used("home", 11, NOW, 9, first[0])) == ["mem_3"]


async def test_what_remembers_too_few_uses_is_not_asked_for(ledger):
    for number in range(4):
        await ledger.commit(put(an_entry(f"mem_{number}", level=Level.WARM, used_at=10, recent=token(10) * number)))
    assert await ids(ledger.often_used("home", 0, NOW, 9, uses=2)) == ["mem_2", "mem_3"]
    assert await ids(ledger.often_used("home", 0, NOW, 9)) == ["mem_0", "mem_1", "mem_2", "mem_3"]


async def test_what_was_found_in_cold_is_told(ledger):
    for number in range(4):
        await ledger.commit(put(an_entry(f"mem_{number}", level=Level.COLD)))
        if number != 1:
            await ledger.commit(touched(f"mem_{number}", found=True))
    await ledger.commit(put(an_entry("mem_3", version=2, level=Level.COLD, deleted_at=NOW)))
    found = await ledger.found_cold("home", NOW, 9)
    assert [entry.id for entry in found] == ["mem_0", "mem_2"]
    assert await ids(ledger.found_cold("home", NOW, 9, found[0])) == ["mem_2"]


@requirement("MEM-005-5.1-one-tier")
async def test_what_moved_at_that_very_time_is_not_due_again(ledger):
    facts: dict[str, Any] = {"used_at": 1, "ttl": 1, "timestamp": 1}
    for id_, at in (("mem_1", NOW - 1), ("mem_2", NOW), ("mem_3", NOW + 1)):
        for level in (Level.WARM, Level.COLD):
            await ledger.commit(put(an_entry(f"{id_}_{level}", level=level, moved_at=at, **facts)))
        await ledger.commit(touched(f"{id_}_cold", at=2, found=True))
    cold, warm = ["mem_1_cold", "mem_3_cold"], ["mem_1_warm", "mem_3_warm"]
    assert await ids(ledger.outlived("home", Level.COLD, NOW, 9)) == cold
    assert await ids(ledger.least_used("home", Level.WARM, NOW, 9)) == warm
    assert await ids(ledger.least_used("home", Level.WARM, NOW, 9, project="")) == warm
    assert await ids(ledger.often_used("home", 0, NOW, 9)) == warm
    assert await ids(ledger.found_cold("home", NOW, 9)) == cold
    assert len(await ledger.rule_matches("home", Match(type="event"), NOW, 9)) == 6


# texts in pieces


def a_text(**facts):
    """Return an entry and two pieces that go on from it, all of them due for everything."""
    facts = {"timestamp": 1, "ttl": 1, "used_at": 1, "recent": token(1) * 3, "tags": ("a",), **facts}
    for place in range(3):
        yield an_entry(f"mem_{place}", piece=place, extends=f"mem_{place - 1}" if place else "", **facts)


@requirement("MEM-005-report-orphans")
@pytest.mark.parametrize("level", [Level.WARM, Level.COLD])
async def test_of_a_text_in_pieces_the_first_is_due_alone(ledger, level):
    await ledger.commit(put(*a_text(level=level)))
    await ledger.commit(home(TouchEntries(tuple(Use(f"mem_{place}", 2, 1, found=True) for place in range(3)))))
    assert await ids(ledger.outlived("home", level, NOW, 9)) == ["mem_0"]
    assert await ids(ledger.least_used("home", level, NOW, 9)) == ["mem_0"]
    assert await ids(ledger.least_used("home", level, NOW, 9, project="")) == ["mem_0"]
    assert await ids(ledger.rule_matches("home", Match(type="event"), NOW, 9)) == ["mem_0"]
    assert await ids(ledger.rule_matches("home", Match(tags=("a",)), NOW, 9)) == ["mem_0"]
    assert await ledger.tier_size("home", level) == 1
    warm = level is Level.WARM
    assert await ids(ledger.often_used("home", 0, NOW, 9, uses=3)) == ["mem_0"] * warm
    assert await ids(ledger.often_used("home", 0, NOW, 9)) == ["mem_0"] * warm
    assert await ids(ledger.found_cold("home", NOW, 9)) == ["mem_0"] * (not warm)
    assert await ledger.crowded_projects("home", 0) == (("", 1),) * warm


async def test_of_a_deleted_text_in_pieces_the_first_is_due_alone(ledger):
    await ledger.commit(put(*a_text(deleted_at=5)))
    assert await ids(ledger.due_for_clearing("home", 9, 9)) == ["mem_0"]


@requirement("MEM-004-4.2-uses-kept")
async def test_what_a_piece_counts_for_its_text_is_counted_by_the_first_piece(ledger):
    await ledger.commit(put(*a_text(level=Level.COLD, used_at=0, recent="")))
    use = Use("mem_2", 8, 3, token(6) + token(7) + token(8), True, 1, token(7))
    await ledger.commit(home(TouchEntries((use, Use("mem_1", 9, 1, token(9))))))
    text = await ledger.entry_pieces("mem_0")
    assert [(entry.access_count, entry.used_at, entry.found_at) for entry in text] == [(1, 8, 8), (1, 9, 0), (3, 8, 8)]
    assert text[0].recent == token(7)


# rules


def a_mixed_memory():
    """Return entries that differ in all that a rule may name."""
    kinds = itertools.product(("event", "lesson"), ("user", "skill"), ((), ("a",), ("a", "b"), ("b", "c")), (0, 50))
    for number, (type_, source, tags, age) in enumerate(kinds):
        level, deleted_at = list(Level)[number % 3], 7 if number % 5 == 0 else 0
        facts: dict[str, Any] = {
            "type": type_,
            "source": source,
            "tags": tags,
            "level": level,
            "deleted_at": deleted_at,
        }
        yield an_entry(f"mem_{number:02}", timestamp=LATER - age, **facts)


HOUR_PARTS = 1 / 3_600_000
"""A millisecond, in hours."""
KINDS: tuple[EntryType | None, ...] = (None, "lesson")
MATCHES = [
    Match(type=type_, source=source, age_hours=age, tags=tags)
    for type_, source, age, tags in itertools.product(
        KINDS, ("", "skill"), (None, 0, 50 * HOUR_PARTS, 51 * HOUR_PARTS), ((), ("a",), ("a", "b"), ("z",))
    )
]


@requirement("MEM-005-5.3-match")
async def test_the_ledger_finds_what_a_rule_matches_and_nothing_else(ledger):
    entries = tuple(a_mixed_memory())
    await ledger.commit(put(*entries))
    for match, above_cold in itertools.product(MATCHES, (False, True)):
        wanted = [
            entry.id
            for entry in entries
            if not entry.deleted_at and matches(match, entry, LATER) and not (above_cold and entry.level is Level.COLD)
        ]

        async def ask(size, last, match=match, above_cold=above_cold):
            return await ledger.rule_matches("home", match, LATER, size, last, above_cold=above_cold)

        found = await in_batches(ask, 5)
        assert sorted(entry.id for entry in found) == wanted, match


async def test_a_rule_goes_on_after_what_it_deleted(ledger):
    """The batch before is softly deleted by the time the next is asked for."""
    await ledger.commit(put(*(an_entry(f"mem_{number}", tags=("a",), timestamp=number) for number in range(7))))
    for match in (Match(tags=("a",)), Match(type="event")):
        first = await ledger.rule_matches("home", match, NOW, 3)
        deleted = [replace(entry, version=entry.version + 1, deleted_at=NOW) for entry in first]
        await ledger.commit(put(*deleted))
        rest = await ledger.rule_matches("home", match, NOW, 9, first[-1])
        assert {entry.id for entry in (*first, *rest)} == {f"mem_{number}" for number in range(7)}
        await ledger.commit(put(*(replace(entry, version=entry.version + 1, deleted_at=0, seq=0) for entry in deleted)))


async def test_nothing_is_told_where_nothing_is_asked_for(ledger):
    await ledger.commit(put(an_entry(level=Level.WARM, ttl=1, timestamp=1), an_entry("mem_2", deleted_at=1)))
    asked = (
        ledger.due_for_clearing("home", 9, 0),
        ledger.outlived("home", Level.WARM, NOW, 0),
        ledger.least_used("home", Level.WARM, NOW, 0),
        ledger.often_used("home", 0, NOW, 0),
        ledger.rule_matches("home", Match(), NOW, 0),
        ledger.rule_matches("home", Match(tags=("a",)), NOW, 0),
    )
    assert [await each for each in asked] == [()] * len(asked)
