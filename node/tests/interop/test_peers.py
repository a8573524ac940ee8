"""The official A2A clients, old and new, do everything they can do against a node."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from csbond_tests.bindings import HAS_GRPC

RUN_TIMEOUT_S = 100

# A first run installs the clients.
pytestmark = pytest.mark.timeout(700)


def steps_of(command: list[str]) -> list[dict[str, Any]]:
    """The steps a client took; fails when it ended before it could say how they went."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=RUN_TIMEOUT_S, check=False)
    steps = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == (0 if all(step["ok"] for step in steps) else 1), done.stdout + done.stderr
    return steps


# The steps are counted so that a client that stops asking is noticed.
@pytest.mark.parametrize(
    "peer, fewest_steps",
    [("python_1_3", 26 if HAS_GRPC else 18), ("python_0_3", 15), ("python_0_2", 7), ("js_1_3", 17), ("js_0_3", 15)],
)
def test_every_step_of_an_official_client_succeeds(
    peer: str, fewest_steps: int, target: Any, peer_command: Callable[[str], list[str]]
) -> None:
    command = [*peer_command(peer), target.url]
    for waiting in sorted({"", target.waiting_prefix}):
        steps = steps_of([*command, waiting] if waiting else command)
        failed = [f"{step['step']}: {step['detail']}" for step in steps if not step["ok"]]
        assert not failed, "\n".join(failed)
        assert len(steps) >= fewest_steps, steps
