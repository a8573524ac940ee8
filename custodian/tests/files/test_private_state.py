"""Where the private state lies, and that nobody else gets at it."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from csbond_tests import custodian_fixtures
from csbond_tests.custodian_world import PROJECT_ID, Project, project
from csbond_tests.marks import requirement
from memory_custodian.files import private_state as states
from memory_custodian.files.lock import lock_path
from memory_custodian.files.place import Place
from memory_custodian.files.private_state import (
    create_private,
    private_state,
    project_key,
    publish_private,
    read_private,
    replace_private,
)
from memory_custodian.files.project import find_place
from memory_custodian.rules.problems import Unavailable
from memory_custodian.rules.state_location import Machine


@pytest.fixture
def world(tmp_path: Path) -> Project:
    return project(tmp_path)


place = custodian_fixtures.place


@pytest.fixture
def usual_umask() -> Iterator[None]:
    before = os.umask(0o002)
    yield
    os.umask(before)


def machine(tmp_path: Path, **environment: str) -> Machine:
    """This user, with a home and a temporary directory of the test."""
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "tmp").mkdir(exist_ok=True)
    return Machine(False, {"TMPDIR": str(tmp_path / "tmp"), **environment}, str(tmp_path / "home"), os.getuid())


def root_of(place: Place, found: Machine) -> Path:
    return Path(private_state(place, found).locks).parent


@requirement("CUST-07.1-01")
def test_with_xdg_state_home_set_the_state_lies_there(place: Place, tmp_path: Path) -> None:
    found = machine(tmp_path, XDG_STATE_HOME=str(tmp_path / "xdg" / "state"))
    assert root_of(place, found) == tmp_path / "xdg" / "state" / "memory-custodian"


@requirement("CUST-07.1-02")
def test_with_it_unset_the_state_lies_below_the_home(place: Place, tmp_path: Path) -> None:
    assert root_of(place, machine(tmp_path)) == tmp_path / "home/.local/state/memory-custodian"


@requirement("CUST-07.1-04")
def test_where_it_cannot_be_made_the_state_lies_in_the_temporary_directory(place: Place, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no directory")
    found = machine(tmp_path, XDG_STATE_HOME=str(tmp_path / "file"))
    assert root_of(place, found) == tmp_path / "tmp" / f"memory-custodian-state-{os.getuid()}"


@requirement("CUST-07.1-04")
def test_where_it_cannot_be_written_the_state_lies_in_the_temporary_directory(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tests may run as a user who may write everywhere, so the system's word is replaced."""
    xdg = tmp_path / "xdg"
    may = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: not str(path).startswith(str(xdg)) and may(path, mode))
    found = machine(tmp_path, XDG_STATE_HOME=str(xdg))
    assert root_of(place, found) == tmp_path / "tmp" / f"memory-custodian-state-{os.getuid()}"


