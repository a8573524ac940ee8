"""What new memory files say."""

from __future__ import annotations

import pytest

from csbond_tests.custodian_world import PROJECT_ID
from csbond_tests.marks import requirement
from memory_custodian.rules.budgets import budget_of
from memory_custodian.rules.manifest import read_manifest, require_current
from memory_custodian.rules.parse_blocks import parse
from memory_custodian.rules.protocol import CORE_FILES, METADATA_KEYS
from memory_custodian.rules.templates import EXTENDED_FILES, core_template, is_scaffold, module_template
from memory_custodian.rules.trust import TRUST_BOUNDARY

MANIFEST = core_template("manifest.md", version="0.10.0", project_id=PROJECT_ID)


@requirement("CUST-01-02", "CUST-01-03", "CUST-03-01")
def test_a_new_manifest_has_the_nine_metadata_in_order() -> None:
    manifest = read_manifest(MANIFEST)
    require_current(manifest)
    assert manifest.metadata == (
        ("protocol_version", "0.6"),
        ("entry_schema_version", "1"),
        ("subject_schema_version", "1"),
        ("subject_registry", "subjects.md"),
        ("initialized_with", "memory-custodian 0.10.0"),
        ("last_migrated_with", "memory-custodian 0.10.0"),
        ("project_id", PROJECT_ID),
        ("admission_policy", "evidence-required"),
        ("conflict_identity_policy", "scope-subject-facet"),
    )
    assert tuple(key for key, _ in manifest.metadata) == METADATA_KEYS


@requirement("CUST-09-02", "CUST-16-16")
def test_a_new_manifest_has_the_trust_boundary() -> None:
    assert f"\n## Trust boundary\n\n{TRUST_BOUNDARY}\n" in MANIFEST


@requirement("CUST-B1.2-05", "CUST-03.1-12")
def test_the_routes_of_a_new_manifest_are_those_of_0_9_1() -> None:
    manifest = read_manifest(MANIFEST)
    shown = {
        category: (
            [line.path for line in lines if line.required],
            [line.path for line in lines if not line.required],
        )
        for category, lines in manifest.tasks.items()
    }
    assert [(line.path, line.required) for line in manifest.always] == [("brief.md", True)]
    assert shown == {
        "planning": (["decisions.md", "constraints.md", "do-not-use.md"], []),
        "implementation": (["decisions.md", "constraints.md", "do-not-use.md"], ["preferences.md"]),
        "artifact": (["do-not-use.md"], ["rules/output.md", "preferences.md"]),
        "preferences": ([], ["preferences.md"]),
        "history": (["decisions.md"], ["changelog.md"]),
        "maintenance": (["inbox.md", "do-not-use.md"], ["changelog.md"]),
    }
    assert not any("subjects.md" in [line.path for line in lines] for lines in manifest.tasks.values())


@requirement("CUST-T-08")
def test_the_budgets_of_a_new_manifest_are_those_in_force() -> None:
    budgets = read_manifest(MANIFEST).budgets
    assert len(budgets) == 9
    for stated in budgets:
        file = f"{stated.file}x.md" if stated.file.endswith("/") else stated.file
        assert stated.tokens == budget_of(file)


@requirement("CUST-B1.3-01")
@pytest.mark.parametrize(
    "file, parts",
    [
        (
            "manifest.md",
            ["# Memory Manifest\n", "## MemoryCustodian Protocol\n", "## Optional module index\n", "archive/"],
        ),
        ("subjects.md", ["# Subjects\n", "Entries are newest first.\n"]),
        ("brief.md", ["# Project Brief\n", "TODO: Describe what this project does"]),
        ("decisions.md", ["# Decisions\n", "Entries are newest first.\n"]),
        ("constraints.md", ["# Constraints\n"]),
        ("do-not-use.md", ["# Do Not Use / Tombstones\n", "Tombstones are newest first.\n"]),
        ("inbox.md", ["# Memory Inbox\n", "Entries are newest first.\n", "No unprocessed memory candidates.\n"]),
        ("preferences.md", ["# Preferences\n"]),
        ("changelog.md", ["# Memory Changelog\n", "Entries are newest first.\n"]),
        ("rules/code-style.md", ["# Rule: Code Style\n"]),
        ("profiles/night_shift.md", ["# Profile: Night Shift\n"]),
        ("areas/backend.md", ["# Area: Backend\n"]),
        ("rules/README.md", ["# "]),
        ("profiles/README.md", ["# "]),
        ("archive/README.md", ["# "]),
    ],
)
def test_each_new_file_has_the_headings_and_preambles_that_other_tools_look_for(file: str, parts: list[str]) -> None:
    text = MANIFEST if file == "manifest.md" else module_template(file)
    assert text.startswith(parts[0])
    assert all(part in text for part in parts)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_every_core_and_extended_file_has_a_template_that_is_no_entry() -> None:
    for file in CORE_FILES[1:] + EXTENDED_FILES:
        text = module_template(file)
        assert core_template(file) == text
        assert not any(block.kind in {"entry", "section"} for block in parse(text))


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_brief_is_a_scaffold_while_one_of_its_generated_sentences_stands(number: int) -> None:
    text = core_template("brief.md")
    todos = [line for line in text.split("\n") if "TODO" in line]
    assert len(todos) == 3
    for line in todos:
        if line != todos[number]:
            text = text.replace(line, "- Lantern turns field notes into printed maps.")
    assert is_scaffold(text)
    assert not is_scaffold(text.replace(todos[number], "- It runs on Python."))
