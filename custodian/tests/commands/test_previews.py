"""Every verb that previews answers programs in one form, also where the confirmed plan is stale (§§8.2, 14)."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest

from csbond_tests.custodian_world import Project, project
from csbond_tests.marks import requirement
from memory_custodian import cli

CONFIRMED = ("--evidence", "user-confirmed")
PREVIEWS = {
    "forget": ("forget", "paper boats", "--allow-broad-match"),
    "forget hard": ("forget", "paper boats", "--mode", "hard"),
    "compact": ("compact",),
    "compact target": ("compact", "--target", "changelog.md"),
    "migrate": ("migrate",),
    "init": ("init", "--replace-existing"),
    "add": ("add", "Maps fold in four.", "--type", "decision", "--supersedes", "<DEC>", "--subject", "<SUBJ>"),
    "promote": ("promote", "<INBOX>", *CONFIRMED),
    "subject add": ("subject", "add", "Shore", "--kind", "concept", *CONFIRMED),
    "subject rename": ("subject", "rename", "<SUBJ>", "Folded maps"),
    "subject add-alias": ("subject", "add-alias", "<SUBJ>", "charts"),
}
KEYS = {"command", "cli_version", "exit_code", "state", "plan", "headline", "apply_command", "written"}


@pytest.fixture
def world(tmp_path: Path) -> Project:
    """A project in which every verb has something to do."""
    made = project(tmp_path)
    said = made.confirmed("subject", "add", "Maps", "--kind", "concept", *CONFIRMED).out
    subject = re.findall(r"MC-SUBJ-\d{8}-[0-9a-f]{8}", said)[0]
    about = (*CONFIRMED, "--subject", subject, "--facet", "interface")
    made.done("add", "Maps fold in three.", "--type", "decision", *about)
    decision = re.findall(r"MC-DEC-\d{8}-[0-9a-f]{8}", made.text("decisions.md"))[0]
    made.confirmed("add", "Maps fold in two.", "--type", "decision", "--supersedes", decision, *about)
    made.done("add", "Fields may need larger letters", "--type", "preference", "--candidate", *CONFIRMED)
    made.write("brief.md", "# Project Brief\n\n- paper boats\n")
    made.write("changelog.md", "# Memory Changelog\n\n" + "## 2026-03-02\n- Folded a map of the shore.\n\n" * 90)
    made.write("inbox.md", made.text("inbox.md") + "\n- same\n\n- same\n")
    return made


def asked(world: Project, name: str) -> list[str]:
    """The words of a preview, with the IDs of this project; for `migrate` the project becomes an older one."""
    if name == "migrate":
        manifest = re.sub(r"protocol_version: 0\.6", "protocol_version: 0.5", world.text("manifest.md"))
        world.write("manifest.md", manifest)
    words = list(PREVIEWS[name])
    for code, file in (("DEC", "decisions.md"), ("SUBJ", "subjects.md"), ("INBOX", "inbox.md")):
        found = re.findall(rf"MC-{code}-\d{{8}}-[0-9a-f]{{8}}", world.text(file))[0]
        words = [found if word == f"<{code}>" else word for word in words]
    return [*words, *CONFIRMED, "--facet", "interface"] if name == "add" else words


@requirement("CUST-P-07", "CUST-16-26")
@pytest.mark.parametrize("name", PREVIEWS)
def test_every_preview_is_one_json_document_for_programs(world: Project, name: str) -> None:
    words = asked(world, name)
    done = world.run(*words, "--format", "json")
    assert (done.code, done.err, done.data["state"]) == (0, "", "preview")
    assert done.data.keys() >= KEYS
    assert f"--confirm-plan {done.data['plan']['plan_id']}" in done.data["apply_command"]


@requirement("CUST-P-07", "CUST-08.2-04", "CUST-16-14", "CUST-16-26")
@pytest.mark.parametrize("name", PREVIEWS)
def test_a_stale_plan_is_one_json_document_with_the_new_preview(world: Project, name: str) -> None:
    words = asked(world, name)
    preview = world.run(*words, "--format", "json").data
    changed = next(one["path"] for one in preview["plan"]["target_files"] if one["operation"] == "replace")
    path = world.root / changed
    path.write_bytes(path.read_bytes() + b"\n")
    before = world.files()
    stale = world.run(*words, "--apply", "--confirm-plan", preview["plan"]["plan_id"], "--format", "json")
    assert (stale.code, stale.data["exit_code"], stale.data["state"]) == (2, 2, "preview")
    assert stale.data.keys() == {*preview.keys(), "error"}
    assert stale.data["error"]["kind"] == "refused"
    assert stale.err == f"Error: {stale.data['error']['message']}\n"
    assert stale.data["plan"]["plan_id"] != preview["plan"]["plan_id"]
    assert world.files() == before
    again = ("--apply", "--confirm-plan", stale.data["plan"]["plan_id"], "--format", "json")
    assert world.run(*words, *again).data["state"] == "applied"


@requirement("CUST-P-07")
def test_a_plan_that_somebody_else_made_is_one_json_document_too(world: Project) -> None:
    words = asked(world, "subject add-alias")
    preview = world.run(*words, "--format", "json").data
    confirm = ("--apply", "--confirm-plan", preview["plan"]["plan_id"], "--format", "json")
    assert world.run(*words, *confirm).data["state"] == "applied"
    done = world.run(*words, *confirm)
    assert (done.code, done.data["state"], done.data["error"]["kind"]) == (2, "nothing-to-do", "refused")


@requirement("CUST-P-07")
def test_a_taken_alias_is_one_json_document_with_what_is_there(world: Project) -> None:
    done = world.run("subject", "add", "maps", "--kind", "concept", *CONFIRMED, "--format", "json")
    assert (done.code, done.data["error"]["kind"]) == (2, "refused")
    assert "Exact matches:" in done.data["headline"]
    assert any("Maps (concept)" in line for line in done.data["headline"])


def flags_of(words: list[str]) -> list[str]:
    """Every option without a value that the verb of these words has, hidden ones too."""
    parser = argparse.ArgumentParser()
    cli._verb(words[0]).declare(parser)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            parser = action.choices[words[1]]
    found = [action for action in parser._actions if action.option_strings and action.nargs == 0]
    return [action.option_strings[-1] for action in found if not isinstance(action, argparse._HelpAction)]


@requirement("CUST-08.2-05", "CUST-08.2-01")
@pytest.mark.parametrize("name", PREVIEWS)
def test_no_option_of_a_verb_goes_around_its_confirmation(world: Project, name: str) -> None:
    words = asked(world, name)
    flags = flags_of(words)
    assert "--apply" in flags
    assert "--break-stale-lock" in flags
    before = world.files()
    for flag in (*flags, "--force", "--yes", "--confirm", "--no-confirm", "--skip-plan"):
        done = world.run(*words, "--apply", flag)
        assert (done.code, done.out) == (2, ""), flag
    everything = [flag for flag in flags if flag not in {"--repair", "--force", "--replace-existing", "--candidate"}]
    done = world.run(*words, *everything)
    assert (done.code, done.out) == (2, "")
    assert "--apply needs --confirm-plan" in done.err
    assert world.files() == before
