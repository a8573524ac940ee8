"""The stores that are compared, each a process with a folder of its own; only the one that is asked works."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.memory.corpus import Corpus
from bench.transport.load import Spoiled

__all__ = [
    "EXACT",
    "FAISS",
    "OURS",
    "PEER_PYTHON",
    "ROOT",
    "Absent",
    "Store",
    "make_home",
    "running_node",
    "running_peer",
]

ROOT = Path(__file__).resolve().parents[2]
PEER_PYTHON = ROOT / ".venv-bench-memory" / "bin" / "python"
OURS = "node"
EXACT, FAISS = "exact", "faiss"
ANSWER_S = 1_800.0
"""Seconds one answer may take: as long as a million memories take to be written."""
STOP_S = 60.0
_SETTINGS = """\
[memory]
semantic = "off"

[tiers]
tend_every_s = 31622400
"""


class Absent(Exception):
    """A peer that cannot run here, with its own words why."""


@dataclass(frozen=True, slots=True)
class Store:
    """A store that is open."""

    name: str
    folder: Path
    process: subprocess.Popen[bytes]
    log: Path

    def ask(self, **line: Any) -> dict[str, Any]:
        """Its answer; `Spoiled` when it ends or takes too long instead, `Absent` for a peer that cannot run here."""
        pipe, answers = self.process.stdin, self.process.stdout
        assert pipe is not None
        assert answers is not None
        try:
            pipe.write(json.dumps(line).encode() + b"\n")
            pipe.flush()
        except BrokenPipeError:
            raise self._ended() from None
        readable, _, _ = select.select([answers], [], [], ANSWER_S)
        told = answers.readline() if readable else b""
        if not told:
            raise self._ended()
        answer: dict[str, Any] = json.loads(told)
        if "absent" in answer:
            raise Absent(answer["absent"])
        return answer

    def bytes_on_disk(self) -> int:
        """What its folder takes."""
        return sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file() and path != self.log)

    def _ended(self) -> Spoiled:
        tail = "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-12:])
        return Spoiled(f"{self.name} did not answer:\n{tail}")


@contextmanager
def running_peer(name: str, folder: Path, corpus: Corpus) -> Iterator[Store]:
    """A peer on an empty folder."""
    folder.mkdir(parents=True)
    with _running(name, [str(PEER_PYTHON), "-m", "bench.memory.peers", name], folder, corpus) as store:
        yield store


@contextmanager
def running_node(home: Path, corpus: Corpus, index: str) -> Iterator[Store]:
    """The memory of a home, in process, whose vectors are compared by this index."""
    with _running(OURS, [sys.executable, "-m", "bench.memory.ours"], home, corpus, index) as store:
        yield store


def make_home(path: Path) -> Path:
    """A home as `csb init` makes it, with an embedder of ours and no tending by itself."""
    csb = str(Path(sys.executable).with_name("csb"))
    subprocess.run([csb, "init", "--home", str(path), "--name", "Bench"], check=True, stdout=subprocess.DEVNULL)
    (path / "csb.toml").write_text(_SETTINGS, encoding="utf-8")
    return path


@contextmanager
def _running(name: str, command: Sequence[str], folder: Path, corpus: Corpus, *more: str) -> Iterator[Store]:
    environment = {key: value for key, value in os.environ.items() if key != "CSB_HOME"}
    log = folder.with_name(f"{folder.name}.log")
    with log.open("ab") as noise:
        process = subprocess.Popen(
            [*command, str(folder), str(corpus.folder), *more],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=noise,
        )
        try:
            yield Store(name, folder, process, log)
        finally:
            _hang_up(process)


def _hang_up(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(BrokenPipeError):
        process.stdin.close()
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
