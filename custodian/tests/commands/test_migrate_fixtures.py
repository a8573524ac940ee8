"""Whole projects of protocol 0.5, migrated: nothing is lost, made up or rerouted."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path

import pytest

from csbond_tests.custodian_world import Done, Project, plan_id_in
from csbond_tests.marks import requirement
from memory_custodian.rules.manifest import project_id_of, protocol_state, read_manifest, require_current

FIXTURES = Path(__file__).parents[1] / "fixtures" / "protocol_0_5"
SOUND = ("smallest", "h2_decisions", "constraint_bullets", "custom_routes", "optional_areas", "archive")
REFUSED = {"malformed_metadata": "protocol_version occurs 2 times", "newer_metadata": "newer than this CLI supports"}


def copied(folder: Path, name: str) -> Project:
    made = Project(folder)
    shutil.copytree(FIXTURES / name, made.root, dirs_exist_ok=True)
    return made


def texts(project: Project) -> dict[str, str]:
    return {path: raw.decode("utf-8") for path, raw in project.files().items()}


def migrated(folder: Path, name: str) -> tuple[dict[str, str], dict[str, str], Project]:
    made = copied(folder, name)
    before = texts(made)
    done = made.confirmed("migrate")
    assert (done.code, done.err) == (0, "")
    return before, texts(made), made


def is_subsequence(wanted: list[str], found: list[str]) -> bool:
    rest = iter(found)
    return all(line in rest for line in wanted)


def test_every_fixture_is_known() -> None:
    assert sorted(path.name for path in FIXTURES.iterdir()) == sorted((*SOUND, *REFUSED))


@requirement("CUST-13.3-09", "CUST-11.1-03", "CUST-11.1-09", "CUST-01-12", "CUST-11.2-08", "CUST-16-18")
@pytest.mark.parametrize("name", SOUND)
def test_no_content_is_lost_and_every_line_keeps_its_order(tmp_path: Path, name: str) -> None:
    before, after, _ = migrated(tmp_path, name)
    assert set(after) - set(before) == {"docs/memory/subjects.md"}
    for path, text in before.items():
        kept = [
            line for line in text.split("\n") if not re.match(r"- (protocol_version|last_migrated_with):|## ", line)
        ]
        assert is_subsequence(kept, after[path].split("\n")), path
        assert is_subsequence(titles(text), titles(after[path])), path


def titles(text: str) -> list[str]:
    """The H2 headings without ID and date."""
    return re.findall(r"^## (?:MC-[^ ]+ — )?(?:\d{4}-\d{2}-\d{2} - )?(.*)$", text, re.MULTILINE)


@requirement("CUST-13.3-09", "CUST-13.3-04", "CUST-13.3-05", "CUST-11.1-04")
@pytest.mark.parametrize("name", SOUND)
def test_routes_budgets_and_optional_modules_do_not_change(tmp_path: Path, name: str) -> None:
    before, after, _ = migrated(tmp_path, name)
    old, new = (read_manifest(texts["docs/memory/manifest.md"]) for texts in (before, after))

    def plain(lines: object) -> list[tuple[str, bool]]:
        return [(line.path, line.required) for line in lines]  # type: ignore[attr-defined]

    assert plain(new.always) == plain(old.always)
    assert {category: plain(lines) for category, lines in new.tasks.items()} == {
        category: plain(lines) for category, lines in old.tasks.items()
    }
    assert [(stated.file, stated.tokens) for stated in new.budgets] == [
        (stated.file, stated.tokens) for stated in old.budgets
    ]
    assert new.indexed == old.indexed
    assert {
        key: value for key, value in old.metadata if key not in {"protocol_version", "last_migrated_with"}
    }.items() <= (dict(new.metadata).items())


@requirement("CUST-13.3-10", "CUST-03-05", "CUST-03-03", "CUST-11.1-05")
@pytest.mark.parametrize("name", SOUND)
def test_a_project_id_is_made_once_and_a_second_run_does_nothing(tmp_path: Path, name: str) -> None:
    _, after, made = migrated(tmp_path, name)
    manifest = read_manifest(after["docs/memory/manifest.md"])
    require_current(manifest)
    assert made.done("migrate") == "MemoryCustodian migrate: no changes needed\n"
    assert texts(made) == after
    moved = tmp_path / "elsewhere"
    made.root.rename(moved)
    made.root = moved
    assert "no changes needed" in made.done("migrate")
    assert project_id_of(read_manifest(texts(made)["docs/memory/manifest.md"])) == project_id_of(manifest)


@requirement("CUST-13.3-10", "CUST-11.1-01", "CUST-11.1-02", "CUST-08-03", "CUST-11.1-05")
@pytest.mark.parametrize("name", SOUND)
def test_preview_and_apply_agree_to_the_byte(tmp_path: Path, name: str) -> None:
    made = copied(tmp_path, name)
    before = made.files()
    preview = made.run("migrate", "--format", "json")
    assert (preview.code, made.files()) == (0, before)
    assert plan_id_in(made.run("migrate").out) == plan_id_in(preview.out)
    assert made.run("migrate", "--apply").code == 2
    assert made.files() == before
    applied = made.run("migrate", "--apply", "--confirm-plan", plan_id_in(preview.out), "--format", "json")
    assert applied.code == 0
    shown = {file["path"]: file["expected_sha256"] for file in preview.data["plan"]["target_files"]}
    assert shown == {path: hashlib.sha256(made.files()[path]).hexdigest() for path in shown}
    assert sorted(applied.data["written"]) == sorted(shown)
    assert {path for path, raw in made.files().items() if before.get(path) != raw} == set(shown)


@requirement("CUST-13.3-10", "CUST-11.1-02")
@pytest.mark.parametrize("name", SOUND)
def test_a_stale_plan_id_writes_nothing(tmp_path: Path, name: str) -> None:
    made = copied(tmp_path, name)
    old = plan_id_in(made.done("migrate"))
    made.write("decisions.md", made.text("decisions.md") + "\n## 2026-02-27 - Late\nDecision:\nA late one.\n")
    before = made.files()
    done = made.run("migrate", "--apply", "--confirm-plan", old)
    assert done.code == 2
    assert "Nothing was written" in done.err
    assert plan_id_in(done.out) != old
    assert made.files() == before
    assert made.run("migrate", "--apply", "--confirm-plan", plan_id_in(done.out)).code == 0


@requirement("CUST-13.3-07", "CUST-13.3-08", "CUST-13.1-22")
@pytest.mark.parametrize("name", REFUSED)
def test_malformed_and_newer_metadata_are_refused_by_every_writer(tmp_path: Path, name: str) -> None:
    made = copied(tmp_path, name)
    before = made.files()
    writers = (
        ("migrate",),
        ("init",),
        ("init", "--repair"),
        ("enable", "changelog"),
        ("compact",),
        ("forget", "tables"),
    )
    for words in (*writers, ("migrate", "--apply", "--confirm-plan", "0" * 16)):
        done: Done = made.run(*words)
        assert done.code == 2, words
        assert done.err.startswith("Error: manifest.md: ")
        assert REFUSED[name] in done.err
    assert made.files() == before


@requirement("CUST-11.1-07", "CUST-11.1-08", "CUST-11.1-11", "CUST-11.1-12", "CUST-11.2-02")
@pytest.mark.parametrize("name", SOUND)
def test_nothing_is_made_up(tmp_path: Path, name: str) -> None:
    made = copied(tmp_path, name)
    before = texts(made)
    preview = json.loads(made.done("migrate", "--format", "json"))
    made.confirmed("migrate")
    after = texts(made)
    added = [line for path in after for line in added_lines(before.get(path, ""), after[path])]
    bullets = {line for line in added if re.match(r"- (?:[a-z]+-[a-z]+$|(?:repo|doc|test|issue|pr):)", line)}
    assert bullets <= {"- legacy-unverified"}
    assert not any(line.startswith(("Subject:", "Facet:", "Canonical-Ref:")) for line in added)
    ids = re.findall(r"^## (MC-[A-Z]+-\d{8}-[0-9a-f]{8})", "\n".join(added), re.MULTILINE)
    assert ids == preview["plan"]["created"]


def added_lines(old: str, new: str) -> list[str]:
    known = old.split("\n")
    return [line for line in new.split("\n") if line not in known]


@requirement("CUST-13.1-21")
@pytest.mark.parametrize("name", SOUND)
def test_a_migrated_project_is_as_sound_as_it_was(tmp_path: Path, name: str) -> None:
    _, _, made = migrated(tmp_path, name)
    data = made.run("check", "--format", "json").data
    errors = [issue["message"] for issue in data["issues"] if issue["severity"] == "ERROR"]
    unlisted = "areas/unlisted.md exists but is missing from optional module index"
    assert all(unlisted in error for error in errors)
    assert bool(errors) is (name == "optional_areas")


@requirement("CUST-13.3-01")
def test_the_smallest_project_changes_only_its_manifest_and_gets_a_registry(tmp_path: Path) -> None:
    before, after, _ = migrated(tmp_path, "smallest")
    changed = {path for path in after if before.get(path) != after[path]}
    assert changed == {"docs/memory/manifest.md", "docs/memory/subjects.md"}


@requirement("CUST-13.3-02", "CUST-11.2-01", "CUST-11.2-04")
def test_h2_decisions_that_are_clear_are_marked_and_the_others_reported(tmp_path: Path) -> None:
    made = copied(tmp_path, "h2_decisions")
    preview = made.done("migrate")
    made.confirmed("migrate")
    headings = re.findall(r"^## .*", made.text("decisions.md"), re.MULTILINE)
    shapes = [re.sub(r"-[0-9a-f]{8} — ", "- — ", heading) for heading in headings]
    assert shapes.pop(3).endswith("- — One binary for each port")
    assert shapes == [
        "## MC-DEC-20260211- — Predict from tables, not from a model",
        "## MC-DEC-20251130- — Keep times in UTC",
        "## 06:00Z",
        "## How we name branches",
        "## Open questions",
        "## Of the old prototype",
    ]
    assert preview.count("Manual migration recommended: decisions.md:") == 3
    assert "```text\n## 06:00Z\nStatus: shown as 07:00\n```\n" in made.text("decisions.md")
    assert made.text("do-not-use.md") == (FIXTURES / "h2_decisions/docs/memory/do-not-use.md").read_text("utf-8")


@requirement("CUST-13.3-03", "CUST-11.2-05", "CUST-11.3-01", "CUST-13.1-21")
def test_constraint_bullets_stay_byte_for_byte_and_are_read(tmp_path: Path) -> None:
    before, after, made = migrated(tmp_path, "constraint_bullets")
    for file in ("constraints.md", "preferences.md", "inbox.md"):
        assert after[f"docs/memory/{file}"] == before[f"docs/memory/{file}"]
    pack = made.done("read", "--task", "implementation")
    assert after["docs/memory/constraints.md"].rstrip("\n") in pack


@requirement("CUST-13.3-04")
def test_custom_routes_load_the_same_files_in_the_same_order(tmp_path: Path) -> None:
    made = copied(tmp_path, "custom_routes")
    tasks = ("default", "planning", "implementation", "artifact", "preferences", "history", "maintenance")
    before = [made.run("read", "--task", task, "--names-only") for task in tasks]
    made.confirmed("migrate")
    assert [made.run("read", "--task", task, "--names-only") for task in tasks] == before
    assert "Ask the harbour master first.\n" in made.text("manifest.md")


@requirement("CUST-13.3-05", "CUST-11.2-03")
def test_decisions_of_indexed_areas_keep_their_scope_and_other_modules_their_bytes(tmp_path: Path) -> None:
    before, after, _ = migrated(tmp_path, "optional_areas")
    changed = {path for path in after if before.get(path) != after[path]}
    assert changed == {"docs/memory/manifest.md", "docs/memory/subjects.md", "docs/memory/areas/sensors.md"}
    sensors = after["docs/memory/areas/sensors.md"]
    assert re.search(
        r"^## MC-AREA-20260115-[0-9a-f]{8} — Read each sensor twice\n\nStatus: active\nScope: area:sensors\n",
        sensors,
        re.MULTILINE,
    )


@requirement("CUST-13.3-06")
def test_an_archive_is_left_alone(tmp_path: Path) -> None:
    before, after, _ = migrated(tmp_path, "archive")
    archived = [path for path in before if "/archive/" in path]
    assert len(archived) == 2
    assert all(after[path] == before[path] for path in archived)
    assert "— 2026-02-30 - Trust no date\n" in after["docs/memory/decisions.md"]


def test_the_fixtures_are_of_protocol_0_5() -> None:
    for name in SOUND:
        assert (
            protocol_state(read_manifest((FIXTURES / name / "docs/memory/manifest.md").read_text("utf-8"))) == "older"
        )
