"""Whether the files that evidence names are there (§6.1). Git is never asked."""

from __future__ import annotations

import os
from collections.abc import Sequence

from memory_custodian.files.place import Place
from memory_custodian.files.project import inside
from memory_custodian.rules.entry import Evidence
from memory_custodian.rules.problems import Refused

__all__ = ["missing_paths"]


def missing_paths(place: Place, evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """Return those that name no existing file or directory, as they are written.

    Refuses a path that leads outside the project by a symbolic link: what it rests on could not be reviewed there.
    """
    missing = []
    for one in evidence:
        if one.kind not in {"repo", "doc", "test"}:
            continue
        path = os.path.join(place.root, *one.target.split("/"))
        real = os.path.realpath(path)
        if real != place.root and not inside(real, place.root):
            raise Refused(f"--evidence {one}: leads outside the project; accepted: a path inside it")
        if not os.path.exists(real):
            missing.append(str(one))
    return tuple(missing)
