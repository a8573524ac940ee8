"""What a command that was killed left is told of, and no forgetting passes it over (§§10.3, 14)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from csbond_tests.custodian_fixtures import entered
from csbond_tests.custodian_world import Project, plan_id_in, project
from csbond_tests.marks import requirement
from memory_custodian.files import commit as commits
from memory_custodian.files import journal
from memory_custodian.files.private_state import private_state
from memory_custodian.files.project import find_place
from memory_custodian.rules.problems import PartialCompletion
from memory_custodian.rules.suggestion import KILLED_LOCK

CHANGELOG = "# Memory Changelog\n\nEntries are newest first.\n"
NOTE = ("add", "A note.", "--evidence", "user-confirmed")
TOLD = "matching content of a change that was cut off; "


class Killed(BaseException):
    """Stands for the end of a process: nothing after it runs."""


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    return entered(project(tmp_path), monkeypatch)


def killed(world: Project, *arguments: str) -> None:
    """Be killed before the first file is replaced."""

    def ends(*_arguments: object) -> None:
        raise Killed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(commits, "replace", ends)
        patch.setattr(commits, "_take_back", lambda *_arguments: None)
        with pytest.raises(Killed):
            world.run(*arguments)


def single(world: Project) -> Project:
    killed(world, "add", "The zebrafish is striped.", "--evidence", "user-confirmed")
    return world


def pending(world: Project) -> Project:
    world.write("changelog.md", CHANGELOG)
    words = ("--type", "area", "--name", "sync", "--evidence", "user-confirmed")
    made = world.confirmed("subject", "add", "Maps", "--kind", "concept", "--evidence", "user-confirmed").out
    subject = made.partition("New Subject: ")[2].split()[0]
    killed(world, "add", "The zebrafish is striped.", *words, "--subject", subject, "--facet", "behavior")
    return world


def aside_lost(world: Project) -> Project:
    pending(world)
    world.write("changelog.md", CHANGELOG + "edited since\n")
    place = find_place(str(world.root), "docs/memory")
    with pytest.raises(PartialCompletion):
        journal.finish(place)
    for path in Path(private_state(place).journals).iterdir():
        path.unlink()
    return world


def renamed(world: Project) -> Project:
    pending(world)
    moved = Project(world.state.parent)
    moved.root = world.root.with_name("renamed")
    moved.memory = moved.root / "docs" / "memory"
    os.rename(world.root, moved.root)
    return moved


CUT_OFF = {"one file": single, "several files": pending, "its journal is lost": aside_lost, "moved since": renamed}


def left(world: Project) -> list[str]:
    return [path for path, raw in world.files().items() if b"zebrafish" in raw]


@requirement("CUST-10.3-01", "CUST-10.3-02", "CUST-T-18")
@pytest.mark.parametrize("mode", ["hard", "purge"])
@pytest.mark.parametrize("make", CUT_OFF.values(), ids=CUT_OFF)
def test_a_forgetting_is_blocked_by_what_was_cut_off_until_that_is_seen_to(
    world: Project, make: Callable[[Project], Project], mode: str
) -> None:
    world = make(world)
    asked = ("forget", "zebrafish", "--mode", mode)
    (held,) = left(world)
    assert held.endswith(".tmp")
    preview = world.run(*asked)
    told = f"- {held.removeprefix('docs/memory/')}: {TOLD}`memory-custodian init --project-root {world.root}` "
    assert preview.code == 0
    assert told in preview.out.split("Blockers:")[1]
    assert f"{KILLED_LOCK}\n" in preview.out
    assert "Nothing to do" not in preview.out
    data = world.run(*asked, "--format", "json").data
    assert (data["state"], data["apply_command"]) == ("preview", None)
    assert world.run("init").code == 0
    again = world.run(*asked)
    assert TOLD not in again.out
    if make is pending:
        done = world.run(*asked, "--apply", "--confirm-plan", plan_id_in(again.out), "--allow-broad-match")
        assert (done.code, done.err) == (0, "")
    else:
        assert "Nothing to do" in again.out
    world.done(*NOTE)
    assert left(world) == []
    assert "zebrafish" not in (preview.out + again.out).casefold()


@requirement("CUST-10.3-01", "CUST-08.2-03", "CUST-T-18")
@pytest.mark.parametrize("make", CUT_OFF.values(), ids=CUT_OFF)
def test_an_apply_over_what_was_cut_off_sees_to_that_and_asks_for_another_look(
    world: Project, make: Callable[[Project], Project]
) -> None:
    world = make(world)
    asked = ("forget", "zebrafish", "--mode", "purge")
    done = world.run(*asked, "--apply", "--confirm-plan", plan_id_in(world.run(*asked).out))
    assert done.code == 2
    assert "does not match" in done.err
    if make is pending:
        assert plan_id_in(done.out)
        assert "Matched units: 1" in done.out
    else:
        assert left(world) == []


@requirement("CUST-10.3-01")
@pytest.mark.parametrize("make", CUT_OFF.values(), ids=CUT_OFF)
def test_a_soft_forgetting_warns_of_what_was_cut_off(world: Project, make: Callable[[Project], Project]) -> None:
    world = make(world)
    (held,) = left(world)
    preview = world.done("forget", "zebrafish")
    assert f"- {held.removeprefix('docs/memory/')}: {TOLD}" in preview.split("Warnings:")[1]


@requirement("CUST-10.3-01")
def test_the_name_of_a_file_that_was_cut_off_counts_and_the_digits_behind_it_do_not(world: Project) -> None:
    (world.memory / "areas").mkdir()
    digits = "c0ffee" * 5 + "00"
    (world.memory / "areas" / f".zebrafish.md.{digits}.tmp").write_text("# Area\n", "utf-8")
    assert f"- areas/.[redacted].md.{digits}.tmp: {TOLD}" in world.done("forget", "zebrafish", "--mode", "purge")
    assert "Nothing to do" in world.done("forget", "c0ffee", "--mode", "purge")
    (world.memory / f".inbox.md.{digits}.tmp").write_text("# Title\n", "utf-8")
    assert "Nothing to do" in world.done("forget", "inbox", "--mode", "purge")


@requirement("CUST-14-16", "CUST-T-18")
@pytest.mark.parametrize("damage", [False, True])
def test_check_and_status_tell_of_a_change_that_was_cut_off(world: Project, damage: bool) -> None:
    assert "not finished" not in world.run("check").out + world.run("status").out
    assert world.run("status", "--format", "json").data["unfinished"] == []
    pending(world)
    (path,) = Path(private_state(find_place(str(world.root), "docs/memory")).journals).iterdir()
    files = ["docs/memory/areas/sync.md", "docs/memory/manifest.md", "docs/memory/changelog.md"]
    if damage:
        path.write_bytes(b"[")
        files = [str(path)]
    before = world.files()
    check, status = world.run("check"), world.run("status")
    told = (
        f"{', '.join(files)}: a change was begun and is not finished; "
        f"the next write sees to it, as `memory-custodian init --project-root {world.root}`; {KILLED_LOCK}"
    )
    assert f"- {told}\n" in check.out.split("Warnings:\n")[1]
    assert f"\n{told}\n" in status.out
    assert world.run("status", "--format", "json").data["unfinished"] == files
    codes = [issue["code"] for issue in world.run("check", "--format", "json").data["issues"]]
    assert "change-unfinished" in codes
    assert world.files() == before
    world.run("init")
    assert "not finished" not in world.run("check").out + world.run("status").out


def test_who_only_looks_makes_no_private_state_and_minds_none_that_is_not_safe(world: Project) -> None:
    world.done("check")
    assert not world.state.exists()
    world.done("status")
    assert not world.state.exists()
    pending(world)
    (path,) = Path(private_state(find_place(str(world.root), "docs/memory")).journals).iterdir()
    path.chmod(0o666)
    assert "not finished" not in world.run("check").out
