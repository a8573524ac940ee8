"""How a manifest is changed: what is added stands in its place, and everything else stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from csbond_tests.custodian_world import PROJECT_ID, project
from csbond_tests.marks import requirement
from memory_custodian.rules.manifest import read_manifest
from memory_custodian.rules.manifest_edit import (
    with_implementation_decisions,
    with_index,
    with_metadata,
    with_module,
    with_trust,
)
from memory_custodian.rules.protocol import METADATA_KEYS
from memory_custodian.rules.templates import core_template, metadata_values
from memory_custodian.rules.trust import TRUST_BOUNDARY

CURRENT = core_template("manifest.md", version="0.10.0", project_id=PROJECT_ID)
VALUES = metadata_values("0.10.0", PROJECT_ID)


@pytest.fixture
def old(tmp_path: Path) -> str:
    return project(tmp_path, "0.5").text("manifest.md")


@requirement("CUST-03-01", "CUST-11.1-04")
def test_old_metadata_grow_into_the_order_of_new_ones(old: str) -> None:
    text = with_metadata(old, VALUES)
    assert read_manifest(text).metadata == tuple(VALUES.items())
    added = text.split("\n")
    for line in old.split("\n"):
        if "protocol_version" not in line and "ed_with" not in line:
            assert line in added


@requirement("CUST-B1.2-01", "CUST-11.1-04")
def test_unknown_keys_comments_and_prose_of_the_metadata_survive(old: str) -> None:
    kept = "<!-- keep -->\n- team: north\nAsk before you change this.\n"
    text = with_metadata(old.replace("- initialized_with", f"{kept}- initialized_with"), VALUES)
    assert kept in text
    assert [key for key, _ in read_manifest(text).metadata if key in METADATA_KEYS] == list(METADATA_KEYS)


@requirement("CUST-B2.3-03")
def test_metadata_that_are_right_are_left_byte_for_byte() -> None:
    odd = CURRENT.replace("- protocol_version: 0.6", "  - protocol_version:   0.6  ")
    assert with_metadata(odd, VALUES) == odd


def test_missing_metadata_are_put_before_the_first_h2(old: str) -> None:
    start = old.index("## MemoryCustodian Protocol")
    bare = old[:start] + old[old.index("## Always load") :]
    text = with_metadata(bare, VALUES)
    assert text.index("## MemoryCustodian Protocol") == start
    assert text.replace(text[start : text.index("## Always load")], "") == bare
    assert with_metadata("# Memory Manifest\n", {"protocol_version": "0.6"}) == (
        "# Memory Manifest\n\n## MemoryCustodian Protocol\n- protocol_version: 0.6\n"
    )


def test_an_empty_metadata_section_is_filled() -> None:
    text = with_metadata("# M\n\n## MemoryCustodian Protocol\n\n## Always load\n", VALUES)
    assert text.startswith("# M\n\n## MemoryCustodian Protocol\n- protocol_version: 0.6\n- entry_schema_version: 1\n")


@requirement("CUST-09-02")
def test_the_trust_boundary_is_put_behind_the_metadata_once(old: str) -> None:
    text = with_trust(old)
    assert f"\n\n## Trust boundary\n\n{TRUST_BOUNDARY}\n## Always load\n" in text
    assert text.replace(f"## Trust boundary\n\n{TRUST_BOUNDARY}\n", "") == old
    assert with_trust(text) == text
    assert with_trust(CURRENT) == CURRENT
    assert "## Trust boundary" in with_trust("# Memory Manifest\n")


@requirement("CUST-09-02")
def test_a_trust_section_with_other_words_gets_the_text_that_holds_and_keeps_its_own() -> None:
    other = CURRENT.replace(TRUST_BOUNDARY, "Memory may push to main.\n")
    text = with_trust(other)
    assert f"## Trust boundary\n\n{TRUST_BOUNDARY}" in text
    assert "Memory may push to main.\n" in text
    rewrapped = CURRENT.replace(TRUST_BOUNDARY, TRUST_BOUNDARY.replace(" ", "\n"))
    assert with_trust(rewrapped) == rewrapped


@requirement("CUST-B1.2-04")
def test_the_first_module_takes_the_place_of_the_placeholder_and_later_ones_come_first() -> None:
    text = with_module(with_module(CURRENT, "areas/sync.md"), "areas/store.md")
    part = text[text.index("### Enabled areas") : text.index("## Explicit only")]
    assert part.split("\n")[1].startswith("- `areas/store.md`: ")
    assert part.split("\n")[2].startswith("- `areas/sync.md`: ")
    assert "None enabled" not in part
    assert text.count("- None enabled.") == 2
    assert with_module(text, "areas/sync.md") == text
    assert read_manifest(text).indexed == ("areas/store.md", "areas/sync.md")


@pytest.mark.parametrize("file", ["brief.md", "archive/old.md", "rules/README.md", "areas/a`b.md", "areas/../x.md"])
def test_what_is_no_optional_module_is_not_indexed(file: str) -> None:
    assert with_module(CURRENT, file) == CURRENT


def test_a_missing_index_is_made_before_what_is_loaded_only_explicitly(old: str) -> None:
    start, end = old.index("## Optional module index"), old.index("## Explicit only")
    bare = old[:start] + old[end:]
    text = with_module(bare, "profiles/night.md")
    assert read_manifest(text).indexed == ("profiles/night.md",)
    assert text.index("### Enabled areas") < text.index("## Explicit only")
    assert read_manifest(text).tasks == read_manifest(bare).tasks
    assert with_index(old) == old


def test_a_missing_part_of_the_index_is_made(old: str) -> None:
    bare = old.replace("### Enabled profiles\n- None enabled.\n\n", "")
    text = with_index(bare)
    assert text.count("### Enabled profiles\n- None enabled.\n") == 1
    assert read_manifest(text).faults == ()


@requirement("CUST-B2.11-01")
def test_the_generated_implementation_route_of_0_4_gets_decisions_and_a_custom_one_does_not(old: str) -> None:
    heading = "### Implementation / execution / debugging\nLoad:\n"
    of_0_4 = old.replace(f"{heading}- decisions.md\n", heading)
    assert with_implementation_decisions(of_0_4) == old
    custom = of_0_4.replace(f"{heading}- constraints.md\n", f"{heading}- constraints.md\n- areas/sync.md\n")
    assert with_implementation_decisions(custom) == custom
    assert with_implementation_decisions(old) == old
