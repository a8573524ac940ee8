"""The blocks of an entry beyond its first fields: links, business context, project, tolerance, and what is kept."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from csbond.protocol.memory.entry import MemoryEntry, Origin
from csbond.protocol.memory.entry_json import draft_from_json, revised
from csbond.protocol.memory.entry_shown import entry_to_json
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.link import LINKS_MAX, Link
from csbond.protocol.memory.project import project_of
from csbond_tests.refusals import refused_field
from csbond_tests.requirements import requirement

NOW = 1_700_000_000_500
NAMES = LevelNames()
TARGET, OTHER = "mem_1700000000001_abc", "mem_1700000000002_def"

SHOWN_BY_THE_SOURCE: dict[str, Any] = {
    "id": "mem_1700000000000_abc",
    "type": "event",
    "content": "记忆内容（纯文本，最长 2048 字符）",
    "tags": ["tag1", "tag2"],
    "timestamp": 1700000000000,
    "source": "session",
    "level": "hot",
    "embedding": [0.123, 0.456],
    "metadata": {
        "lastAccessed": 1700000000000,
        "accessCount": 5,
        "ttl": 7776000000,
        "version": 1,
        "reserved_meta": {},
    },
    "fault_tolerance": {
        "strict": False,
        "fallback_value": "默认值",
        "compatibility": "v1",
        "strict_schema": False,
    },
    "links": [
        {"target_id": TARGET, "relation": "causes", "weight": 0.8},
        {"target_id": OTHER, "relation": "caused_by", "weight": 0.5},
    ],
    "link_metadata": {"network_id": "net_xxx", "centrality": 0.75, "clusters": ["决策链", "故障链"]},
    "business_context": {
        "scenario": "故障排查",
        "priority": 3,
        "revenue_impact": "high",
        "compliance_required": True,
    },
}
"""The blocks of MEM-001 §1.3–1.5 as one entry, with the first of each list of values."""
STRICT = {"strict": True, "strict_schema": True}


def drafted(**changes):
    raw = {name: value for name, value in {**SHOWN_BY_THE_SOURCE, **changes}.items() if value is not ...}
    return draft_from_json(raw, NOW, NAMES)


def kept(draft, **changes):
    entry = MemoryEntry(
        draft.id,
        "home",
        draft.type,
        draft.content,
        draft.tags,
        draft.timestamp,
        draft.source,
        draft.level,
        draft.visibility,
        last_accessed=draft.last_accessed,
        access_count=draft.access_count,
        ttl=draft.ttl,
        extra=draft.extra,
        project=project_of(draft.project, Origin()),
        links=draft.links,
    )
    return replace(entry, **changes)


def edited(before, **changes):
    return revised(before, changes, NOW, NAMES)


@requirement("MEM-002-2.1-optional", "MEM-001-1.5-links", "MEM-001-1.5-business", "MEM-001-1.5-declared")
@pytest.mark.parametrize("tolerance", [SHOWN_BY_THE_SOURCE["fault_tolerance"], STRICT, None, ...])
def test_the_whole_entry_of_the_source_is_kept_and_given_back(tolerance):
    shown = entry_to_json(kept(drafted(fault_tolerance=tolerance)), NAMES)
    whole = {**SHOWN_BY_THE_SOURCE, "link_metadata": {"declared": SHOWN_BY_THE_SOURCE["link_metadata"]}}
    if tolerance in (None, ...):
        del whole["fault_tolerance"]
    else:
        whole["fault_tolerance"] = tolerance
    assert {name: shown.get(name) for name in whole} == whole
    assert set(shown) - set(whole) == {"visibility", "seq"}


@requirement("MEM-002-2.1-optional")
@pytest.mark.parametrize(
    "name", ["id", "tags", "source", "embedding", "metadata", "links", "link_metadata", "business_context"]
)
def test_a_strict_entry_may_lack_what_is_optional(name):
    assert drafted(**{name: ..., "fault_tolerance": STRICT}).type == "event"


@requirement("MEM-002-2.1-schema-is-the-door")
@pytest.mark.parametrize("declared", [{"strict": True}, {"strict_schema": True}])
@pytest.mark.parametrize("name", [name for name in SHOWN_BY_THE_SOURCE if name != "fault_tolerance"])
def test_a_null_is_no_value_of_a_strict_entry(declared, name):
    assert refused_field(lambda: drafted(**{name: None, "fault_tolerance": declared})) == name


@requirement("MEM-002-2.1-schema-is-the-door")
@pytest.mark.parametrize("declared", [{"strict": True}, {"strict_schema": True}])
@pytest.mark.parametrize(
    "changes, field",
    [
        ({"tags": "one"}, "tags"),
        ({"source": "USER"}, "source"),
        ({"embedding": ["0.1"]}, "embedding"),
        ({"metadata": {"ttl": "7"}}, "metadata.ttl"),
        ({"metadata": {"ttl": None}}, "metadata.ttl"),
        ({"metadata": {"version": "two"}}, "metadata.version"),
        ({"metadata": {"project": 7}}, "metadata.project"),
        ({"links": {"target_id": TARGET, "relation": "causes"}}, "links"),
        ({"links": [{"target_id": TARGET, "relation": "causes", "weight": "1"}]}, "links[0].weight"),
        ({"links": [{"target_id": TARGET, "relation": "Causes"}]}, "links[0].relation"),
        ({"links": [TARGET]}, "links[0]"),
        ({"link_metadata": []}, "link_metadata"),
        ({"business_context": "故障排查"}, "business_context"),
        ({"business_context": {"priority": "3"}}, "business_context.priority"),
    ],
)
def test_nothing_of_a_strict_entry_is_converted(declared, changes, field):
    assert refused_field(lambda: drafted(**changes, fault_tolerance=declared)) == field


@requirement("MEM-002-2.1-schema-is-the-door")
def test_a_strict_entry_names_the_version_it_needs_as_a_text():
    block = {"strict": True, "compatibility": 1}
    assert refused_field(lambda: drafted(fault_tolerance=block)) == "fault_tolerance.compatibility"


@requirement("MEM-001-1.4.2-conversion-whole")
def test_the_blocks_of_a_tolerant_entry_are_converted():
    draft = drafted(
        links={"target_id": TARGET, "relation": "CAUSES", "weight": "0.8"},
        business_context={"priority": "3", "compliance_required": "true"},
        metadata={"project": 2024},
    )
    assert draft.links == (Link(TARGET, "causes", 0.8),)
    assert draft.extra["business_context"] == {"priority": 3, "compliance_required": True}
    assert draft.project == "2024"


@requirement("MEM-001-1.4.2-conversion-whole")
@pytest.mark.parametrize("name", ["link_metadata", "business_context"])
def test_a_block_that_is_no_object_takes_a_fallback_value_that_is_one(name):
    tolerance = {"fallback_value": {"note": "说明"}}
    assert "说明" in str(drafted(**{name: "none", "fault_tolerance": tolerance}).extra[name])
    assert refused_field(lambda: drafted(**{name: "none"})) == name


@requirement("MEM-001-1.3-reserved-meta")
@pytest.mark.parametrize("reserved", [{"a": [1, {"b": "文"}]}, [], "text", 0, False])
def test_reserved_meta_is_given_back_whatever_it_holds(reserved):
    entry = edited(kept(drafted(metadata={"reserved_meta": reserved}, fault_tolerance=STRICT)), content="new")
    assert entry_to_json(entry, NAMES)["metadata"]["reserved_meta"] == reserved


@requirement("MEM-001-1.4.2-kept")
@pytest.mark.parametrize("with_embedding", [True, False])
def test_unknown_fields_come_back_alone_and_in_lists(with_embedding):
    draft = drafted(mood="calm", v3={"deep": [1]}, metadata={"checksum": "sha256:0"})
    shown = entry_to_json(kept(draft), NAMES, with_embedding=with_embedding)
    assert (shown["mood"], shown["v3"]) == ("calm", {"deep": [1]})
    assert shown["metadata"]["checksum"] == "sha256:0"
    assert ("embedding" in shown) is with_embedding


@requirement("MEM-001-1.4.2-kept")
def test_unknown_fields_of_a_link_come_back_in_it():
    noted = {"target_id": TARGET, "relation": "causes", "weight": 0.8, "business_context": {"priority": 3}, "x": None}
    plain = {"target_id": TARGET, "relation": "extends", "weight": 1.0}
    before = kept(drafted(links=[noted, plain]))
    shown = entry_to_json(before, NAMES)
    assert shown["links"] == [noted, plain]
    assert "link_fields" not in shown
    assert revised(before, shown, NOW, NAMES) == before
    assert edited(before, links=[plain]).extra == kept(drafted(links=[plain])).extra
    assert drafted(link_fields={TARGET: {"causes": {"weight": 7}}}).extra == drafted().extra


@requirement("MEM-002-2.1-schema-is-the-door")
def test_a_link_of_a_strict_entry_names_its_relation():
    links = [{"target_id": TARGET}]
    assert refused_field(lambda: drafted(links=links, fault_tolerance={"strict": True})) == "links[0].relation"
    strict = kept(drafted(fault_tolerance={"strict": True}))
    assert refused_field(lambda: edited(strict, links=links)) == "links[0].relation"
    assert drafted(links=links).links == (Link(TARGET, "relates_to"),)


@requirement("MEM-003-3.2-prefix")
def test_a_field_this_version_does_not_know_changes_nothing_else():
    plain, with_more = drafted(), drafted(v9="x", metadata={**SHOWN_BY_THE_SOURCE["metadata"], "v9": 1})
    assert replace(with_more, extra=plain.extra) == plain
    assert with_more.extra == {**plain.extra, "v9": "x", "metadata": {"reserved_meta": {}, "v9": 1}}


@requirement("MEM-001-1.4.1-compatibility")
def test_an_entry_that_needs_a_later_version_is_kept_and_says_so():
    shown = entry_to_json(kept(drafted(fault_tolerance={"compatibility": "v2"}, v2={"new": 1})), NAMES)
    assert shown["understood"] is False
    assert (shown["v2"], shown["type"]) == ({"new": 1}, "event")
    assert "understood" not in entry_to_json(kept(drafted()), NAMES)
    assert "understood" not in drafted(understood=False).extra


@requirement("MEM-001-1.5-self")
def test_an_entry_that_names_itself_as_a_target_is_refused():
    links = [{"target_id": SHOWN_BY_THE_SOURCE["id"], "relation": "causes"}]
    assert refused_field(lambda: drafted(links=links)) == "links[0].target_id"


@requirement("MEM-001-1.5-count")
def test_the_65th_link_is_refused():
    links = [{"target_id": f"mem_{number}_a", "relation": "causes"} for number in range(LINKS_MAX + 1)]
    assert len(drafted(links=links[1:]).links) == 64
    assert refused_field(lambda: drafted(links=links)) == "links"


@requirement("MEM-001-1.1-project")
def test_a_project_is_shown_as_it_was_written_and_counted_as_it_is_compared():
    draft = drafted(metadata={"project": "Ａpollo 11"})
    assert draft.project == "Ａpollo 11"
    assert kept(draft).project == "apollo-11"
    assert entry_to_json(kept(draft), NAMES)["metadata"]["project"] == "Ａpollo 11"


@requirement("MEM-001-1.1-project", "MEM-001-1.3-half-characters")
@pytest.mark.parametrize("name", ["", "--- _", "x" * 129, "\ud800", "a\x00", {"a": 1}])
def test_a_project_that_names_nothing_is_refused(name):
    assert refused_field(lambda: drafted(metadata={"project": name}, fault_tolerance=None)) == "metadata.project"


def test_an_edit_with_what_was_read_changes_nothing():
    before = kept(
        drafted(metadata={"project": "A b", "x": 1}), links=(Link(TARGET, "relates_to", 0.9, "near_duplicate"),)
    )
    assert revised(before, entry_to_json(before, NAMES), NOW, NAMES) == before


def test_an_edit_leaves_the_blocks_it_does_not_name():
    before = kept(drafted(metadata={"project": "A"}))
    assert edited(before, content="new") == replace(before, content="new")


def test_an_edit_replaces_links_blocks_and_project():
    before = kept(drafted(metadata={"project": "A", "x": 1}))
    after = edited(
        before,
        links=[{"target_id": OTHER, "relation": "extends"}],
        link_metadata={"centrality": 1},
        business_context={"priority": 1},
        metadata={"project": "B"},
    )
    assert after.links == (Link(OTHER, "extends"),)
    assert after.extra["link_metadata"] == {"declared": {"centrality": 1}}
    assert after.extra["business_context"] == {"priority": 1}
    assert (after.project, after.extra["metadata"]) == ("b", {"project": "B", "x": 1})


@pytest.mark.parametrize("tolerance", [None, STRICT])
def test_a_null_in_an_edit_takes_links_blocks_and_project_away(tolerance):
    before = kept(drafted(metadata={"project": "A", "ttl": 9}, fault_tolerance=tolerance))
    nothing = dict.fromkeys(("links", "link_metadata", "business_context", "embedding"))
    after = edited(before, **nothing, metadata={"project": None, "ttl": None})
    assert (after.links, after.project, after.ttl) == ((), "", 9)
    assert set(after.extra) <= {"fault_tolerance"}


def test_without_a_project_an_edited_entry_is_counted_with_its_thread():
    before = kept(drafted(metadata={"project": "A"}), origin=Origin(thread_id="t-1"))
    assert edited(before, metadata={"project": None}).project == "thread:t-1"


def test_a_strict_entry_is_edited_as_strictly_as_it_was_written():
    before = kept(drafted(fault_tolerance={"strict": True}))
    assert refused_field(lambda: edited(before, tags="one")) == "tags"


def test_a_deleted_entry_says_so_in_its_metadata():
    shown = entry_to_json(kept(drafted(), deleted_at=NOW), NAMES)
    assert (shown["metadata"]["deleted"], shown["metadata"]["deleteTime"]) == (True, NOW)
    assert "deleted" not in entry_to_json(kept(drafted()), NAMES)["metadata"]


@requirement("MEM-001-1.5-declared")
def test_link_metadata_that_an_earlier_version_kept_as_it_came_is_shown_as_declared():
    before = kept(drafted(), extra={"link_metadata": {"centrality": 0.75}})
    assert entry_to_json(before, NAMES)["link_metadata"] == {"declared": {"centrality": 0.75}}
