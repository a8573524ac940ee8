"""The published schema of a memory entry and the door say the same."""

from __future__ import annotations

import json
import unicodedata

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from csbond.api.entry_schema import entry_schema
from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.level_names import LevelNames
from csbond_tests.repository import REPOSITORY
from csbond_tests.requirements import requirement
from csbond_tests.small_world import NOW

PUBLISHED = json.loads((REPOSITORY / "spec/schemas/memory-v1.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(PUBLISHED)
REQUIRED = ("id", "type", "content", "timestamp", "level")
ENTRY = {"id": "mem_1_a", "type": "lesson", "content": "tea", "timestamp": NOW, "level": "warm"}


def vectors(name):
    rows = json.loads((REPOSITORY / "spec/vectors/memory" / f"{name}.json").read_text(encoding="utf-8"))
    return [pytest.param(row["entry"], row.get("field", ""), id=row["name"]) for row in rows]


def fault_of(entry):
    """The field for which a strict write of the entry is refused; empty for one that is taken."""
    block = entry.get("fault_tolerance", {})
    strict = {**entry, "fault_tolerance": {**block, "strict": True} if isinstance(block, dict) else block}
    try:
        draft_from_json(strict, NOW, LevelNames())
    except RemoteProtocolError as fault:
        return fault.field
    return ""


def test_the_published_schema_is_a_schema_with_an_id_that_is_no_address():
    jsonschema.Draft202012Validator.check_schema(PUBLISHED)
    assert PUBLISHED["$id"].startswith("urn:")
    assert entry_schema() == PUBLISHED


@requirement("MEM-002-2.1-schema", "MEM-002-2.1-schema-is-the-door")
@pytest.mark.parametrize("entry, _field", vectors("accepted"))
def test_what_the_source_shows_is_accepted_by_the_schema_and_by_a_strict_door(entry, _field):
    VALIDATOR.validate(entry)
    assert fault_of(entry) == ""


@requirement("MEM-002-2.1-schema-is-the-door")
@pytest.mark.parametrize("entry, field", vectors("refused"))
def test_what_the_schema_refuses_a_strict_door_refuses_by_name(entry, field):
    assert not VALIDATOR.is_valid(entry)
    assert fault_of(entry) == field


@requirement("MEM-002-2.1-optional")
def test_a_strict_entry_needs_five_fields_and_no_other():
    assert fault_of(ENTRY) == ""
    assert VALIDATOR.is_valid(ENTRY)
    assert tuple(PUBLISHED["required"]) == REQUIRED
    for name in REQUIRED:
        rest = {each: value for each, value in ENTRY.items() if each != name}
        assert not VALIDATOR.is_valid(rest)
        assert fault_of(rest) == ("" if name == "id" else name), "the node names what has no id"


ODD = st.sampled_from([None, True, -1, 0, 0.5, 2.0, 11, 10**18, 1e39, "", " ", "3", "a\x00b", [], {}, ["x"], {"y": 1}])
OPEN = ODD.filter(lambda value: value != "a\x00b")
LETTERS = st.sampled_from("a茶é_- \t\u200b\u3000\u0085\U000e0041\x00Z:9.")
TEXTS = st.text(LETTERS, max_size=6).map(lambda text: unicodedata.normalize("NFC", text))
LONG = st.builds(lambda text, times: text * times, TEXTS, st.integers(0, 400))
TARGETS = st.one_of(st.sampled_from(["mem_1_b", "mem_del_2_c", "agent:清漪", "mem_x", "tea", "a:", "a: b"]), LONG, ODD)
LINKS = st.fixed_dictionaries(
    {},
    optional={
        "target_id": TARGETS,
        "relation": st.one_of(st.sampled_from(["causes", "peer", "Causes", "caused by", "r" * 65]), ODD),
        "weight": st.one_of(st.floats(-0.5, 1.5), ODD),
        "note": OPEN,
    },
)
FIELDS = {
    "id": st.one_of(st.sampled_from(["mem_1_a", "mem_del_1_a", "mem_1_" + "a" * 65, "mem_1_a "]), TEXTS),
    "type": st.one_of(st.sampled_from(["relation", "event", "song"]), ODD),
    "content": st.one_of(LONG, ODD),
    "timestamp": st.one_of(st.integers(-1, NOW), ODD),
    "level": st.one_of(st.sampled_from(["hot", " Cold\t", "HOTTER"]), ODD),
    "tags": st.one_of(st.lists(st.one_of(LONG.map(lambda text: text[:40]), TEXTS), max_size=23), ODD),
    "source": st.one_of(st.sampled_from(["user", "User"]), ODD),
    "visibility": st.one_of(st.sampled_from(["public", "friends"]), ODD),
    "embedding": st.one_of(st.lists(st.one_of(st.floats(allow_nan=False), ODD), max_size=3), ODD),
    "metadata": st.one_of(
        st.fixed_dictionaries(
            {"reserved_meta": OPEN}, optional=dict.fromkeys(("lastAccessed", "accessCount", "ttl", "version"), ODD)
        ),
        st.fixed_dictionaries({"project": st.one_of(LONG, ODD)}),
        ODD,
    ),
    "fault_tolerance": st.one_of(
        st.fixed_dictionaries(
            {},
            optional={
                "strict_schema": st.one_of(st.sampled_from([" TRUE", "false", "yes"]), ODD),
                "compatibility": ODD,
                "fallback_value": OPEN,
            },
        ),
        ODD.filter(lambda value: value is not None),
    ),
    "links": st.one_of(st.lists(LINKS, max_size=3), st.lists(LINKS, min_size=1, max_size=1).map(lambda x: x * 65), ODD),
    "link_metadata": ODD,
    "business_context": st.one_of(
        st.fixed_dictionaries(
            {},
            optional={
                "scenario": st.one_of(LONG, ODD),
                "priority": ODD,
                "revenue_impact": st.one_of(st.just("low"), ODD),
                "compliance_required": ODD,
                "other": OPEN,
            },
        ),
        ODD,
    ),
    "mood": st.sampled_from([None, True, 0.5, "", [], {}]),
}


@requirement("MEM-002-2.1-schema-is-the-door")
@given(
    st.sampled_from(sorted(FIELDS)).flatmap(lambda name: FIELDS[name].map(lambda value: {name: value})),
    st.sampled_from(sorted(FIELDS)).flatmap(lambda name: FIELDS[name].map(lambda value: {name: value})),
)
def test_a_strict_write_is_accepted_exactly_when_the_schema_accepts_the_entry(one, other):
    entry = {**ENTRY, **one, **other}
    assert VALIDATOR.is_valid(entry) == (fault_of(entry) == "")
