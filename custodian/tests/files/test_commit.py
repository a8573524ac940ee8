"""All files of a plan are replaced, or none, or it is said exactly which."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from csbond_tests import custodian_fixtures
from csbond_tests.custodian_fixtures import journals
from csbond_tests.custodian_world import Project
from csbond_tests.marks import requirement
from memory_custodian.files import atomic, journal
from memory_custodian.files import commit as commits
from memory_custodian.files.commit import commit, preflight
from memory_custodian.files.place import Place
from memory_custodian.files.private_state import private_state, project_key
from memory_custodian.rules.plan import FileChange
from memory_custodian.rules.problems import PartialCompletion, Refused, Unavailable

world, place = custodian_fixtures.world, custodian_fixtures.place


def change(world: Project, file: str, after: str = "new\n") -> FileChange:
    path = world.memory / file
    return FileChange(f"docs/memory/{file}", path.read_text("utf-8") if path.exists() else None, after, "")


def plan_of(world: Project) -> list[FileChange]:
    """Two files that are there, one new one in a new folder, and the registry."""
    return [change(world, file) for file in ("archive/new/a.md", "decisions.md", "inbox.md", "subjects.md")]


def failing_at(number: int, error: BaseException) -> Callable[[str, str], None]:
    """A replacement that fails the n-th time, from 1."""
    calls = iter(range(1, 100))

    def replace(temporary: str, path: str) -> None:
        if next(calls) == number:
            raise error
        os.replace(temporary, path)

    return replace


def fail_from_the_third_on(world: Project, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commit where nothing can be replaced any more from the third file on, so that the second cannot be put back."""
    calls = iter(range(1, 100))

    def replace(temporary: str, path: str) -> None:
        if next(calls) >= 3:
            raise OSError(30, "Read-only file system")
        os.replace(temporary, path)

    with monkeypatch.context() as patch:
        patch.setattr(commits, "replace", replace)
        commit(place, plan_of(world))


def test_every_file_is_written_and_nothing_else_left(world: Project, place: Place) -> None:
    plan = plan_of(world)
    preflight(place, plan)
    commit(place, plan)
    for one in plan:
        assert (world.root / one.path).read_bytes() == b"new\n"
    assert not [path for path in world.files() if path.endswith(".tmp")]
    assert journals(place) == []


@requirement("CUST-B2.2-01")
def test_a_file_that_is_named_twice_is_refused(world: Project, place: Place) -> None:
    with pytest.raises(Refused, match=r"docs/memory/inbox\.md: .*twice"):
        preflight(place, [change(world, "inbox.md"), change(world, "inbox.md")])


@requirement("CUST-B2.2-01")
def test_a_target_that_is_no_regular_file_is_refused(world: Project, place: Place) -> None:
    (world.memory / "archive").mkdir()
    with pytest.raises(Refused, match="not a regular file"):
        preflight(place, [FileChange("docs/memory/archive", None, "x", "")])
    (world.memory / "preferences.md").symlink_to("brief.md")
    with pytest.raises(Refused, match="not a regular file"):
        preflight(place, [change(world, "preferences.md")])


@requirement("CUST-B2.2-01")
def test_a_parent_that_is_no_directory_is_refused(world: Project, place: Place) -> None:
    (world.memory / "areas").write_text("")
    with pytest.raises(Refused, match="non-directory parent docs/memory/areas"):
        preflight(place, [FileChange("docs/memory/areas/x.md", None, "x", "")])


@pytest.mark.parametrize("before", [None, "# Inbox, another\n"])
def test_a_file_that_somebody_saved_since_it_was_read_is_refused(
    world: Project, place: Place, before: str | None
) -> None:
    with pytest.raises(Refused, match="changed while the plan was made"):
        preflight(place, [FileChange("docs/memory/inbox.md", before, "x", "")])
    with pytest.raises(Refused, match="changed while the plan was made"):
        preflight(place, [FileChange("docs/memory/none.md", "x", "x", "")])


