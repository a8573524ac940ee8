from __future__ import annotations

import pytest

from csbond.protocol.memory.business_context import SCENARIOS, checked_business_context
from csbond.protocol.memory.tolerance import Tolerance
from csbond_tests.refusals import refused_field
from csbond_tests.requirements import requirement

LENIENT, STRICT, EXACT = Tolerance(), Tolerance(strict=True), Tolerance(strict_schema=True)
WHOLE = {"scenario": "故障排查", "priority": 3, "revenue_impact": "high", "compliance_required": True}


@requirement("MEM-001-1.5-business")
@pytest.mark.parametrize("tolerance", [LENIENT, STRICT, EXACT])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_context_of_the_source_is_kept(tolerance, scenario):
    raw = {**WHOLE, "scenario": scenario}
    assert checked_business_context(raw, tolerance) == raw


@requirement("MEM-001-1.5-business")
def test_every_field_may_be_left_out_and_unknown_ones_are_kept():
    assert checked_business_context({}, STRICT) == {}
    assert checked_business_context({"team": ["a"]}, STRICT) == {"team": ["a"]}


@requirement("MEM-001-1.5-business")
@pytest.mark.parametrize(
    "name, value",
    [
        ("scenario", ""),
        ("scenario", "x" * 65),
        ("scenario", 7),
        ("scenario", "\ud800"),
        ("priority", -1),
        ("priority", 11),
        ("priority", 2.5),
        ("priority", True),
        ("priority", "high"),
        ("revenue_impact", "huge"),
        ("revenue_impact", None),
        ("compliance_required", "perhaps"),
        ("compliance_required", 1),
    ],
)
def test_a_value_the_source_does_not_know_is_refused_by_name(name, value):
    assert refused_field(lambda: checked_business_context({name: value}, STRICT)) == f"business_context.{name}"


@requirement("MEM-001-1.5-business")
@pytest.mark.parametrize("value", [0, 10, 3.0])
def test_a_priority_is_a_whole_number_from_0_to_10(value):
    assert checked_business_context({"priority": value}, STRICT) == {"priority": value}


@requirement("MEM-001-1.4.2-conversion-whole")
@pytest.mark.parametrize(
    "name, value, converted",
    [("priority", " 3 ", 3), ("revenue_impact", "HIGH", "high"), ("compliance_required", "True", True)],
)
def test_what_can_be_converted_is_unless_the_entry_is_strict(name, value, converted):
    assert checked_business_context({name: value}, LENIENT) == {name: converted}
    assert refused_field(lambda: checked_business_context({name: value}, EXACT)) == f"business_context.{name}"


@requirement("MEM-001-1.4.2-conversion-whole")
def test_what_cannot_be_converted_takes_the_fallback_value_or_is_refused():
    assert checked_business_context({"priority": "soon"}, Tolerance(fallback=5)) == {"priority": 5}
    assert refused_field(lambda: checked_business_context({"priority": "soon"}, LENIENT)) == "business_context.priority"


def test_a_priority_beyond_its_bound_takes_no_fallback_value():
    raw = {"priority": 11}
    assert refused_field(lambda: checked_business_context(raw, Tolerance(fallback=5))) == "business_context.priority"


def test_a_null_is_a_field_that_is_not_there():
    assert checked_business_context({"priority": None, "team": None}, LENIENT) == {}


@requirement("MEM-001-1.5-business")
@pytest.mark.parametrize("raw", [[], "x", None])
def test_a_context_that_is_no_object_is_refused(raw):
    assert refused_field(lambda: checked_business_context(raw, LENIENT)) == "business_context"
