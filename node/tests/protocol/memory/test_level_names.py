from __future__ import annotations

import pytest

from csbond.protocol.errors import LocalProtocolError, RemoteProtocolError
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.level_names import LevelNames, level_names
from csbond_tests.requirements import requirement

DECLARED = {"hot": "active", "warm": "project", "cold": "archive"}


@requirement("MEM-001-1.1-tiers")
@pytest.mark.parametrize("level", list(Level))
def test_a_home_without_a_map_writes_the_tiers_by_their_own_names(level):
    names = LevelNames()
    assert names.name(level) == level.value
    assert names.level(level.value.upper()) is level


@requirement("MEM-001-1.2-synonyms")
def test_a_declared_synonym_is_written_and_both_names_are_read():
    names = level_names(DECLARED)
    assert names.name(Level.HOT) == "active"
    assert names.level("Active") is names.level("hot") is Level.HOT
    assert names.level("archive") is Level.COLD


def test_a_map_of_one_tier_leaves_the_others_alone():
    names = level_names({"warm": " project "})
    assert [names.name(level) for level in Level] == ["hot", "project", "cold"]


@requirement("MEM-001-1.1-tiers")
@pytest.mark.parametrize("value", ["tepid", "", None, 7, ["hot"]])
def test_what_names_no_tier_is_refused_with_the_names_there_are(value):
    with pytest.raises(RemoteProtocolError, match="hot, warm, cold, active") as refusal:
        level_names({"hot": "active"}).level(value)
    assert refusal.value.field == "level"


@pytest.mark.parametrize(
    "raw, complaint",
    [
        ({"icy": "frozen"}, "no tier 'icy'"),
        ({"hot": " "}, "needs a name"),
        ({"hot": "x" * 33}, "needs a name"),
        ({"hot": "top", "warm": "TOP"}, "two tiers"),
        ({"hot": "cold"}, "two tiers"),
    ],
)
def test_a_map_that_could_mean_two_things_is_a_wrong_setting(raw, complaint):
    with pytest.raises(LocalProtocolError, match=complaint) as refusal:
        level_names(raw)
    assert refusal.value.code.name == "setting_invalid"
