"""The plan of a migration: what is marked, what is left, and what is told."""

from __future__ import annotations

from csbond_tests.custodian_world import PROJECT_ID, FixedDraws
from csbond_tests.marks import requirement
from memory_custodian.rules.entry_text import parse_entries
from memory_custodian.rules.manifest import read_manifest, require_current
from memory_custodian.rules.migration import plan_migration
from memory_custodian.rules.plan import Plan
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.subject_text import parse_subjects
from memory_custodian.rules.templates import core_template

CURRENT = core_template("manifest.md", version="0.10.0", project_id=PROJECT_ID)
OLD = (
    "# Memory Manifest\n\n## MemoryCustodian Protocol\n- protocol_version: 0.5\n\n"
    + CURRENT[CURRENT.index("## Always") :]
)
SHIP = "## 2026-01-15 - Ship\nDecision:\nShip it.\nReason:\nIt works.\n"
TITLE = "# Decisions\n\nEntries are newest first.\n\n"


def planned(texts: dict[str, str], manifest: str = OLD) -> Plan:
    return plan_migration(Snapshot("docs/memory", {"manifest.md": manifest, **texts}), FixedDraws(), "0.10.0")


def written(plan: Plan) -> dict[str, str]:
    return {change.path.removeprefix("docs/memory/"): change.after for change in plan.changes}


@requirement("CUST-11.2-01", "CUST-11.1-07", "CUST-11.1-08")
def test_a_clear_decision_gets_an_id_and_fields_and_keeps_its_lines() -> None:
    plan = planned({"decisions.md": TITLE + SHIP})
    assert written(plan)["decisions.md"] == (
        f"{TITLE}## MC-DEC-20260115-00000001 — Ship\n\nStatus: active\nScope: project\nEvidence:\n"
        "- legacy-unverified\n\nDecision:\nShip it.\nReason:\nIt works.\n"
    )
    (entry,) = parse_entries("decisions.md", written(plan)["decisions.md"])
    assert entry.evidence == ("legacy-unverified",)
    assert (entry.field("Subject"), entry.field("Facet")) == ("", "")
    assert entry.bodies == (("Decision", "Ship it."), ("Reason", "It works."))


@requirement("CUST-11.1-13", "CUST-11.2-02")
def test_the_checklist_names_what_a_person_has_to_assign_with_its_id() -> None:
    plan = planned({"decisions.md": TITLE + SHIP + "\n" + SHIP.replace("Ship", "Sail")})
    at = plan.headline.index("Subject and Facet to assign by hand:")
    assert plan.headline[at + 1 :] == (
        "- MC-DEC-20260115-00000001 Ship",
        "- MC-DEC-20260115-00000002 Sail",
    )
    assert plan.created == ("MC-DEC-20260115-00000001", "MC-DEC-20260115-00000002")
    assert plan.context["created"] == plan.created
    assert "Subject and Facet to assign by hand:" not in planned({}).headline


@requirement("CUST-11.1-13")
def test_the_checklist_names_by_place_what_has_no_id_and_belongs_to_a_kind_with_subjects() -> None:
    secret = "gh" + "p_" + "a1B2" * 6
    index = OLD.replace("### Enabled areas\n- None enabled.", "### Enabled areas\n- `areas/sync.md`: sync.")
    texts = {
        "areas/sync.md": "# Area: Sync\n\n- Retry twice.\n",
        "constraints.md": f"# Constraints\n\n- Work offline.\n  Always.\n- Keep {secret}.\n",
        "do-not-use.md": "# Do Not Use\n\n## Tombstone: Queues\nNo queues.\n\n## Threads\nNone.\n",
        "inbox.md": "# Memory Inbox\n\n- Perhaps.\n",
        "preferences.md": "# Preferences\n\n- Short texts.\n",
    }
    plan = planned(texts, index)
    at = plan.headline.index("Subject and Facet to assign by hand:")
    assert plan.headline[at + 1 :] == (
        "- constraints.md:3 Work offline.",
        "- constraints.md:5 Keep [redacted].",
        "- do-not-use.md:3 Tombstone: Queues",
        "- do-not-use.md:6 Threads",
        "- areas/sync.md:3 Retry twice.",
    )
    assert not {"areas/sync.md", "constraints.md", "do-not-use.md"} & written(plan).keys()


