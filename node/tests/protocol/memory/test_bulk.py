from __future__ import annotations

import pytest

from csbond.protocol.memory.bulk import checked_bulk_filter
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.entry_fields import CLOCK_SKEW_MS
from csbond.protocol.memory.filter import EntryFilter
from csbond_tests.refusals import refused_field
from csbond_tests.requirements import requirement

NOW = 1_800_000_000_000


@requirement("MEM-005-report-01-bulk-delete")
@pytest.mark.parametrize(
    "wanted",
    [
        EntryFilter(),
        EntryFilter(since=0),
        EntryFilter(deleted=True),
        EntryFilter(deleted=True, since=0),
        EntryFilter(until=NOW + CLOCK_SKEW_MS),
        EntryFilter(until=2**53 - 1, since=0, deleted=True),
    ],
)
def test_a_filter_that_narrows_nothing_is_refused(wanted):
    assert refused_field(lambda: checked_bulk_filter(wanted, NOW)) == "filter"


@requirement("MEM-005-report-01-bulk-delete")
@pytest.mark.parametrize(
    "part",
    [
        {"level": Level.HOT},
        {"type": "todo"},
        {"tag": "a"},
        {"source": "user"},
        {"project": ""},
        {"project": "a"},
        {"link_target": "mem_1_a"},
        {"since": 1},
        {"until": 0},
        {"until": NOW + CLOCK_SKEW_MS - 1},
        {"until": 2**53 - 1, "since": 1},
        {"text": "a"},
        {"thread": "t"},
    ],
)
def test_a_filter_that_narrows_is_taken_as_it_is(part):
    assert checked_bulk_filter(EntryFilter(**part), NOW) == EntryFilter(**part)
    assert checked_bulk_filter(EntryFilter(**part, deleted=True), NOW) == EntryFilter(**part, deleted=True)
