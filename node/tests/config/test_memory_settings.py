"""What the settings of memory change in a node."""

from __future__ import annotations

from pathlib import Path

import pytest

import csbond
from csbond.config.home import create_home
from csbond.config.memory_settings import DuplicateSettings, MemorySettings
from csbond.config.settings import Settings
from csbond.node import open_node
from csbond.testing import CountedIdentifiers, InMemoryLedger, SetClock
from csbond_tests.memories import remember
from csbond_tests.requirements import requirement


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


@requirement("MEM-005-report-file-in-package")
async def test_memory_is_kept_in_the_home_and_nowhere_in_the_package(tmp_path):
    def in_package():
        root = Path(csbond.__file__).parent
        return {path for path in root.rglob("*") if "__pycache__" not in path.parts}

    clock, identifiers = SetClock(), CountedIdentifiers()
    home = create_home(tmp_path / "luna", "Luna", "", "", clock, identifiers)
    before = in_package()
    settings = Settings(memory=MemorySettings(semantic="off"))
    node = await open_node(home, settings, clock=clock, identifiers=identifiers)
    await remember(node.world, "The key is under the mat.")
    await node.close()
    assert in_package() == before
    holding = [path.name for path in home.path.iterdir() if b"The key is under the mat." in path.read_bytes()]
    assert holding == ["csb.db"]
