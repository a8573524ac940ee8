"""Snapshots as files: where they are, and what is read of them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from csbond.cli.outgoing import STDIN
from csbond.config.home import open_home
from csbond.config.settings_file import read_settings
from csbond.protocol.errors import LocalProtocolError
from csbond.protocol.memory.snapshot import SUFFIX, SnapshotLimits

PLACE = "/v1/memory/snapshot"
FOLDER = "snapshots"
"""In which folder of a skill its snapshots are (MEM-006 §6.2)."""

SnapshotArgument = Annotated[str, typer.Argument(metavar="ID", help="The snapshot, e.g. snap_1700000000000_k3x9.")]
LenientOption = Annotated[
    bool, typer.Option("--lenient", help="Let names pass in the head of the file that nobody knows.")
]


def limits_of(home: Path | None) -> SnapshotLimits:
    """How much a snapshot may hold, by the settings of a home or, without one, by their presets."""
    if home is None:
        return SnapshotLimits()
    limits = read_settings(open_home(home).settings_file).limits
    return SnapshotLimits(limits.snapshot_memories, limits.snapshot_bytes)


def read_snapshot(file: Path, most: int) -> bytes:
    """The bytes of a file, of standard input for `-`; `invalid_params` when it cannot be read or is longer."""
    try:
        raw = _read(file, most)
    except OSError as fault:
        raise LocalProtocolError("invalid_params", f"{file} cannot be read: {fault.strerror}", field="file") from fault
    if len(raw) > most:
        reason = f"{file} has more than the {most} bytes of a snapshot"
        raise LocalProtocolError(
            "invalid_params", reason, next_step="limits.snapshot_bytes sets how many", field="file"
        )
    return raw


def snapshots_of_skill(folder: Path) -> list[Path]:
    """The files in the folder `snapshots` of a skill, by their names; `invalid_params` when there are none."""
    place = folder / FOLDER
    try:
        files = sorted(each for each in place.iterdir() if each.name.endswith(SUFFIX) and each.is_file())
    except OSError as fault:
        raise LocalProtocolError(
            "invalid_params", f"{place} cannot be read: {fault.strerror}", field="skill"
        ) from fault
    if not files:
        raise LocalProtocolError("invalid_params", f"there is no file *{SUFFIX} in {place}", field="skill")
    return files


def _read(file: Path, most: int) -> bytes:
    if str(file) != STDIN:
        with file.open("rb") as opened:
            return opened.read(most + 1)
    if sys.stdin is None:
        raise LocalProtocolError("invalid_params", "standard input is closed", field="file")
    return sys.stdin.buffer.read(most + 1)
