"""The memory set and its registry are read where they are needed, and once a command (§4.4)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from unittest import mock

import pytest

from csbond_tests.custodian_entries import SUBJECT, entry, subject, subjects
from csbond_tests.custodian_world import Done, Project, project
from csbond_tests.marks import requirement
from memory_custodian.files import memory_files
from memory_custodian.rules import memory_index
from memory_custodian.rules.entry_text import parse_entries
from memory_custodian.rules.subject_text import parse_subjects

CONFIRMED = ("--evidence", "user-confirmed")
INBOX = "MC-INBOX-20260301-00000003"
OWNED = ("--subject", SUBJECT, "--facet", "security", *CONFIRMED)
COMMANDS = (
    ("add", "Print in grey.", "--type", "decision", *OWNED),
    ("add", "Draw lakes first.", "--type", "decision", "--supersedes", "MC-DEC-20260301-00000001", *OWNED),
    ("check",),
    ("compact",),
    ("forget", "rivers", "--mode", "purge"),
    ("migrate",),
    ("promote", INBOX, "--type", "constraint", *OWNED),
    ("subject", "add", "Lakes", "--kind", "concept", *CONFIRMED),
    ("subject", "add-alias", SUBJECT, "Brooks"),
    ("subject", "list"),
    ("subject", "rename", SUBJECT, "Streams"),
    ("subject", "show", SUBJECT),
)
WITH_REGISTRY = [words for words in COMMANDS if words[0] not in {"compact", "forget"}]


@pytest.fixture
def world(tmp_path: Path) -> Project:
    return project(
        tmp_path,
        decisions=f"# Decisions\n\n{entry('DEC', 1, Facet='security')}\n{entry('DEC', 2, 'Ship.', Facet='workflow')}",
        inbox=f"# Memory Inbox\n\n{entry('INBOX', 3, 'Work offline.')}",
        subjects=subjects(subject()),
    )


def reports_or_refuses(done: Done, file: str) -> bool:
    return done.code in {1, 2} and f"{file}: byte 0 is not UTF-8" in done.out + done.err


@requirement("CUST-04.4-03")
@pytest.mark.parametrize("words", WITH_REGISTRY, ids=" ".join)
def test_a_registry_that_cannot_be_read_is_noticed_by_every_command_that_needs_it(
    world: Project, words: tuple[str, ...]
) -> None:
    (world.memory / "subjects.md").write_bytes(b"\xff\n")
    before = world.files()
    assert reports_or_refuses(world.run(*words), "subjects.md")
    assert world.files() == before


@requirement("CUST-04.4-03")
def test_check_judges_the_subjects_of_entries_by_the_registry(world: Project) -> None:
    assert world.run("check").code == 0
    world.write("subjects.md", subjects(subject(7, "Lakes")))
    done = world.run("check")
    assert done.code == 1
    assert "has a missing or inactive Subject; subjects.md has the Subjects" in done.out


@requirement("CUST-04.4-03")
@pytest.mark.parametrize("registry", [None, subjects(subject(7, "Lakes"))], ids=["none", "one"])
def test_a_migration_makes_the_registry_that_is_missing_and_keeps_the_one_that_is_there(
    tmp_path: Path, registry: str | None
) -> None:
    old = project(tmp_path, "0.5", **({"subjects": registry} if registry else {}))
    assert old.confirmed("migrate").code == 0
    assert old.text("subjects.md").startswith("# Subjects")
    assert registry is None or old.text("subjects.md") == registry


@requirement("CUST-04.4-03", "CUST-04.4-34")
def test_the_conflict_preflight_and_add_and_promote_judge_by_the_registry(world: Project) -> None:
    taken = ("add", "Print in grey.", "--type", "constraint", *OWNED)
    assert "Active structural owner already exists" in world.run(*taken).err
    world.write("subjects.md", subjects(subject(7, "Lakes")))
    for words in (taken, ("promote", INBOX, "--type", "constraint", *OWNED)):
        assert f"--subject {SUBJECT} is not defined in subjects.md" in world.run(*words).err


@requirement("CUST-T-19")
@pytest.mark.parametrize("words", [*COMMANDS, ("read", "--task", "planning"), ("status",)], ids=" ".join)
def test_every_file_is_read_once_and_indexed_once_a_command(world: Project, words: tuple[str, ...]) -> None:
    with (
        mock.patch.object(memory_files, "_content_of", wraps=memory_files._content_of) as read,
        mock.patch.object(memory_index, "parse_entries", wraps=parse_entries) as parsed,
        mock.patch.object(memory_index, "parse_subjects", wraps=parse_subjects) as registries,
    ):
        world.run(*words)
    reads = Counter(Path(call.args[0]).name for call in read.call_args_list)
    # The manifest is looked at before: it says by which rules a plan is confirmed.
    assert reads["decisions.md"] == 1
    assert max(count for file, count in reads.items() if file != "manifest.md") == 1
    assert max(Counter(call.args[0] for call in parsed.call_args_list).values(), default=0) <= 1
    assert registries.call_count <= 1
