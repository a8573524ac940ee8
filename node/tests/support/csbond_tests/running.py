"""`csb` in processes of its own: a node that serves, and the commands that speak to it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from csbond.config.home import Home, create_home
from csbond.config.system import SystemClock, SystemIdentifiers

__all__ = ["Ended", "RunningNode", "csb", "free_port", "new_home", "running"]

COMMAND = (sys.executable, "-m", "csbond.cli")
END_S = 100.0
"""Seconds a node has to end, and a command to answer: far more than they need on a machine that does other things."""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True)
class RunningNode:
    """A node that serves a home."""

    home: Home
    process: subprocess.Popen[bytes]
    url: str
    log: Path

    @property
    def owner(self) -> Mapping[str, str]:
        """The headers of its owner."""
        return {"authorization": f"Bearer {self.home.owner_token()}"}

    def said(self) -> str:
        """What it wrote into its log."""
        return self.log.read_text(encoding="utf-8")

    def hang_up(self) -> None:
        """Send SIGHUP."""
        self.process.send_signal(signal.SIGHUP)


def new_home(place: Path, settings: str = "", *, name: str = "Luna", domain: str = "") -> Home:
    """A home with these settings."""
    home = create_home(place, name, "🌙", domain, SystemClock(), SystemIdentifiers())
    home.settings_file.write_text(settings, encoding="utf-8")
    return home


def csb(home: Home | Path, *arguments: object) -> Ended:
    """Run a command against a home, or a place for one, until it ends."""
    called = [*COMMAND, *map(str, arguments), "--home", str(home.path if isinstance(home, Home) else home)]
    environment = {**os.environ, "COLUMNS": "200"}
    done = subprocess.run(called, capture_output=True, text=True, timeout=END_S, check=False, env=environment)
    return Ended(done.returncode, done.stdout, done.stderr)


@contextmanager
def running(home: Home, *arguments: object) -> Iterator[RunningNode]:
    """A node that serves a home on a free port until the block ends."""
    log = home.path.with_name(f"{home.path.name}.log")
    called = [*COMMAND, "serve", "--home", str(home.path), "--port", "0", "--json", *map(str, arguments)]
    with log.open("ab") as errors, subprocess.Popen(called, stdout=subprocess.PIPE, stderr=errors) as process:
        try:
            assert process.stdout is not None
            yield RunningNode(home, process, _first_document(process.stdout, log)["url"], log)
        finally:
            process.terminate()
            try:
                process.wait(END_S)
            except subprocess.TimeoutExpired:
                process.kill()


def free_port() -> int:
    """A port nobody listens at now."""
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        port: int = asked.getsockname()[1]
        return port


def _first_document(pipe: IO[bytes], log: Path) -> Any:
    said = b""
    while line := pipe.readline():
        said += line
        try:
            return json.loads(said)
        except ValueError:
            continue
    raise AssertionError(f"the node does not start: {said!r}\n{log.read_text(encoding='utf-8')}")
