"""The benchmark measures what the project promises of its speed, and fails where a promise is not kept."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.custodian import run
from bench.custodian.measure import Crowd, Figures, Pairs, Project, Run
from bench.custodian.memory_set import SUBJECT, MemorySet
from bench.custodian.targets import targets
from csbond_tests.marks import requirement
from memory_custodian import cli


def pairs(*times: tuple[float, float]) -> Pairs:
    """Pairs of (command, interpreter) in milliseconds."""
    return Pairs([Run(one, one) for one, _ in times], [Run(other, other) for _, other in times])


def figures(read: Pairs, add: Pairs, **crowd: int) -> Figures:
    return Figures(MemorySet(Path(), 500, 29), read, add, Crowd(**crowd))


FAST, SLOW = pairs((80, 50), (75, 50), (400, 50)), pairs((140, 50), (130, 50), (10, 50))


@requirement("CUST-P-05")
@pytest.mark.parametrize(
    "measured, missed",
    [
        (figures(FAST, FAST), []),
        (figures(SLOW, FAST), ["read --task implementation ÷ interpreter"]),
        (figures(FAST, SLOW), ["add ÷ interpreter"]),
        (figures(FAST, FAST, lost=1), ["acknowledged entries that writers at once lost"]),
        (figures(FAST, FAST, unexplained=1), ["failures other than a lock time-out"]),
    ],
    ids=["all kept", "a slow read", "a slow add", "a lost entry", "an unexplained failure"],
)
def test_the_median_of_pairs_in_one_run_is_judged(
    measured: Figures, missed: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert [target.promise for target in targets(measured) if not target.kept] == missed
    monkeypatch.setattr(run, "measure", lambda *_: measured)
    assert run.main(["--json", str(tmp_path / "figures.json")]) == bool(missed)
    assert json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))["memory"]["entries"] == 500


@requirement("CUST-P-05")
def test_the_bounds_are_two_for_read_and_two_and_a_half_for_add() -> None:
    bounds = {target.promise: target.bound for target in targets(figures(FAST, FAST))}
    assert bounds["read --task implementation ÷ interpreter"] == 2.0
    assert bounds["add ÷ interpreter"] == 2.5


@requirement("CUST-P-05", "CUST-P-04")
def test_a_short_run_measures_500_entries_and_50_writers(tmp_path: Path) -> None:
    """Whether it is fast is for `make bench` to say, alone on its machine."""
    told = tmp_path / "figures.json"
    command = [sys.executable, "-m", "bench.custodian.run", "--rounds", "1", "--json", str(told)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=170)
    assert done.returncode in (0, 1), done.stderr
    document = json.loads(told.read_text(encoding="utf-8"))
    assert document["memory"]["entries"] == 500
    assert document["crowd"]["written"] + document["crowd"]["timed_out"] == 50
    assert (document["crowd"]["lost"], document["crowd"]["unexplained"]) == (0, 0)
    assert document["read"]["ratio"] > 1
    assert document["add"]["ratio"] > 1


@requirement("CUST-P-05")
def test_the_add_that_is_timed_is_about_a_subject_that_entries_of_areas_name(tmp_path: Path) -> None:
    measured = Project(tmp_path)
    measured.fill()
    named = {path.parent.name for path in measured.memory.rglob("*.md") if f"Subject: {SUBJECT}" in path.read_text()}
    assert named == {"areas"}


def test_one_command_loads_the_module_of_one_verb() -> None:
    code = (
        "import sys\nfrom memory_custodian.cli import main\n"
        "try:\n main(['add', '--help'])\nexcept SystemExit: pass\n"
        "print(*sorted(n for n in sys.modules if n.startswith('memory_custodian.commands.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    loaded = {name.rpartition(".")[2] for name in done.stdout.splitlines()[-1].split()}
    assert loaded & set(cli.VERBS) == {"add"}
