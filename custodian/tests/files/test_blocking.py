"""What lets no command write is told by those who only look."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from csbond_tests.custodian_fixtures import entered
from csbond_tests.custodian_world import Project, project
from csbond_tests.marks import requirement
from memory_custodian.files.blocking import what_blocks
from memory_custodian.files.journal import journal_path
from memory_custodian.files.lock import lock_path
from memory_custodian.files.place import Place
from memory_custodian.files.private_state import PrivateState, private_state
from memory_custodian.files.project import find_place
from memory_custodian.rules.manifest import project_id_of, read_manifest

NOTE = ("add", "A note.", "--evidence", "user-confirmed", "--lock-timeout", "0")
NO_FILE = "is not a regular file that only this user may write"


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    return entered(project(tmp_path), monkeypatch)


def link(path: str) -> str:
    os.symlink("nowhere", path)
    return f"{path} is a symbolic link; it has to be a file of this user"


def folder(path: str) -> str:
    os.mkdir(path)
    return f"{path} {NO_FILE}"


def fifo(path: str) -> str:
    os.mkfifo(path)
    return f"{path} {NO_FILE}"


def open_to_all(path: str) -> str:
    Path(path).write_text("{}")
    os.chmod(path, 0o666)
    return f"{path} {NO_FILE}"


def paths(state: PrivateState, place: Place, project_id: str) -> dict[str, str]:
    return {
        "journal": journal_path(state, place),
        "first lock": lock_path(state, place, None),
        "lock": lock_path(state, place, project_id),
    }


@requirement("CUST-14-16")
@pytest.mark.parametrize("put", [link, folder, fifo, open_to_all])
@pytest.mark.parametrize("where", ["journal", "first lock", "lock"])
def test_what_lies_in_the_place_of_a_lock_or_journal_is_told_by_check_and_status(
    world: Project, where: str, put: Callable[[str], str]
) -> None:
    place = find_place(str(world.root), "docs/memory")
    project_id = project_id_of(read_manifest(world.text("manifest.md"))) or ""
    assert world.done(*NOTE)
    assert world.run("status", "--format", "json").data["blocked"] == []
    reason = put(paths(private_state(place), place, project_id)[where])
    assert what_blocks(place, project_id) == (reason,)
    assert world.run(*NOTE).code == 1
    told = f"No command can write until this is mended by hand: {reason}"
    check = world.run("check")
    assert f"- {told}\n" in check.out.split("Warnings:\n")[1]
    assert f"\n{told}\n" in world.run("status").out
    assert world.run("status", "--format", "json").data["blocked"] == [reason]
    issues = world.run("check", "--format", "json").data["issues"]
    assert [one["message"] for one in issues if one["code"] == "writes-blocked"] == [told]


@requirement("CUST-14-16")
def test_a_folder_of_the_state_that_is_a_link_is_told(world: Project) -> None:
    place = find_place(str(world.root), "docs/memory")
    locks = Path(private_state(place).locks)
    locks.rename(locks.with_name("moved"))
    locks.symlink_to("moved")
    assert what_blocks(place, None) == (f"{locks} is a symbolic link; it has to be a directory of this user",)
    assert world.run(*NOTE).code == 1


def test_a_lock_that_is_held_blocks_nobody_for_good(world: Project) -> None:
    place = find_place(str(world.root), "docs/memory")
    assert what_blocks(place, None) == ()
    path = Path(lock_path(private_state(place), place, None))
    path.write_text("{")
    path.chmod(0o600)
    assert what_blocks(place, None) == ()


@pytest.mark.parametrize("name", PrivateState._fields)
def test_a_folder_of_another_user_is_told(world: Project, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    place = find_place(str(world.root), "docs/memory")
    path = getattr(private_state(place), name)
    monkeypatch.setattr(os, "getuid", lambda: os.stat(path).st_uid + 1)
    assert f"{path} belongs to another user" in what_blocks(place, None)


@pytest.mark.parametrize("name", ["locks", "journals"])
def test_a_place_that_writers_pass_over_blocks_nothing(world: Project, name: str) -> None:
    place = find_place(str(world.root), "docs/memory")
    path = Path(getattr(private_state(place), name))
    path.rename(path.with_name("before"))
    path.write_text("no folder")
    assert what_blocks(place, None) == ()
    assert world.run(*NOTE).code == 0
