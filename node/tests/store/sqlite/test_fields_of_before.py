"""What clients named in a ledger of schema 1 under names of today is kept, and can be sent back as it is read."""

from __future__ import annotations

import pytest

from csbond.protocol.memory.entry_json import revised
from csbond.protocol.memory.entry_shown import entry_to_json
from csbond.protocol.memory.level_names import LevelNames
from csbond_tests.earlier_ledger import WrittenBefore, entries
from csbond_tests.ledger_samples import NOW


@pytest.fixture
def written(tmp_path):
    return WrittenBefore(tmp_path / "csbond.db")


@pytest.mark.parametrize(
    "named, thread_id, project, said",
    [
        ("Trips", "", "trips", "Trips"),
        ("  River -_ Trips_", "thread-1", "river-trips", "  River -_ Trips_"),
        ("河流", "", "河流", "河流"),
        ("ÄRGER", "", "ärger", "ÄRGER"),
        ("A\u0308rger", "", "ärger", "Ärger"),
        ("Ｔｒｉｐｓ　２", "", "trips-2", "Ｔｒｉｐｓ　２"),
        (7, "thread-1", "7", "7"),
        (0.5, "", "0.5", "0.5"),
        ("x" * 128, "", "x" * 128, "x" * 128),
    ],
)
async def test_the_project_an_entry_named_is_what_it_is_counted_with(written, named, thread_id, project, said):
    written.entry("mem_1_a", thread_id, metadata={"project": named, "kept": 1})
    entry = (await entries(written))["mem_1_a"]
    assert entry.project == project
    assert entry.extra == {"metadata": {"project": said, "kept": 1}}


@pytest.mark.parametrize("named", ["", " -_ ", "x" * 129, "x" * 300, True, ["trips"], {"name": "trips"}], ids=str)
async def test_what_is_no_name_of_a_project_is_kept_under_another_name(written, named):
    written.entry("mem_1_a", "thread-1", metadata={"project": named, "kept": 1})
    written.entry("mem_1_b", metadata={"project": named, "project_declared": "mine"})
    written.next_version("mem_1_a")
    ledger = await written.opened()
    entry, other = await ledger.entry("mem_1_a"), await ledger.entry("mem_1_b")
    assert (entry.project, other.project) == ("thread:thread-1", "")
    assert entry.extra == {"metadata": {"project_declared": named, "kept": 1}}
    assert other.extra == {"metadata": {"project_declared": ["mine", named]}}
    assert [version.extra for version in await ledger.versions_before("mem_1_a", 2, 5)] == [entry.extra]
    await ledger.close()


@pytest.mark.parametrize(
    "told",
    [
        *({"metadata": {"project": named}} for named in (7, "  ", "x" * 300, "A\u0308rger", True)),
        {"links": [{"target_id": "\t\u3000mem_1_b\n"}, {"target_id": "mem_1_nowhere", "note": "why"}, 7]},
        {"links": "mem_1_b", "link_fields": "abc", "link_metadata": "text"},
        {"links": ["mem_1_nowhere"], "link_metadata": {"declared": {"unresolved": {"mine": 1}, "link_fields": [2]}}},
    ],
    ids=str,
)
async def test_what_an_upgrade_leaves_can_be_sent_back_and_changes_nothing(written, told):
    written.entry("mem_1_a", **told)
    written.entry("mem_1_b")
    entry = (await entries(written))["mem_1_a"]
    assert revised(entry, entry_to_json(entry, LevelNames()), NOW + 9, LevelNames()) == entry


@pytest.mark.parametrize("mine, kept", [("mine", ["mine"]), (["a", {"b": 1}], ["a", {"b": 1}]), ({"b": 1}, [{"b": 1}])])
async def test_what_a_client_declared_under_a_name_of_the_upgrade_is_kept_beside_what_that_declares(
    written, mine, kept
):
    declared = {"unresolved": mine, "link_fields": mine, "q": 1}
    written.entry("mem_1_a", links=["mem_1_nowhere"], link_fields="abc", link_metadata={"declared": declared})
    written.entry("mem_1_b", link_metadata=declared)
    found = await entries(written)
    assert found["mem_1_a"].extra["link_metadata"]["declared"] == {
        "unresolved": [*kept, "mem_1_nowhere"],
        "link_fields": [mine, "abc"],
        "q": 1,
    }
    assert found["mem_1_b"].extra["link_metadata"]["declared"] == declared
