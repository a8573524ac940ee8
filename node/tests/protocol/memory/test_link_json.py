from __future__ import annotations

import math

import pytest

from csbond.protocol.memory.link import FOREIGN_TARGET_MAX, Link
from csbond.protocol.memory.link_json import DECLARED_MAX, declared, link_from_json, link_to_json, links_from_json
from csbond.protocol.memory.tolerance import Tolerance
from csbond_tests.refusals import refused_field
from csbond_tests.requirements import requirement

LENIENT, STRICT, EXACT = Tolerance(), Tolerance(strict=True), Tolerance(strict_schema=True)
TARGET = "mem_1700000000001_abc"


def read(tolerance=LENIENT, **changes):
    raw = {"target_id": TARGET, "relation": "causes", "weight": 0.8, **changes}
    return link_from_json({name: value for name, value in raw.items() if value is not ...}, tolerance)


@requirement("MEM-001-1.5-links")
@pytest.mark.parametrize("tolerance", [LENIENT, STRICT, EXACT])
def test_a_link_has_a_target_a_relation_and_a_weight(tolerance):
    link = read(tolerance)
    assert link == Link(TARGET, "causes", 0.8)
    assert link_to_json(link) == {"target_id": TARGET, "relation": "causes", "weight": 0.8}


@requirement("MEM-001-1.5-links")
@pytest.mark.parametrize("weight", [0, 1, 0.0, 1.0])
def test_a_weight_goes_from_0_to_1(weight):
    assert read(STRICT, weight=weight).weight == weight


@requirement("MEM-001-1.5-links")
@pytest.mark.parametrize("tolerance", [LENIENT, STRICT, Tolerance(fallback=0.5)])
@pytest.mark.parametrize("weight", [1.1, -0.1, math.nan, math.inf, 10**400])
def test_a_weight_outside_of_it_is_refused_and_no_fallback_hides_it(tolerance, weight):
    assert refused_field(lambda: read(tolerance, weight=weight)) == "weight"


@requirement("MEM-001-1.5-links")
@pytest.mark.parametrize(
    "target", ["", "mem_1", "note", 7, None, "mem_x:y", f"agent:{'x' * FOREIGN_TARGET_MAX}", "a:\ud800"]
)
def test_a_target_that_names_nothing_is_refused(target):
    assert refused_field(lambda: read(target_id=target)) == "target_id"


@requirement("MEM-001-1.5-foreign-target")
def test_a_target_that_is_no_memory_is_kept_as_it_is():
    assert link_to_json(read(target_id="agent:若兰"))["target_id"] == "agent:若兰"
    longest = "agent:" + "x" * (FOREIGN_TARGET_MAX - 6)
    assert read(STRICT, target_id=longest).target_id == longest


@requirement("MEM-001-1.4.2-conversion-whole")
@pytest.mark.parametrize(
    "name, value, converted",
    [
        ("weight", "0.8", 0.8),
        ("weight", " 1 ", 1.0),
        ("relation", " Caused-By ", "caused_by"),
        ("relation", "ＲＥＬＡＴＥＳ　ＴＯ", "relates_to"),
        ("target_id", f" {TARGET}\n", TARGET),
    ],
)
def test_what_can_be_converted_is_unless_the_entry_is_strict(name, value, converted):
    assert getattr(read(**{name: value}), name) == converted
    assert refused_field(lambda: read(STRICT, **{name: value})) == name
    assert refused_field(lambda: read(EXACT, **{name: value})) == name


@requirement("MEM-001-1.4.2-conversion-whole")
@pytest.mark.parametrize("name, fallback", [("weight", 0.3), ("relation", "extends"), ("target_id", "mem_2_b")])
def test_what_cannot_be_converted_takes_a_fallback_value_of_its_type_or_is_refused(name, fallback):
    assert getattr(read(Tolerance(fallback=fallback), **{name: "??"}), name) == fallback
    assert refused_field(lambda: read(**{name: "??"})) == name


@requirement("MEM-001-1.4.2-conversion-whole")
def test_a_missing_weight_is_1_and_a_missing_relation_relates_to():
    assert read(relation=..., weight=...) == Link(TARGET, "relates_to", 1.0)
    assert read(STRICT, weight=...).weight == 1.0


@requirement("MEM-001-1.5-links")
@pytest.mark.parametrize("name", ["target_id", "relation"])
def test_a_strict_link_lacks_neither_target_nor_relation(name):
    assert refused_field(lambda: read(STRICT, **{name: ...})) == name


@requirement("MEM-001-1.5-links")
def test_each_fault_in_a_list_is_named_by_its_place():
    links = [{"target_id": TARGET, "relation": "causes"}, {"target_id": TARGET, "relation": ""}]
    assert refused_field(lambda: links_from_json(links, LENIENT)) == "links[1].relation"
    assert refused_field(lambda: links_from_json([7], LENIENT)) == "links[0]"


@requirement("MEM-001-1.4.2-conversion-whole")
def test_one_link_is_a_list_of_one_and_an_id_a_link_to_it():
    one = {"target_id": TARGET, "relation": "causes", "weight": 0.5}
    assert links_from_json(one, LENIENT) == (Link(TARGET, "causes", 0.5),)
    assert links_from_json([TARGET], LENIENT) == (Link(TARGET, "relates_to"),)
    assert refused_field(lambda: links_from_json(one, STRICT)) == "links"
    assert refused_field(lambda: links_from_json([TARGET], STRICT)) == "links[0]"


def test_who_made_a_link_is_shown_and_not_taken_from_a_client():
    assert link_to_json(Link(TARGET, "relates_to", 0.9, "near_duplicate"))["made_by"] == "near_duplicate"
    assert read(made_by="near_duplicate").made_by == ""


@requirement("MEM-001-1.5-declared")
def test_foreign_link_metadata_is_kept_apart_as_declared():
    foreign = {"network_id": "net_xxx", "centrality": 0.75, "clusters": ["决策链", "故障链"]}
    assert declared(foreign) == {"declared": foreign}


@requirement("MEM-001-1.5-declared")
def test_what_is_sent_back_stays_declared_and_computed_values_beside_it_are_not_taken():
    kept = declared({"centrality": 0.75})
    assert declared(kept) == kept
    assert declared({**kept, "centrality": 0.1, "network_id": "net_1"}) == kept


@requirement("MEM-001-1.5-declared", "MEM-001-1.4.2-kept")
def test_what_nobody_computes_is_not_lost_beside_a_declared_part():
    kept = declared({"declared": {"centrality": 0.75, "x": 1}, "x": 2, "y": 3, "centrality": 0.1})
    assert kept == {"declared": {"centrality": 0.75, "x": 1, "y": 3}}
    assert declared(kept) == kept


@requirement("MEM-001-1.5-declared")
@pytest.mark.parametrize("raw", [[], "x", 7, {"x": "y" * DECLARED_MAX}, {"x": "\ud800"}])
def test_link_metadata_that_is_no_object_or_too_long_is_refused(raw):
    assert refused_field(lambda: declared(raw)) == "link_metadata"
