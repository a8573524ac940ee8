"""The command `memory-custodian`: what it says of itself, and how it ends."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import memory_custodian
from csbond_tests.custodian_world import Done, Project, project
from csbond_tests.marks import requirement
from memory_custodian import cli
from memory_custodian.cli import VERBS, main
from memory_custodian.commands.outcome import Outcome
from memory_custodian.rules.problems import Interrupted, PartialCompletion, Refused, Unavailable


@pytest.fixture
def world(tmp_path: Path) -> Project:
    return project(tmp_path)


def answering(monkeypatch: pytest.MonkeyPatch, answer: Outcome | Exception) -> None:
    """Let the verb `status` end in a given way."""
    verb = cli._verb("status")

    def run(_options: object) -> Outcome:
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(cli, "_verb", lambda _name: verb._replace(run=run))


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"memory-custodian {memory_custodian.__version__}\n"
    assert memory_custodian.__version__ == "0.10.0"


def test_help_lists_every_verb_with_a_sentence() -> None:
    command = [sys.executable, "-m", "memory_custodian", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    for verb in VERBS:
        assert f"\n    {verb} " in done.stdout


def test_the_module_of_earlier_versions_is_the_command_too() -> None:
    command = [sys.executable, "-m", "memory_custodian.main", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "memory-custodian 0.10.0\n", "")
    assert import_module("memory_custodian.main").main is main


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_a_help_that_describes_each_option(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([verb, "--help"])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert "--project-root" in said or verb == "subject"
    assert "==SUPPRESS==" not in said


@pytest.mark.parametrize(
    "arguments", [["remember"], [], ["status", "--loud"], ["status", "--format", "xml"], ["read", "--task", "poetry"]]
)
def test_a_usage_error_ends_with_2_on_stderr(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "Traceback" not in said.err
    assert said.err.startswith("usage: memory-custodian")


@requirement("CUST-14-01", "CUST-14-02", "CUST-14-04")
@pytest.mark.parametrize(
    "answer, ended",
    [
        (Outcome(("done",), {}), (0, "done\n", "")),
        (Outcome(("not well",), {}, 1), (1, "not well\n", "")),
        (Refused("decisions.md: no"), (2, "", "Error: decisions.md: no\n")),
        (Refused("stale", shown=("the new plan",)), (2, "the new plan\n", "Error: stale\n")),
        (Unavailable("held"), (1, "", "I/O error: held\n")),
        (PartialCompletion("Partial completion"), (1, "", "I/O error: Partial completion\n")),
        (OSError(28, "No space left on device", "a.md"), (1, "", "I/O error: a.md: No space left on device\n")),
        (OSError(21, "Is a directory", 3), (1, "", "I/O error: Is a directory\n")),
        (Interrupted("Interrupted; 1 file", 143), (143, "", "Interrupted; 1 file\n")),
        (Outcome(("done",), {}, earlier=("before",)), (0, "before\ndone\n", "")),
    ],
    ids=[
        "done",
        "not well",
        "refused",
        "refused with the new plan",
        "unavailable",
        "partly done",
        "disk",
        "an open file",
        "interrupted",
        "after an earlier change",
    ],
)
def test_each_end_has_its_exit_code_and_stream(
    world: Project, monkeypatch: pytest.MonkeyPatch, answer: Outcome | Exception, ended: tuple[int, str, str]
) -> None:
    answering(monkeypatch, answer)
    assert world.run("status") == ended


@requirement("CUST-14-03")
def test_an_error_of_the_program_keeps_its_traceback(world: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, ZeroDivisionError("a bug"))
    with pytest.raises(ZeroDivisionError):
        world.run("status")


def test_json_says_which_command_of_which_version_ended_how(world: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, Outcome(("line",), {"state": "好"}, 1))
    done = world.run("status", "--format", "json")
    assert json.loads(done.out) == {"command": "status", "cli_version": "0.10.0", "exit_code": 1, "state": "好"}


def test_output_that_no_encoding_holds_is_shown_as_escapes(world: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, Outcome(("a lone \ud800",), {}))
    assert world.run("status").out == "a lone \\ud800\n"


def test_a_program_that_calls_it_keeps_its_garbage_collector(world: Project) -> None:
    assert gc.isenabled()
    assert world.run("status").out
    assert gc.isenabled()


@requirement("CUST-P-07")
@pytest.mark.parametrize(
    "answer, ended, error",
    [
        (Refused("decisions.md: no"), 2, {"kind": "refused", "message": "decisions.md: no"}),
        (Unavailable("held"), 1, {"kind": "unavailable", "message": "held"}),
        (PartialCompletion("half"), 1, {"kind": "partial", "message": "half"}),
        (OSError(28, "No space", "a.md"), 1, {"kind": "unavailable", "message": "a.md: No space"}),
    ],
    ids=["refused", "unavailable", "partly done", "disk"],
)
def test_for_programs_every_refusal_is_one_json_document_too(
    world: Project, monkeypatch: pytest.MonkeyPatch, answer: Exception, ended: int, error: dict[str, str]
) -> None:
    answering(monkeypatch, answer)
    done = world.run("status", "--format", "json")
    assert done.data == {"command": "status", "cli_version": "0.10.0", "exit_code": ended, "error": error}
    assert (done.code, done.err.count("\n")) == (ended, 1)
    assert done.err.endswith(f": {error['message']}\n")


@requirement("CUST-P-07")
def test_for_programs_a_refusal_has_the_data_that_belongs_to_it(
    world: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(monkeypatch, Refused("stale", shown=("the new plan",), shown_data={"state": "preview"}))
    data = world.run("status", "--format", "json").data
    assert (data["state"], data["error"]["kind"], data["exit_code"]) == ("preview", "refused", 2)


def test_who_stops_reading_gets_the_status_of_a_closed_pipe_and_no_traceback(world: Project) -> None:
    world.write("brief.md", "# Project Brief\n\n" + "Lantern prints maps of every shore. " * 5000)
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "memory_custodian", *world.spelled(("read",))]
    with open(writing, "wb") as closed:
        done = subprocess.run(
            command, stdout=closed, stderr=subprocess.PIPE, env=world.environment, check=False, timeout=60
        )
    assert (done.returncode, done.stderr) == (141, b"")


def test_an_interrupted_command_ends_with_130_and_one_line(world: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    verb = cli._verb("status")

    def run(_options: object) -> Outcome:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_verb", lambda _name: verb._replace(run=run))
    assert world.run("status") == (130, "", "Interrupted.\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_an_output_that_cannot_be_written_is_told_of_without_a_traceback(world: Project) -> None:
    done = redirected(world, ">/dev/full", *world.spelled(("add", "A note.", "--evidence", "user-confirmed")))
    assert done.code == 1
    assert done.err.startswith("I/O error: the output cannot be written: ")
    assert done.err.count("\n") == 1
    assert done.err.endswith("; look at the files first\n")
    assert "done" not in done.err, "a refused command may have lost its output too"
    assert "A note." in world.text("inbox.md")


NO_OUTPUT = [
    pytest.param(">/dev/full", marks=pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")),
    ">&-",
]


def redirected(world: Project, streams: str, *arguments: str) -> Done:
    """Run a command by a shell that redirects its streams."""
    command = f'exec "$0" -m memory_custodian "$@" {streams}'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, *arguments],
        capture_output=True,
        text=True,
        env=world.environment,
        check=False,
        timeout=60,
    )
    return Done(done.returncode, done.stdout, done.stderr)


@requirement("CUST-14-02")
@pytest.mark.parametrize("streams", NO_OUTPUT)
@pytest.mark.parametrize("words", ["--version", "--help", "add --help", "subject --help", "read", "read --format json"])
def test_whatever_cannot_be_printed_ends_with_1_and_one_line(world: Project, words: str, streams: str) -> None:
    arguments = words.split() if words.startswith("-") or "--help" in words else world.spelled(tuple(words.split()))
    done = redirected(world, streams, *arguments)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("I/O error: the output cannot be written: ")
    assert done.err.count("\n") == 1
    assert ";" not in done.err, "nothing was written to any file that one would have to look at"


@requirement("CUST-14-02", "CUST-P-07")
@pytest.mark.parametrize("streams", NO_OUTPUT)
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_refusal_keeps_its_reason_where_the_output_is_lost(world: Project, form: str, streams: str) -> None:
    before = world.files()
    done = redirected(world, streams, *world.spelled(("forget", "", "--format", form)))
    first, *more = done.err.splitlines()
    assert first.startswith("Error: TOPIC is empty")
    if form == "text":
        assert (done.code, more) == (2, [])
    else:
        assert done.code == 1
        assert [line.rpartition("; ")[2] for line in more] == ["the command was refused and wrote nothing"]
        assert more[0].startswith("I/O error: the output cannot be written: ")
    assert world.files() == before


@requirement("CUST-14-02", "CUST-P-07")
@pytest.mark.parametrize("streams", ["2>&-", "2>/dev/full"])
def test_errors_that_nobody_can_read_change_nothing_of_the_output(world: Project, streams: str) -> None:
    if "full" in streams and not os.path.exists("/dev/full"):
        return
    done = redirected(world, streams, *world.spelled(("forget", "", "--format", "json")))
    assert (done.code, done.data["error"]["kind"]) == (2, "refused")
    assert redirected(world, streams, *world.spelled(("forget", ""))) == (2, "", "")
    assert redirected(world, streams, "remember") == (2, "", "")
    assert redirected(world, f"{streams} >&-", "--version") == (1, "", "")
