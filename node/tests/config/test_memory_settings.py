"""What the settings of memory change in a node."""

from __future__ import annotations

import pytest

from csbond.config.home import create_home
from csbond.config.memory_settings import DuplicateSettings, MemorySettings
from csbond.config.settings import Settings
from csbond.node import open_node
from csbond.testing import CountedIdentifiers, InMemoryLedger, SetClock
from csbond_tests.memories import remember


@pytest.mark.parametrize("same, kept", [("merge", 1), ("keep", 2)])
async def test_a_memory_that_is_written_twice_is_merged_or_kept_as_set(tmp_path, same, kept):
    clock, identifiers = SetClock(), CountedIdentifiers()
    home = create_home(tmp_path / "luna", "Luna", "", "", clock, identifiers)
    settings = Settings(memory=MemorySettings(semantic="off"), duplicates=DuplicateSettings(same))
    node = await open_node(home, settings, clock=clock, identifiers=identifiers, ledger=InMemoryLedger())
    for _ in range(2):
        await remember(node.world, "The key is under the mat.")
    assert (await node.world.ledger.counts())["entries"] == kept
    await node.close()


def test_two_of_one_memory_are_merged_unless_somebody_says_otherwise():
    assert Settings().duplicates.same == "merge"