@requirement("CUST-07.1-03", "CUST-07.1-04")
def test_on_windows_the_places_are_tried_in_their_order(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The platform is faked: what would be made, and the first cannot be."""
    asked: list[str] = []

    def made(root: str) -> states.PrivateState:
        asked.append(root)
        if "Local" in root:
            raise PermissionError(13, "denied")
        return states.PrivateState(root, root, root)

    monkeypatch.setattr(states, "_made", made)
    windows = Machine(True, {"LOCALAPPDATA": r"C:\Users\n\Local", "TEMP": r"C:\Temp"}, r"C:\Users\n", None)
    private_state(place, windows)
    assert asked[0] == r"C:\Users\n\Local\MemoryCustodian\state"
    assert asked[1].startswith(r"C:\Temp\memory-custodian-state-")


@requirement("CUST-07.1-06")
@pytest.mark.parametrize("inside", [".", "docs", "state/deep"])
def test_a_state_directory_in_the_project_is_passed_over(
    world: Project, place: Place, tmp_path: Path, inside: str
) -> None:
    before = world.files()
    found = machine(tmp_path, XDG_STATE_HOME=str(world.root / inside))
    assert root_of(place, found) == tmp_path / "tmp" / f"memory-custodian-state-{os.getuid()}"
    assert world.files() == before
    assert sorted(path.name for path in world.root.iterdir()) == ["docs"]


@requirement("CUST-07.1-06", "CUST-02-09")
@pytest.mark.parametrize("git", ["folder", "file"])
def test_a_state_directory_in_the_repository_around_a_project_is_passed_over(tmp_path: Path, git: str) -> None:
    """As in a repository of many projects, or in a working tree of one."""
    around = tmp_path / "around"
    world = project(around / "packages" / "one")
    found = machine(tmp_path, XDG_STATE_HOME=str(around / "state"))
    beside = find_place(str(world.root), "docs/memory")
    assert root_of(beside, found) == around / "state" / "memory-custodian"
    (around / ".git").mkdir() if git == "folder" else (around / ".git").write_text("gitdir: elsewhere\n")
    assert root_of(beside, found) == tmp_path / "tmp" / f"memory-custodian-state-{os.getuid()}"
    own = machine(tmp_path, XDG_STATE_HOME=str(tmp_path / "own"))
    assert root_of(beside, own) == tmp_path / "own" / "memory-custodian"


@requirement("CUST-07.1-06")
def test_the_nearest_repository_is_the_one_around_a_project(tmp_path: Path) -> None:
    world = project(tmp_path / "outer")
    (tmp_path / "outer" / ".git").mkdir()
    (world.root / ".git").mkdir()
    found = machine(tmp_path, XDG_STATE_HOME=str(tmp_path / "outer" / "state"))
    assert root_of(find_place(str(world.root), "docs/memory"), found).parent == tmp_path / "outer" / "state"


@requirement("CUST-07.1-06")
def test_a_link_into_the_project_is_seen_through(world: Project, place: Place, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(world.root)
    found = machine(tmp_path, XDG_STATE_HOME=str(tmp_path / "link"))
    assert root_of(place, found).parent == tmp_path / "tmp"


@requirement(
    "CUST-07.1-01", "CUST-07.1-02", "CUST-07.1-04", "CUST-07.1-05", "CUST-07.1-06", "CUST-B5.7-01", "CUST-16-15"
)
@pytest.mark.parametrize("setting", ["set", "unset", "a file", "in the project"])
def test_a_command_locks_where_the_settings_say_and_never_in_the_project(
    world: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    """By the locks that a real command held: their names are noted as they are made."""
    (tmp_path / "file").write_text("")
    (tmp_path / "tmp").mkdir()
    settings: Mapping[str, tuple[str, Path]] = {
        "set": (str(tmp_path / "xdg"), tmp_path / "xdg" / "memory-custodian"),
        "unset": ("", tmp_path / "home" / ".local" / "state" / "memory-custodian"),
        "a file": (str(tmp_path / "file"), tmp_path / "tmp" / f"memory-custodian-state-{os.getuid()}"),
        "in the project": (str(world.root), tmp_path / "tmp" / f"memory-custodian-state-{os.getuid()}"),
    }
    value, root = settings[setting]
    environment = {**world.environment, "XDG_STATE_HOME": value, "TMPDIR": str(tmp_path / "tmp")}
    if not value:
        del environment["XDG_STATE_HOME"]
    monkeypatch.setattr(Project, "environment", environment)
    held: list[str] = []
    create = states.create_private

    def noted(path: str, content: bytes) -> bool:
        held.append(path)
        return create(path, content)

    monkeypatch.setattr("memory_custodian.files.lock.create_private", noted)
    assert world.confirmed("subject", "add", "Maps", "--kind", "concept", "--evidence", "user-confirmed").code == 0
    place = find_place(str(world.root), "docs/memory")
    assert held == [
        str(root / "locks" / f"bootstrap-{project_key(place)}.lock"),
        str(root / "locks" / f"{PROJECT_ID}.lock"),
    ]
    assert os.listdir(root / "locks") == []
    assert sorted(path.name for path in world.root.iterdir()) == ["docs"]


@requirement("CUST-07.1-05")
def test_the_lock_has_the_name_of_the_project(place: Place, tmp_path: Path) -> None:
    state = private_state(place, machine(tmp_path))
    assert lock_path(state, place, PROJECT_ID) == os.path.join(state.locks, f"{PROJECT_ID}.lock")
    assert lock_path(state, place, None) == os.path.join(state.locks, f"bootstrap-{project_key(place)}.lock")
    assert os.path.basename(state.locks) == "locks"


@requirement("CUST-B5.7-02")
@pytest.mark.usefixtures("usual_umask")
def test_directories_and_files_are_private(place: Place, tmp_path: Path) -> None:
    state = private_state(place, machine(tmp_path))
    for folder in (os.path.dirname(state.locks), *state):
        assert os.stat(folder).st_mode & 0o777 == 0o700
    path = os.path.join(state.locks, "a")
    assert create_private(path, b"x")
    assert not create_private(path, b"y")
    assert os.stat(path).st_mode & 0o777 == 0o600
    replace_private(path, b"z")
    assert (os.stat(path).st_mode & 0o777, read_private(path)) == (0o600, b"z")


@requirement("CUST-B5.7-02")
def test_a_directory_that_others_may_enter_is_closed(place: Place, tmp_path: Path) -> None:
    root = tmp_path / "home/.local/state/memory-custodian"
    root.mkdir(parents=True)
    root.chmod(0o755)
    assert root_of(place, machine(tmp_path)) == root
    assert root.stat().st_mode & 0o777 == 0o700


@requirement("CUST-B5.7-02")
@pytest.mark.parametrize("name", ["memory-custodian", "memory-custodian/locks"])
def test_a_linked_directory_is_refused_and_nothing_else_tried(place: Place, tmp_path: Path, name: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "home/.local/state" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unavailable, match="symbolic link"):
        private_state(place, machine(tmp_path))
    assert list((tmp_path / "tmp").iterdir()) == []


@requirement("CUST-B5.7-02")
def test_a_directory_of_another_user_is_refused(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    private_state(place, machine(tmp_path))
    found = machine(tmp_path)
    monkeypatch.setattr(os, "getuid", lambda: found.uid + 1 if found.uid is not None else 1)
    with pytest.raises(Unavailable, match="another user"):
        private_state(place, found)


@requirement("CUST-B5.7-02")
def test_a_private_file_is_no_link_no_directory_and_writable_by_one_user_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    assert read_private(str(path)) is None
    path.write_bytes(b"x")
    path.chmod(0o600)
    assert read_private(str(path)) == b"x"
    path.chmod(0o622)
    with pytest.raises(Unavailable, match="only this user may write"):
        read_private(str(path))
    path.chmod(0o600)
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(Unavailable, match="symbolic link"):
        read_private(str(tmp_path / "link"))
    uid = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: uid + 1)
    with pytest.raises(Unavailable, match="only this user may write"):
        read_private(str(path))


@requirement("CUST-B5.7-02")
@pytest.mark.parametrize("kind", ["directory", "fifo"])
def test_what_is_no_file_in_the_place_of_a_private_one_is_named_by_its_path(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a"
    path.mkdir() if kind == "directory" else os.mkfifo(path, 0o600)
    with pytest.raises(Unavailable) as told:
        read_private(str(path))
    assert told.value.message == f"{path} is not a regular file that only this user may write"


def test_an_error_while_a_private_file_is_read_or_put_in_place_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_handle: int, _size: int) -> bytes:
        raise OSError(5, "Input/output error")

    path = tmp_path / "a"
    create_private(str(path), b"x")
    with monkeypatch.context() as patch:
        patch.setattr(os, "read", broken)
        with pytest.raises(OSError, match="Input/output") as told:
            read_private(str(path))
    assert told.value.filename == str(path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError) as told:
        replace_private(str(tmp_path / "folder"), b"x")
    assert (told.value.filename, told.value.filename2) == (str(tmp_path / "folder"), None)


def test_without_any_place_it_is_said_what_was_tried(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(_root: str) -> states.PrivateState:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(states, "_made", denied)
    with pytest.raises(Unavailable, match=r"set XDG_STATE_HOME .*Permission denied"):
        private_state(place, machine(tmp_path))


def test_of_two_who_publish_at_once_both_get_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "key")
    link = os.link

    def second_comes_first(source: str, target: str) -> None:
        monkeypatch.setattr(os, "link", link)
        assert publish_private(path, b"second") == b"second"
        link(source, target)

    monkeypatch.setattr(os, "link", second_comes_first)
    assert publish_private(path, b"first") == b"second"
    assert os.listdir(tmp_path) == ["key"]


def test_a_file_is_published_where_the_file_system_has_no_second_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(_source: str, _target: str) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", none)
    path = str(tmp_path / "key")
    assert (publish_private(path, b"a"), publish_private(path, b"b")) == (b"a", b"a")
    assert os.listdir(tmp_path) == ["key"]


class Full(io.BytesIO):
    """A file on a disk without room."""

    def write(self, _content: object) -> int:
        raise OSError(28, "No space left on device")


def test_a_full_disk_is_told_with_the_file_that_could_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int, _mode: str) -> Full:
        os.close(handle)
        return Full()

    def unsynced(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(states, "open", full, raising=False)
        with pytest.raises(OSError, match="No space left") as told:
            create_private(str(tmp_path / "a"), b"x")
    assert told.value.filename == str(tmp_path / "a")
    monkeypatch.setattr(os, "fsync", unsynced)
    with pytest.raises(OSError, match="No space left") as told:
        replace_private(str(tmp_path / "b"), b"x", durable=True)
    assert told.value.filename == str(tmp_path / "b")
    assert os.listdir(tmp_path) == []


def test_a_file_that_cannot_be_written_whole_is_not_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TypeError):
        create_private(str(tmp_path / "a"), "no bytes")  # type: ignore[arg-type]
    assert os.listdir(tmp_path) == []
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        replace_private(str(tmp_path / "folder"), b"x")
    assert os.listdir(tmp_path) == ["folder"]
