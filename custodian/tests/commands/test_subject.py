"""`subject`: list, show, add, rename, add-alias."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from csbond_tests.custodian_world import PROJECT_ID, Project, plan_id_in, project
from csbond_tests.marks import requirement
from memory_custodian.files.lock import LockWish, held
from memory_custodian.files.project import find_place

ADD = (
    *("subject", "add", "Library X", "--kind", "dependency", "--canonical-ref", "dependency:pypi:Library_X"),
    *("--alias", "libx", "--evidence", "user-confirmed"),
)


@pytest.fixture
def world(tmp_path: Path) -> Project:
    return project(tmp_path)


def made(world: Project, *arguments: str) -> str:
    """Make a Subject and return its ID."""
    done = world.confirmed(*(arguments or ADD))
    assert done.code == 0, done
    found = re.search(r"New Subject: (MC-SUBJ-\d{8}-[0-9a-f]{8})", done.out)
    assert found, done
    return found[1]


@requirement("CUST-06.3-01", "CUST-04.4-22")
def test_list_shows_the_active_subjects(world: Project) -> None:
    assert world.done("subject", "list") == "Active subjects:\n- none\n"
    subject_id = made(world)
    assert world.done("subject", "list") == (
        f"Active subjects:\n- {subject_id}: Library X (dependency) [dependency:pypi:library-x]\n"
    )
    world.write("subjects.md", world.text("subjects.md").replace("Status: active", "Status: merged"))
    assert world.done("subject", "list") == "Active subjects:\n- none\n"


@requirement("CUST-06.3-02")
def test_show_tells_all_of_a_subject_and_who_names_it(world: Project) -> None:
    subject_id = made(world)
    assert world.done("subject", "show", subject_id.lower()) == (
        f"Subject ID: {subject_id}\nTitle: Library X\nStatus: active\nKind: dependency\n"
        "Canonical-Ref: dependency:pypi:library-x\nAliases:\n- Library X\n- libx\n"
        "Evidence:\n- user-confirmed\nReferenced by:\n- none\n"
    )
    entry = f"## MC-CON-20260302-0000000a — a\n\nStatus: active\nScope: project\nSubject: {subject_id}\n"
    world.write("archive/constraints-2026-03-02.md", f"# Archive\n\n{entry}")
    assert "Referenced by:\n- MC-CON-20260302-0000000a: archive/constraints-2026-03-02.md\n" in world.done(
        "subject", "show", subject_id
    )


@requirement("CUST-P-07")
def test_list_show_and_previews_are_data_for_programs(world: Project) -> None:
    preview = world.run(*ADD, "--format", "json").data
    assert (preview["command"], preview["state"], preview["written"]) == ("subject", "preview", [])
    assert preview["plan"]["target_files"][0]["path"] == "docs/memory/subjects.md"
    assert f"--confirm-plan {preview['plan']['plan_id']}" in preview["apply_command"]
    applied = world.run(*ADD, "--apply", "--confirm-plan", preview["plan"]["plan_id"], "--format", "json").data
    assert (applied["state"], applied["written"]) == ("applied", ["docs/memory/subjects.md"])
    assert applied["plan"]["created"] == preview["plan"]["created"]
    (listed,) = world.run("subject", "list", "--format", "json").data["subjects"]
    assert listed == world.run("subject", "show", listed["id"], "--format", "json").data["subject"]
    assert listed["canonical_ref"] == "dependency:pypi:library-x"


@requirement("CUST-06.3-03", "CUST-06.3-10", "CUST-08-06", "CUST-02-08")
def test_a_preview_writes_nothing_and_prints_a_plan_id(world: Project) -> None:
    subject_id = made(world, "subject", "add", "Maps", "--kind", "concept", "--evidence", "user-confirmed")
    before = world.files()
    asked = ADD, ("subject", "rename", subject_id, "New"), ("subject", "add-alias", subject_id, "new")
    for arguments in asked:
        assert re.search(r"^Plan ID: [0-9a-f]{16}$", world.done(*arguments), re.MULTILINE)
    assert world.files() == before


@requirement("CUST-06.3-11")
def test_apply_needs_the_plan_id_of_the_preview(world: Project) -> None:
    before = world.files()
    world.done(*ADD)
    refused = world.run(*ADD, "--apply")
    assert (refused.code, refused.out) == (2, "")
    assert "--confirm-plan" in refused.err
    assert world.run(*ADD, "--apply", "--confirm-plan", "0" * 16).code == 2
    assert world.files() == before


@requirement("CUST-04.4-10", "CUST-06.3-06", "CUST-01-17")
def test_rename_and_alias_keep_the_id(world: Project) -> None:
    subject_id = made(world)
    assert world.confirmed("subject", "rename", subject_id, "Library X Runtime").code == 0
    assert world.confirmed("subject", "add-alias", subject_id, "X runtime").code == 0
    shown = world.done("subject", "show", subject_id)
    assert "Title: Library X Runtime\n" in shown
    assert "Aliases:\n- Library X Runtime\n- Library X\n- libx\n- X runtime\n" in shown


def test_a_name_that_it_has_already_is_nothing_to_do(world: Project) -> None:
    subject_id = made(world)
    before = world.files()
    assert "already has this alias" in world.done("subject", "add-alias", subject_id, "LIBX")
    assert world.run("subject", "rename", subject_id, "Library X", "--format", "json").data["state"] == "nothing-to-do"
    assert world.files() == before


@requirement("CUST-06.3-05", "CUST-04.4-24")
def test_a_taken_name_is_refused_on_stderr_with_its_subject(world: Project) -> None:
    subject_id = made(world)
    before = world.files()
    refused = world.run("subject", "add", "LibX", "--kind", "concept", "--evidence", "user-confirmed")
    assert refused.code == 2
    assert refused.err == f"Error: alias 'LibX' belongs to {subject_id}; use that Subject, or other names\n"
    assert f"Exact matches:\n- alias 'LibX': {subject_id}\n" in refused.out
    assert world.files() == before


def test_evidence_that_is_missing_or_leads_outside_is_refused_unless_allowed(world: Project) -> None:
    asked = ("subject", "add", "Maps", "--kind", "concept", "--evidence", "repo:maps.toml")
    assert "--allow-missing-evidence" in world.run(*asked).err
    preview = world.done(*asked, "--allow-missing-evidence")
    assert "--evidence repo:maps.toml --allow-missing-evidence Maps" in preview
    (world.root / "maps.toml").write_text("")
    assert world.run(*asked).code == 0
    (world.root / "maps.toml").unlink()
    (world.root / "maps.toml").symlink_to("/etc/passwd")
    refused = world.run(*asked, "--allow-missing-evidence")
    assert (refused.code, refused.out) == (2, "")
    assert "leads outside" in refused.err


@requirement("CUST-10.3-09")
@pytest.mark.parametrize("action", ["add", "alias", "evidence", "rename", "add-alias"])
def test_a_doubtful_secret_is_refused_in_every_name_unless_it_is_said_to_be_none(world: Project, action: str) -> None:
    subject_id = made(world)
    doubtful = "password=" + "hunter77"
    given = {
        "add": ("add", doubtful, "--kind", "concept", "--evidence", "user-confirmed"),
        "alias": ("add", "Maps", "--alias", doubtful, "--kind", "concept", "--evidence", "user-confirmed"),
        "evidence": ("add", "Maps", "--allow-missing-evidence", "--kind", "concept", "--evidence", f"repo:{doubtful}"),
        "rename": ("rename", subject_id, doubtful),
        "add-alias": ("add-alias", subject_id, doubtful),
    }[action]
    before = world.files()
    refused = world.run("subject", *given)
    assert (refused.code, refused.out) == (2, "")
    assert "--allow-doubtful-secret" in refused.err
    assert "hunter77" not in refused.err
    assert world.files() == before
    allowed = ("subject", *given, "--allow-doubtful-secret")
    assert "--allow-doubtful-secret" in world.done(*allowed).split("Apply with:")[1]
    assert world.confirmed(*allowed).code == 0
    assert doubtful in world.text("subjects.md")


@requirement("CUST-T-09")
def test_the_printed_command_makes_the_plan_as_it_stands(world: Project) -> None:
    """Also a title that looks like an option, and quotes."""
    import shlex

    subject_id = made(world)
    for arguments in (("rename", subject_id, "--", "-it's a $name"), ("add-alias", subject_id, "two  words")):
        preview = world.done("subject", *arguments)
        words = shlex.split(preview.rpartition("Apply with:\n")[2])
        assert words[0] == "memory-custodian"
        at = words.index("--project-root")
        done = world.run(*words[1:at], *words[at + 2 :])
        assert done.code == 0, done
        assert "Written files: 1" in done.out
    assert "Title: -it's a $name\n" in world.done("subject", "show", subject_id)


@requirement("CUST-06.3-12", "CUST-14-15")
def test_the_changelog_notes_it_in_the_same_plan(world: Project) -> None:
    world.write("changelog.md", "# Memory Changelog\n\nEntries are newest first.\n")
    done = world.confirmed(*ADD)
    assert done.out.endswith("Written files: 2\n- docs/memory/subjects.md\n- docs/memory/changelog.md\n")
    assert re.search(r"- Added Subject MC-SUBJ-\d{8}-[0-9a-f]{8} to subjects\.md\.\n", world.text("changelog.md"))


@requirement("CUST-06.3-13", "CUST-02-11")
def test_there_is_no_merge(world: Project) -> None:
    help_text = world.run("subject", "--help").out
    assert "rename" in help_text
    assert "merge" not in help_text.casefold()
    assert world.run("subject", "merge", "a", "b").code == 2


@pytest.mark.parametrize("action", ["list", "show", "add", "rename", "add-alias"])
def test_an_older_project_is_asked_to_migrate_first(tmp_path: Path, action: str) -> None:
    world = project(tmp_path, protocol="0.5")
    before = world.files()
    more = {
        "list": (),
        "show": ("MC-SUBJ-20260302-0000000a",),
        "add": ("Maps", "--kind", "concept", "--evidence", "user-confirmed"),
        "rename": ("MC-SUBJ-20260302-0000000a", "Maps"),
        "add-alias": ("MC-SUBJ-20260302-0000000a", "maps"),
    }
    refused = world.run("subject", action, *more[action])
    assert (refused.code, refused.out) == (2, "")
    assert "migrate" in refused.err
    assert world.files() == before


@requirement("CUST-04.4-11")
def test_aliases_take_no_part_in_the_conflict_identity(world: Project) -> None:
    """After another title and alias, a second active owner is still refused for the same Subject."""
    subject_id = made(world)
    add = (
        *("add", "Pin it.", "--type", "constraint", "--evidence", "user-confirmed"),
        *("--subject", subject_id, "--facet", "version-policy"),
    )
    assert world.run(*add).code == 0
    assert world.confirmed("subject", "rename", subject_id, "Another name").code == 0
    refused = world.run(*add)
    assert refused.code == 2
    assert "Active structural owner already exists" in refused.err


@requirement("CUST-06.3-03", "CUST-04.4-01")
def test_add_never_makes_a_subject(world: Project) -> None:
    before = world.files()
    add = ("add", "Pin it.", "--type", "constraint", "--facet", "version-policy", "--evidence", "user-confirmed")
    for subject in ("Library X", "MC-SUBJ-20260302-0000000f"):
        assert world.run(*add, "--subject", subject).code == 2
    assert world.files() == before


@requirement("CUST-08.1-05", "CUST-08.1-04", "CUST-13.1-15")
def test_a_nested_memory_directory_is_previewed_and_written_by_its_whole_path(world: Project) -> None:
    nested = world.root / "docs" / "team" / "a" / "memory"
    nested.parent.mkdir(parents=True)
    world.memory.rename(nested)
    more = ("--memory-dir", "docs/team/a/memory")
    preview = world.done(*ADD, *more)
    assert "- docs/team/a/memory/subjects.md\n" in preview
    assert "--memory-dir docs/team/a/memory" in preview
    done = world.run(*ADD, *more, "--apply", "--confirm-plan", plan_id_in(preview))
    assert (done.code, done.err) == (0, "")
    assert "- docs/team/a/memory/subjects.md\n" in done.out
    assert "Library X" in (nested / "subjects.md").read_text("utf-8")


@requirement("CUST-05.1-03")
@pytest.mark.parametrize(
    "evidence, said",
    [
        ("legacy-unverified", "written by migration alone"),
        ("agent-observed", "cannot create active memory.\nProvide user-confirmed/source-backed evidence"),
    ],
)
def test_a_subject_rests_on_what_was_confirmed_and_is_told_its_own_ways(
    world: Project, evidence: str, said: str
) -> None:
    before = world.files()
    done = world.run("subject", "add", "Maps", "--kind", "concept", "--evidence", evidence)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "--candidate" not in done.err
    assert world.files() == before


@requirement("CUST-06.3-09")
@pytest.mark.parametrize("action", ["add", "rename", "add-alias"])
def test_a_subject_is_changed_under_the_lock_of_the_project_only(
    world: Project, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    subject_id = made(world)
    words = ["Maps", "--kind", "concept", "--evidence", "user-confirmed"] if action == "add" else [subject_id, "Maps"]
    asked = ("subject", action, *words)
    confirm = ("--apply", "--confirm-plan", plan_id_in(world.done(*asked)))
    for name, value in world.environment.items():
        monkeypatch.setenv(name, value)
    before = world.files()
    with held(find_place(str(world.root), "docs/memory"), PROJECT_ID, LockWish("add", time.monotonic())):
        late = world.run(*asked, *confirm, "--lock-timeout", "0")
    assert (late.code, late.out, world.files()) == (1, "", before)
    assert late.err.startswith("I/O error: Timed out waiting for mutation lock")
    assert f"{PROJECT_ID}.lock" in late.err
    assert world.run(*asked, *confirm).code == 0
