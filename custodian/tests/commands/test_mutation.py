"""The story of every write, on a plan of three files that the tests give."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from csbond_tests import custodian_fixtures
from csbond_tests.custodian_world import PROJECT_ID, Project, project
from csbond_tests.marks import requirement
from memory_custodian.commands import mutation
from memory_custodian.commands.mutation import Request, carry_out, written_lines
from memory_custodian.commands.outcome import Outcome
from memory_custodian.files import lock as locking
from memory_custodian.files import seeds
from memory_custodian.files.lock import lock_path
from memory_custodian.files.memory_files import read_all
from memory_custodian.files.place import Place
from memory_custodian.files.private_state import private_state
from memory_custodian.files.project import find_place
from memory_custodian.rules.draws import Draws
from memory_custodian.rules.plan import FileChange, Gate, Plan
from memory_custodian.rules.problems import Refused, Unavailable
from memory_custodian.rules.snapshot import Snapshot

world, place = custodian_fixtures.world, custodian_fixtures.place


def build(snapshot: Snapshot, draws: Draws) -> Plan:
    """Note the date in two files, and begin a third with a random number."""
    brief, inbox = snapshot.texts["brief.md"], snapshot.texts["inbox.md"]
    return Plan(
        "note",
        {"word": "lamp"},
        (
            FileChange(snapshot.module("brief.md"), brief, f"{brief}{draws.today}\n", "the date"),
            FileChange(snapshot.module("inbox.md"), inbox, f"{inbox}{draws.today}\n", "the date"),
            FileChange(snapshot.module(f"rules/{draws.suffix()}.md"), None, "# Rule\n", "a rule"),
        ),
        PROJECT_ID,
        "0.6",
        headline=("Note the date",),
        warnings=("it is late",),
    )


def request(place: Place, **fields: Any) -> Request:
    made = Request("note", place, {"word": "lamp"}, build, read_all, "always", command_line=("note", "lamp"))
    return made._replace(**{"lock_timeout": 0.0, **fields})


def plan_id(outcome: Outcome) -> str:
    return str(outcome.data["plan"]["plan_id"])


def applying(place: Place, **fields: Any) -> Request:
    """The apply of a preview that is made first."""
    asked = request(place, **fields)
    return asked._replace(apply=True, confirm_plan=plan_id(carry_out(asked)))


def bootstrap(place: Place) -> Path:
    return Path(lock_path(private_state(place), place, None))


def hold(path: Path, age: float = 0.0) -> None:
    path.write_text('{"hostname": "elsewhere", "pid": 1}')
    path.chmod(0o600)
    os.utime(path, (time.time() - age, time.time() - age))


def locks(place: Place) -> list[str]:
    return [name for name in os.listdir(private_state(place).locks) if name.endswith(".lock")]


@requirement("CUST-02-08", "CUST-08.1-13")
def test_a_preview_writes_nothing_and_needs_no_lock(world: Project, place: Place) -> None:
    before = world.files()
    hold(bootstrap(place))
    outcome = carry_out(request(place))
    assert outcome.exit_code == 0
    assert f"Plan ID: {plan_id(outcome)}" in outcome.lines
    assert outcome.data["state"] == "preview"
    assert world.files() == before


@requirement("CUST-13.1-13", "CUST-T-10")
def test_a_preview_that_is_repeated_has_the_same_plan_id(place: Place) -> None:
    assert plan_id(carry_out(request(place))) == plan_id(carry_out(request(place)))


@requirement("CUST-14-15", "CUST-08.2-02", "CUST-16-13")
def test_an_apply_writes_the_previewed_plan_and_lists_its_files(world: Project, place: Place) -> None:
    preview = carry_out(request(place))
    outcome = carry_out(request(place, apply=True, confirm_plan=plan_id(preview)))
    written = [one["path"] for one in preview.data["plan"]["target_files"]]
    assert sorted(outcome.data["written"]) == written
    assert outcome.lines == (
        "Note the date",
        "Warning: it is late",
        "Written files: 3",
        *(f"- {path}" for path in outcome.data["written"]),
    )
    assert (outcome.data["state"], outcome.exit_code, plan_id(outcome)) == ("applied", 0, plan_id(preview))
    assert all((world.root / path).exists() for path in written)
    assert locks(place) == []
    assert [name for name in os.listdir(private_state(place).plans) if name != "key"] == []


@requirement("CUST-08.2-01")
def test_an_apply_without_its_plan_id_is_refused_before_any_lock(world: Project, place: Place) -> None:
    before = world.files()
    hold(bootstrap(place))
    for confirm in ("always", "current-protocol"):
        with pytest.raises(Refused, match="--confirm-plan"):
            carry_out(request(place, apply=True, confirm=confirm, open_gates=frozenset({"--any"})))
    assert world.files() == before


@requirement("CUST-01-09", "CUST-08.2-03", "CUST-08.2-04", "CUST-13.1-13", "CUST-13.1-14")
def test_after_a_change_the_old_plan_id_writes_nothing_and_the_new_preview_is_shown(
    world: Project, place: Place
) -> None:
    old = plan_id(carry_out(request(place)))
    world.write("inbox.md", world.text("inbox.md") + "- a late thought\n")
    before = world.files()
    with pytest.raises(Refused) as stale:
        carry_out(request(place, apply=True, confirm_plan=old))
    new = next(line for line in stale.value.shown if line.startswith("Plan ID: "))[9:]
    assert old in stale.value.message
    assert new in stale.value.message
    assert "Nothing was written" in stale.value.message
    assert new != old
    assert world.files() == before
    assert locks(place) == []
    assert carry_out(request(place, apply=True, confirm_plan=new)).data["state"] == "applied"


@requirement("CUST-08.2-03", "CUST-13.1-14")
@pytest.mark.parametrize("wrong", ["", "0" * 16, "x" * 1000])
def test_any_other_id_writes_nothing(world: Project, place: Place, wrong: str) -> None:
    carry_out(request(place))
    before = world.files()
    with pytest.raises(Refused, match="does not match"):
        carry_out(request(place, apply=True, confirm_plan=wrong))
    assert world.files() == before


@requirement("CUST-08.1-11", "CUST-13.1-12")
def test_a_plan_id_of_more_than_seven_days_asks_for_a_new_preview(world: Project, place: Place) -> None:
    asked = applying(place)
    before = world.files()
    plans = Path(private_state(place).plans)
    for path in plans.iterdir():
        os.utime(path, (time.time() - 8 * 24 * 3600, time.time() - 8 * 24 * 3600))
    with pytest.raises(Refused, match="does not match"):
        carry_out(asked)
    assert world.files() == before


@requirement("CUST-T-10")
def test_a_plan_previewed_before_midnight_is_applied_after_it(
    world: Project, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seeds, "_today", lambda: "2026-03-02")
    asked = applying(place)
    monkeypatch.setattr(seeds, "_today", lambda: "2026-03-03")
    assert carry_out(asked).data["state"] == "applied"
    assert world.text("brief.md").endswith("2026-03-02\n")


@requirement("CUST-07.3-04", "CUST-07.3-05", "CUST-08.2-02")
def test_what_is_written_is_planned_from_what_is_read_under_the_lock(
    world: Project, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody writes between the beginning of the command and the moment it has the lock."""
    held = locking.held

    def late(*arguments: Any) -> Any:
        world.write("inbox.md", "# Memory Inbox\n\n- somebody else's\n")
        return held(*arguments)

    monkeypatch.setattr(mutation, "held", late)
    carry_out(request(place, confirm="never"))
    assert "- somebody else's\n" in world.text("inbox.md")


