"""The servers that are compared, each a process of its own on a free port, a fresh folder and one processor."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from time import perf_counter, sleep

from bench.transport.load import Spoiled, ask_once, get_request

ROOT = Path(__file__).resolve().parents[2]
PEER_PYTHON = ROOT / ".venv-bench" / "bin" / "python"
START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 30.0
TRACING = "OTEL_INSTRUMENTATION_A2A_SDK_ENABLED"


class Kind(StrEnum):
    """What is compared: three forms of the library's own server, and the node last."""

    DATABASE = "DatabaseTaskStore"
    DATABASE_TRACED = "DatabaseTaskStore, traced"
    MEMORY = "in memory"
    NODE = "node"


@dataclass(frozen=True, slots=True)
class Bytes:
    """What a process holds in memory, and those it started."""

    own: int
    children: int


@dataclass(frozen=True, slots=True)
class Written:
    """What the threads beside the event loop have written so far: those of the database."""

    calls: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Server:
    """A running server."""

    kind: Kind
    port: int
    folder: Path
    process: subprocess.Popen[bytes]
    start_s: float
    """From the spawning of the process to the first answer of /health."""

    def resident(self) -> Bytes:
        """The resident memory as it is now."""
        own = _resident(self.process.pid)
        return Bytes(own, sum(_resident(child) for child in _descendants(self.process.pid)))

    def written(self) -> Written:
        """Calls of write and bytes given to them: the process without its main thread."""
        whole = _io(Path(f"/proc/{self.process.pid}/io"))
        loop = _io(Path(f"/proc/{self.process.pid}/task/{self.process.pid}/io"))
        return Written(whole["syscw"] - loop["syscw"], whole["wchar"] - loop["wchar"])

    def database(self) -> Path:
        """The file its tasks are kept in."""
        return self.folder / ("csb.db" if self.kind is Kind.NODE else "tasks.db")

    def token(self) -> str:
        """The owner's token of a node."""
        return (self.folder / "owner.token").read_text(encoding="ascii").strip()


@contextmanager
def running(kind: Kind, folder: Path, chunks: int = 1) -> Iterator[Server]:
    """A server that answers with so many chunks; it is stopped at the end."""
    folder.mkdir(parents=True)
    port = free_port()
    command = _node_command(folder, port, chunks) if kind is Kind.NODE else _peer_command(kind, folder, port, chunks)
    with (folder / "log").open("wb") as log:
        began = perf_counter()
        with on_processor(0):
            process = subprocess.Popen(command, cwd=folder, env=_environment(kind), stdout=log, stderr=log)
        try:
            _wait_for_health(process, port, folder)
            yield Server(kind, port, folder, process, perf_counter() - began)
        finally:
            process.terminate()
            try:
                process.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def on_processor(number: int) -> Iterator[None]:
    """What starts inside runs on one processor, where there are two: servers on 0, the client on 1."""
    usable = os.sched_getaffinity(0)
    try:
        if len(usable) > 1:
            os.sched_setaffinity(0, {sorted(usable)[number]})
        yield
    finally:
        os.sched_setaffinity(0, usable)


def free_port() -> int:
    """A port of the loopback address that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _node_command(folder: Path, port: int, chunks: int) -> list[str]:
    csb = str(Path(sys.executable).with_name("csb"))
    subprocess.run([csb, "init", "--home", str(folder), "--name", "Bench"], check=True, stdout=subprocess.DEVNULL)
    (folder / "csb.toml").write_text(f'[skill]\nkind = "echo"\nrepeat = {chunks}\n', encoding="utf-8")
    return [csb, "serve", "--home", str(folder), "--port", str(port)]


def _peer_command(kind: Kind, folder: Path, port: int, chunks: int) -> list[str]:
    script = str(Path(__file__).with_name("sdk_server.py"))
    command = [str(PEER_PYTHON), script, "--port", str(port), "--repeat", str(chunks)]
    return command if kind is Kind.MEMORY else [*command, "--database", str(folder / "tasks.db")]


def _environment(kind: Kind) -> dict[str, str]:
    """Tracing off for the peer but where it is measured as installed; the node decides for itself."""
    environment = {name: value for name, value in os.environ.items() if name not in (TRACING, "CSB_HOME")}
    return environment | ({TRACING: "false"} if kind in (Kind.DATABASE, Kind.MEMORY) else {})


def _wait_for_health(process: subprocess.Popen[bytes], port: int, folder: Path) -> None:
    deadline = perf_counter() + START_TIMEOUT_S
    while not _answers(port):
        if process.poll() is not None or perf_counter() > deadline:
            raise Spoiled(f"{process.args!r} does not start:\n{(folder / 'log').read_text(errors='replace')}")
        sleep(0.005)


def _answers(port: int) -> bool:
    try:
        return asyncio.run(ask_once(port, get_request(port, "/health"))).status == 200
    except OSError:
        return False


def _resident(process_id: int) -> int:
    status = Path(f"/proc/{process_id}/status").read_text(encoding="ascii")
    pages = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(pages.split()[1]) * 1024


def _descendants(process_id: int) -> list[int]:
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found, wave = [], [process_id]
    while wave:
        wave = [child for child, parent in parents.items() if parent in wave]
        found += wave
    return found


def _io(path: Path) -> dict[str, int]:
    pairs = (line.split(": ") for line in path.read_text(encoding="ascii").splitlines())
    return {name: int(value) for name, value in pairs}
