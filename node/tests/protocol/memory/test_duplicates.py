from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.protocol.memory.duplicates import merged as merge_of
from csbond.protocol.memory.duplicates import same_memory
from csbond.protocol.memory.entry import TAGS_MAX, Level, MemoryEntry, Origin, Visibility
from csbond.protocol.memory.extra_fields import EXTRA_MAX, check_extra
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
ALL = ("timestamp", "ttl")


def merged(known, fresh, named=ALL):
    return merge_of(known, fresh, named).entry


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


@requirement("MEM-005-report-04-twice-the-same")
@pytest.mark.parametrize(
    "named, timestamp, same", [(ALL, 1, True), (ALL, 9, False), ((), 9, True), (("ttl",), 9, True)]
)
def test_what_is_said_to_be_of_another_time_is_another_memory(named, timestamp, same):
    assert same_memory(KNOWN, replace(FRESH, timestamp=timestamp), named) is same


@pytest.mark.parametrize("known, fresh, kept", [(5, 7, 7), (7, 5, 7), (0, 5, 0), (5, 0, 0)])
def test_the_longer_time_to_live_counts_and_for_ever_most(known, fresh, kept):
    assert merged(replace(KNOWN, ttl=known), replace(FRESH, ttl=fresh)).ttl == kept


def test_a_time_to_live_that_was_not_named_changes_nothing():
    assert merged(KNOWN, replace(FRESH, ttl=0), ("timestamp",)) is KNOWN


def test_tags_beyond_the_limit_are_left_out_and_the_merge_says_so():
    known = replace(KNOWN, tags=tuple(f"k{number}" for number in range(TAGS_MAX - 1)))
    merge = merge_of(known, replace(FRESH, tags=("x", "y")))
    assert (merge.entry.tags, merge.left_out) == ((*known.tags, "x"), ("tags",))
    assert merge_of(known, replace(FRESH, tags=("x", "k1"))).left_out == ()


def test_links_beyond_the_limit_are_left_out_with_what_they_hold_and_the_merge_says_so():
    known = replace(KNOWN, links=tuple(Link(f"mem_1_{number:02}", "causes") for number in range(LINKS_MAX - 1)))
    beside = {each: {"causes": {"note": each}} for each in ("mem_2_x", "mem_2_y", "mem_1_01")}
    links = (Link("mem_2_x", "causes"), Link("mem_2_y", "causes"), Link("mem_1_01", "causes"))
    merge = merge_of(known, replace(FRESH, links=links, extra={"link_fields": beside}))
    assert merge.entry.links == (*known.links, Link("mem_2_x", "causes"))
    assert merge.entry.extra["link_fields"].keys() == {"mem_2_x", "mem_1_01"}
    assert merge.left_out == ("links",)


@requirement("MEM-001-1.4.2-kept")
def test_blocks_of_fields_are_united_field_by_field():
    blocks = {
        "metadata": lambda fields: {"metadata": fields},
        "business context": lambda fields: {"business_context": fields},
        "declared": lambda fields: {"link_metadata": {"declared": fields}},
        "one link": lambda fields: {"link_fields": {"mem_2_b": {"causes": fields}}},
    }
    for name, block in blocks.items():
        merge = merge_of(
            replace(KNOWN, extra=block({"both": 1, "known": 2})), replace(FRESH, extra=block({"both": 3, "fresh": 4}))
        )
        assert merge.entry.extra == block({"both": 1, "known": 2, "fresh": 4}), name
        assert merge.left_out == ()


@requirement("MEM-001-1.4.2-kept")
def test_each_link_brings_what_it_holds():
    known = replace(KNOWN, extra={"link_fields": {"mem_2_b": {"causes": {"note": "one"}}}})
    links = (Link("mem_2_b", "extends"), Link("mem_1_a", "causes"))
    beside = {"mem_2_b": {"extends": {"note": "two"}}, "mem_1_a": {"causes": {"note": "three"}}}
    assert merged(known, replace(FRESH, links=links, extra={"link_fields": beside})).extra["link_fields"] == {
        "mem_2_b": {"causes": {"note": "one"}, "extends": {"note": "two"}},
        "mem_1_a": {"causes": {"note": "three"}},
    }


@requirement("MEM-001-1.4.2-kept")
def test_a_field_that_both_have_stays_as_it_is_whatever_is_in_it():
    for extra in ({"mood": {"a": 1}}, {"metadata": {"checksum": {"a": 1}}}):
        assert merged(KNOWN, replace(FRESH, extra=extra)) is KNOWN
    known = replace(KNOWN, extra={"business_context": "as an earlier version kept it"})
    assert merged(known, replace(FRESH, extra={"business_context": {"priority": 1}})) is known


@requirement("MEM-001-1.4.2-kept")
def test_fields_there_is_no_room_for_are_left_out_by_name_and_the_others_are_taken_over():
    known = replace(KNOWN, extra={"one": "x" * (EXTRA_MAX // 2)})
    fresh = {"two": "x" * (EXTRA_MAX // 2), "metadata": {"note": "y", "long": "x" * EXTRA_MAX}, "three": 3}
    merge = merge_of(known, replace(FRESH, extra=fresh | {"embedding": [0.5] * 2048}))
    assert merge.entry.extra == {
        **known.extra,
        "metadata": {"note": "y"},
        "three": 3,
        "embedding": [0.5] * 2048,
    }
    assert merge.left_out == ("two", "metadata.long")
    check_extra(merge.entry.extra)


def test_what_fits_to_the_last_byte_is_taken_over_and_not_one_more():
    known = replace(KNOWN, extra={})
    for more, left_out in ((0, ()), (1, ("metadata.note",))):
        extra = {"metadata": {"note": "x" * (EXTRA_MAX - len('{"metadata":{"note":""}}') - 2 + more)}}
        merge = merge_of(known, replace(FRESH, extra=extra))
        assert merge.left_out == left_out
        check_extra(merge.entry.extra)


def test_an_embedding_is_taken_over_where_there_is_none():
    assert merged(KNOWN, replace(FRESH, extra={"embedding": [0.5]})).extra == {**KNOWN.extra, "embedding": [0.5]}
