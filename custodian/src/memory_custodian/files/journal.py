"""Remembers a change of several files while it is made, so that the next writer can finish what a kill cut off."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

from memory_custodian.files.atomic import digest_of, replace, sync_folder
from memory_custodian.files.place import Place
from memory_custodian.files.private_state import private_state, project_key, read_private, replace_private
from memory_custodian.files.project import inside
from memory_custodian.files.small_json import as_json
from memory_custodian.rules.problems import PartialCompletion, Unavailable
from memory_custodian.rules.value import Value

__all__ = ["Step", "finish", "forget", "kept_temporaries", "note", "set_aside_texts", "sweep_journals"]

_ASIDE: Final = ".abandoned"
_ASIDE_SECONDS: Final = 90 * 24 * 3600
"""How long a person has to look at a change that could not be finished."""
_TEMPORARY_SECONDS: Final = 3600
"""Whoever writes a journal is done with its temporary file long before."""


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
            raise _set_aside(place, _states(steps, digests), steps)
    for step in pending:
        target = _absolute(place, step.path)
        replace(_absolute(place, step.temporary), target)
        sync_folder(os.path.dirname(target))
    forget(place)
    return tuple(step.path for step in pending)


def kept_temporaries(place: Place) -> frozenset[str]:
    """Return the prepared files that a journal set aside names: each may be the last copy of what was to be written."""
    folder, name = os.path.split(_path(place))
    kept: list[str] = []
    for other in os.listdir(folder):
        if other.startswith(name) and other.endswith(_ASIDE):
            with suppress(OSError, Unavailable):
                steps = _steps_in(read_private(os.path.join(folder, other)) or b"", place)
                kept += [_absolute(place, step.temporary) for step in steps or ()]
    return frozenset(kept)


def set_aside_texts(place: Place) -> dict[str, str]:
    """Return what those prepared files hold that lie in the memory directory, by path in it."""
    found: dict[str, str] = {}
    for path in sorted(kept_temporaries(place)):
        if path.startswith(place.memory + os.sep):
            with suppress(OSError), open(path, "rb") as stream:
                file = os.path.relpath(path, place.memory).replace(os.sep, "/")
                found[file] = stream.read().decode("utf-8", "replace")
    return found


def sweep_journals(place: Place, now: float) -> None:
    """Remove what killed commands left of journals they were writing, and journals that were set aside long ago."""
    for entry in list(os.scandir(private_state(place).journals)):
        most = _TEMPORARY_SECONDS if entry.name.endswith(".tmp") else _ASIDE_SECONDS
        if entry.name.endswith((".tmp", _ASIDE)):
            # Another project's writer may sweep at the same time.
            with suppress(OSError):
                if now - entry.stat(follow_symlinks=False).st_mtime > most:
                    os.unlink(entry.path)


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
    except (ValueError, TypeError, KeyError, RecursionError):
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


def _set_aside(place: Place, why: str, steps: Sequence[Step] = ()) -> PartialCompletion:
    path = _path(place)
    aside = next(name for name in _aside_names(path) if not os.path.lexists(name))
    os.replace(path, aside)
    # Kept is counted from now on, not from when the change was begun.
    os.utime(aside)
    prepared = [step.temporary for step in steps if _is_prepared(place, step)]
    where = f" What was not put in place stays in {', '.join(prepared)} while that is there." if prepared else ""
    return PartialCompletion(
        f"Partial completion of an earlier command, which cannot be finished ({why}). Its journal is now {aside}."
        f"{where} Look at these files, run `memory-custodian check`, then try again"
    )


def _aside_names(path: str) -> Iterator[str]:
    yield path + _ASIDE
    number = 2
    while True:
        yield f"{path}.{number}{_ASIDE}"
        number += 1
