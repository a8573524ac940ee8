"""The command `add` in a project of protocol 0.5: its entries keep their form."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from csbond_tests.custodian_world import Project, project
from csbond_tests.marks import requirement
from memory_custodian.rules.parse_blocks import parse


@pytest.fixture
def world(tmp_path: Path) -> Project:
    return project(tmp_path, "0.5")


@requirement("CUST-B1.3-02", "CUST-06.1-04", "CUST-06.1-01")
@pytest.mark.parametrize(
    "options, file, form",
    [
        (
            ("--type", "decision", "--reason", "Ink."),
            "decisions.md",
            "## {day} - Print in grey.\nDecision:\nPrint in grey.\nReason:\nInk.\n",
        ),
        (
            ("--type", "decision", "--area", "sync"),
            "areas/sync.md",
            "## {day} - Print in grey.\nDecision:\nPrint in grey.\n",
        ),
        (("--type", "constraint"), "constraints.md", "- Print in grey.\n"),
        (("--type", "preference"), "preferences.md", "- Print in grey.\n"),
        (("--type", "tombstone"), "do-not-use.md", "## Tombstone: Print in grey.\n"),
        (("--type", "do-not-use", "--reason", "Ink."), "do-not-use.md", "## Tombstone: Print in grey.\n"),
        (("--type", "rule", "--name", "output"), "rules/output.md", "- Print in grey.\n"),
        (("--type", "profile", "--name", "review"), "profiles/review.md", "- Print in grey.\n"),
        (("--type", "area", "--name", "sync"), "areas/sync.md", "- Print in grey.\n"),
        ((), "inbox.md", "## {day}\n- Print in grey.\n"),
    ],
)
def test_each_type_is_written_in_its_old_form_with_a_notice(
    world: Project, options: tuple[str, ...], file: str, form: str
) -> None:
    out = world.done("add", "Print in grey.", *options)
    text = world.text(file)
    day = re.search(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}", text)
    assert form.format(day=day[0] if day else "") in text
    assert "MC-" not in text
    assert "Status:" not in text
    notices = [line for line in out.split("\n") if line.startswith("Notice: ")]
    assert len(notices) == 1
    assert "memory-custodian migrate" in notices[0]
    assert f"memory to {world.memory}/{file}\n" in out
    assert ("Indexed optional memory" in out) == ("/" in file)


@requirement("CUST-B1.3-02")
def test_old_bullets_are_put_at_the_end_and_old_headings_in_front(world: Project) -> None:
    for message in ("First.", "Second."):
        world.done("add", message, "--type", "constraint")
        world.done("add", message, "--type", "decision")
    assert world.text("constraints.md") == "# Constraints\n\n- First.\n\n- Second.\n"
    text = world.text("decisions.md")
    assert text.index("Second.") < text.index("First.")


@requirement("CUST-06.1-04")
@pytest.mark.parametrize(
    "options",
    [
        ("--candidate",),
        ("--subject", "MC-SUBJ-20260301-aa11bb22"),
        ("--facet", "behavior"),
        ("--supersedes", "MC-DEC-20260301-aa11bb22"),
    ],
)
def test_what_only_the_new_protocol_has_is_refused(world: Project, options: tuple[str, ...]) -> None:
    before = world.files()
    done = world.run("add", "Print in grey.", "--type", "decision", *options)
    assert (done.code, done.out) == (2, "")
    migrate = f"memory-custodian migrate --project-root {world.root}"
    assert f"{options[0]}: only a project of protocol 0.6 has this; run {migrate} first" in done.err
    assert world.files() == before


@requirement("CUST-06.1-04")
def test_evidence_is_judged_and_said_not_to_be_recorded(world: Project) -> None:
    out = world.done(
        "add", "Print in grey.", "--type", "constraint", "--evidence", "user-confirmed", "--reason", "Ink."
    )
    assert "Warning: --evidence is not recorded" in out
    assert "Warning: --reason is not recorded" in out
    assert "user-confirmed" not in world.text("constraints.md")
    assert world.run("add", "x", "--evidence", "hearsay").code == 2


@requirement("CUST-B2.5-02", "CUST-T-11")
def test_an_old_decision_has_the_same_budget(world: Project) -> None:
    before = world.files()
    done = world.run("add", "word " * 121, "--type", "decision")
    assert done.code == 1
    assert "Decision entry budget: 121/120 tokens\nNot added: shorten Decision" in done.out
    assert world.files() == before
    assert "explicitly allowed long decision" in world.done("add", "word " * 121, "--type", "decision", "--allow-long")


@requirement("CUST-T-17")
def test_an_old_entry_takes_nothing_with_it_and_splits_into_no_other(world: Project) -> None:
    world.write("do-not-use.md", "# Do Not Use / Tombstones\n\n- old bullet\n")
    world.write("decisions.md", "# Decisions\n\n- old bullet\n\n## Notes\nprose\n")
    message = "## no heading\n- no bullet\nDecision:\n```"
    for kind, file in (("tombstone", "do-not-use.md"), ("decision", "decisions.md"), ("inbox", "inbox.md")):
        old = [block.text.rstrip() for block in parse(world.text(file)) if block.removable]
        world.done("add", message, "--type", kind)
        new = [block.text.rstrip() for block in parse(world.text(file)) if block.removable]
        assert len(new) == len(old) + 1
        assert set(old) < set(new)


@requirement("CUST-10.3-09")
def test_a_secret_is_refused_there_too(world: Project) -> None:
    secret = "ghp_" + "a1b2c3d4e5" * 3
    done = world.run("add", f"Use {secret}")
    assert done.code == 2
    assert secret not in done.err
