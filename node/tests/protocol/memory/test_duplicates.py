from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.protocol.memory.duplicates import merged, same_memory
from csbond.protocol.memory.entry import TAGS_MAX, Level, MemoryEntry, Origin, Visibility
from csbond.protocol.memory.extra_fields import EXTRA_MAX
from csbond.protocol.memory.link import LINKS_MAX, Link
from csbond_tests.requirements import requirement

KNOWN = MemoryEntry(
    id="mem_1_known",
    space="home",
    type="lesson",
    content="先写测试。",
    tags=("a", "b"),
    timestamp=1,
    source="user",
    level=Level.COLD,
    origin=Origin("principal:ann", "t-1", "m-1", "Ann"),
    ttl=5,
    version=3,
    links=(Link("mem_2_b", "causes", 0.5),),
    extra={"mood": "calm", "metadata": {"checksum": "x"}},
    project="apollo",
)
FRESH = replace(KNOWN, id="mem_9_fresh", timestamp=9, version=1, source="skill", level=Level.HOT)


@requirement("MEM-005-report-04-twice-the-same")
def test_the_same_words_in_the_same_place_are_the_same_memory():
    assert same_memory(KNOWN, FRESH)
    other_message = replace(FRESH, origin=replace(KNOWN.origin, message_id="m-2"))
    assert same_memory(KNOWN, other_message)


@requirement("MEM-005-report-04-twice-the-same")
@pytest.mark.parametrize(
    "changes",
    [
        {"content": "先写测试"},
        {"content": "先写测试。 "},
        {"type": "event"},
        {"visibility": Visibility.PUBLIC},
        {"space": "federation"},
        {"project": "gemini"},
        {"origin": replace(KNOWN.origin, caller_key="owner")},
        {"origin": replace(KNOWN.origin, thread_id="t-2")},
        {"origin": replace(KNOWN.origin, speaker="Bob")},
        {"extends": "mem_3_c"},
        {"piece": 1},
        {"deleted_at": 7},
    ],
)
def test_what_differs_in_words_place_or_life_is_another_memory(changes):
    assert not same_memory(KNOWN, replace(FRESH, **changes))
    assert not same_memory(replace(KNOWN, **changes), FRESH)


@requirement("MEM-005-report-04-twice-the-same")
def test_a_merge_that_adds_nothing_is_the_known_entry_itself():
    assert merged(KNOWN, FRESH) is KNOWN
    assert merged(KNOWN, replace(FRESH, tags=("b",), ttl=4, links=(), extra={})) is KNOWN


@requirement("MEM-007-7.3-kept")
@pytest.mark.parametrize("visibility", [Visibility.PUBLIC, Visibility.TRUSTED])
def test_a_merge_never_changes_who_may_be_told(visibility):
    assert not same_memory(KNOWN, replace(FRESH, visibility=visibility))
    assert merged(KNOWN, replace(FRESH, visibility=visibility, tags=("c",))).visibility is Visibility.PRIVATE


@requirement("MEM-007-7.3-kept", "MEM-005-report-04-twice-the-same")
def test_a_merge_adds_tags_links_and_fields_and_changes_nothing_else():
    fresh = replace(
        FRESH,
        tags=("b", "c"),
        ttl=7,
        links=(Link("mem_2_b", "causes", 0.9), Link("mem_1_a", "extends")),
        extra={"mood": "angry", "note": 1, "metadata": {"checksum": "y", "sessionId": "s"}},
    )
    assert merged(KNOWN, fresh) == replace(
        KNOWN,
        tags=("a", "b", "c"),
        ttl=7,
        links=(Link("mem_1_a", "extends"), Link("mem_2_b", "causes", 0.5)),
        extra={"mood": "calm", "note": 1, "metadata": {"checksum": "x", "sessionId": "s"}},
    )


@pytest.mark.parametrize("known, fresh, kept", [(5, 7, 7), (7, 5, 7), (0, 5, 0), (5, 0, 0)])
def test_the_longer_time_to_live_counts_and_for_ever_most(known, fresh, kept):
    assert merged(replace(KNOWN, ttl=known), replace(FRESH, ttl=fresh)).ttl == kept


def test_tags_beyond_the_limit_are_left_to_the_known_entry():
    known = replace(KNOWN, tags=tuple(f"k{number}" for number in range(TAGS_MAX - 1)))
    assert merged(known, replace(FRESH, tags=("x", "y"))).tags == (*known.tags, "x")


def test_links_beyond_the_limit_are_left_to_the_known_entry():
    known = replace(KNOWN, links=tuple(Link(f"mem_1_{number:02}", "causes") for number in range(LINKS_MAX - 1)))
    fresh = replace(FRESH, links=(Link("mem_2_x", "causes"), Link("mem_2_y", "causes")))
    assert merged(known, fresh).links == (*known.links, Link("mem_2_x", "causes"))


def test_fields_that_would_be_too_many_bytes_together_are_left_to_the_known_entry():
    known = replace(KNOWN, extra={"one": "x" * (EXTRA_MAX // 2)})
    assert merged(known, replace(FRESH, extra={"two": "x" * (EXTRA_MAX // 2)})) is known


def test_an_embedding_is_taken_over_where_there_is_none():
    assert merged(KNOWN, replace(FRESH, extra={"embedding": [0.5]})).extra == {**KNOWN.extra, "embedding": [0.5]}