def test_the_checklist_shows_no_secret_that_a_title_has() -> None:
    secret = "gh" + "p_" + "a1B2" * 6
    plan = planned({"decisions.md": SHIP.replace("- Ship", f"- Ship with {secret}")})
    assert plan.headline[-1] == "- MC-DEC-20260115-00000001 Ship with [redacted]"
    assert secret in written(plan)["decisions.md"]


def test_a_heading_without_a_date_gets_the_date_of_the_migration() -> None:
    text = written(planned({"decisions.md": SHIP.replace("2026-01-15 - ", "")}))["decisions.md"]
    assert text.startswith("## MC-DEC-20260302-00000001 — Ship\n")


def test_an_id_that_stands_in_any_file_is_not_given_again() -> None:
    archived = "## MC-DEC-20260115-00000001 — Old\n\nStatus: active\n"
    assert planned({"decisions.md": SHIP, "archive/old.md": archived}).created == ("MC-DEC-20260115-00000002",)


@requirement("CUST-11.1-06")
def test_an_entry_that_has_an_id_keeps_it() -> None:
    entry = "## MC-DEC-20250101-0a0b0c0d — Old\n\nStatus: active\nScope: project\n\nDecision:\nOld.\n\n"
    text = written(planned({"decisions.md": entry + SHIP}))["decisions.md"]
    assert text.startswith(entry)
    other = "8d0a6c3e-1b2f-4a7d-8c9e-5f4e3d2c1b0a"
    assert planned({}, OLD.replace("0.5\n", f"0.5\n- project_id: {other}\n")).project_id == other


@requirement("CUST-11.2-03")
def test_a_decision_of_an_indexed_area_keeps_the_scope_of_its_area() -> None:
    manifest = OLD.replace("### Enabled areas\n- None enabled.", "### Enabled areas\n- `areas/sync.md`: x")
    plan = planned({"areas/sync.md": SHIP, "areas/other.md": SHIP}, manifest)
    (entry,) = parse_entries("areas/sync.md", written(plan)["areas/sync.md"])
    assert (entry.id, entry.field("Scope")) == ("MC-AREA-20260115-00000001", "area:sync")
    assert "areas/other.md" not in written(plan)


@requirement("CUST-11.2-04", "CUST-11.1-09")
def test_prose_and_unclear_sections_stay_and_are_reported_by_line() -> None:
    unclear = TITLE + "## Ship\nStatus: agreed\nDecision:\nShip.\n\n## Talk\nWe talked.\n\n## List\n- a\n"
    plan = planned({"decisions.md": unclear})
    assert "decisions.md" not in written(plan)
    assert [warning for warning in plan.warnings if "Manual migration recommended" in warning] == [
        f"Manual migration recommended: decisions.md:{line} is not certainly one decision, and stays as it is"
        for line in (5, 10, 13)
    ]
    assert plan.blockers == ()
    prose = planned({"decisions.md": "# Decisions\n\nWe never decided anything.\n"})
    assert "Manual migration recommended: decisions.md:3" in prose.warnings[0]
    assert planned({"decisions.md": TITLE}).warnings == ()


def test_a_decision_that_a_reader_would_cut_is_left_to_a_person() -> None:
    text = SHIP.rstrip("\n") + "\n\n- or does this belong to it?\n"
    plan = planned({"decisions.md": text})
    assert "decisions.md" not in written(plan)
    assert "Manual migration recommended: decisions.md:1" in plan.warnings[0]


@requirement("CUST-11.2-05", "CUST-11.2-08")
def test_bullets_stay_and_are_named_in_one_warning() -> None:
    plan = planned({"constraints.md": "- a\n- b\n", "preferences.md": "- c\n", "decisions.md": TITLE})
    assert set(written(plan)) == {"subjects.md", "manifest.md"}
    (warning,) = plan.warnings
    assert warning.endswith(": constraints.md, preferences.md")


@requirement("CUST-11.1-10", "CUST-11.1-11", "CUST-11.1-12", "CUST-03.1-11")
def test_the_registry_is_made_empty_whatever_the_old_entries_are_about() -> None:
    text = written(planned({"decisions.md": SHIP + "\n" + SHIP.replace("2026-01-15", "2026-01-16")}))["subjects.md"]
    assert text == core_template("subjects.md")
    assert parse_subjects(text) == ()
    assert "subjects.md" not in written(planned({"subjects.md": "# Mine\n"}))


