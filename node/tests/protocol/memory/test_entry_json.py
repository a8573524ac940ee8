from __future__ import annotations

import math
from dataclasses import replace

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from csbond.protocol.errors import CsbError
from csbond.protocol.memory.entry import ENTRY_TYPES, SOURCES, Level, MemoryEntry, Origin, Visibility
from csbond.protocol.memory.entry_json import draft_from_json, revised
from csbond.protocol.memory.entry_shown import entry_to_json
from csbond.protocol.memory.extra_fields import EXTRA_MAX
from csbond.protocol.memory.level_names import LevelNames, level_names
from csbond_tests.refusals import refused_field
from csbond_tests.requirements import requirement

NOW = 1_700_000_000_000
NAMES = LevelNames()

WHOLE = {
    "id": "mem_1700000000000_abc",
    "type": "lesson",
    "content": "先写测试，再改代码。",
    "tags": ["测试", "tests"],
    "timestamp": 1_699_999_999_999,
    "source": "skill",
    "level": "hot",
    "embedding": [0.123, 0.456],
    "metadata": {"lastAccessed": 5, "accessCount": 6, "ttl": 7, "version": 9, "reserved_meta": {"a": 1}},
}


def drafted(**changes):
    raw = {name: value for name, value in {**WHOLE, **changes}.items() if value is not ...}
    return draft_from_json(raw, NOW, NAMES)


def entry_of(draft, **changes):
    kept = MemoryEntry(
        id=draft.id,
        space="home",
        type=draft.type,
        content=draft.content,
        tags=draft.tags,
        timestamp=draft.timestamp,
        source=draft.source,
        level=draft.level,
        visibility=draft.visibility,
        last_accessed=draft.last_accessed,
        access_count=draft.access_count,
        ttl=draft.ttl,
        extra=draft.extra,
    )
    return replace(kept, **changes)


@requirement("MEM-001-1.3-shape")
def test_an_entry_of_the_standard_is_read_and_written_back_field_by_field():
    shown = entry_to_json(entry_of(drafted(), version=9, seq=4), NAMES)
    assert {name: shown[name] for name in WHOLE} == WHOLE
    assert shown["seq"] == 4
    assert shown["visibility"] == "private"
    orjson.dumps(shown)


@requirement("MEM-001-1.3-type")
@pytest.mark.parametrize("type_", ENTRY_TYPES)
def test_each_type_of_the_standard_is_accepted(type_):
    assert drafted(type=type_).type == type_


@requirement("MEM-001-1.3-source")
@pytest.mark.parametrize("source", SOURCES)
def test_each_source_of_the_standard_is_accepted(source):
    assert drafted(source=source).source == source


@requirement("MEM-001-1.3-type", "MEM-001-1.3-source")
@pytest.mark.parametrize("field", ["type", "source"])
@pytest.mark.parametrize("value", ["rumour", "", 7])
def test_a_type_or_source_that_the_standard_does_not_list_is_refused(field, value):
    assert refused_field(lambda: drafted(**{field: value})) == field


@requirement("MEM-001-1.3-id")
@pytest.mark.parametrize("id_", ["mem_1_a", "mem_1700000000001_abc", "mem_1700000000000_" + "z" * 64])
def test_an_id_of_the_form_of_the_standard_is_accepted(id_):
    assert drafted(id=id_).id == id_


@requirement("MEM-001-1.3-id")
@pytest.mark.parametrize("id_", ["", "mem_1", "mem__a", "mem_x_a", "note_1_a", "mem_1_a/b", "mem_1_" + "z" * 65, 7])
def test_an_id_of_another_form_is_refused(id_):
    assert refused_field(lambda: drafted(id=id_)) == "id"


@requirement("MEM-001-1.3-content")
def test_content_of_2048_code_points_is_kept_and_of_2049_refused():
    assert len(drafted(content="字" * 2048).content) == 2048
    assert refused_field(lambda: drafted(content="字" * 2049)) == "content"


