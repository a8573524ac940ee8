"""What the settings of memory change in a node."""

from __future__ import annotations

from pathlib import Path

import pytest

import csbond
from csbond.config.home import create_home
from csbond.config.memory_settings import DuplicateSettings, MemorySettings
from csbond.config.settings import Settings
from csbond.config.settings_file import settings_from
from csbond.config.settings_rules import check_settings
from csbond.node import open_node
from csbond.protocol.errors import LocalProtocolError
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


ENDPOINT = {"embedder": "endpoint", "endpoint_url": "https://models.example/v1", "endpoint_model": "tiny"}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"endpoint_url": "http://127.0.0.1:8080/v1"},
        {"endpoint_url": "http://localhost:8080"},
        {"endpoint_token_file": "key"},
        {"endpoint_token_env": "EMBEDDING_KEY", "endpoint_dimension": 256},
    ],
)
def test_an_endpoint_with_an_address_and_a_model_is_taken(changes):
    check_settings(Settings(memory=MemorySettings(**(ENDPOINT | changes))))


@pytest.mark.parametrize(
    "changes, field",
    [
        ({"endpoint_url": ""}, "memory.endpoint_url"),
        ({"endpoint_url": "models.example/v1"}, "memory.endpoint_url"),
        ({"endpoint_url": "https://models.example/v1/"}, "memory.endpoint_url"),
        ({"endpoint_url": "https://ann:sesame@models.example/v1"}, "memory.endpoint_url"),
        ({"endpoint_url": "https://models.example/v1?key=sesame"}, "memory.endpoint_url"),
        ({"endpoint_url": "http://models.example/v1"}, "memory.endpoint_url"),
        ({"endpoint_url": "http://10.0.0.7/v1"}, "memory.endpoint_url"),
        ({"endpoint_model": ""}, "memory.endpoint_model"),
        ({"endpoint_token_file": "key", "endpoint_token_env": "KEY"}, "memory.endpoint_token_env"),
    ],
)
def test_an_endpoint_that_tells_those_on_the_way_or_names_no_model_is_refused(changes, field):
    with pytest.raises(LocalProtocolError) as info:
        check_settings(Settings(memory=MemorySettings(**(ENDPOINT | changes))))
    assert (info.value.code.name, info.value.field) == ("setting_invalid", field)
    assert "ann:sesame" not in info.value.reason


def test_an_endpoint_that_is_not_used_need_not_be_whole():
    check_settings(Settings(memory=MemorySettings(endpoint_url="anything")))


def test_the_key_of_an_endpoint_is_looked_for_in_the_home(tmp_path):
    read = settings_from({"memory": {"endpoint_token_file": "key"}}, tmp_path)
    assert read.memory.endpoint_token_file == str(tmp_path / "key")


@requirement("MEM-002-2.2-embedders")
@pytest.mark.parametrize(
    "changes, model",
    [
        ({"semantic": "off"}, ""),
        ({**ENDPOINT, "endpoint_dimension": 8}, "/tiny/8"),
    ],
)
async def test_a_node_has_the_embedder_of_its_settings_or_says_why_it_has_none(tmp_path, changes, model):
    pytest.importorskip("numpy", reason="absent extra: semantic")
    clock, identifiers = SetClock(), CountedIdentifiers()
    home = create_home(tmp_path / "luna", "Luna", "", "", clock, identifiers)
    settings = Settings(memory=MemorySettings(**changes))
    node = await open_node(home, settings, clock=clock, identifiers=identifiers, ledger=InMemoryLedger())
    world = node.world
    told = world.embedder.model_id if world.embedder else ""
    assert told.endswith(model)
    assert bool(told) is bool(world.index) is bool(world.nearest) is not bool(world.no_embedder)
    await node.close()
