"""The systemd unit is valid and well protected, in systemd's own judgement."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from csbond_tests.repository import REPOSITORY

UNIT = (REPOSITORY / "deploy" / "csbond.service").read_text(encoding="utf-8")
# systemd's own scale runs from 0 (closed) to 10 (open); it calls everything up to 2 well protected.
MAX_EXPOSURE = 2.0


def analyze(folder: Path, text: str, *verb: str) -> tuple[int, str]:
    """Run the tool on the unit as if the program were installed."""
    (folder / "csbond.service").write_text(text.replace("/opt/csbond/bin/csb", "/bin/true"), encoding="utf-8")
    command = ["systemd-analyze", *verb, str(folder / "csbond.service")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout + done.stderr


def test_the_unit_is_valid(tmp_path: Path) -> None:
    assert analyze(tmp_path, UNIT, "verify") == (0, "")


def test_an_unknown_setting_would_be_found(tmp_path: Path) -> None:
    _, said = analyze(tmp_path, UNIT.replace("StateDirectory=", "StateDirectry="), "verify")
    assert "StateDirectry" in said


def test_the_unit_is_well_protected(tmp_path: Path) -> None:
    _, said = analyze(tmp_path, UNIT, "security", "--offline=true", "--no-pager")
    exposure = re.search(r"Overall exposure level[^:]*: ([0-9.]+)", said)
    assert exposure is not None, said
    assert float(exposure[1]) <= MAX_EXPOSURE
