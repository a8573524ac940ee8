"""Every way a command can end has its status, and an error is one line or one JSON document."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from csbond import __version__
from csbond.cli.app import app
from csbond.cli.options import JsonOption
from csbond.cli.reference import command_paths
from csbond.protocol.errors import REGISTRY

COMMANDS = [path.split()[1:] for path in command_paths()]
CHANGING = ["init", "serve", "send", "talk", "memory add", "memory edit", "memory delete", "principal add"]
CHANGING += [f"memory {name}" for name in ("promote", "demote", "tend", "forget", "rules set", "rules apply", "review")]


def test_the_commands_are_those_that_are_promised() -> None:
    assert set(command_paths()) >= {
        *(f"csb {name}" for name in ("init", "serve", "status", "doctor", "send", "talk", "card")),
        *(f"csb memory {name}" for name in ("add", "list", "show", "search", "edit", "delete")),
        *(f"csb memory {name}" for name in ("promote", "demote", "tend", "forget", "review")),
        *(f"csb memory rules {name}" for name in ("show", "set", "check", "apply")),
        *(f"csb memory archive {name}" for name in ("list", "show")),
        *(f"csb thread {name}" for name in ("list", "show", "search", "said")),
        *(f"csb principal {name}" for name in ("add", "list", "remove")),
    }


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help_and_takes_json(csb, command: list[str]) -> None:
    ended = csb(*command, "--help")
    assert ended.status == 0
    assert "--json" in ended.out
    assert ended.err == ""


@pytest.mark.parametrize("command", [*CHANGING, "principal remove"])
def test_every_command_that_changes_something_says_what_repeating_does(csb, command: str) -> None:
    assert "\n  Repeating: " in csb(*command.split(), "--help").out


def test_the_version_is_printed(csb) -> None:
    assert csb("--version").out == f"csb {__version__}\n"


@pytest.mark.parametrize(
    "command", [[], ["memory"], ["memory", "rules"], ["memory", "archive"], ["thread"], ["principal"]]
)
def test_without_a_command_the_help_is_shown_and_the_status_is_that_of_misuse(csb, command: list[str]) -> None:
    ended = csb(*command)
    assert ended.status == 2
    assert "Commands:" in ended.out


@pytest.mark.parametrize(
    "command, words",
    [
        (["fly"], "No such command 'fly'"),
        (["send", "--loud"], "No such option: --loud"),
        (["send", "http://127.0.0.1:1"], "Missing argument 'TEXT'"),
        (["memory", "list", "--limit", "0"], "Invalid value for '--limit'"),
        (["memory", "list", "--type", "dream"], "'dream' is not one of"),
        (["principal", "add", "Ada", "--role", "king"], "'king' is not one of"),
        (["init"], "Missing option '--name'"),
    ],
)
def test_misuse_is_one_line_that_says_where_help_is(csb, command: list[str], words: str) -> None:
    ended = csb(*command)
    assert ended.status == 2
    assert words in ended.err
    assert ended.err.count("\n") == 1
    assert " --help\n" in ended.err
    assert ended.out == ""


def test_misuse_with_json_is_the_one_error_shape(csb) -> None:
    ended = csb("memory", "list", "--limit", "x", "--json")
    assert ended.status == 2
    assert ended.error["code"] == "invalid_params"
    assert ended.error["next_step"] == "csb memory list --help"


@pytest.mark.parametrize(
    "command",
    [
        ["serve"],
        ["status"],
        ["doctor"],
        ["talk", "http://127.0.0.1:1", "hi"],
        ["memory", "add", "x"],
        ["memory", "search", "x"],
        ["thread", "list"],
        ["principal", "list"],
    ],
)
def test_without_a_home_the_command_says_what_to_type(csb, command: list[str]) -> None:
    ended = csb(*command)
    assert ended.status == 2
    assert ended.err == (
        "csb: no agent home is named: give --home DIR or set CSB_HOME — to make one: csb init --home DIR --name NAME\n"
    )
    assert csb(*command, "--json").error["code"] == "home_missing"


def test_a_place_without_a_home_is_answered_with_the_command_that_makes_one(csb, tmp_path: Path) -> None:
    ended = csb("status", "--home", tmp_path / "none")
    assert ended.status == 2
    assert ended.err.endswith(f"csb init --home {tmp_path / 'none'} --name NAME\n")


def test_csb_home_names_the_home_and_an_empty_one_names_none(csb, home, monkeypatch) -> None:
    monkeypatch.setenv("CSB_HOME", str(home.path))
    assert csb("status", "--json").json["home"] == str(home.path)
    monkeypatch.setenv("CSB_HOME", "")
    assert "no agent home is named" in csb("status").err


def test_ctrl_c_ends_with_130(csb, monkeypatch) -> None:
    interrupt_status(monkeypatch, KeyboardInterrupt())
    assert csb("status").status == 130


def test_a_fault_of_the_program_keeps_its_traceback_and_ends_with_70(csb, monkeypatch) -> None:
    interrupt_status(monkeypatch, RuntimeError("broken"))
    ended = csb("status", "--json")
    assert ended.status == 70
    assert "Traceback" in ended.err
    assert json.loads(ended.err.splitlines()[-1])["error"]["code"] == "internal_error"


def interrupt_status(monkeypatch, fault: BaseException) -> None:
    def fail(_as_json: JsonOption = False) -> None:
        raise fault

    (command,) = [each for each in app.registered_commands if each.name == "status"]
    monkeypatch.setattr(command, "callback", fail)


def test_statuses_of_errors_are_those_of_the_registry(csb, home, node) -> None:
    for code in REGISTRY.values():
        node.answer("GET /v1/memory", {"error": {"code": code.name, "reason": "so it is"}}, code.http)
        ended = csb("memory", "list", "--home", home.path, "--json")
        assert (ended.error["code"], ended.error["reason"]) == (code.name, "so it is")
        assert ended.status == {"negative": 1, "usage": 2, "unavailable": 3, "forbidden": 4, "internal": 70}[code.exit]


CSB = f"{sys.executable} -m csbond.cli"


def shell(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A script of bash, for its redirections."""
    return subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, check=False, env=os.environ | environment
    )


