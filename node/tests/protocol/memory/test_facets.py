from __future__ import annotations

from dataclasses import replace

from hypothesis import given

from csbond.protocol.memory.facets import facets_of
from csbond.protocol.memory.filter import admits, lets_in
from csbond_tests.facets import AUDIENCES, FACETS, FILTERS
from csbond_tests.ledger_samples import an_entry


def entry_with(facets):
    names = ("type", "timestamp", "source", "level", "visibility", "origin", "project")
    return replace(an_entry("mem_1"), **{name: getattr(facets, name) for name in names})


@given(FACETS, FILTERS, AUDIENCES)
def test_what_an_index_keeps_is_judged_as_the_entry_is(facets, wanted, audience):
    entry = entry_with(facets)
    assert facets_of(entry) == facets
    assert lets_in(wanted, audience, facets) is lets_in(wanted, audience, entry) is admits(wanted, audience, entry)