@requirement("MEM-001-1.3-content")
def test_content_is_composed_before_it_is_counted():
    assert drafted(content="e\u0301" * 2048).content == "é" * 2048


@pytest.mark.parametrize("content", ["", "  \n", "a\x00b", "\ud800"])
def test_content_that_says_nothing_or_cannot_be_said_is_refused(content):
    assert refused_field(lambda: drafted(content=content)) == "content"


@requirement("MEM-002-2.1-tags")
def test_a_tag_of_32_characters_is_kept_and_of_33_refused():
    assert drafted(tags=["标" * 32]).tags == ("标" * 32,)
    assert refused_field(lambda: drafted(tags=["标" * 33])) == "tags"


@pytest.mark.parametrize("tags", [[""], [f"t{number}" for number in range(21)], {"a": 1}])
def test_tags_that_are_empty_or_too_many_are_refused(tags):
    assert refused_field(lambda: drafted(tags=tags)) == "tags"


def test_a_tag_given_twice_is_kept_once_in_its_place():
    assert drafted(tags=["b", "a", "b"]).tags == ("b", "a")


@requirement("MEM-002-2.1-embedding")
def test_an_embedding_of_2048_dimensions_is_kept_and_of_2049_refused():
    assert len(drafted(embedding=[0.5] * 2048).extra["embedding"]) == 2048
    assert refused_field(lambda: drafted(embedding=[0.5] * 2049)) == "embedding"


@requirement("MEM-002-2.1-embedding")
@pytest.mark.parametrize("embedding", [[], [math.nan], [math.inf], [True], ["x"], "0.1", {"vector": [1]}])
def test_an_embedding_that_is_no_list_of_finite_numbers_is_refused(embedding):
    assert refused_field(lambda: drafted(embedding=embedding)) == "embedding"


def test_an_embedding_is_left_out_where_it_is_not_asked_for():
    assert "embedding" not in entry_to_json(entry_of(drafted()), NAMES, with_embedding=False)


def test_a_timestamp_five_minutes_ahead_is_kept_and_one_beyond_refused():
    assert drafted(timestamp=NOW + 300_000).timestamp == NOW + 300_000
    assert refused_field(lambda: drafted(timestamp=NOW + 300_001)) == "timestamp"


@pytest.mark.parametrize("timestamp", [-1, 1.5, True, [], "yesterday", "1.5"])
def test_a_timestamp_that_is_no_whole_number_of_milliseconds_is_refused(timestamp):
    assert refused_field(lambda: drafted(timestamp=timestamp)) == "timestamp"


@requirement("MEM-001-1.3-metadata")
@pytest.mark.parametrize("name", ["lastAccessed", "accessCount", "ttl"])
def test_metadata_counts_are_whole_numbers_from_zero(name):
    assert refused_field(lambda: drafted(metadata={name: -1})) == f"metadata.{name}"
    assert refused_field(lambda: drafted(metadata=[name])) == "metadata"


@requirement("MEM-001-1.2-synonyms")
def test_the_tier_is_written_by_the_name_the_home_declares():
    names = level_names({"hot": "active"})
    draft = draft_from_json({**WHOLE, "level": "active"}, NOW, names)
    assert draft.level is Level.HOT
    assert entry_to_json(entry_of(draft), names)["level"] == "active"


@requirement("MEM-001-1.4.2-missing", "MEM-002-2.1-required")
def test_what_a_tolerant_entry_lacks_is_filled_in():
    draft = draft_from_json({"content": "x"}, NOW, NAMES)
    assert (draft.id, draft.type, draft.timestamp) == ("", "other", NOW)
    assert (draft.level, draft.source, draft.tags) == (Level.WARM, "user", ())
    assert draft.visibility is Visibility.PRIVATE


@requirement("MEM-001-1.4.2-missing")
def test_a_missing_field_takes_the_fallback_value_when_it_fits():
    raw = {"fault_tolerance": {"fallback_value": "lesson"}}
    draft = draft_from_json(raw, NOW, NAMES)
    assert (draft.type, draft.content, draft.level) == ("lesson", "lesson", Level.WARM)


