"""The files of a home: who may read them, and whether they fit together."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from csbond.cli.checkup.finding import Finding, looked_at
from csbond.cli.checkup.writing import hindrance
from csbond.cli.output import moment
from csbond.config.home import Home, file_modes

if TYPE_CHECKING:
    from csbond.flows.ports import Clock

_LITTLE_SPACE = 200 * 1024 * 1024
"""Bytes: below it a busy node may meet a full disk within a day."""
_EARLIEST = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp() * 1000)
"""Milliseconds: this program is younger than that, so a clock before it is wrong."""


def check_files(home: Home, clock: Clock) -> Iterator[Finding]:
    """The directory, the key, the token, the disk and the clock."""
    yield _directory(home)
    yield looked_at("key", lambda: f"{home.node_key().did}, readable by its owner only")
    yield looked_at("owner's token", lambda: "readable by its owner only" if home.owner_token() else "")
    yield _disk(home)
    yield _clock(home, clock)


def _directory(home: Home) -> Finding:
    if found := hindrance(home.path, [home.lock_file]):
        return Finding("home", "fault", found, "a node writes into its home: check the disk and the rights")
    mode = file_modes(home)[home.path]
    if mode & 0o077:
        return Finding(
            "home", "warning", f"{home.path} can be entered by others (mode {mode:04o})", f"chmod 700 {home.path}"
        )
    return Finding("home", "ok", f"{home.identity.name} at {home.path}")


def _disk(home: Home) -> Finding:
    free = shutil.disk_usage(home.path).free
    detail = f"{free // (1024 * 1024)} MB free"
    if free < _LITTLE_SPACE:
        return Finding("disk", "warning", detail, "make room: a node on a full disk takes no messages")
    return Finding("disk", "ok", detail)


def _clock(home: Home, clock: Clock) -> Finding:
    """A clock that was set back would make new entries older than old ones."""
    now, made = clock.now(), home.identity.created_at
    if now < max(made, _EARLIEST):
        return Finding(
            "clock",
            "fault",
            f"it says {moment(now)}, before this home was made ({moment(made)})",
            "set the clock of this machine",
        )
    return Finding("clock", "ok", moment(now))
