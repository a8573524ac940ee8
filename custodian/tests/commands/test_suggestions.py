"""What `status`, `check` and `add` suggest to run is about the memory they were asked about, wherever it is run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from csbond_tests.custodian_world import Project, project
from csbond_tests.marks import requirement
from memory_custodian.rules.suggestion import places_command, suggestion

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


def test_where_no_place_was_given_none_is_named() -> None:
    assert suggestion("init --repair", ()) == "memory-custodian init --repair"
    assert suggestion("init", ("--memory-dir", "docs/my notes")) == "memory-custodian init --memory-dir 'docs/my notes'"
    assert places_command("privacy", ()) == "`memory-custodian check --privacy`"
