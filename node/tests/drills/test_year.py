"""A year of one memory of 100,000 entries, compared with a second reading of the rules."""

from __future__ import annotations

from csbond.protocol.memory.tier_policy import TierPolicy
from csbond.store.sqlite import open_ledger
from csbond.testing import FixedSigner
from csbond_tests.drills.both_years import BothYears, Length, compare
from csbond_tests.drills.form import FULL
from csbond_tests.requirements import requirement
from csbond_tests.small_world import WatchedLedger, small_world

LENGTH, POLICY = (
    (Length(100_000, 365), TierPolicy()) if FULL else (Length(1000, 120), TierPolicy(hot_cap=9, warm_cap=40))
)


@requirement("MEM-005-year")
async def test_a_year_ends_as_the_second_reading_says_entry_for_entry(tmp_path):
    ledger = await open_ledger(tmp_path / "csbond.db", FixedSigner(), "Luna")
    both = BothYears(small_world(WatchedLedger(ledger), tiers=POLICY), LENGTH, seed=11)
    await both.live()
    await compare(both)
    assert await ledger.check() == []
    await ledger.close()
