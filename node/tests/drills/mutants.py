"""Removes rules one by one and sees a test fail: `make drill-mutants`.

Draws 20 requirements by a fixed seed, or takes those that are named, or `--all`. Ends with 1 when a mutant survives.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))

from csbond_tests.drills.mutation import Outcome, drawn, tried, untouched
from csbond_tests.repository import REQUIREMENTS
from csbond_tests.requirements import Requirement, load_manifest

COUNT = 20
SEED = 20


def main(arguments: list[str]) -> int:
    """Try the mutants, tell how each one fared, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("ids", nargs="*", metavar="REQUIREMENT", help="instead of a drawing")
    parser.add_argument("--all", action="store_true", help="every requirement that names a rule")
    asked = parser.parse_args(arguments)
    requirements = _chosen(asked.ids, asked.all)
    problem = untouched(requirements)
    if problem:
        _tell(f"The tests do not pass even with every rule in its place:\n{problem}")
        return 1
    survivors: list[Outcome] = []
    for requirement in requirements:
        for outcome in tried(requirement):
            verdict = "killed  " if outcome.killed else "SURVIVED"
            _tell(f"{verdict} {requirement.id:28} {requirement.rule}\n         {outcome.detail}")
            survivors += [] if outcome.killed else [outcome]
    _tell(f"{len(requirements)} rules removed, {len(survivors)} mutants survived")
    return 1 if survivors else 0


def _tell(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _chosen(ids: list[str], everything: bool) -> list[Requirement]:
    if ids:
        manifest = load_manifest(REQUIREMENTS)
        return [manifest[id_] for id_ in ids]
    return drawn(sys.maxsize if everything else COUNT, SEED)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
