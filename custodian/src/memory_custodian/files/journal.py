"""Remembers a change of several files while it is made, so that the next writer can finish what a kill cut off."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from memory_custodian.files.atomic import digest_of, replace, sync_folder
from memory_custodian.files.place import Place
from memory_custodian.files.private_state import private_state, project_key, read_private, replace_private
from memory_custodian.files.project import inside
from memory_custodian.files.small_json import as_json
from memory_custodian.rules.problems import PartialCompletion
from memory_custodian.rules.value import Value

__all__ = ["Step", "finish", "forget", "note"]


class Step(Value):
    """One file of such a change."""

    path: str
    """POSIX path relative to the project."""
    temporary: str
    """The prepared file, also relative to the project."""
    base_sha256: str
    new_sha256: str


def note(place: Place, steps: Sequence[Step]) -> None:
    """Write the steps down, durably, before the first file is replaced."""
    content = as_json({"project_root": place.root, "steps": [step._asdict() for step in steps]})
    replace_private(_path(place), content, durable=True)


def forget(place: Place) -> None:
    """Remove the journal: the change is made, or taken back."""
    path = _path(place)
    if os.path.lexists(path):
        os.unlink(path)


def finish(place: Place) -> tuple[str, ...]:
    """Finish a change that a kill cut off, under the lock; return the files that were replaced now.

    Raises `PartialCompletion` once where a file is neither as it was nor as it should become: somebody edited it since.
    Then the journal is set aside and nothing is replaced.
    """
    raw = read_private(_path(place))
    if raw is None:
        return ()
    steps = _steps_in(raw, place)
    if steps is None:
        raise _set_aside(place, "the journal is malformed")
    digests = [digest_of(_absolute(place, step.path)) for step in steps]
    pending = [step for step, digest in zip(steps, digests, strict=True) if digest != step.new_sha256]
    if len(pending) == len(steps) and not any(_is_prepared(place, step) for step in steps):
        pending = []
    for step, digest in zip(steps, digests, strict=True):
        if step in pending and (digest != step.base_sha256 or not _is_prepared(place, step)):
            raise _set_aside(place, _states(steps, digests))
    for step in pending:
        target = _absolute(place, step.path)
        replace(_absolute(place, step.temporary), target)
        sync_folder(os.path.dirname(target))
    forget(place)
    return tuple(step.path for step in pending)


def _path(place: Place) -> str:
    # By path, not by project_id: of two copies of a project each has to finish its own.
    return os.path.join(private_state(place).journals, f"{project_key(place)}.json")


def _absolute(place: Place, path: str) -> str:
    return os.path.join(place.root, *path.split("/"))


def _is_prepared(place: Place, step: Step) -> bool:
    return digest_of(_absolute(place, step.temporary)) == step.new_sha256


def _steps_in(raw: bytes, place: Place) -> list[Step] | None:
    import json

    try:
        found: Any = json.loads(raw)
        steps = [Step(**step) for step in found["steps"]]
    except (ValueError, TypeError, KeyError):
        return None
    paths = [path for step in steps for path in (step.path, step.temporary)]
    if not all(isinstance(value, str) for step in steps for value in step):
        return None
    return steps if all(inside(os.path.realpath(_absolute(place, path)), place.root) for path in paths) else None


def _states(steps: Sequence[Step], digests: Sequence[str]) -> str:
    words = []
    for step, digest in zip(steps, digests, strict=True):
        state = (
            "replaced" if digest == step.new_sha256 else "as before" if digest == step.base_sha256 else "edited since"
        )
        words.append(f"{step.path}: {state}")
    return "; ".join(words)


def _set_aside(place: Place, why: str) -> PartialCompletion:
    path = _path(place)
    os.replace(path, f"{path}.abandoned")
    return PartialCompletion(
        f"Partial completion of an earlier command, which cannot be finished ({why}). Its journal is now "
        f"{path}.abandoned; look at these files, run `memory-custodian check`, then try again"
    )