@requirement("CUST-03-01", "CUST-03-05", "CUST-09-02", "CUST-11.1-04")
def test_the_manifest_gets_what_the_protocol_demands_and_keeps_its_routes() -> None:
    plan = planned({})
    after = read_manifest(written(plan)["manifest.md"])
    require_current(after)
    assert after.value("initialized_with") == "unknown"
    assert after.value("last_migrated_with") == "memory-custodian 0.10.0"
    assert after.value("project_id") == PROJECT_ID
    assert "## Trust boundary" in written(plan)["manifest.md"]
    assert (after.faults, after.indexed, len(after.tasks)) == ((), (), 6)


@requirement("CUST-B2.11-01")
def test_the_generated_implementation_route_of_0_4_gets_decisions() -> None:
    heading = "### Implementation / execution / debugging\nLoad:\n"
    bare = OLD.replace(f"{heading}- decisions.md\n", heading)
    for of_0_4 in (bare.replace("version: 0.5", "version: 0.4"), bare.replace("- protocol_version: 0.5\n", "")):
        plan = planned({}, of_0_4)
        assert "- manifest.md: load decisions.md for implementation" in plan.headline
        assert f"{heading}- decisions.md\n" in written(plan)["manifest.md"]


@requirement("CUST-B2.11-01")
def test_a_route_of_0_5_without_decisions_was_chosen_so_and_stays() -> None:
    heading = "### Implementation / execution / debugging\nLoad:\n"
    plan = planned({}, OLD.replace(f"{heading}- decisions.md\n", heading))
    assert "- manifest.md: load decisions.md for implementation" not in plan.headline
    assert f"{heading}- constraints.md\n" in written(plan)["manifest.md"]


@requirement("CUST-11.2-03", "CUST-11.1-04", "CUST-03-03")
def test_a_project_without_an_index_gets_one_of_what_it_has_and_its_areas_are_marked() -> None:
    start, end = OLD.index("## Optional module index"), OLD.index("## Explicit only")
    without_index = OLD[:start] + OLD[end:]
    texts = {"areas/sync.md": SHIP, "areas/store.md": "# Area: Store\n", "rules/README.md": "", "rules/output.md": ""}
    plan = planned(texts, without_index)
    after = {**texts, **written(plan)}
    assert read_manifest(after["manifest.md"]).indexed == ("rules/output.md", "areas/sync.md", "areas/store.md")
    (entry,) = parse_entries("areas/sync.md", after["areas/sync.md"])
    assert (entry.id, entry.field("Scope")) == ("MC-AREA-20260115-00000001", "area:sync")
    again = planned({file: text for file, text in after.items() if file != "manifest.md"}, after["manifest.md"])
    assert again.changes == ()


@requirement("CUST-B2.11-01", "CUST-03-03")
def test_a_second_run_changes_nothing() -> None:
    texts = {"decisions.md": TITLE + SHIP, "changelog.md": core_template("changelog.md")}
    after = {**texts, **written(planned(texts))}
    again = planned({file: text for file, text in after.items() if file != "manifest.md"}, after["manifest.md"])
    assert again.changes == ()
    assert again.headline == ("MemoryCustodian migrate: no changes needed",)
    assert again.project_id == PROJECT_ID


def test_a_current_project_gets_only_what_is_missing() -> None:
    bare = CURRENT.replace("- subject_registry: subjects.md\n", "").replace("0.10.0", "0.10.1")
    plan = planned({"decisions.md": SHIP}, bare)
    assert written(plan) == {
        "subjects.md": core_template("subjects.md"),
        "manifest.md": CURRENT.replace("0.10.0", "0.10.1"),
    }
    assert plan.warnings == ()


def test_the_changelog_is_told_and_files_are_written_before_the_manifest() -> None:
    plan = planned({"decisions.md": SHIP, "changelog.md": core_template("changelog.md")})
    assert list(written(plan)) == ["decisions.md", "subjects.md", "manifest.md", "changelog.md"]
    assert "## 2026-03-02\n- Migrated project memory to protocol 0.6.\n" in written(plan)["changelog.md"]
    assert [result.file for result in plan.budgets] == ["decisions.md", "changelog.md"]
