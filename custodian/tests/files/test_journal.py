"""What a kill cut off is finished by the next writer."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from csbond_tests import custodian_fixtures
from csbond_tests.custodian_fixtures import journals
from csbond_tests.custodian_world import Project, plan_id_in, project
from csbond_tests.marks import requirement
from memory_custodian.files import commit as commits
from memory_custodian.files import journal
from memory_custodian.files.commit import commit
from memory_custodian.files.place import Place
from memory_custodian.files.private_state import private_state
from memory_custodian.files.project import find_place
from memory_custodian.rules.plan import FileChange
from memory_custodian.rules.problems import PartialCompletion, Unavailable

FILES = ("decisions.md", "inbox.md", "new.md")


class Killed(BaseException):
    """Stands for the end of a process: nothing after it runs."""


world, place = custodian_fixtures.world, custodian_fixtures.place


def killed_before(world: Project, place: Place, number: int) -> None:
    """Commit three files and be killed before the n-th is replaced, from 1; with 4 before the journal is removed."""
    texts = [(world.memory / file).read_text("utf-8") if (world.memory / file).exists() else None for file in FILES]
    plan = [FileChange(f"docs/memory/{file}", text, "new\n", "") for file, text in zip(FILES, texts, strict=True)]
    calls = iter(range(1, 100))

    def replace(temporary: str, path: str) -> None:
        if next(calls) == number:
            raise Killed
        os.replace(temporary, path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(commits, "replace", replace)
        patch.setattr(commits, "_take_back", lambda *_arguments: None)
        patch.setattr(journal, "forget", lambda _place: None)
        if number <= len(FILES):
            with pytest.raises(Killed):
                commit(place, plan)
        else:
            commit(place, plan)


@requirement("CUST-T-18")
@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_the_rest_is_replaced_from_where_it_stopped(world: Project, place: Place, number: int) -> None:
    killed_before(world, place, number)
    assert len(journals(place)) == 1
    earlier = journal.finish(place)
    assert earlier.finished == tuple(f"docs/memory/{file}" for file in FILES[number - 1 :])
    assert earlier.taken_back == ()
    assert [world.text(file) for file in FILES] == ["new\n"] * 3
    assert journals(place) == []
    assert journal.finish(place) == journal.Earlier()


@requirement("CUST-T-18")
def test_the_next_writer_finishes_it_and_says_so(world: Project, place: Place) -> None:
    killed_before(world, place, 2)
    done = world.confirmed("subject", "add", "Maps", "--kind", "concept", "--evidence", "user-confirmed")
    assert done.out.startswith("Finished what an earlier command had begun: docs/memory/inbox.md\n")
    assert [world.text(file) for file in FILES] == ["new\n"] * 3
    assert not [path for path in world.files() if path.endswith(".tmp")]


@requirement("CUST-T-18", "CUST-14-16")
def test_a_file_that_was_edited_since_is_not_touched_and_told_once(world: Project, place: Place) -> None:
    killed_before(world, place, 2)
    world.write("inbox.md", "edited by hand\n")
    with pytest.raises(PartialCompletion) as partial:
        journal.finish(place)
    message = partial.value.message
    assert (
        "docs/memory/decisions.md: replaced; docs/memory/inbox.md: edited since; docs/memory/new.md: as before"
        in message
    )
    assert "Partial completion" in message
    assert "memory-custodian check" in message
    assert world.text("inbox.md") == "edited by hand\n"
    (left,) = journals(place)
    assert left.endswith(".json.abandoned")
    assert journal.finish(place) == journal.Earlier()


@requirement("CUST-T-18", "CUST-14-16")
def test_what_a_journal_set_aside_names_is_kept_until_that_is_removed(world: Project, place: Place) -> None:
    killed_before(world, place, 2)
    world.write("inbox.md", world.text("inbox.md") + "- edited by hand\n")
    told = world.run("add", "A note.", "--evidence", "user-confirmed")
    assert told.code == 1
    prepared = [path for path in world.files() if path.endswith(".tmp")]
    assert len(prepared) == 2
    assert all(path in told.err for path in prepared)
    for _ in range(2):
        world.done("add", "A note.", "--evidence", "user-confirmed")
        assert [path for path in world.files() if path.endswith(".tmp")] == prepared
    (aside,) = journals(place)
    Path(private_state(place).journals, aside).unlink()
    world.done("add", "A note.", "--evidence", "user-confirmed")
    assert not [path for path in world.files() if path.endswith(".tmp")]


@requirement("CUST-10.3-01", "CUST-10.3-02")
@pytest.mark.parametrize("mode", ["hard", "purge", "soft"])
def test_forgetting_names_what_a_change_set_aside_left_of_the_topic(world: Project, place: Place, mode: str) -> None:
    killed_before(world, place, 2)
    (kept,) = world.memory.glob(".inbox.md.*.tmp")
    kept.write_text("- The wombat policy.\n", "utf-8")
    (world.memory / "inbox.md").write_text("# Memory Inbox\n\n- edited since\n", "utf-8")
    with pytest.raises(PartialCompletion):
        journal.finish(place)
    preview = world.run("forget", "wombat", "--mode", mode)
    named = f"{kept.name}: matching content of a change that was set aside"
    assert preview.code == 0
    assert named in preview.out.split("Warnings:" if mode == "soft" else "Blockers:")[1]
    if mode != "soft":
        refused = world.run("forget", "wombat", "--mode", mode, "--apply", "--confirm-plan", plan_id_in(preview.out))
        assert (refused.code, "Refusing apply" in refused.out) == (1, True)
        assert "wombat" not in preview.out + refused.out
    kept.unlink()
    assert named not in world.run("forget", "wombat", "--mode", mode).out


def test_one_journal_set_aside_does_not_replace_another(world: Project, place: Place) -> None:
    for number in (1, 2, 3):
        killed_before(world, place, 2)
        world.write("inbox.md", f"edited {number}\n")
        with pytest.raises(PartialCompletion):
            journal.finish(place)
        world.write("decisions.md", f"again {number}\n")
        world.write("new.md", f"again {number}\n")
    assert len(journals(place)) == 3
    assert len(journal.kept_temporaries(place)) == 9


@requirement("CUST-T-18")
@pytest.mark.parametrize(
    "name, age, stays",
    [
        ("0.json.00ff.tmp", 3590, True),
        ("0.json.00ff.tmp", 3610, False),
        ("0.json.abandoned", 89 * 86400, True),
        ("0.json.abandoned", 91 * 86400, False),
        ("0.json.2.abandoned", 91 * 86400, False),
        ("0.json", 91 * 86400, True),
    ],
)
def test_what_is_left_of_journals_goes_with_time(place: Place, name: str, age: int, stays: bool) -> None:
    path = Path(private_state(place).journals, name)
    path.write_bytes(b"{")
    os.utime(path, (10**9, 10**9))
    journal.sweep_journals(place, float(10**9 + age))
    assert path.exists() is stays


def malformed(world: Project, place: Place) -> list[str]:
    """Leave a malformed journal, set aside; return what was prepared for it."""
    killed_before(world, place, 2)
    (name,) = journals(place)
    Path(private_state(place).journals, name).write_bytes(b"[")
    with pytest.raises(PartialCompletion) as partial:
        journal.finish(place)
    prepared = [path for path in world.files() if path.endswith(".tmp")]
    assert len(prepared) == 2
    assert all(path in partial.value.message for path in prepared)
    return prepared


@requirement("CUST-14-16")
def test_what_was_prepared_for_a_malformed_journal_stays_as_long_as_that_and_hinders_nobody(
    world: Project, place: Place
) -> None:
    prepared = malformed(world, place)
    later = world.memory / f".brief.md.{'0' * 32}.tmp"
    later.write_text("half")
    (aside,) = Path(private_state(place).journals).iterdir()
    os.utime(later, (aside.stat().st_mtime + 1, aside.stat().st_mtime + 1))
    for _ in range(2):
        world.done("add", "A note.", "--evidence", "user-confirmed")
        assert [path for path in world.files() if path.endswith(".tmp")] == prepared
    long_ago = aside.stat().st_mtime - 91 * 86400
    os.utime(aside, (long_ago, long_ago))
    for _ in range(2):
        world.done("add", "A note.", "--evidence", "user-confirmed")
    assert not [path for path in world.files() if path.endswith(".tmp")]
    assert journals(place) == []


@requirement("CUST-10.3-01", "CUST-10.3-02")
def test_forgetting_names_what_was_prepared_for_a_malformed_journal(world: Project, place: Place) -> None:
    malformed(world, place)
    (kept,) = world.memory.glob(".inbox.md.*.tmp")
    os.utime(kept, (10**9, 10**9))
    kept.write_text("- The wombat policy.\n", "utf-8")
    os.utime(kept, (10**9, 10**9))
    named = f"{kept.name}: matching content of a change that was set aside"
    assert named in world.run("forget", "wombat", "--mode", "hard").out.split("Blockers:")[1]
    kept.unlink()
    assert named not in world.run("forget", "wombat", "--mode", "hard").out


@requirement("CUST-T-18")
def test_a_prepared_file_that_is_gone_or_damaged_is_not_put_in_place(world: Project, place: Place) -> None:
    killed_before(world, place, 2)
    (prepared,) = [path for path in world.memory.iterdir() if path.name.startswith(".inbox.md.")]
    prepared.write_text("half")
    with pytest.raises(PartialCompletion):
        journal.finish(place)
    assert world.text("inbox.md") != "half"


FILES_AS_BEFORE = journal.Earlier(taken_back=tuple(f"docs/memory/{file}" for file in FILES))


@requirement("CUST-T-18", "CUST-14-16")
def test_a_journal_of_which_nothing_was_done_and_nothing_is_left_is_taken_back(world: Project, place: Place) -> None:
    before = world.files()
    killed_before(world, place, 1)
    for path in world.memory.glob(".*.tmp"):
        path.unlink()
    assert journal.finish(place) == FILES_AS_BEFORE
    assert world.files() == before
    assert journals(place) == []


@requirement("CUST-T-18", "CUST-14-16")
@pytest.mark.parametrize("number", [2, 3, 4])
def test_a_change_whose_files_somebody_put_back_is_taken_back(world: Project, place: Place, number: int) -> None:
    """As `git checkout` does: the files are as before, and what is prepared stays for those not replaced yet."""
    before = world.files()
    killed_before(world, place, number)
    for file in FILES:
        content = before.get(f"docs/memory/{file}")
        (world.memory / file).unlink(missing_ok=True) if content is None else world.write(file, content.decode())
    done = world.done("add", "A note.", "--evidence", "user-confirmed")
    assert done.splitlines()[:3] == [
        f"Took back what an earlier command had begun: {path}" for path in FILES_AS_BEFORE[1]
    ]
    written = {path for path, content in world.files().items() if before.get(path) != content}
    assert written == {"docs/memory/inbox.md"}
    assert journals(place) == []


@requirement("CUST-14-16")
def test_a_file_that_was_edited_is_told_of_though_nothing_prepared_is_left(world: Project, place: Place) -> None:
    killed_before(world, place, 2)
    for path in world.memory.glob(".*.tmp"):
        path.unlink()
    world.write("decisions.md", "edited by hand\n")
    with pytest.raises(PartialCompletion, match=r"decisions\.md: edited since"):
        journal.finish(place)


@requirement("CUST-14-16", "CUST-T-18")
@pytest.mark.parametrize("kind", ["directory", "fifo", "link"])
def test_what_is_no_file_any_more_counts_as_edited_and_hinders_nobody_for_good(
    world: Project, place: Place, kind: str
) -> None:
    killed_before(world, place, 2)
    path = world.memory / "new.md"
    {"directory": path.mkdir, "fifo": lambda: os.mkfifo(path), "link": lambda: path.symlink_to("brief.md")}[kind]()
    with pytest.raises(PartialCompletion, match=r"new\.md: edited since"):
        journal.finish(place)
    assert journal.finish(place) == journal.Earlier()


@requirement("CUST-14-16")
@pytest.mark.parametrize("kind", ["directory", "fifo", "link"])
def test_what_is_no_file_in_the_place_of_a_journal_is_named(world: Project, place: Place, kind: str) -> None:
    killed_before(world, place, 2)
    path = Path(private_state(place).journals, *journals(place))
    path.unlink()
    {"directory": path.mkdir, "fifo": lambda: os.mkfifo(path), "link": lambda: path.symlink_to("x")}[kind]()
    done = world.run("add", "A note.", "--evidence", "user-confirmed")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(f"I/O error: {path} is ")
    assert done.err.count("\n") == 1


@requirement("CUST-14-16")
@pytest.mark.parametrize("number, begun", [(1, 1), (1, 2), (2, 2)])
def test_a_disk_that_fails_while_a_change_is_finished_is_told_with_the_state_of_each_file(
    world: Project, place: Place, monkeypatch: pytest.MonkeyPatch, number: int, begun: int
) -> None:
    killed_before(world, place, begun)
    calls = iter(range(1, 100))

    def replace(temporary: str, path: str) -> None:
        if next(calls) == number:
            raise OSError(30, "Read-only file system")
        os.replace(temporary, path)

    with monkeypatch.context() as patch:
        patch.setattr(journal, "replace", replace)
        with pytest.raises(Unavailable) as told:
            journal.finish(place)
    done = begun - 1 + number - 1
    states = "; ".join(
        f"docs/memory/{file}: {'replaced' if at < done else 'as before'}" for at, file in enumerate(FILES)
    )
    assert told.type is (PartialCompletion if done else Unavailable)
    assert told.value.message == (
        f"docs/memory/{FILES[done]}: Read-only file system. What an earlier command had begun is not finished "
        f"({states}). The next write tries again"
    )
    assert journal.finish(place).finished == tuple(f"docs/memory/{file}" for file in FILES[done:])


def test_a_journal_that_cannot_be_removed_does_not_hide_what_was_finished(
    world: Project, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stays(_place: Place) -> None:
        raise OSError(30, "Read-only file system")

    killed_before(world, place, 3)
    with monkeypatch.context() as patch:
        patch.setattr(journal, "forget", stays)
        assert journal.finish(place).finished == ("docs/memory/new.md",)
    assert journal.finish(place) == journal.Earlier()


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"[]",
        pytest.param(b"[" * 200_000, id="nested without end"),
        b'{"steps": [{}]}',
        b'{"steps": 7}',
        b'{"steps": [{"path": "docs/\\u0000", "temporary": "docs/a", "base_sha256": "0", "new_sha256": "1"}]}',
        b'{"steps": [{"path": "docs/a", "temporary": "docs/\\ud800", "base_sha256": "0", "new_sha256": "1"}]}',
        b'{"steps": [{"path": "../../x", "temporary": "docs/a", "base_sha256": "0", "new_sha256": "1"}]}',
        b'{"steps": [{"path": "docs/a", "temporary": "../../etc/passwd", "base_sha256": "0", "new_sha256": "1"}]}',
        pytest.param(
            b'{"steps": [{"path": "docs/%s", "temporary": "docs/a", "base_sha256": "0", "new_sha256": "1"}]}'
            % (b"a" * 256),
            id="a name that is too long",
        ),
        pytest.param(
            b'{"steps": [{"path": "docs/a", "temporary": "%s", "base_sha256": "0", "new_sha256": "1"}]}'
            % (b"docs/" * 2000),
            id="a path that is too long",
        ),
        b'{"steps": [{"path": 7, "temporary": "a", "base_sha256": "0", "new_sha256": "1"}]}',
    ],
)
def test_a_malformed_journal_is_set_aside_and_touches_nothing(world: Project, place: Place, raw: bytes) -> None:
    before = world.files()
    killed_before(world, place, 4)
    after = world.files()
    (name,) = journals(place)
    Path(private_state(place).journals, name).write_bytes(raw)
    with pytest.raises(PartialCompletion, match="malformed") as partial:
        journal.finish(place)
    assert world.files() == after != before
    assert "Look at" not in partial.value.message, "there is no file to look at"
    assert partial.value.message.endswith("is left. Run `memory-custodian check`, then try again")
    world.done("add", "A note.", "--evidence", "user-confirmed")


def test_two_copies_of_a_project_have_journals_of_their_own(world: Project, place: Place, tmp_path: Path) -> None:
    """They have one project_id; each finishes its own change only."""
    other = project(tmp_path / "copy")
    killed_before(world, place, 2)
    assert journal.finish(find_place(str(other.root), "docs/memory")) == journal.Earlier()
    assert other.text("inbox.md") != "new\n"
    assert len(journals(place)) == 1