@requirement("CUST-B5.7-01", "CUST-07.1-05")
def test_while_it_reads_and_plans_both_locks_are_held(place: Place) -> None:
    seen: list[list[str]] = []

    def looking(snapshot: Snapshot, draws: Draws) -> Plan:
        seen.append(sorted(locks(place)))
        return build(snapshot, draws)

    carry_out(request(place, confirm="never", build=looking))
    assert seen == [sorted([f"{PROJECT_ID}.lock", bootstrap(place).name])]
    assert locks(place) == []


@requirement("CUST-08.2-07")
def test_in_an_older_project_the_bootstrap_lock_orders_the_writers(tmp_path: Path, world: Project) -> None:
    older = project(tmp_path / "older", protocol="0.5")
    place = find_place(str(older.root), "docs/memory")
    seen: list[list[str]] = []

    def looking(snapshot: Snapshot, draws: Draws) -> Plan:
        seen.append(locks(place))
        return build(snapshot, draws)

    carry_out(request(place, confirm="never", build=looking))
    assert seen == [[bootstrap(place).name]]
    hold(bootstrap(place))
    before = older.files()
    with pytest.raises(Unavailable, match="Timed out"):
        carry_out(request(place, confirm="never"))
    assert older.files() == before


@requirement("CUST-08.2-06")
def test_an_older_project_keeps_its_apply_without_a_plan_id(tmp_path: Path, world: Project) -> None:
    older = project(tmp_path / "older", protocol="0.5")
    place = find_place(str(older.root), "docs/memory")
    outcome = carry_out(request(place, apply=True, confirm="current-protocol"))
    assert outcome.data["state"] == "applied"
    with pytest.raises(Refused, match="--confirm-plan"):
        carry_out(request(place, apply=True, confirm="always"))
    with pytest.raises(Refused, match="does not match"):
        carry_out(request(place, apply=True, confirm="current-protocol", confirm_plan="0" * 16))


