"""`read` and `add` on 500 entries take little more than starting the interpreter with argparse."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.custodian.measure import Project, measure_pairs
from bench.custodian.targets import ADD, READ
from csbond_tests.marks import requirement

ROUNDS = 15


@requirement("CUST-P-05")
@pytest.mark.alone
def test_read_and_add_on_500_entries_stay_within_their_bounds(tmp_path: Path) -> None:
    """By the time on a processor, which depends least on what else the machine does; `make bench` goes by the clock."""
    assert (READ, ADD) == (2.0, 2.5)
    project = Project(tmp_path)
    assert project.fill().entries == 500
    read, add = measure_pairs(project, ROUNDS)
    assert read.cpu_ratio <= READ
    assert add.cpu_ratio <= ADD
