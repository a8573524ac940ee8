"""Two months of one node are those of a second reading that looks at everything every time."""

from __future__ import annotations

import pytest

from csbond.protocol.memory.tier_policy import TierPolicy
from csbond_tests.drills.both_years import BothYears, Length, compare
from csbond_tests.requirements import requirement
from csbond_tests.small_world import small_world

POLICY = TierPolicy(hot_cap=20, warm_cap=100)


@pytest.fixture
def year(either):
    return small_world(either.ledger, tiers=POLICY)


@requirement("MEM-005-5.4-every-eviction", "MEM-001-1.1-hot-cap", "MEM-001-1.1-warm-cap", "MEM-005-tend")
@requirement("MEM-005-5.3-dry-run")
async def test_two_months_end_as_the_second_reading_says_entry_for_entry(year):
    both = BothYears(year, Length(memories=2000, days=60), seed=4)
    await both.live()
    await compare(both)
