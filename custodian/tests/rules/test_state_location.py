"""Where the private state may lie, on every system."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.state_location import Machine, state_candidates

HASH = hashlib.sha256(rb"C:\Users\name").hexdigest()[:12]


def on_posix(environment: Mapping[str, str], home: str = "/home/name", uid: int | None = 1000) -> tuple[str, ...]:
    return state_candidates(Machine(False, environment, home, uid))


def on_windows(environment: Mapping[str, str], home: str = r"C:\Users\name") -> tuple[str, ...]:
    return state_candidates(Machine(True, environment, home, None))


@requirement("CUST-07.1-01")
def test_the_state_lies_in_xdg_state_home() -> None:
    assert on_posix({"XDG_STATE_HOME": "/srv/state/"})[0] == "/srv/state/memory-custodian"


@requirement("CUST-07.1-02")
@pytest.mark.parametrize("environment", [{}, {"XDG_STATE_HOME": ""}, {"XDG_STATE_HOME": "state"}])
def test_without_an_absolute_xdg_state_home_it_lies_below_the_home(environment: Mapping[str, str]) -> None:
    assert on_posix(environment)[0] == "/home/name/.local/state/memory-custodian"


@requirement("CUST-07.1-03")
def test_on_windows_it_lies_in_localappdata() -> None:
    found = on_windows({"LOCALAPPDATA": r"C:\Users\name\AppData\Local", "XDG_STATE_HOME": "/srv/state"})
    assert found[0] == r"C:\Users\name\AppData\Local\MemoryCustodian\state"


@requirement("CUST-07.1-04")
def test_behind_it_come_temporary_directories_by_the_number_of_the_user() -> None:
    assert on_posix({"TMPDIR": "/scratch"})[1:] == (
        "/scratch/memory-custodian-state-1000",
        "/tmp/memory-custodian-state-1000",
        "/var/tmp/memory-custodian-state-1000",
    )


@requirement("CUST-07.1-04")
@pytest.mark.parametrize(
    "environment, first",
    [({"TEMP": r"D:\Temp"}, r"D:\Temp"), ({"TMP": r"\\host\temp"}, r"\\host\temp"), ({}, r"C:\Windows\Temp")],
)
def test_where_users_have_no_number_the_name_has_a_hash_of_the_home(environment: Mapping[str, str], first: str) -> None:
    assert on_windows(environment)[0] == rf"{first}\memory-custodian-state-{HASH}"


@requirement("CUST-07.1-04")
def test_a_user_without_a_home_gets_a_temporary_directory_only() -> None:
    found = on_posix({}, home="", uid=None)
    assert found
    assert all(folder.startswith(("/tmp/", "/var/tmp/")) for folder in found)
