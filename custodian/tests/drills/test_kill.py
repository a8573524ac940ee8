"""`kill -9` in the middle of writes, again and again: every file stays readable, and what was acknowledged is there.

Most commands kill themselves at the n-th thing they ask of the file system once they hold a lock; the others are killed
from outside at some moment. After each, its locks are made as old as they need to be, and the next writer has nothing
but --break-stale-lock.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from csbond_tests.custodian_world import plan_id_in, project
from csbond_tests.marks import requirement
from memory_custodian.rules.entry import Entry
from memory_custodian.rules.entry_text import parse_entries
from memory_custodian.rules.manifest import project_id_of, protocol_state, read_manifest
from memory_custodian.rules.parse_blocks import parse
from memory_custodian.rules.subject_text import parse_subjects

FULL = os.environ.get("CSB_DRILL") == "full"
KILLS = 200 if FULL else 20
OUTSIDE_SHARE = 0.2
LAST_STEP = 75
"""Commands of the drill ask the file system for this many things under their locks, or fewer."""
LIFE_S = 0.4

_STEPPING = """
import os, signal, sys

left, watched = int(sys.argv.pop(1)), {"open", "os.rename", "os.remove", "os.mkdir", "os.link", "os.chmod"}
holding = False

def step(event, arguments):
    global left, holding
    if event in watched:
        holding = holding or (event == "open" and str(arguments[0]).endswith(".lock"))
        left -= holding
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(step)
from memory_custodian.cli import main
sys.exit(main(sys.argv[1:]))
"""
"""A command that kills itself before the n-th of those steps."""


class Drill:
    """One project through all the deaths of those who write to it."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.world = project(folder)
        self.world.write("changelog.md", "# Memory Changelog\n\nEntries are newest first.\n")
        self.random = Random(seed)
        self.held: set[str] = set()
        """The words of what was acknowledged, as entries have them."""
        self.forgotten: set[str] = set()
        self.kills = 0
        self.cut_off = 0
        """Kills in the middle of a change of several files."""
        self.number = 0
        self.subject_id = ""
        self.rule = ""
        """The ID of an active entry that may be superseded."""

    def new(self, kind: str) -> str:
        """Words that no other entry has."""
        self.number += 1
        return f"{kind} number {self.number:04d}."

    def killed(self, *arguments: str) -> bool:
        """Run a command that is killed somewhere, if it lives long enough; whether it acknowledged."""
        outside = self.random.random() < OUTSIDE_SHARE
        step = 10**6 if outside else self.random.randrange(LAST_STEP)
        process = subprocess.Popen(
            [sys.executable, "-c", _STEPPING, str(step), *self.world.spelled(arguments)],
            env=self.world.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        try:
            process.wait(timeout=self.random.uniform(0, LIFE_S) if outside else 60)
        except subprocess.TimeoutExpired:
            process.kill()
        _, err = process.communicate()
        assert process.returncode in {0, -9}, err
        self.kills += process.returncode == -9
        return process.returncode == 0

    def note(self) -> None:
        """Write a note, in two files."""
        words = self.new("Note")
        if self.killed("add", words, "--evidence", "user-confirmed"):
            self.held.add(words)

    def area(self) -> None:
        """Write a constraint to an area of its own: a new file, its index in the manifest, the log."""
        words = self.new("Area")
        arguments = ("--type", "constraint", "--area", f"a{self.number}", "--evidence", "user-confirmed")
        if self.killed("add", words, *arguments, "--subject", self.subject_id, "--facet", "behavior"):
            self.held.add(words)

    def supersede(self) -> None:
        """Replace the rule by another one."""
        words = self.new("Rule")
        arguments = (
            *("add", words, "--type", "decision", "--evidence", "user-confirmed", "--supersedes", self.rule),
            *("--subject", self.subject_id, "--facet", "behavior"),
        )
        plan = plan_id_in(self.world.done(*arguments))
        if self.killed(*arguments, "--apply", "--confirm-plan", plan):
            self.held.add(words)

    def subject(self) -> None:
        """Make a Subject."""
        words = self.new("Subject")
        arguments = ("subject", "add", words, "--kind", "concept", "--evidence", "user-confirmed")
        plan = plan_id_in(self.world.done(*arguments))
        if self.killed(*arguments, "--apply", "--confirm-plan", plan):
            self.held.add(words)

    def forget(self) -> None:
        """Forget a note for good."""
        notes = sorted(words for words in self.held if words.startswith("Note"))
        if not notes:
            return
        words = self.random.choice(notes)
        arguments = ("forget", words, "--mode", "hard", "--allow-broad-match")
        plan = plan_id_in(self.world.done(*arguments))
        self.held.remove(words)
        if self.killed(*arguments, "--apply", "--confirm-plan", plan):
            self.forgotten.add(words)

    def recover(self) -> None:
        """The next writer breaks old locks, finishes what was begun, and is acknowledged."""
        self.cut_off += any(self.world.state.rglob("journals/*.json"))
        for lock in self.world.state.rglob("*.lock"):
            age = 301 if not lock.read_bytes().endswith(b"}\n") else 61
            os.utime(lock, (time.time() - age, time.time() - age))
        words = self.new("After")
        done = self.world.run("add", words, "--evidence", "user-confirmed", "--break-stale-lock", "--lock-timeout", "0")
        assert done.code == 0, done
        self.held.add(words)

    def entries(self) -> list[Entry]:
        """Every entry; every file must be readable to its last byte."""
        found: list[Entry] = []
        for path in sorted(self.world.memory.rglob("*.md")):
            text = path.read_bytes().decode("utf-8")
            assert text.endswith("\n")
            assert "".join(block.text for block in parse(text)) == text
            found += parse_entries(path.name, text)
        for entry in found:
            assert entry.status in {"active", "candidate", "superseded"}, entry
            assert entry.evidence
            assert entry.bodies
        manifest = read_manifest(self.world.text("manifest.md"))
        assert protocol_state(manifest) == "current"
        assert project_id_of(manifest)
        return found

    def judge(self) -> None:
        """After recovery everything fits together and what was acknowledged is there."""
        entries = self.entries()
        texts = {text for entry in entries for _, text in entry.bodies}
        texts |= {subject.title for subject in parse_subjects(self.world.text("subjects.md"))}
        assert self.held <= texts, self.held - texts
        assert not self.forgotten & texts
        (active,) = [entry for entry in entries if entry.code == "DEC" and entry.status == "active"]
        self.rule = active.id
        assert not [path for path in self.world.files() if path.endswith(".tmp")]
        assert not list(self.world.state.rglob("*.lock"))
        assert not list(self.world.state.rglob("*.abandoned"))
        checked = self.world.run("check", "--format", "json").data
        # How full the files get is not what is tried here.
        issues = [one for one in checked["issues"] if one["severity"] == "ERROR" and one["code"] != "file-budget"]
        assert not issues

    def begin(self) -> None:
        """Make the Subject and the first rule."""
        made = self.world.confirmed("subject", "add", "Maps", "--kind", "concept", "--evidence", "user-confirmed")
        self.subject_id = made.out.partition("New Subject: ")[2].split()[0]
        arguments = ("--type", "decision", "--evidence", "user-confirmed", "--subject", self.subject_id)
        self.world.done("add", self.new("Rule"), *arguments, "--facet", "behavior")
        self.judge()


@requirement("CUST-P-03", "CUST-13.2-05", "CUST-T-18")
def test_what_was_acknowledged_survives_every_kill(tmp_path: Path) -> None:
    drill = Drill(tmp_path, seed=int(os.environ.get("CSB_DRILL_SEED", "20260302")))
    drill.begin()
    acts: list[Callable[[], None]] = [drill.note, drill.area, drill.supersede, drill.subject, drill.forget]
    while drill.kills < KILLS:
        drill.random.choice(acts)()
        drill.entries()
        drill.recover()
        drill.judge()
    assert len(drill.held) >= KILLS // 2
    assert drill.cut_off >= max(1, KILLS // 40)