PRINTING = ["--help", "--version", "memory --help", "status --home {home}", "doctor --home {home} --json"]


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("command", PRINTING)
def test_when_the_reader_goes_away_the_status_is_that_of_a_closed_pipe(home, command: str, unbuffered: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    called = [sys.executable, "-m", "csbond.cli", *command.format(home=home.path).split()]
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    with open(writing, "wb") as nobody:
        run = subprocess.run(called, stdout=nobody, stderr=subprocess.PIPE, env=environment, check=False)
    assert (run.returncode, run.stderr) == (141, b"")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("command", PRINTING)
def test_what_cannot_be_printed_is_one_line_and_no_fault_of_the_program(home, command: str, unbuffered: str) -> None:
    called = f"{CSB} {command.format(home=home.path)}"
    full = shell(f"{called} >/dev/full", PYTHONUNBUFFERED=unbuffered)
    assert full.returncode == 3
    assert "standard output cannot be written: No space left on device" in full.stderr
    assert full.stderr.count("\n") == 1
    closed = shell(f"{called} >&-", PYTHONUNBUFFERED=unbuffered)
    assert closed.returncode == 2
    assert "standard output is closed" in closed.stderr
    assert closed.stderr.count("\n") == 1


@pytest.mark.parametrize("place", ["2>/dev/full", "2>&-", ">&- 2>&-"])
def test_an_error_that_nobody_can_be_told_is_in_the_status(place: str) -> None:
    run = shell(f"{CSB} fly {place}")
    assert (run.returncode, run.stdout, run.stderr) == (2, "", "")


@pytest.mark.parametrize("command", ["memory add - --home {home}", "send http://127.0.0.1:1 -"])
@pytest.mark.parametrize("source, words", [("<&-", "is closed"), ("3>/dev/null <&3", "cannot be read")])
def test_standard_input_that_cannot_be_read_is_misuse(home, command: str, source: str, words: str) -> None:
    run = shell(f"{CSB} {command.format(home=home.path)} {source}")
    assert (run.returncode, run.stderr.count("\n")) == (2, 1)
    assert f"standard input {words}" in run.stderr


def test_a_terminal_without_chinese_is_written_to_all_the_same(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "csbond.cli", "init", "--home", tmp_path / "home", "--name", "衡"],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
        check=False,
    )
    assert run.returncode == 0
    assert rb"\u8861 has a home" in run.stdout
    assert run.stderr == b""
