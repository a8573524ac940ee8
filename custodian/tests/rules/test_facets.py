"""Which facets fit which type."""

from __future__ import annotations

import re
from itertools import product

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.entry import ENTRY_TYPES
from memory_custodian.rules.facets import ALLOWED_FACETS, FACETS, check_facet
from memory_custodian.rules.problems import Refused


@requirement("CUST-04.4-26")
def test_the_facets_are_the_eleven_names_of_the_protocol_in_kebab_case() -> None:
    assert set(FACETS) == {
        "adoption-policy",
        "architecture",
        "behavior",
        "compatibility",
        "data-model",
        "interface",
        "lifecycle",
        "performance",
        "security",
        "version-policy",
        "workflow",
    }
    assert len(FACETS) == 11
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", facet) for facet in FACETS)


@requirement("CUST-04.4-28", "CUST-13.1-25")
@pytest.mark.parametrize("entry_type, facet", list(product(ALLOWED_FACETS, FACETS)))
def test_each_pair_of_type_and_facet_is_accepted_or_refused_with_those_that_fit(entry_type: str, facet: str) -> None:
    fitting = ALLOWED_FACETS[entry_type]
    if facet in fitting:
        check_facet(entry_type, facet)
        return
    with pytest.raises(Refused) as refused:
        check_facet(entry_type, facet)
    assert refused.value.message == f"Facet '{facet}' does not fit type {entry_type}; it accepts: {', '.join(fitting)}"


@requirement("CUST-04.4-28")
def test_the_table_restricts_and_leaves_every_type_and_facet_a_use() -> None:
    assert set(ALLOWED_FACETS) == set(ENTRY_TYPES) - {"inbox"}
    assert sum(map(len, ALLOWED_FACETS.values())) < len(ALLOWED_FACETS) * len(FACETS)
    assert all(ALLOWED_FACETS.values())
    assert {facet for fitting in ALLOWED_FACETS.values() for facet in fitting} == set(FACETS)


@requirement("CUST-04.4-27")
@pytest.mark.parametrize("facet", ["", "Behavior", "behaviour", "lifecycle ", "行为"])
def test_a_facet_outside_the_enumeration_is_refused(facet: str) -> None:
    with pytest.raises(Refused, match=f"Facet '{facet}' is not valid"):
        check_facet("decision", facet)
