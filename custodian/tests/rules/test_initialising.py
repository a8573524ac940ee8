"""What `init` makes, repairs or replaces."""

from __future__ import annotations

import pytest

from csbond_tests.custodian_world import PROJECT_ID, FixedDraws
from csbond_tests.marks import requirement
from memory_custodian.rules.initialising import InitRequest, plan_init
from memory_custodian.rules.manifest import project_id_of, read_manifest, require_current
from memory_custodian.rules.plan import Plan
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.protocol import CORE_FILES
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.templates import EXTENDED_FILES, core_template

OTHER_ID = "8d0a6c3e-1b2f-4a7d-8c9e-5f4e3d2c1b0a"
FRESH = {file: core_template(file, version="0.10.0", project_id=PROJECT_ID) for file in CORE_FILES}
CURATED = {**FRESH, "brief.md": "# Project Brief\n\nLantern makes maps.\n"}


def planned(texts: dict[str, str], **wishes: bool) -> Plan:
    request = InitRequest(version="0.10.0", **wishes)  # type: ignore[arg-type]
    draws = FixedDraws(project_id=OTHER_ID)
    return plan_init(Snapshot("docs/memory", texts), request, draws, "/lantern/docs/memory")


def written(plan: Plan) -> dict[str, str]:
    return {change.path.removeprefix("docs/memory/"): change.after for change in plan.changes}


def edited(old: str, new: str) -> dict[str, str]:
    return {**CURATED, "manifest.md": FRESH["manifest.md"].replace(old, new)}


@requirement("CUST-B2.3-01", "CUST-01-02", "CUST-03.1-11")
def test_a_new_project_gets_the_seven_core_files_of_protocol_0_6() -> None:
    plan = planned({})
    assert tuple(written(plan)) == CORE_FILES
    manifest = read_manifest(written(plan)["manifest.md"])
    require_current(manifest)
    assert project_id_of(manifest) == OTHER_ID == plan.project_id
    assert written(plan)["subjects.md"].startswith("# Subjects\n")
    assert plan.headline[0] == "Initialized MemoryCustodian at /lantern/docs/memory"
    assert "- brief.md: written" in plan.headline
    assert plan.headline[-1].startswith("Next: ")


@requirement("CUST-B2.3-01")
def test_plain_init_keeps_what_is_there() -> None:
    kept = {file: text for file, text in CURATED.items() if file != "inbox.md"}
    plan = planned(kept)
    assert list(written(plan)) == ["inbox.md"]
    assert "- manifest.md: kept" in plan.headline
    assert not any(line.startswith("Next: ") for line in plan.headline)
    assert planned(CURATED).changes == ()


@requirement("CUST-B2.3-02")
def test_extended_init_makes_preferences_changelog_and_the_readmes() -> None:
    made = written(planned({}, extended=True))
    assert tuple(made) == CORE_FILES + EXTENDED_FILES
    assert made["changelog.md"].startswith("# Memory Changelog\n\nEntries are newest first.\n\n## 2026-03-02\n- ")


@requirement("CUST-B2.3-03", "CUST-03-04", "CUST-13.1-09")
def test_repair_changes_nothing_in_a_current_manifest_and_never_a_project_id() -> None:
    assert planned(CURATED, repair=True).changes == ()
    broken = edited("- admission_policy: evidence-required\n", "")
    mended = written(planned(broken, repair=True))
    assert mended == {"manifest.md": FRESH["manifest.md"]}
    assert planned(broken, repair=True).project_id == PROJECT_ID


@requirement("CUST-B2.3-03")
def test_repair_adds_what_is_missing_and_indexes_the_modules_that_exist() -> None:
    text = FRESH["manifest.md"]
    start, end = text.index("## Trust boundary"), text.index("## Always load")
    bare = text[:start] + text[end:].replace("### Enabled rules\n- None enabled.\n\n", "")
    bare = bare.replace(f"- project_id: {PROJECT_ID}\n", "").replace(
        "- initialized_with: memory-custodian 0.10.0\n", ""
    )
    texts = {**CURATED, "manifest.md": bare, "areas/a.md": "x\n", "areas/b.md": "y\n", "rules/README.md": "z\n"}
    plan = planned(texts, repair=True)
    mended = written(plan)["manifest.md"]
    manifest = read_manifest(mended)
    require_current(manifest)
    assert project_id_of(manifest) == OTHER_ID
    assert manifest.value("initialized_with") == "unknown"
    assert manifest.indexed == ("areas/a.md", "areas/b.md")
    assert "## Trust boundary" in mended
    assert "- manifest.md: repaired" in plan.headline
    assert planned({**texts, "manifest.md": mended}, repair=True).changes == ()


@requirement("CUST-B5.1-01")
def test_repair_refers_an_older_project_to_migrate() -> None:
    for version in ("- protocol_version: 0.5\n", ""):
        with pytest.raises(Refused, match=r"manifest\.md: protocol_version is .*memory-custodian migrate first"):
            planned(edited("- protocol_version: 0.6\n", version), repair=True)


@pytest.mark.parametrize("wishes", [{}, {"repair": True}, {"replace": True}], ids=["plain", "repair", "replace"])
@pytest.mark.parametrize("version", ["0.7", "six"])
@requirement("CUST-13.1-22")
def test_a_newer_or_invalid_protocol_stops_init(version: str, wishes: dict[str, bool]) -> None:
    with pytest.raises(Refused, match=r"newer than this CLI supports|invalid protocol version"):
        planned(edited("protocol_version: 0.6", f"protocol_version: {version}"), **wishes)


@requirement("CUST-08.2-08")
def test_an_older_project_gets_its_missing_files_but_no_registry_and_a_notice() -> None:
    old = edited("protocol_version: 0.6", "protocol_version: 0.5")
    old = {file: text for file, text in old.items() if file not in {"subjects.md", "inbox.md"}}
    plan = planned(old)
    assert list(written(plan)) == ["inbox.md"]
    assert any("memory-custodian migrate" in line for line in plan.headline)
    assert plan.protocol_version == "0.5"


@requirement("CUST-B2.3-04")
def test_replacing_lists_states_and_names_curated_files() -> None:
    plan = planned(CURATED, replace=True)
    assert plan.headline[0] == "MemoryCustodian replacement plan"
    assert "- brief.md: replace planned" in plan.headline
    assert "- decisions.md: kept (already current)" in plan.headline
    assert written(plan) == {"brief.md": FRESH["brief.md"]}
    assert plan.warnings == ("these files contain non-template content, which is lost: brief.md",)
    assert plan.budgets[0].file == "brief.md"


@requirement("CUST-B5.1-01", "CUST-13.1-09")
def test_replacing_keeps_the_project_id_and_demands_one() -> None:
    changed = edited("# Memory Manifest", "# My manifest")
    replaced = written(planned({**changed, "areas/a.md": "x\n"}, replace=True))["manifest.md"]
    assert project_id_of(read_manifest(replaced)) == PROJECT_ID
    assert read_manifest(replaced).indexed == ("areas/a.md",)
    for old, new in (
        (f"- project_id: {PROJECT_ID}\n", ""),
        (PROJECT_ID, "lantern"),
        ("protocol_version: 0.6", "protocol_version: 0.5"),
        ("- subject_registry: subjects.md\n", ""),
    ):
        with pytest.raises(Refused, match=r"manifest\.md: "):
            planned(edited(old, new), replace=True)
    with pytest.raises(Refused, match=r"manifest\.md is missing"):
        planned({}, replace=True)
