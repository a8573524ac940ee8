"""What a command suggests to run is about the memory they were asked about, wherever it is run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from csbond_tests.custodian_world import Project, project
from csbond_tests.marks import requirement
from memory_custodian.cli import VERBS
from memory_custodian.rules.suggestion import places_command, suggestion, with_place

CONFIRMED = ("--evidence", "user-confirmed")


@pytest.fixture
def world(tmp_path: Path) -> Project:
    made = project(tmp_path / "a place", constraints="# Constraints\n\n" + "- a rule of few words\n" * 90)
    made.write("inbox.md", "# Memory Inbox\n\n" + "".join(f"- thought {number}\n" for number in range(60)))
    made.write("rules/lost.md", "# Rule: Lost\n\n- lost\n")
    made.write("preferences.md", "# Preferences\n\n- AKIA" + "ABCDEFGHIJKLMNOP\n- me@lantern-maps.dev\n")
    (made.memory / "subjects.md").unlink()
    return made


def suggested(text: str) -> list[list[str]]:
    """The words of every command that is printed, up to what is said of it."""
    found = re.findall(r"memory-custodian ((?:init|status|check|compact|migrate)[^;\n]*)", text)
    found = [
        re.split(r"` (?!with)| previews| creates| for the places|`$", words)[0].replace("` with", "") for words in found
    ]
    return [shlex.split(words) for words in found]


@requirement("CUST-14-05")
@pytest.mark.parametrize(
    "arguments, least",
    [(("status",), 3), (("check",), 5), (("add", "A rule.", "--type", "preference", *CONFIRMED), 0)],
)
def test_every_suggested_command_names_the_place_that_was_given(
    world: Project, arguments: tuple[str, ...], least: int
) -> None:
    found = suggested(world.run(*arguments).out)
    assert len(found) >= least, found
    for words in found:
        assert words[-2:] == ["--project-root", str(world.root)], words
        assert world.run(*words[:-2]).code in {0, 1}


@requirement("CUST-14-05")
def test_the_preview_after_an_add_is_asked_for_again_with_the_place(tmp_path: Path) -> None:
    world = project(tmp_path, preferences="# Preferences\n\n" + "- a preference of few words\n" * 60)
    added = world.run("add", "Short sentences.", "--type", "preference", *CONFIRMED).out
    assert f"Run: memory-custodian compact --target preferences.md --project-root {world.root}\n" in added


def test_a_memory_that_is_not_there_is_suggested_to_be_made_there(tmp_path: Path) -> None:
    world = project(tmp_path, "none")
    for verb in ("status", "check"):
        done = world.run(verb)
        assert f"memory-custodian init --project-root {world.root} makes it" in done.out + done.err


SUBJECT = "MC-SUBJ-20260301-00000009"


@requirement("CUST-14-05")
@pytest.mark.parametrize(
    "protocol, arguments, command",
    [
        ("0.6", ("add", "x", "--type", "decision", *CONFIRMED), "subject list"),
        ("0.6", ("add", "x", "--type", "decision", *CONFIRMED), "subject add"),
        ("0.6", ("add", "x", *CONFIRMED, "--subject", SUBJECT, "--facet", "behavior"), "subject list"),
        ("0.6", ("add", "x", *CONFIRMED, "--subject", "maps", "--facet", "behavior"), "subject list"),
        ("0.6", ("subject", "show", SUBJECT), "subject list"),
        ("0.6", ("subject", "rename", SUBJECT, "Maps"), "subject list"),
        ("0.5", ("subject", "add", "Maps", "--kind", "concept", *CONFIRMED), "migrate"),
        ("0.5", ("promote", "MC-INBOX-20260301-00000001", *CONFIRMED), "migrate"),
        ("0.5", ("add", "x", "--candidate"), "migrate"),
        ("0.5", ("init", "--repair"), "migrate"),
        ("none", ("forget", "x"), "init"),
    ],
)
def test_a_refusal_suggests_its_commands_with_the_place_too(
    tmp_path: Path, protocol: str, arguments: tuple[str, ...], command: str
) -> None:
    world = project(tmp_path / "a place", protocol)
    wanted = f"memory-custodian {command} --project-root {shlex.quote(str(world.root))}"
    said = world.run(*arguments)
    assert said.code in {1, 2}
    assert wanted in said.err
    assert said.err.count("--project-root") == said.err.count("memory-custodian ")
    assert wanted in world.run(*arguments, "--format", "json").data["error"]["message"]


@requirement("CUST-08.2-08", "CUST-14-05")
@pytest.mark.parametrize(
    "arguments",
    [
        ("forget", "heron"),
        ("compact",),
        ("compact", "--target", "decisions.md"),
        ("enable", "areas/sync"),
        ("init",),
        ("add", "Print in grey.", "--type", "decision"),
    ],
)
def test_the_notice_of_an_older_project_suggests_to_migrate_that_project(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    world = project(tmp_path / "a place", "0.5")
    notice = next(line for line in world.run(*arguments).out.splitlines() if line.startswith("Notice:"))
    assert f"memory-custodian migrate --project-root {shlex.quote(str(world.root))} previews" in notice


def test_every_verb_in_a_refusal_gets_the_place_once() -> None:
    place = ("--memory-dir", "docs/my notes")
    for verb in (*VERBS, "subject list", "subject add-alias"):
        if verb != "subject":
            told = f"x; run `memory-custodian {verb}` first"
            assert with_place(told, place) == f"x; run `memory-custodian {verb} --memory-dir 'docs/my notes'` first"
            assert with_place(told, ()) == told
    for told in ("memory-custodian 0.10.0", "memory-custodian add --help", "memory-custodian checks", "no command"):
        assert with_place(told, place) == told


def test_where_no_place_was_given_none_is_named() -> None:
    assert suggestion("init --repair", ()) == "memory-custodian init --repair"
    assert suggestion("init", ("--memory-dir", "docs/my notes")) == "memory-custodian init --memory-dir 'docs/my notes'"
    assert places_command("privacy", ()) == "`memory-custodian check --privacy`"
