"""The limits of single fields, which hold in strict and in lenient mode alike."""

from __future__ import annotations

import math

import pytest

from csbond.protocol.memory.entry import ENTRY_TYPES
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.level_names import LevelNames
from csbond_tests.refusals import refused_field
from csbond_tests.requirements import requirement

NOW = 1_700_000_000_000
ENTRY = {"type": "event", "content": "x", "timestamp": NOW, "level": "warm"}

both_modes = pytest.mark.parametrize(
    "declared", [{"strict": True, "strict_schema": True}, {"fallback_value": "x"}, None]
)


def drafted(declared=None, **changes):
    return draft_from_json({**ENTRY, **changes, "fault_tolerance": declared}, NOW, LevelNames())


@requirement("MEM-001-1.3-nfc")
@both_modes
@pytest.mark.parametrize(
    "content",
    ["字" * 2048, "e\u0301" * 2048, "👩\u200d👩\u200d👧\u200d👦" * 292, "\u202eשלום" * 409],
    ids=["2048", "composed to 2048", "2044 in emoji", "2045 right to left"],
)
def test_2048_code_points_after_composition_are_kept(declared, content):
    assert len(drafted(declared, content=content).content) <= 2048


@requirement("MEM-001-1.3-nfc")
@both_modes
@pytest.mark.parametrize(
    "content",
    ["字" * 2049, "\u0958" * 1025, "👩\u200d👩\u200d👧\u200d👦" * 293],
    ids=["2049", "composed to 2050", "2051 in emoji"],
)
def test_2049_code_points_after_composition_are_refused(declared, content):
    assert refused_field(lambda: drafted(declared, content=content)) == "content"


@requirement("MEM-001-1.3-limit-not-hidden")
@pytest.mark.parametrize(
    "name, value, fallback",
    [
        ("content", "x" * 2049, "short"),
        ("tags", ["t" * 33], ["t"]),
        ("timestamp", NOW + 300_001, NOW),
        ("embedding", [0.5] * 2049, [0.5]),
        ("links", [{"target_id": "agent:" + "x" * 251}], "agent:none"),
        ("links", [{"target_id": "agent:bo", "relation": "r" * 65}], "other"),
        ("links", [{"target_id": "agent:bo", "weight": 1.1}], 0.5),
    ],
)
def test_no_fallback_value_takes_the_place_of_what_breaks_a_limit(name, value, fallback):
    field = refused_field(lambda: drafted({"fallback_value": fallback}, **{name: value}))
    assert field.partition("[")[0] == name


@requirement("MEM-001-1.3-future")
@both_modes
def test_a_timestamp_more_than_five_minutes_ahead_is_refused(declared):
    assert drafted(declared, timestamp=NOW + 300_000).timestamp == NOW + 300_000
    assert refused_field(lambda: drafted(declared, timestamp=NOW + 300_001)) == "timestamp"


@both_modes
@pytest.mark.parametrize("timestamp", [-1, 10**18, 1.5])
def test_a_timestamp_that_no_clock_shows_is_refused(declared, timestamp):
    assert refused_field(lambda: drafted(declared, timestamp=timestamp)) == "timestamp"


@requirement("MEM-001-1.3-half-characters")
@both_modes
@pytest.mark.parametrize("character", ["\ud800", "\x00"])
@pytest.mark.parametrize(
    "field, changes",
    [
        ("content", lambda text: {"content": text}),
        ("tags", lambda text: {"tags": [text]}),
        ("id", lambda text: {"id": f"mem_1_{text}"}),
        ("type", lambda text: {"type": text}),
        ("source", lambda text: {"source": text}),
        ("level", lambda text: {"level": text}),
        ("visibility", lambda text: {"visibility": text}),
        ("metadata.project", lambda text: {"metadata": {"project": text}}),
        ("links[0].target_id", lambda text: {"links": [{"target_id": f"agent:{text}", "relation": "causes"}]}),
        ("links[0].relation", lambda text: {"links": [{"target_id": "mem_1_a", "relation": text}]}),
        ("business_context.scenario", lambda text: {"business_context": {"scenario": text}}),
        ("unknown fields", lambda text: {"note": text}),
        ("unknown fields", lambda text: {"link_metadata": {"network_id": text}}),
    ],
)
def test_half_a_surrogate_pair_and_nul_are_refused_with_the_name_of_the_field(declared, character, field, changes):
    names = {field, "link_metadata"} if field == "unknown fields" else {field}
    without_fallback = None if (declared or {}).get("fallback_value") else declared
    assert refused_field(lambda: drafted(without_fallback, **changes(f"a{character}b"))) in names


@requirement("MEM-001-1.3-invisible")
@both_modes
@pytest.mark.parametrize("content", ["zero\u200bwidth", "\u202eכתב\u202c", "Z̷̢̛͇̲̈́a̴", "\ufefftext"])
def test_zero_width_and_right_to_left_text_is_kept_as_it_was_sent(declared, content):
    assert drafted(declared, content=content, tags=[content[:32]]).content == content


@pytest.mark.parametrize("tag", ["", " ", "\u200b", "\u200b\u2060\ufeff", "\u202e"])
def test_a_tag_of_which_nothing_can_be_seen_is_refused(tag):
    assert refused_field(lambda: drafted(tags=["seen", tag])) == "tags"


@requirement("MEM-001-1.3-exchange-types")
@both_modes
@pytest.mark.parametrize("type_", ["relation", "reflection"])
def test_the_types_of_the_exchange_format_are_types_here(declared, type_):
    assert type_ in ENTRY_TYPES
    assert drafted(declared, type=type_).type == type_


@requirement("MEM-001-1.3-exchange-types")
@pytest.mark.parametrize("type_", ["relationship", "Reflections", ""])
def test_a_type_that_no_format_has_is_refused(type_):
    assert refused_field(lambda: drafted(type=type_)) == "type"


@requirement("MEM-001-1.3-delegation-id")
@both_modes
def test_an_id_that_delegation_gives_is_an_id(declared):
    assert drafted(declared, id="mem_del_1700000000000_a1").id == "mem_del_1700000000000_a1"


@requirement("MEM-001-1.3-delegation-id")
@both_modes
@pytest.mark.parametrize("id_", ["mem_del_1", "mem_del_x_a", "mem_tea_1_a", "mem_del_del_1_a", "mem_1_a\n"])
def test_an_id_that_only_looks_like_one_is_refused(declared, id_):
    assert refused_field(lambda: drafted(declared, id=id_)) == "id"


@requirement("MEM-002-2.1-finite")
@both_modes
@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, float("1e999"), 10**400, 1e39])
def test_a_vector_that_holds_no_finite_number_of_32_bits_is_refused(declared, number):
    assert refused_field(lambda: drafted(declared, embedding=[0.5, number])) == "embedding"


@requirement("MEM-002-2.1-finite")
@pytest.mark.parametrize("number", ["NaN", "Infinity", "-inf", "1e999"])
def test_a_vector_that_holds_it_in_a_text_is_refused_too(number):
    assert refused_field(lambda: drafted(embedding=[number])) == "embedding"


@requirement("MEM-002-2.1-finite")
@both_modes
def test_a_vector_of_2049_numbers_is_refused(declared):
    assert len(drafted(declared, embedding=[0.5] * 2048).extra["embedding"]) == 2048
    assert refused_field(lambda: drafted(declared, embedding=[0.5] * 2049)) == "embedding"