def test_an_entry_without_content_and_fallback_is_refused():
    assert refused_field(lambda: drafted(content=...)) == "content"


@requirement("MEM-001-1.4.1-strict")
@pytest.mark.parametrize("name", ["type", "content", "timestamp", "level"])
def test_a_strict_entry_that_lacks_a_required_field_is_refused(name):
    tolerance = {"strict": True, "fallback_value": "lesson"}
    assert refused_field(lambda: drafted(**{name: ..., "fault_tolerance": tolerance})) == name


@requirement("MEM-001-1.4.1-strict")
def test_a_strict_entry_may_lack_optional_fields_and_the_id_the_node_gives():
    draft = drafted(id=..., tags=..., source=..., metadata=..., fault_tolerance={"strict": True})
    assert (draft.id, draft.tags, draft.source, draft.ttl) == ("", (), "user", 0)


@requirement("MEM-001-1.4.2-conversion")
@pytest.mark.parametrize(
    "name, value, converted",
    [
        ("timestamp", "1699999999999", 1_699_999_999_999),
        ("timestamp", 1699999999999.0, 1_699_999_999_999),
        ("content", 123, "123"),
        ("tags", "one", ("one",)),
        ("tags", ["one", 2], ("one", "2")),
        ("type", " Lesson ", "lesson"),
        ("source", "USER", "user"),
        ("level", "HOT", Level.HOT),
    ],
)
def test_a_value_of_another_type_is_converted(name, value, converted):
    assert getattr(drafted(**{name: value}), name) == converted


@requirement("MEM-001-1.4.2-conversion")
def test_numbers_in_texts_are_converted_in_metadata_and_embedding():
    draft = drafted(metadata={"ttl": "7776000000"}, embedding=["0.5", 1])
    assert draft.ttl == 7_776_000_000
    assert draft.extra["embedding"] == [0.5, 1]


@requirement("MEM-001-1.4.2-conversion")
def test_what_cannot_be_converted_takes_the_fallback_value():
    draft = drafted(type="rumour", fault_tolerance={"fallback_value": "event"})
    assert draft.type == "event"


def test_a_fallback_value_never_hides_content_that_is_too_long():
    assert refused_field(lambda: drafted(content="x" * 2049, fault_tolerance={"fallback_value": "y"})) == "content"


def test_a_fallback_value_of_another_type_fills_nothing():
    assert refused_field(lambda: drafted(timestamp="soon", fault_tolerance={"fallback_value": "x"})) == "timestamp"


@requirement("MEM-001-1.4.1-strict-schema")
@pytest.mark.parametrize("name, value", [("timestamp", "1"), ("content", 1), ("tags", "one"), ("type", "LESSON")])
def test_an_entry_with_a_strict_schema_is_not_converted(name, value):
    tolerance = {"strict_schema": True, "fallback_value": "event"}
    assert refused_field(lambda: drafted(**{name: value, "fault_tolerance": tolerance})) == name


@pytest.mark.parametrize("block", [[], {"strict": "perhaps"}, {"strict_schema": 7}])
def test_a_tolerance_that_cannot_be_understood_is_refused(block):
    assert refused_field(lambda: drafted(fault_tolerance=block)).startswith("fault_tolerance")


def test_a_tolerance_may_say_true_in_a_text():
    assert refused_field(lambda: drafted(level=..., fault_tolerance={"strict": "True"})) == "level"


@requirement("MEM-001-1.4.2-unknown", "MEM-001-1.4.2-newer")
def test_fields_of_a_newer_version_are_kept_and_given_back():
    newer = {"attachments": [{"uri": "a"}], "mood": None, "v3": {"deep": [1]}}
    metadata = {"reserved_meta": {}, "checksum": "sha256:0"}
    tolerance = {"compatibility": "v0.9", "strict": False}
    shown = entry_to_json(entry_of(drafted(**newer, metadata=metadata, fault_tolerance=tolerance)), NAMES)
    assert shown["attachments"] == newer["attachments"]
    assert shown["v3"] == newer["v3"]
    assert "mood" not in shown
    assert shown["metadata"] == {**metadata, "lastAccessed": 0, "accessCount": 0, "ttl": 0, "version": 1}
    assert shown["fault_tolerance"] == tolerance


