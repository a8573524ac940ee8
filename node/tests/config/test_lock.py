"""One process runs a home, and a dead one does not keep it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from csbond.config.lock import RunRecord, hold_home, running_node
from csbond.protocol.errors import LocalProtocolError, Unavailable

HOLDER = """
import sys, pathlib
from csbond.config.home import open_home
from csbond.config.lock import hold_home
from csbond.config.system import SystemClock
with hold_home(open_home(pathlib.Path(sys.argv[1])), SystemClock()) as held:
    held.announce("http://127.0.0.1:3100")
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(home):
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(home.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()


def test_a_second_process_is_refused_with_the_pid_and_address_of_the_first(home, clock, holder) -> None:
    with pytest.raises(Unavailable) as refused, hold_home(home, clock):
        pass
    assert refused.value.code.name == "home_busy"
    assert f"process {holder.pid} already runs the home" in refused.value.reason
    assert "http://127.0.0.1:3100" in refused.value.reason


def test_a_killed_process_frees_its_home_at_once(home, clock, holder) -> None:
    assert running_node(home) is not None
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert home.run_file.exists()
    assert running_node(home) is None
    with hold_home(home, clock):
        pass


def test_who_runs_the_home_is_known_while_it_runs_and_forgotten_afterwards(home, clock) -> None:
    assert running_node(home) is None
    with hold_home(home, clock) as held:
        assert running_node(home) == RunRecord(os.getpid(), "", clock.now())
        held.announce("http://127.0.0.1:1")
        assert running_node(home) == RunRecord(os.getpid(), "http://127.0.0.1:1", clock.now())
    assert running_node(home) is None
    assert not home.run_file.exists()


def test_looking_does_not_keep_others_from_looking_or_running(home, clock) -> None:
    with hold_home(home, clock):
        assert running_node(home)
        assert running_node(home)
    with hold_home(home, clock):
        pass


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": "x"}', "{}"])
def test_a_damaged_run_file_still_says_that_the_home_is_held(home, clock, text: str) -> None:
    with hold_home(home, clock):
        home.run_file.write_text(text)
        assert running_node(home) == RunRecord(0, "", 0)
        with pytest.raises(Unavailable, match="another process already runs"), hold_home(home, clock):
            pass


def test_a_lock_that_cannot_be_made_is_explained(home, clock) -> None:
    home.lock_file.mkdir()
    with pytest.raises(LocalProtocolError, match="cannot be locked"), hold_home(home, clock):
        pass
