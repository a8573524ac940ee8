from __future__ import annotations

import pytest

from csbond.protocol.memory.tolerance import understood
from csbond_tests.requirements import requirement


@requirement("MEM-001-1.4.1-compatibility")
@pytest.mark.parametrize(
    "compatibility", ["v1", "v1.0", "1.x", "1", "V1.9", "v0.9", "v0.8", "v1 | v0.9 | v0.8", "v2 | v1", "0"]
)
def test_an_entry_of_this_version_or_an_earlier_one_is_understood(compatibility):
    assert understood({"compatibility": compatibility})


@requirement("MEM-001-1.4.1-compatibility")
@pytest.mark.parametrize("compatibility", ["v2", "2.0", "v2.x", "v10", "v3 | v2", 2])
def test_an_entry_that_needs_a_later_version_is_not(compatibility):
    assert not understood({"compatibility": compatibility})


@pytest.mark.parametrize(
    "block", [None, {}, [], {"compatibility": None}, {"compatibility": ""}, {"compatibility": "any"}]
)
def test_an_entry_that_names_no_version_asks_for_none(block):
    assert understood(block)
