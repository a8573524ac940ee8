"""Times the command on one memory set, each run beside one of the bare interpreter."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bench.custodian.memory_set import ENTRIES, SUBJECT, MemorySet, fill

__all__ = ["Crowd", "Figures", "Pairs", "Project", "Run", "Spoiled", "measure", "measure_pairs"]

WRITERS = 50
SCRIPT = Path(sys.executable).with_name("memory-custodian")
_AS_INSTALLED = "import sys; from memory_custodian.cli import main; sys.exit(main())"
COMMAND = [str(SCRIPT)] if SCRIPT.exists() else [sys.executable, "-c", _AS_INSTALLED]
_INTERPRETER = [sys.executable, "-c", "import argparse"]
_READ = ("read", "--task", "implementation")
_ADD = ("add", "Print every sheet twice.", "--type", "decision", "--reason", "One is for the walkers.")
_OWNER = ("--subject", SUBJECT, "--facet", "behavior", "--evidence", "user-confirmed")


class Spoiled(Exception):
    """The set or the machine does not allow a measurement."""


@dataclass
class Run:
    """How long one process took."""

    ms: float
    cpu_ms: float
    """Of it on a processor: what others do on the machine changes it least."""


@dataclass
class Pairs:
    """Runs of a command, each with the run of the interpreter before it."""

    command: list[Run] = field(default_factory=list)
    interpreter: list[Run] = field(default_factory=list)

    @property
    def ratios(self) -> list[float]:
        """How many times as long the command took, run by run."""
        return [one.ms / other.ms for one, other in zip(self.command, self.interpreter, strict=True)]

    @property
    def ratio(self) -> float:
        """The median of the ratios: what disturbs the machine for a while disturbs both sides of a pair."""
        return median(self.ratios)

    @property
    def cpu_ratio(self) -> float:
        """The same of the time on a processor."""
        pairs = zip(self.command, self.interpreter, strict=True)
        return median(one.cpu_ms / other.cpu_ms for one, other in pairs)


@dataclass
class Crowd:
    """What many writers at once came to."""

    written: int = 0
    timed_out: int = 0
    lost: int = 0
    """Acknowledged and not there."""
    unexplained: int = 0
    """Failed, and not by a lock time-out."""
    seconds: float = 0.0


@dataclass
class Figures:
    """Everything that was measured."""

    memory: MemorySet
    read: Pairs
    add: Pairs
    crowd: Crowd


def measure(folder: Path, rounds: int, say: Callable[[str], None]) -> Figures:
    """Make the set, and measure pairs and a crowd."""
    project = Project(folder)
    memory = project.fill()
    say(f"{memory.entries} entries in {memory.files} files")
    read, add = measure_pairs(project, rounds)
    say(f"{WRITERS} writers at once")
    return Figures(memory, read, add, _crowd(project))


def measure_pairs(project: Project, rounds: int) -> tuple[Pairs, Pairs]:
    """Warm everything up once, and measure `read` and `add` in rounds that hold every kind of run."""
    read, add = Pairs(), Pairs()
    for number in range(rounds + 1):
        for kept, words in ((read, _READ), (add, (*_ADD, *_OWNER))):
            interpreter = _timed(lambda: project.process(_INTERPRETER))
            command = project.timed(words)
            if number:
                kept.interpreter.append(interpreter)
                kept.command.append(command)
    return read, add


class Project:
    """A project with a memory set, and the private state of its user, below one folder."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        # Installed commands are compiled: a run that compiles them each time would measure the compiler.
        self.environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        self.environment["XDG_STATE_HOME"] = str(folder / "state")
        if "PYTHONPATH" in self.environment:
            # The commands run in the project, where relative paths would lead elsewhere.
            folders = self.environment["PYTHONPATH"].split(os.pathsep)
            self.environment["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, folders))
        self.root.mkdir()

    @property
    def memory(self) -> Path:
        """Where the memory files lie."""
        return self.root / "docs" / "memory"

    def fill(self) -> MemorySet:
        """Make the set."""
        _must(self.process([*COMMAND, "init", "--extended"]))
        (self.root / "docs" / "notes.md").write_text("notes\n")
        memory = fill(self.root)
        if memory.entries != ENTRIES:
            raise Spoiled(f"the set has {memory.entries} entries instead of {ENTRIES}")
        return memory

    def process(self, words: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """Run a process in the project."""
        return subprocess.run(words, cwd=self.root, env=self.environment, capture_output=True, text=True, check=False)

    def timed(self, words: Sequence[str]) -> Run:
        """Time one command, and take back what it wrote, so that every run meets the same set."""
        before = {path: path.read_bytes() for path in (self.memory / "decisions.md", self.memory / "changelog.md")}
        done: list[subprocess.CompletedProcess[str]] = []
        took = _timed(lambda: done.append(self.process([*COMMAND, *words])))
        _must(done[0])
        for path, content in before.items():
            path.write_bytes(content)
        return took


def _timed(work: Callable[[], object]) -> Run:
    cpu, begun = _children_s(), time.perf_counter()
    work()
    return Run((time.perf_counter() - begun) * 1000, (_children_s() - cpu) * 1000)


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _must(done: subprocess.CompletedProcess[str]) -> None:
    if done.returncode:
        raise Spoiled(
            f"{' '.join(done.args)} ended with {done.returncode}: {done.stderr.strip() or done.stdout.strip()}"
        )


def _crowd(project: Project) -> Crowd:
    begun = time.perf_counter()
    running = {
        text: subprocess.Popen(
            [*COMMAND, "add", text, "--evidence", "user-confirmed"],
            cwd=project.root,
            env=project.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for text in (f"Crowd thought {number:02d}." for number in range(WRITERS))
    }
    crowd = Crowd()
    errors = {text: process.communicate()[1] for text, process in running.items()}
    crowd.seconds = time.perf_counter() - begun
    inbox = (project.memory / "inbox.md").read_text("utf-8").split("\n")
    for text, process in running.items():
        if process.returncode == 0:
            crowd.written += 1
            crowd.lost += inbox.count(text) != 1
        elif "Timed out waiting for mutation lock" in errors[text]:
            crowd.timed_out += 1
        else:
            crowd.unexplained += 1
    return crowd