def test_what_the_node_gives_itself_is_not_taken_from_a_client():
    draft = drafted(origin={"caller": "owner"}, seq=7, extends="mem_1_a", score=1, metadata={"deleted": True})
    assert set(draft.extra) == {"embedding"}


def test_unknown_fields_have_a_limit_in_bytes():
    assert drafted(note="x" * (EXTRA_MAX - 100)).extra["note"]
    assert refused_field(lambda: drafted(note="x" * EXTRA_MAX)) == "unknown fields"


@pytest.mark.parametrize("value", ["a\x00b", "\ud800", {"\udfff": 1}])
def test_unknown_fields_that_cannot_be_stored_are_refused(value):
    assert refused_field(lambda: drafted(note=value)) == "unknown fields"


@pytest.mark.parametrize("body", [None, [], "x", 7])
def test_a_body_that_is_no_object_is_refused(body):
    with pytest.raises(CsbError) as refusal:
        draft_from_json(body, NOW, NAMES)
    assert refusal.value.code.name == "invalid_request"


def test_the_origin_of_what_was_said_is_shown_and_of_what_was_written_is_not():
    entry = entry_of(drafted())
    assert "origin" not in entry_to_json(entry, NAMES)
    told = replace(entry, origin=Origin("principal:ann", "t", "m", "Ann"), extends="mem_1_a", piece=1)
    shown = entry_to_json(told, NAMES)
    assert shown["origin"] == {"caller": "principal:ann", "thread_id": "t", "message_id": "m", "speaker": "Ann"}
    assert (shown["extends"], shown["piece"]) == ("mem_1_a", 1)


def test_an_edit_changes_the_fields_it_names_and_no_other():
    before = entry_of(drafted(note="old"), version=3)
    after = revised(before, {"content": "new", "level": "cold", "metadata": {"ttl": "9"}}, NOW, NAMES)
    assert after == replace(before, content="new", level=Level.COLD, ttl=9)


def test_an_edit_with_what_was_read_changes_nothing():
    before = entry_of(drafted(note={"a": [1]}), version=3, seq=8)
    assert revised(before, entry_to_json(before, NAMES), NOW, NAMES) == before


def test_a_null_in_an_edit_takes_tags_embedding_and_unknown_fields_away():
    before = entry_of(drafted(note="old"))
    after = revised(before, {"tags": None, "embedding": None, "note": None, "content": None}, NOW, NAMES)
    assert (after.tags, after.content) == ((), before.content)
    assert set(after.extra) == {"metadata"}


def test_an_edit_of_another_id_is_refused():
    assert refused_field(lambda: revised(entry_of(drafted()), {"id": "mem_1_other"}, NOW, NAMES)) == "id"


def test_an_edit_takes_no_fallback_for_a_value_it_cannot_read():
    before = entry_of(drafted(fault_tolerance={"fallback_value": "event"}))
    assert refused_field(lambda: revised(before, {"type": "rumour"}, NOW, NAMES)) == "type"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(
        st.sampled_from([*WHOLE, "visibility", "fault_tolerance", "link_metadata", "business_context", "other"]), JSON
    )
)
def test_any_object_becomes_an_entry_that_reads_back_the_same_or_is_refused(raw):
    try:
        draft = draft_from_json(raw, NOW, NAMES)
    except CsbError:
        return
    shown = orjson.loads(orjson.dumps(entry_to_json(entry_of(replace(draft, id="mem_1_a")), NAMES)))
    again = draft_from_json({**shown, "fault_tolerance": None}, NOW, NAMES)
    kept = {name: value for name, value in draft.extra.items() if name != "fault_tolerance"}
    assert again == replace(draft, id="mem_1_a", extra=kept, named=again.named)  # what is shown names its time
