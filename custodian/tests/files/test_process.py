"""What the system says of processes."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from csbond_tests.marks import requirement
from memory_custodian.files import process


@pytest.fixture
def ended() -> int:
    """The number of a process that has ended."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


@requirement("CUST-07.3-07")
def test_a_process_that_ended_is_gone_and_this_one_is_not(ended: int) -> None:
    assert process.is_gone(ended, "")
    assert not process.is_gone(os.getpid(), "")
    assert not process.is_gone(os.getpid(), process.start_of(os.getpid()))


@requirement("CUST-07.3-07")
def test_a_number_that_another_process_has_by_now_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "start_of", lambda _pid: "boot/2")
    assert process.is_gone(os.getpid(), "boot/1")
    assert not process.is_gone(os.getpid(), "boot/2")


@requirement("CUST-07.3-08")
def test_where_nobody_noted_the_start_the_number_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "start_of", lambda _pid: "")
    assert not process.is_gone(os.getpid(), "boot/1")


@requirement("CUST-07.3-08")
def test_a_process_of_another_user_exists(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(_pid: int, _signal: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "kill", forbidden)
    assert not process.is_gone(1, "")


def test_the_start_of_a_process_stays_the_same_and_is_empty_for_none(ended: int) -> None:
    assert process.start_of(os.getpid()) == process.start_of(os.getpid())
    assert process.start_of(ended) == ""
    if sys.platform == "linux":
        boot, ticks = process.start_of(os.getpid()).split("/")
        assert len(boot) == 36
        assert ticks.isdigit()


def test_the_machine_has_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert process.hostname()
    monkeypatch.delattr(os, "uname", raising=False)
    monkeypatch.setenv("COMPUTERNAME", "LANTERN")
    assert process.hostname() == "LANTERN"
    monkeypatch.delenv("COMPUTERNAME")
    assert process.hostname() == "unknown"


@requirement("CUST-07.3-07", "CUST-07.3-08")
@pytest.mark.parametrize(
    "handle, error, code, gone",
    [(0, 87, 0, True), (0, 5, 0, False), (7, 0, 259, False), (7, 0, 1, True)],
    ids=["no such process", "access denied", "still active", "exited"],
)
def test_on_windows_no_signal_is_sent(
    monkeypatch: pytest.MonkeyPatch, handle: int, error: int, code: int, gone: bool
) -> None:
    def exit_code(_handle: int, place: object) -> int:
        place._obj.value = code  # type: ignore[attr-defined]
        return 1

    kernel = SimpleNamespace(
        OpenProcess=lambda *_arguments: handle, GetExitCodeProcess=exit_code, CloseHandle=lambda _handle: 1
    )
    monkeypatch.setattr(ctypes, "WinDLL", lambda *_names, **_options: kernel, raising=False)
    monkeypatch.setattr(ctypes, "get_last_error", lambda: error, raising=False)
    monkeypatch.setattr(os, "kill", None)
    assert process._is_gone_on_windows(4711) is gone