@requirement("CUST-B2.2-02", "CUST-T-18", "CUST-14-16")
@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_failure_half_way_is_taken_back(
    world: Project, place: Place, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    before, folders = world.files(), sorted(world.memory.rglob("*/"))
    plan = plan_of(world)
    monkeypatch.setattr(commits, "replace", failing_at(number, OSError(28, "No space left on device")))
    with pytest.raises(Unavailable, match=rf"{plan[number - 1].path}: No space left on device; nothing was changed"):
        commit(place, plan)
    assert world.files() == before
    assert sorted(world.memory.rglob("*/")) == folders
    assert journals(place) == []


@requirement("CUST-T-18", "CUST-B2.2-02")
def test_a_failure_while_files_are_prepared_changes_nothing(
    world: Project, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, plan = world.files(), plan_of(world)

    def full(path: str, content: bytes) -> str:
        if path.endswith("inbox.md"):
            raise OSError(28, "No space left on device")
        return atomic.prepare(path, content)

    monkeypatch.setattr(commits, "prepare", full)
    with pytest.raises(Unavailable, match="nothing was changed"):
        commit(place, plan)
    assert world.files() == before
    assert not (world.memory / "archive").exists()


@requirement("CUST-14-16", "CUST-T-18")
@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_replacement_that_the_system_refuses_names_its_file(
    world: Project, place: Place, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    before, plan = world.files(), plan_of(world)
    calls = iter(range(1, 100))

    def replace(temporary: str, path: str) -> None:
        if next(calls) == number:
            os.unlink(temporary)
        os.replace(temporary, path)

    monkeypatch.setattr(commits, "replace", replace)
    with pytest.raises(Unavailable) as told:
        commit(place, plan)
    assert told.value.message == f"{plan[number - 1].path}: No such file or directory; nothing was changed"
    assert (world.files(), journals(place)) == (before, [])


def test_a_file_that_cannot_be_prepared_is_named_though_it_is_not_the_first(
    world: Project, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = iter(range(1, 100))

    def full(_handle: int) -> None:
        if next(synced) == 3:
            raise OSError(28, "No space left on device")

    before, plan = world.files(), plan_of(world)[1:]
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Unavailable, match=r"^docs/memory/subjects\.md: No space left on device; nothing was changed$"):
        commit(place, plan)
    assert world.files() == before


def test_a_folder_that_cannot_be_made_is_named(world: Project, place: Place) -> None:
    (world.memory / "archive").write_text("no folder")
    before = world.files()
    with pytest.raises(Unavailable, match=r"^docs/memory/archive: .*; nothing was changed$"):
        commit(place, [change(world, "inbox.md"), FileChange("docs/memory/archive/a.md", None, "x", "")])
    assert world.files() == before


def test_a_journal_that_cannot_be_written_is_named(world: Project, place: Place) -> None:
    before = world.files()
    path = Path(private_state(place).journals, f"{project_key(place)}.json")
    path.mkdir()
    with pytest.raises(Unavailable) as told:
        commit(place, plan_of(world))
    assert told.value.message == f"{path}: Is a directory; nothing was changed"
    assert world.files() == before
    assert journals(place) == [path.name]


@requirement("CUST-07.3-06", "CUST-T-18")
@pytest.mark.parametrize("ended", [KeyboardInterrupt(), SystemExit(143)])
def test_an_interruption_half_way_is_taken_back_and_goes_on(
    world: Project, place: Place, monkeypatch: pytest.MonkeyPatch, ended: BaseException
) -> None:
    before, plan = world.files(), plan_of(world)
    monkeypatch.setattr(commits, "replace", failing_at(3, ended))
    with pytest.raises(type(ended)):
        commit(place, plan)
    assert world.files() == before


@requirement("CUST-14-16", "CUST-T-18")
@pytest.mark.parametrize("number", [1, 2, 3, 4])
@pytest.mark.parametrize("ended", [KeyboardInterrupt(), SystemExit(143)])
def test_an_interruption_directly_after_a_replacement_is_taken_back_too(
    world: Project, place: Place, monkeypatch: pytest.MonkeyPatch, number: int, ended: BaseException
) -> None:
    before, plan = world.files(), plan_of(world)
    calls = iter(range(1, 100))

    def replace(temporary: str, path: str) -> None:
        os.replace(temporary, path)
        if next(calls) == number:
            raise ended

    monkeypatch.setattr(commits, "replace", replace)
    with pytest.raises(type(ended)):
        commit(place, plan)
    assert world.files() == before
    assert journals(place) == []


@requirement("CUST-14-16")
def test_whether_to_end_is_asked_until_the_first_file_is_replaced(world: Project, place: Place) -> None:
    before, plan = world.files(), plan_of(world)
    for number in range(1, len(plan) + 2):
        asked = iter(range(1, 100))

        def check_end(asked: Iterator[int] = asked, number: int = number) -> None:
            if next(asked) == number:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            commit(place, plan, check_end)
        assert world.files() == before
        assert journals(place) == []


@requirement("CUST-14-16", "CUST-T-18")
def test_what_cannot_be_taken_back_is_reported_file_by_file(
    world: Project, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = world.files()
    with pytest.raises(PartialCompletion) as partial:
        fail_from_the_third_on(world, place, monkeypatch)
    assert partial.value.exit_code == 1
    (kept,) = [path for path in world.files() if path.endswith(".tmp")]
    assert partial.value.message == (
        "docs/memory/inbox.md: Read-only file system. Partial completion: docs/memory/archive/new/a.md: as before; "
        "docs/memory/decisions.md: written; docs/memory/inbox.md: as before; docs/memory/subjects.md: as before. "
        f"What was there before stays in {kept} until the next write puts it back. "
        "Run `memory-custodian check` and compare these files by hand"
    )
    assert world.text("decisions.md") == "new\n"
    assert world.files()[kept] == before["docs/memory/decisions.md"]
    assert world.text("inbox.md") != "new\n"


@requirement("CUST-14-16", "CUST-T-18")
def test_the_next_write_puts_back_what_could_not_be_taken_back(
    world: Project, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = world.files()
    with pytest.raises(PartialCompletion):
        fail_from_the_third_on(world, place, monkeypatch)
    done = world.done("add", "A note.", "--evidence", "user-confirmed")
    assert done.startswith("Took back what an earlier command had begun: docs/memory/decisions.md\n")
    assert world.files()["docs/memory/decisions.md"] == before["docs/memory/decisions.md"]
    assert not [path for path in world.files() if path.endswith(".tmp")]
    assert journals(place) == []


@requirement("CUST-14-16")
def test_what_could_not_be_taken_back_and_was_edited_or_lost_since_is_set_aside(
    world: Project, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    for case, told in (("edited", "edited since"), ("lost", "replaced")):
        with pytest.raises(PartialCompletion):
            fail_from_the_third_on(world, place, monkeypatch)
        if case == "edited":
            world.write("decisions.md", "edited by hand\n")
        else:
            next(world.memory.glob(".*.tmp")).unlink()
        with pytest.raises(PartialCompletion, match=rf"decisions\.md: {told}"):
            journal.finish(place)
        world.write("decisions.md", f"# Decisions, {case}\n")
        for path in world.memory.glob(".*.tmp"):
            path.unlink()


@requirement("CUST-14-16")
def test_what_was_there_before_is_named_with_a_warning_where_no_journal_can_keep_it(
    world: Project, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    note, noted = journal.note, iter((False, True))

    def note_once(place: Place, steps: Sequence[journal.Step], *, back: bool = False) -> None:
        if next(noted):
            raise OSError(28, "No space left on device")
        note(place, steps, back=back)

    monkeypatch.setattr(journal, "note", note_once)
    with pytest.raises(
        PartialCompletion, match=r"stays in docs/memory/\.decisions\.md\.\w+\.tmp, which the next write"
    ):
        fail_from_the_third_on(world, place, monkeypatch)
    assert journals(place) == []


@requirement("CUST-14-16")
def test_a_file_that_cannot_be_put_back_for_want_of_room_leaves_no_file_beside_it(
    world: Project, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare, plan = atomic.prepare, plan_of(world)

    def full(path: str, content: bytes) -> str:
        if content != b"new\n":
            raise OSError(28, "No space left on device")
        return prepare(path, content)

    monkeypatch.setattr(commits, "prepare", full)
    monkeypatch.setattr(commits, "replace", failing_at(3, OSError(28, "No space left on device")))
    with pytest.raises(PartialCompletion, match=r"decisions\.md: written; .*as before\. Run `memory-custodian check`"):
        commit(place, plan)
    assert not [path for path in world.files() if path.endswith(".tmp")]
    assert journals(place) == []


@requirement("CUST-14-16")
def test_what_somebody_saves_meanwhile_is_neither_replaced_nor_called_as_before(
    world: Project, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, calls = plan_of(world), iter(range(1, 100))

    def replace(temporary: str, path: str) -> None:
        if next(calls) == 3:
            world.write("decisions.md", "edited by hand\n")
            raise OSError(30, "Read-only file system")
        os.replace(temporary, path)

    monkeypatch.setattr(commits, "replace", replace)
    with pytest.raises(PartialCompletion, match=r"decisions\.md: edited since; docs/memory/inbox\.md: as before"):
        commit(place, plan)
    assert world.text("decisions.md") == "edited by hand\n"
    assert journals(place) == []


def test_one_file_needs_no_journal(world: Project, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_arguments: object) -> None:
        raise AssertionError

    monkeypatch.setattr(journal, "note", never)
    commit(place, [change(world, "inbox.md")])
    assert world.text("inbox.md") == "new\n"