@requirement("CUST-08.2-01", "CUST-08.2-06")
def test_a_project_that_was_migrated_meanwhile_asks_for_the_plan_id(
    tmp_path: Path, world: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = project(tmp_path / "older", protocol="0.5")
    place = find_place(str(older.root), "docs/memory")
    held = locking.held

    def migrated(*arguments: Any) -> Any:
        older.write("manifest.md", world.text("manifest.md"))
        return held(*arguments)

    monkeypatch.setattr(mutation, "held", migrated)
    with pytest.raises(Refused, match=r"protocol 0\.6 now"):
        carry_out(request(place, apply=True, confirm="current-protocol"))
    assert older.text("brief.md") == world.text("brief.md")


@requirement("CUST-14-12")
def test_a_blocker_is_shown_and_refuses_the_apply(world: Project, place: Place) -> None:
    def blocked(snapshot: Snapshot, draws: Draws) -> Plan:
        return build(snapshot, draws)._replace(blockers=("brief.md: body",), gates=(Gate("--any", "x"),))

    before = world.files()
    assert carry_out(request(place, build=blocked)).exit_code == 0
    outcome = carry_out(applying(place, build=blocked, open_gates=frozenset({"--any"})))
    assert (outcome.exit_code, outcome.data["state"], outcome.data["apply_command"]) == (1, "refused", None)
    assert outcome.lines[-1].startswith("Refusing apply")
    assert world.files() == before


@requirement("CUST-T-09")
def test_a_closed_gate_refuses_and_the_same_plan_id_goes_through_once_it_is_open(world: Project, place: Place) -> None:
    def gated(snapshot: Snapshot, draws: Draws) -> Plan:
        return build(snapshot, draws)._replace(gates=(Gate("--allow-broad-match", "many"),))

    before = world.files()
    preview = carry_out(request(place, build=gated))
    assert str(preview.data["apply_command"]).endswith("--allow-broad-match")
    asked = request(place, build=gated, apply=True, confirm_plan=plan_id(preview))
    outcome = carry_out(asked)
    assert outcome.exit_code == 1
    assert outcome.lines[-1] == "Refusing apply without --allow-broad-match. Nothing was written."
    assert world.files() == before
    assert carry_out(asked._replace(open_gates=frozenset({"--allow-broad-match"}))).data["state"] == "applied"


def nothing(snapshot: Snapshot, _draws: Draws) -> Plan:
    return Plan("note", {"word": "lamp"}, (), PROJECT_ID, "0.6", headline=("All is noted",), warnings=("late",))


def test_a_plan_that_changes_nothing_says_so_and_has_no_id(world: Project, place: Place) -> None:
    for confirm in ("always", "never"):
        outcome = carry_out(request(place, build=nothing, confirm=confirm))
        assert outcome.lines == ("All is noted", "Warning: late")
        assert (outcome.exit_code, outcome.data["state"], outcome.data["plan"]) == (0, "nothing-to-do", None)
    with pytest.raises(Refused, match="nothing left to do") as refused:
        carry_out(request(place, build=nothing, apply=True, confirm_plan="0" * 16))
    assert refused.value.shown == ("All is noted",)


@requirement("CUST-B2.2-01")
def test_what_cannot_be_written_is_refused_before_anything_is(world: Project, place: Place) -> None:
    (world.memory / "rules").write_text("in the way")
    before = world.files()
    with pytest.raises(Refused, match="non-directory parent"):
        carry_out(request(place, confirm="never"))
    assert world.files() == before
    assert locks(place) == []


def raising(error: BaseException) -> Callable[[Snapshot, Draws], Plan]:
    def fail(_snapshot: Snapshot, _draws: Draws) -> Plan:
        raise error

    return fail


@requirement("CUST-07.3-06")
@pytest.mark.parametrize("error", [Refused("no"), OSError("disk"), KeyboardInterrupt(), RuntimeError("a bug")])
def test_the_locks_are_released_after_a_refusal_an_error_and_an_interruption(
    place: Place, error: BaseException
) -> None:
    with pytest.raises(type(error)):
        carry_out(request(place, confirm="never", build=raising(error)))
    assert locks(place) == []


@requirement("CUST-07.3-09")
def test_a_lock_of_another_host_stays_whatever_is_asked(world: Project, place: Place) -> None:
    hold(bootstrap(place), age=10**6)
    with pytest.raises(Unavailable, match="elsewhere"):
        carry_out(request(place, confirm="never", break_stale_lock=True))
    assert bootstrap(place).exists()


@pytest.mark.parametrize(
    "version, word", [("0.7", "newer than this CLI supports"), ("abc", "invalid protocol version")]
)
def test_a_protocol_that_cannot_be_written_is_refused_in_preview_and_apply(
    world: Project, place: Place, version: str, word: str
) -> None:
    world.write(
        "manifest.md", world.text("manifest.md").replace("protocol_version: 0.6", f"protocol_version: {version}")
    )
    before = world.files()
    for confirm in ("always", "never"):
        with pytest.raises(Refused, match=word):
            carry_out(request(place, confirm=confirm))
    assert world.files() == before


def test_what_a_killed_command_prepared_is_swept(world: Project, place: Place) -> None:
    for folder in (world.memory, world.root):
        (folder / f".brief.md.{'0' * 32}.tmp").write_text("half")
    carry_out(request(place, confirm="never"))
    assert not [path for path in world.files() if path.endswith(".tmp")]


def test_words_that_no_file_can_hold_are_refused(world: Project, place: Place) -> None:
    before = world.files()
    for arguments in ({"topic_name": "a\udcffb"}, {"topic_name": ("a", "\ud800")}):
        with pytest.raises(Refused, match=r"^topic-name: not valid UTF-8"):
            carry_out(request(place, arguments=arguments))
    assert world.files() == before


def test_the_written_files_are_named_one_a_line(place: Place) -> None:
    change = FileChange("docs/memory/brief.md", None, "x", "")
    assert written_lines(Plan("note", {}, (change,), PROJECT_ID, "0.6")) == (
        "Written files: 1",
        "- docs/memory/brief.md",
    )
