from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import csbond_tests
from csbond.protocol.errors import LocalProtocolError
from csbond.protocol.messages.task import TaskState
from csbond.store.sqlite import crash_point, open_ledger
from csbond.testing import FixedSigner
from csbond.testing.crash_points import arm
from csbond_tests.ledger_samples import everything


@pytest.fixture(scope="module")
def lives(tmp_path_factory):
    """Returns one folder for each point of a short life at which it was ended, and the folder of the whole life."""
    folder = tmp_path_factory.mktemp("lives")
    environment = {**os.environ, "PYTHONPATH": str(Path(csbond_tests.__file__).parent.parent)}
    run = subprocess.run(
        [sys.executable, "-m", "csbond_tests.crash_script", str(folder)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return [folder / str(number) for number in range(1, int(run.stdout) + 1)]


def _acknowledged(folder):
    file = folder / "acknowledged"
    return set(file.read_text().split()) if file.exists() else set()


async def present(ledger):
    """Returns the names of what is in the ledger; a thing that is there by half raises."""
    counts = await ledger.counts()
    task = await ledger.task("task-1", None)
    first, second = await ledger.entry("mem_1"), await ledger.entry("mem_2")
    found = set()
    if counts["threads"]:
        parts = [
            task,
            await ledger.session("context-1", "owner"),
            await ledger.message("owner", "message-1"),
            await ledger.repeated_request("owner", "message-1"),
        ]
        assert all(parts)
        found.add("accepted")
    if first:
        found.add("entry")
        assert await ledger.matching_ids(everything(tag="b" if first.version == 2 else "a")) == {"mem_1"}
        assert (await ledger.entries_after("home", 0, 9))[0].content == first.content
        if first.version == 2:
            found.add("edit")
    if second:
        assert task.state is TaskState.COMPLETED
        assert task.status_message == (await ledger.message("owner", "answer-1")).message
        assert "".join(part.value for part in (await ledger.artifacts("task-1"))[0].parts) == "012"
        found.add("done")
    else:
        assert task is None or task.state is TaskState.SUBMITTED
    if await ledger.vectors("home", "model-1", -1, 9):
        assert await ledger.indexed_through("home", "model-1") == 3
        found.add("vector")
    return found, counts


async def test_after_every_crash_what_was_acknowledged_is_there_and_nothing_is_there_by_half(lives):
    order = ["accepted", "entry", "edit", "done", "vector"]
    for folder in lives:
        acknowledged = _acknowledged(folder)
        ledger = await open_ledger(folder / "csbond.db", FixedSigner(), "Luna")
        try:
            assert await ledger.check() == [], folder.name
            found, counts = await present(ledger)
            assert acknowledged <= found, folder.name
            assert found == set(order[: len(found)]), folder.name
            assert counts["audit"] == len(found & {"accepted", "entry", "done"}), folder.name
            assert await ledger.entry("mem_half") is None
        finally:
            await ledger.close()
    assert _acknowledged(lives[-1]) == set(order)


def test_the_lives_end_at_every_place_from_before_the_first_commit_to_after_the_last(lives):
    assert len(lives) > 60
    assert {len(_acknowledged(folder)) for folder in lives} >= {0, 1, 3, 4, 5}


def _reach(point):
    assert crash_point.reached is not None
    crash_point.reached(point)


def test_only_a_point_that_is_named_ends_the_process(monkeypatch):
    killed: list[tuple[int, int]] = []
    passed: list[str] = []
    monkeypatch.setattr(os, "kill", lambda pid, number: killed.append((pid, number)))
    monkeypatch.setattr(crash_point, "reached", passed.append)
    assert arm({}) is False
    _reach("before_begin")
    assert passed == ["before_begin"]
    assert arm({"CSB_CRASH_AT": "after_insert_task:2"}) is True
    for point in ("before_begin", "after_insert_task", "after_insert_entry"):
        _reach(point)
    assert killed == []
    _reach("after_insert_task")
    _reach("after_insert_task")
    assert killed == [(os.getpid(), signal.SIGKILL)]


@pytest.mark.parametrize("value", ["before_begin", "before_begin:", ":1", "before_begin:x", "before_begin:0"])
def test_what_names_no_point_is_refused(value):
    with pytest.raises(LocalProtocolError, match="CSB_CRASH_AT"):
        arm({"CSB_CRASH_AT": value})
