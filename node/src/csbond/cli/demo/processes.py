"""The two nodes of the demonstration: real processes of `csb serve`, each on a home of its own."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from csbond.config.home import create_home, open_home
from csbond.config.system import SystemClock, SystemIdentifiers
from csbond.protocol.errors import Unavailable

START_S = 60.0
"""Seconds a node may take to answer: a slow machine loads the embedder for a while."""


@dataclass
class NodeProcess:
    """One agent: its home, its process and its address."""

    name: str
    home: Path
    process: subprocess.Popen[bytes] | None = None
    url: str = ""

    @property
    def token(self) -> str:
        """The owner's token of the home."""
        return open_home(self.home).owner_token()

    @property
    def did(self) -> str:
        """Who the agent is."""
        return open_home(self.home).identity.did

    def start(self) -> None:
        """Run `csb serve` and wait until it says where it listens; `peer_unreachable` when it does not."""
        command = [sys.executable, "-m", "csbond.cli", "serve", "--home", str(self.home), "--port", "0", "--json"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE)  # noqa: S603
        self.url = _document(self.process)["url"]

    def kill(self) -> None:
        """kill -9: no farewell, nothing flushed."""
        if self.process:
            os.kill(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def stop(self) -> None:
        """End the process in order, or at once when it does not listen."""
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                self.kill()


def new_agent(place: Path, name: str, emoji: str) -> NodeProcess:
    """An agent with a fresh home below a place; its process is not started."""
    home = place / f"home-of-{len(list(place.iterdir())) + 1}"
    create_home(home, name, emoji, "", SystemClock(), SystemIdentifiers())
    return NodeProcess(name, home)


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
    raise Unavailable("peer_unreachable", "a node of the demonstration did not start", next_step="csb doctor")


def owner_client(node: NodeProcess) -> httpx.Client:
    """An HTTP client that speaks as the owner of a node."""
    return httpx.Client(base_url=node.url, headers={"authorization": f"Bearer {node.token}"}, timeout=60.0)
