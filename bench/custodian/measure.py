"""Times the command on one memory set, each run beside one of the bare interpreter."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bench.custodian.memory_set import ENTRIES, SUBJECT, MemorySet, fill

__all__ = ["Crowd", "Figures", "Pairs", "Spoiled", "measure"]

WRITERS = 50
COMMAND = Path(sys.executable).with_name("memory-custodian")
_INTERPRETER = [sys.executable, "-c", "import argparse"]
_READ = ("read", "--task", "implementation")
_ADD = ("add", "Print every sheet twice.", "--type", "decision", "--reason", "One is for the walkers.")
_OWNER = ("--subject", SUBJECT, "--facet", "behavior", "--evidence", "user-confirmed")


class Spoiled(Exception):
    """The set or the machine does not allow a measurement."""


@dataclass
class Pairs:
    """Runs of a command in milliseconds, each with the run of the interpreter before it."""

    command_ms: list[float] = field(default_factory=list)
    interpreter_ms: list[float] = field(default_factory=list)

    @property
    def ratios(self) -> list[float]:
        """How many times as long the command took, run by run."""
        return [one / other for one, other in zip(self.command_ms, self.interpreter_ms, strict=True)]

    @property
    def ratio(self) -> float:
        """The median of the ratios: what disturbs the machine for a while disturbs both sides of a pair."""
        return median(self.ratios)


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
    """Make the set, warm everything up once, and measure in rounds that hold every kind of run."""
    # Installed commands are compiled: a run that compiles them each time would measure the compiler.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["XDG_STATE_HOME"] = str(folder / "state")
    project = folder / "project"
    project.mkdir()
    run = _runner(project, environment)
    _must(run("init", "--extended"))
    (project / "docs" / "notes.md").write_text("notes\n")
    memory = fill(project)
    if memory.entries != ENTRIES:
        raise Spoiled(f"the set has {memory.entries} entries instead of {ENTRIES}")
    say(f"{memory.entries} entries in {memory.files} files")
    read, add = Pairs(), Pairs()
    for number in range(rounds + 1):
        pairs = [(read, _READ), (add, (*_ADD, *_OWNER))]
        for kept, words in pairs:
            interpreter = _timed(lambda: subprocess.run(_INTERPRETER, check=True, env=environment, capture_output=True))
            command, after = _timed_command(run, words, project)
            after()
            if number:
                kept.interpreter_ms.append(interpreter)
                kept.command_ms.append(command)
    say(f"{WRITERS} writers at once")
    return Figures(memory, read, add, _crowd(project, environment))


def _runner(project: Path, environment: dict[str, str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [COMMAND, *words], cwd=project, env=environment, capture_output=True, text=True, check=False
        )

    return run


def _timed_command(
    run: Callable[..., subprocess.CompletedProcess[str]], words: Sequence[str], project: Path
) -> tuple[float, Callable[[], None]]:
    """Time one command; what it wrote is taken back by the second value, so that every run meets the same set."""
    memory = project / "docs" / "memory"
    before = {path: path.read_bytes() for path in (memory / "decisions.md", memory / "changelog.md")}
    done: list[subprocess.CompletedProcess[str]] = []
    took = _timed(lambda: done.append(run(*words)))
    _must(done[0])

    def take_back() -> None:
        for path, content in before.items():
            path.write_bytes(content)

    return took, take_back


def _timed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1000


def _must(done: subprocess.CompletedProcess[str]) -> None:
    if done.returncode:
        raise Spoiled(f"{done.args[1]} ended with {done.returncode}: {done.stderr.strip() or done.stdout.strip()}")


def _crowd(project: Path, environment: dict[str, str]) -> Crowd:
    begun = time.perf_counter()
    running = {
        text: subprocess.Popen(
            [COMMAND, "add", text, "--evidence", "user-confirmed"],
            cwd=project,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for text in (f"Crowd thought {number:02d}." for number in range(WRITERS))
    }
    crowd = Crowd()
    errors = {text: process.communicate()[1] for text, process in running.items()}
    crowd.seconds = time.perf_counter() - begun
    inbox = (project / "docs" / "memory" / "inbox.md").read_text("utf-8").split("\n")
    for text, process in running.items():
        if process.returncode == 0:
            crowd.written += 1
            crowd.lost += inbox.count(text) != 1
        elif "Timed out waiting for mutation lock" in errors[text]:
            crowd.timed_out += 1
        else:
            crowd.unexplained += 1
    return crowd
