"""What a manifest says, and which ones a command may read or write by."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from csbond_tests.custodian_world import PROJECT_ID, project
from csbond_tests.marks import requirement
from memory_custodian.rules.manifest import (
    Manifest,
    StatedBudget,
    migration_notice,
    module_path,
    project_id_of,
    protocol_state,
    read_manifest,
    require_current,
    require_readable,
    require_writable,
)
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.templates import core_template

CURRENT = core_template("manifest.md", version="0.10.0", project_id=PROJECT_ID)


def of_protocol(version: str) -> Manifest:
    return read_manifest(CURRENT.replace("- protocol_version: 0.6\n", version))


@pytest.mark.parametrize(
    "line, state",
    [
        ("- protocol_version: 0.6\n", "current"),
        ("- protocol_version: 0.5\n", "older"),
        ("- protocol_version: 0.1\n", "older"),
        ("- protocol_version: 0.7\n", "newer"),
        ("- protocol_version: 0.10\n", "newer"),
        ("- protocol_version: 1.0\n", "newer"),
        ("- protocol_version: six\n", "invalid"),
        ("- protocol_version: 0.6.1\n", "invalid"),
        ("- protocol_version: 0.06\n", "invalid"),
        ("- protocol_version:\n", "missing"),
        ("", "missing"),
    ],
)
def test_a_protocol_version_is_compared_as_two_numbers(line: str, state: str) -> None:
    assert protocol_state(of_protocol(line)) == state


@requirement("CUST-13.1-22", "CUST-T-06")
def test_a_newer_or_invalid_protocol_is_refused_to_readers_and_writers() -> None:
    for guard in (require_readable, require_writable, require_current):
        with pytest.raises(Refused, match=r"manifest\.md: protocol_version '0\.7' is newer than this CLI supports"):
            guard(of_protocol("- protocol_version: 0.7\n"))
        with pytest.raises(Refused, match=r"manifest\.md: invalid protocol version 'six'; accepted: two numbers"):
            guard(of_protocol("- protocol_version: six\n"))


def test_a_long_value_is_no_version_and_is_not_repeated() -> None:
    with pytest.raises(Refused) as refused:
        require_readable(of_protocol("- protocol_version: " + "a" * 40 + "\n"))
    assert "aaaa" not in refused.value.message


def test_an_older_project_is_read_and_written_but_is_not_current() -> None:
    old = of_protocol("- protocol_version: 0.5\n")
    require_readable(old)
    require_writable(old)
    with pytest.raises(Refused, match=r"protocol_version is 0\.5; accepted: 0\.6, so run memory-custodian migrate"):
        require_current(old)


@requirement("CUST-08.2-08")
def test_only_an_older_project_has_a_notice_to_migrate() -> None:
    assert migration_notice(read_manifest(CURRENT), "migrate it") == ()
    (notice,) = migration_notice(of_protocol("- protocol_version: 0.5\n"), "migrate it")
    assert "has 0.5" in notice
    assert "; migrate it previews the move to 0.6" in notice
    assert len(migration_notice(of_protocol(""), "migrate it")) == 1


@requirement("CUST-03-02")
@pytest.mark.parametrize(
    "value",
    [
        PROJECT_ID.upper(),
        PROJECT_ID.replace("-4", "-1", 1),
        "3f2b8c1e-6a4d-4c55-1b1a-0d7e5a2f9c34",
        "{" + PROJECT_ID + "}",
        PROJECT_ID.replace("-", ""),
        "lantern",
        "",
    ],
)
def test_a_project_id_that_is_no_canonical_uuid4_is_refused_to_writers(value: str) -> None:
    text = CURRENT.replace(PROJECT_ID, value)
    manifest = read_manifest(text)
    assert project_id_of(manifest) is None
    with pytest.raises(Refused, match=r"manifest\.md: project_id is not valid; accepted: a UUIDv4"):
        require_writable(manifest)


def test_a_repeated_key_is_refused_to_writers_and_named() -> None:
    text = CURRENT.replace("- admission_policy:", f"- project_id: {PROJECT_ID}\n- admission_policy:")
    manifest = read_manifest(text)
    assert project_id_of(manifest) is None
    with pytest.raises(Refused, match=r"manifest\.md: project_id occurs 2 times; accepted: one line"):
        require_writable(manifest)
    require_readable(manifest)


@pytest.mark.parametrize(
    "key, accepted",
    [
        ("entry_schema_version", "1"),
        ("subject_schema_version", "1"),
        ("subject_registry", "subjects.md"),
        ("admission_policy", "evidence-required"),
        ("conflict_identity_policy", "scope-subject-facet"),
    ],
)
def test_each_fixed_value_is_demanded_of_a_current_project(key: str, accepted: str) -> None:
    other = read_manifest(re.sub(rf"- {key}: .*", f"- {key}: other", CURRENT))
    with pytest.raises(Refused, match=rf"manifest\.md: {key} 'other' is not valid; accepted: {re.escape(accepted)}"):
        require_writable(other)
    absent = read_manifest(re.sub(rf"- {key}: .*\n", "", CURRENT))
    require_writable(absent)
    with pytest.raises(Refused, match=rf"manifest\.md: {key} missing; memory-custodian migrate"):
        require_current(absent)


@requirement("CUST-B1.2-01")
def test_headings_are_compared_without_case_and_unknown_keys_are_kept() -> None:
    text = CURRENT.replace("## MemoryCustodian Protocol", "##  memorycustodian PROTOCOL ##")
    text = text.replace("## Always load", "## ALWAYS LOAD").replace("### Preferences", "### PREFERENCES")
    manifest = read_manifest(text.replace("- project_id", "A remark.\n- team: north\n- project_id"))
    assert ("team", "north") in manifest.metadata
    assert project_id_of(manifest) == PROJECT_ID
    assert manifest.faults == ()
    assert [line.path for line in manifest.always] == ["brief.md"]


def test_what_stands_in_a_code_fence_is_an_example_and_no_route() -> None:
    example = "```\n## Always load\n- secret.md\n- protocol_version: 0.9\n```\n"
    manifest = read_manifest(
        CURRENT.replace("## MemoryCustodian Protocol\n", f"## MemoryCustodian Protocol\n{example}")
    )
    assert protocol_state(manifest) == "current"
    assert [line.path for line in manifest.always] == ["brief.md"]
    assert manifest.faults == ()


@requirement("CUST-B1.2-02")
def test_load_lines_say_whether_what_follows_is_required() -> None:
    route = "- first.md\nload:\n- `second.md`\nLOAD IF PRESENT:\n- third.md\n  - fourth.md\n"
    route += "Also load:\n- fifth.md\n- rules/\n"
    manifest = read_manifest(CURRENT.replace("## Always load\n- brief.md\n", f"## Always load\n{route}"))
    assert [(line.path, line.required) for line in manifest.always] == [
        ("first.md", True),
        ("second.md", True),
        ("third.md", False),
        ("fourth.md", False),
        ("fifth.md", True),
    ]


@requirement("CUST-B1.2-03")
@pytest.mark.parametrize(
    "path",
    [
        "/etc/notes.md",
        "../notes.md",
        "areas/../../notes.md",
        "areas\\sync.md",
        "C:/notes.md",
        "file:notes.md",
        "notes.txt",
        "notes",
        ".md",
        "areas/.md",
        "a\tb.md",
    ],
)
def test_an_unsafe_path_of_a_route_breaks_it(path: str) -> None:
    assert module_path(path) is None
    manifest = read_manifest(CURRENT.replace("## Always load\n", f"## Always load\n- {path}\n"))
    (fault,) = manifest.faults
    assert fault.fatal
    assert fault.category == "general"
    assert fault.message.startswith("manifest.md: general route: unsafe or malformed memory path")
    assert fault.line == CURRENT[: CURRENT.index("## Always load")].count("\n") + 2


@requirement("CUST-03.1-04")
@pytest.mark.parametrize(
    "written, path",
    [
        ("brief.md", "brief.md"),
        ("./areas//sync.md", "areas/sync.md"),
        ("areas/./a b.md", "areas/a b.md"),
        ("a:b/c.md", None),
    ],
)
def test_a_path_has_one_spelling(written: str, path: str | None) -> None:
    assert module_path(written) == path


def test_each_canonical_heading_is_expected_once() -> None:
    twice = read_manifest(CURRENT + "\n### Memory maintenance\n- inbox.md\n\n## Always load\n- brief.md\n")
    assert {fault.category for fault in twice.faults} == {"maintenance", "general"}
    assert "route: expected one canonical heading; candidates: line" in twice.faults[1].message
    assert "expected exactly one 'Always load' section, found 2" in twice.faults[0].message
    none = read_manifest("# Memory Manifest\n")
    assert len(none.faults) == 7
    assert all(fault.fatal for fault in none.faults)
    assert none.faults[1].message.endswith("candidates: none; accepted: ### Planning / architecture / refactoring")


def test_a_path_named_twice_is_a_fault_that_does_not_stop_reading() -> None:
    (fault,) = read_manifest(CURRENT.replace("- inbox.md\n", "- inbox.md\n- ./inbox.md\n")).faults
    assert (fault.category, fault.fatal) == ("maintenance", False)
    assert fault.message == "manifest.md: maintenance route: duplicate paths: inbox.md"


@requirement("CUST-B1.2-04")
def test_back_ticked_module_paths_of_the_index_are_enabled() -> None:
    index = (
        "- `areas/sync.md`: open it.\n- see `profiles/night.md`, `rules/README.md`, `areas/../x.md` and `brief.md`\n"
    )
    manifest = read_manifest(CURRENT.replace("### Enabled areas\n- None enabled.\n", f"### Enabled areas\n{index}"))
    assert manifest.indexed == ("areas/sync.md", "profiles/night.md")


@requirement("CUST-T-08")
def test_the_numbers_of_the_budget_section_are_read_so_that_they_can_be_compared() -> None:
    table = "| decisions.md | 900 |\n- brief.md: 500 of 600\n`areas/<name>.md` 700 tokens\nNothing here.\n"
    manifest = read_manifest("# Memory Manifest\n\n## Context budget\n" + table)
    assert manifest.budgets == (StatedBudget("decisions.md", 900, 4), StatedBudget("areas/", 700, 6))


def test_the_manifests_of_the_test_worlds_are_sound(tmp_path: Path) -> None:
    for protocol, state in (("0.6", "current"), ("0.5", "older")):
        manifest = read_manifest(project(tmp_path / protocol, protocol).text("manifest.md"))
        assert manifest.faults == ()
        assert protocol_state(manifest) == state
