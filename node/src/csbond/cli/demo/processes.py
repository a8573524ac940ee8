"""The two nodes of the demonstration: real processes of `csb serve`, each on a home of its own."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from csbond.config.home import Home, create_home
from csbond.config.system import SystemClock, SystemIdentifiers
from csbond.protocol.errors import Unavailable

START_S = 60.0
"""Seconds a node may take to answer: a slow machine loads for a while."""
STOP_S = 15.0
"""Seconds a node may take to end in order; nothing runs in it any more."""


@dataclass
class NodeProcess:
    """One agent: its home, its process and its address."""

    home: Home
    process: subprocess.Popen[bytes] | None = None
    url: str = ""

    @property
    def name(self) -> str:
        """What the agent is called."""
        return self.home.identity.name

    @property
    def pid(self) -> int:
        """The process; 0 before there is one."""
        return self.process.pid if self.process else 0

    def start(self) -> None:
        """Begin to run `csb serve`; `await_home` waits for it."""
        place = str(self.home.path)
        command = [sys.executable, "-m", "csbond.cli", "serve", "--home", place, "--port", "0", "--json"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE)  # noqa: S603

    def await_home(self) -> None:
        """Wait until the node says where it listens; `peer_unreachable` when it does not."""
        if self.process:
            self.url = _document(self.process)["url"]

    def kill(self) -> None:
        """kill -9: no farewell, nothing flushed."""
        if self.process:
            self.process.kill()
            self.process.communicate()


def new_agent(place: Path, name: str, emoji: str) -> NodeProcess:
    """An agent with a fresh home below a place; its process is not started."""
    home = place / f"home-{len(list(place.iterdir())) + 1}"
    return NodeProcess(create_home(home, name, emoji, "", SystemClock(), SystemIdentifiers()))


def stop_all(nodes: Iterable[NodeProcess]) -> None:
    """End all processes in order, or at once where one does not listen."""
    running = [node.process for node in nodes if node.process and node.process.poll() is None]
    for process in running:
        process.terminate()
    for process in running:
        try:
            process.communicate(timeout=STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def _document(process: subprocess.Popen[bytes]) -> Any:
    """The one JSON document the process prints when it is ready."""
    assert process.stdout is not None  # noqa: S101 - asked for above
    printed = b""
    end = time.monotonic() + START_S
    while time.monotonic() < end and process.poll() is None:
        if select.select([process.stdout], [], [], 0.2)[0]:
            printed += os.read(process.stdout.fileno(), 65536)
            with suppress(ValueError):
                return json.loads(printed)
    process.kill()
    process.communicate()
    raise Unavailable("peer_unreachable", "a node of the demonstration did not start", next_step="csb doctor")
