"""What the settings of memory change in a node."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest

import csbond
from csbond.config.home import create_home
from csbond.config.memory_settings import (
    DuplicateSettings,
    ForgettingSettings,
    MemorySettings,
    TierSettings,
    deletion_policy,
    near_policy,
    review_again_ms,
    tier_policy,
    whitespace_policy,
)
from csbond.config.settings import Settings
from csbond.config.settings_file import read_settings, settings_from
from csbond.config.settings_rules import check_settings
from csbond.config.settings_text import sections
from csbond.flows.note_use import note_use
from csbond.node import open_node
from csbond.protocol.errors import CsbError, LocalProtocolError
from csbond.protocol.memory.deletion import DAY_MS, DeletionPolicy
from csbond.protocol.memory.near_duplicates import NearPolicy
from csbond.protocol.memory.review import REVIEW_AGAIN_MS
from csbond.protocol.memory.tier_policy import TierPolicy, WhitespacePolicy
from csbond.schedule.jobs import JOBS, jobs_at
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


OTHER = TierSettings(
    hot_cap=7,
    warm_cap=9,
    promote_uses=5,
    promote_days=2.0,
    hot_idle_days=3.0,
    warm_idle_days=4.0,
    alpha=0.6,
    beta=0.35,
    promote_score=0.8,
    formula="literal",
    cold_rises="found",
    rhythm_s=60,
    cold_evicts=False,
    cold_ttl_days=6.5,
    pinned_tags=("keep", "caf\u0065\u0301"),
    review_decisions=True,
)


@requirement("MEM-004-4.2-thresholds", "MEM-001-1.1-hot-cap", "MEM-001-1.1-warm-cap")
def test_every_threshold_weight_and_cap_of_the_tiers_is_a_setting_with_its_unit():
    assert tier_policy(TierSettings()) == TierPolicy()
    assert tier_policy(OTHER) == TierPolicy(
        hot_cap=7,
        warm_cap=9,
        promote_uses=5,
        promote_within_ms=2 * DAY_MS,
        hot_idle_ms=3 * DAY_MS,
        warm_idle_ms=4 * DAY_MS,
        alpha=0.6,
        beta=0.35,
        promote_score=0.8,
        formula="literal",
        cold_rises="found",
        rhythm_ms=60_000,
        cold_evicts=False,
        cold_ttl_ms=round(6.5 * DAY_MS),
        pinned_tags=frozenset({"keep", "caf\u00e9"}),
        review_decisions=True,
    )
    same = [each.name for each in fields(TierPolicy) if getattr(tier_policy(OTHER), each.name) == each.default]
    assert same == [], "a part of the policy that no setting changes"
    (section,) = [section for section in sections() if section.name == "tiers"]
    for row in section.rows:
        unit = {"_days": "Days", "_s": "Seconds", "_cap": "Memories", "_uses": "Uses"}
        for ending, word in unit.items():
            assert not row.name.endswith(ending) or row.sentence.startswith(word), row.name


@requirement("MEM-004-4.3-three-years", "MEM-004-4.3-optional")
def test_how_long_what_was_deleted_is_kept_is_set_too():
    preset = ForgettingSettings()
    assert (deletion_policy(preset), whitespace_policy(preset)) == (DeletionPolicy(), WhitespacePolicy())
    assert review_again_ms(preset) == REVIEW_AGAIN_MS
    other = ForgettingSettings(restore_days=1.5, whitespace=False, retention_years=5, review_again_days=2.0)
    assert deletion_policy(other) == DeletionPolicy(DAY_MS * 3 // 2)
    assert whitespace_policy(other) == WhitespacePolicy(enabled=False, retention_years=5)
    assert review_again_ms(other) == 2 * DAY_MS


@pytest.mark.parametrize(
    "line,says",
    [
        ("promote_uses = 17", "from 1 to 16"),
        ("hot_idle_days = 0", "from 0.001 to 36500"),
        ("hot_idle_days = 1e300", "from 0.001 to 36500"),
        ("hot_cap = 0", "from 1 to 100000"),
        ("hot_cap = 100000000000000000000", "from 1 to 100000"),
        ("warm_cap = 100001", "from 1 to 100000"),
        ("alpha = 1.5", "from 0 to 1"),
        ('formula = "newest"', "'recent', 'literal'"),
        ("promote_score = 1.0\nalpha = 0.5", "which no score reaches"),
    ],
)
def test_a_threshold_out_of_its_bounds_is_refused_with_what_would_do(tmp_path, line, says):
    file = tmp_path / "csb.toml"
    file.write_text(f"[tiers]\n{line}\n", encoding="utf-8")
    with pytest.raises(CsbError, match=says) as refusal:
        read_settings(file)
    assert (refusal.value.code.name, str(refusal.value.field).startswith("tiers.")) == ("setting_invalid", True)


async def opened(tmp_path, **changes):
    clock, identifiers = SetClock(), CountedIdentifiers()
    home = create_home(tmp_path / "luna", "Luna", "", "", clock, identifiers)
    settings = replace(Settings(memory=MemorySettings(semantic="off")), **changes)
    return await open_node(home, settings, clock=clock, identifiers=identifiers)


async def test_a_node_goes_by_its_settings(tmp_path):
    forgetting = ForgettingSettings(restore_days=2.0, whitespace=False, review_again_days=3.0)
    duplicates = DuplicateSettings(near="off")
    node = await opened(tmp_path, tiers=OTHER, forgetting=forgetting, duplicates=duplicates)
    world = node.world
    assert world.near == NearPolicy(links=False)
    assert (world.tiers, world.deletion) == (tier_policy(OTHER), DeletionPolicy(2 * DAY_MS))
    assert (world.whitespace.enabled, world.review_again_ms) == (False, 3 * DAY_MS)
    await node.close()


@requirement("MEM-004-4.2-uses-kept")
async def test_a_node_that_ends_keeps_the_uses_that_wait(tmp_path):
    node = await opened(tmp_path)
    await node.start()
    entry = await remember(node.world, "The key is under the mat.")
    note_use(node.world, [entry])
    await node.close()
    again = await open_node(node.home, node.settings, clock=SetClock(), identifiers=CountedIdentifiers())
    kept = await again.world.ledger.entry(entry.id)
    assert kept is not None
    assert (kept.access_count, kept.version) == (1, 1)
    await again.close()


async def test_a_node_ends_though_its_last_uses_cannot_be_kept(tmp_path):
    node = await opened(tmp_path)
    note_use(node.world, [await remember(node.world, "The key is under the mat.")])
    node.world.ledger._database._connection.pragma("query_only", True)
    await node.close()


def test_what_is_nearly_the_same_goes_by_the_settings():
    assert near_policy(DuplicateSettings()) == NearPolicy()
    other = DuplicateSettings(near="off", near_cosine=0.9, near_words=0.7)
    assert near_policy(other) == NearPolicy(links=False, cosine=0.9, words=0.7)


def test_the_memories_are_tended_as_often_as_set():
    every = {job.name: job.every_s for job in JOBS}
    assert every["tend_memory"] == TierSettings().tend_every_s == 600
    assert {job.name: job.every_s for job in jobs_at(30)} == every | {"tend_memory": 30}


ENDPOINT = {"embedder": "endpoint", "endpoint_url": "https://models.example/v1", "endpoint_model": "tiny"}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"endpoint_url": "http://127.0.0.1:8080/v1"},
        {"endpoint_url": "http://localhost:8080"},
        {"endpoint_token_file": "key"},
        {"endpoint_token_env": "EMBEDDING_KEY", "endpoint_dimension": 256},
        {"embedder": "auto", "endpoint_model": "", "summary": "endpoint", "summary_model": "small"},
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
        ({"endpoint_url": "https://models..example/v1"}, "memory.endpoint_url"),
        ({"endpoint_url": "https://ann:sesame@models.example/v1"}, "memory.endpoint_url"),
        ({"endpoint_url": "https://models.example/v1?key=sesame"}, "memory.endpoint_url"),
        ({"endpoint_url": "http://models.example/v1"}, "memory.endpoint_url"),
        ({"endpoint_url": "http://10.0.0.7/v1"}, "memory.endpoint_url"),
        ({"endpoint_model": ""}, "memory.endpoint_model"),
        ({"summary": "endpoint"}, "memory.summary_model"),
        ({"embedder": "auto", "summary": "endpoint", "endpoint_url": "http://models.example"}, "memory.endpoint_url"),
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


@requirement("MEM-003-interop-summary")
@pytest.mark.parametrize("changes", [{}, {"summary": "endpoint", "summary_model": "small", **ENDPOINT}])
async def test_a_node_summarises_by_extract_unless_its_owner_chose_a_model(tmp_path, changes):
    settings = Settings(memory=MemorySettings(**({"semantic": "off"} | changes)))
    clock, identifiers = SetClock(), CountedIdentifiers()
    home = create_home(tmp_path / "luna", "Luna", "", "", clock, identifiers)
    node = await open_node(home, settings, clock=clock, identifiers=identifiers, ledger=InMemoryLedger())
    assert bool(node.world.summariser) is bool(changes)
    await node.close()


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
