"""Remembers a change of several files while it is made, so that the next writer can finish what a kill cut off."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

from memory_custodian.files.atomic import digest_of, prepared_in, replace, sync_folder
from memory_custodian.files.place import Place
from memory_custodian.files.private_state import (
    PrivateState,
    private_state,
    project_key,
    read_private,
    replace_private,
    seen_states,
)
from memory_custodian.files.project import inside
from memory_custodian.files.small_json import as_json
from memory_custodian.rules.problems import PartialCompletion, Unavailable
from memory_custodian.rules.value import Value

__all__ = [
    "Earlier",
    "Left",
    "Step",
    "finish",
    "forget",
    "journal_path",
    "kept_temporaries",
    "left_texts",
    "note",
    "sweep_journals",
    "unfinished_files",
]

_ASIDE: Final = ".abandoned"
_MALFORMED: Final = "the journal is malformed"
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


class Earlier(Value):
    """What was made of the change that an earlier command had begun: the files, by POSIX path in the project."""

    finished: tuple[str, ...] = ()
    """Replaced now."""
    taken_back: tuple[str, ...] = ()
    """As they were before: somebody put them back, or that was left to do."""


class Left(Value):
    """What the prepared files in the memory directory hold that were not put in place, by path in it."""

    set_aside: dict[str, str]
    """Of changes that are set aside for a person."""
    unfinished: dict[str, str]
    """Of others: the next writer puts them in place, or removes them."""


class _Noted(Value):
    steps: list[Step]
    back: bool


def note(place: Place, steps: Sequence[Step], *, back: bool = False) -> None:
    """Write the steps down, durably, before the first file is replaced; `back` where they undo a change."""
    content = as_json({"project_root": place.root, "back": int(back), "steps": [step._asdict() for step in steps]})
    replace_private(_path(place), content, durable=True)


def forget(place: Place) -> None:
    """Remove the journal: the change is made, or taken back."""
    path = _path(place)
    if os.path.lexists(path):
        os.unlink(path)


def finish(place: Place) -> Earlier:
    """Finish a change that was cut off, under the lock; one whose files are all as before is dropped.

    Raises `PartialCompletion` once where a file is neither as it was nor as it should become: somebody edited it since.
    Then the journal is set aside and nothing is replaced. Where the disk fails the journal stays, and the problem says
    how far it came.
    """
    raw = read_private(_path(place))
    if raw is None:
        return Earlier()
    noted = _noted_in(raw, place)
    if noted is None:
        raise _set_aside(place, _MALFORMED, [_relative(place, path) for path in _prepared(place)])
    steps, back = noted
    digests = [digest_of(_absolute(place, step.path)) for step in steps]
    pending = [step for step, digest in zip(steps, digests, strict=True) if digest != step.new_sha256]
    ready = [step for step in pending if _is_prepared(place, step)]
    bases = [step.base_sha256 for step in steps]
    if digests == bases and len(ready) < len(steps) and not back:
        _forget_if_possible(place)
        return Earlier(taken_back=tuple(step.path for step in steps))
    for step, digest in zip(steps, digests, strict=True):
        if step in pending and (digest != step.base_sha256 or step not in ready):
            raise _set_aside(place, _states(noted, digests), [one.temporary for one in ready])
    _replace_all(place, noted, pending)
    _forget_if_possible(place)
    paths = tuple(step.path for step in pending)
    return Earlier(taken_back=paths) if back else Earlier(finished=paths)


def _replace_all(place: Place, noted: _Noted, pending: Sequence[Step]) -> None:
    for step in pending:
        target = _absolute(place, step.path)
        try:
            replace(_absolute(place, step.temporary), target)
        except OSError as error:
            digests = [digest_of(_absolute(place, one.path)) for one in noted.steps]
            half = any(digest == one.new_sha256 for one, digest in zip(noted.steps, digests, strict=True))
            raise (PartialCompletion if half or noted.back else Unavailable)(
                f"{step.path}: {error.strerror or error}. What an earlier command had begun is not finished "
                f"({_states(noted, digests)}). The next write tries again"
            ) from error
        sync_folder(os.path.dirname(target))


def _forget_if_possible(place: Place) -> None:
    # One that stays is found finished, or as before, by the next writer.
    with suppress(OSError):
        forget(place)


def kept_temporaries(place: Place) -> frozenset[str]:
    """Return the prepared files that a journal set aside names: each may be the last copy of what was to be written.

    One that is malformed may have named all that was prepared until then.
    """
    folder, name = os.path.split(_path(place))
    kept: list[str] = []
    for other in os.listdir(folder):
        if other.startswith(name) and other.endswith(_ASIDE):
            path = os.path.join(folder, other)
            with suppress(OSError, Unavailable):
                noted = _noted_in(read_private(path) or b"", place)
                if noted is None:
                    until = os.stat(path).st_mtime
                    kept += [one for one in _prepared(place) if os.lstat(one).st_mtime <= until]
                else:
                    kept += [_absolute(place, step.temporary) for step in noted.steps]
    return frozenset(kept)


def _prepared(place: Place) -> list[str]:
    return [*prepared_in(place.memory, deep=True), *prepared_in(place.root, deep=False)]


def left_texts(place: Place) -> Left:
    """Return what every prepared file in the memory directory holds, whoever left it there and whatever is noted of it.

    Under the lock, when what was begun is finished and the rest removed, only what was set aside is there.
    """
    aside = {path for path in kept_temporaries(place) if path.startswith(place.memory + os.sep)}
    left = Left({}, {})
    for path in sorted({*aside, *prepared_in(place.memory, deep=True)}):
        texts = left.set_aside if path in aside else left.unfinished
        # A command that runs now may put it in place meanwhile.
        with suppress(FileNotFoundError), open(path, "rb") as stream:
            texts[os.path.relpath(path, place.memory).replace(os.sep, "/")] = stream.read().decode("utf-8", "replace")
    return left


def unfinished_files(place: Place) -> tuple[str, ...]:
    """Return the files of a change that was begun and is not finished, for who only looks; of a malformed one itself.

    Nothing is made, and what cannot be read is left to who writes.
    """
    for state in seen_states(place):
        path = journal_path(state, place)
        with suppress(OSError, Unavailable):
            raw = read_private(path)
            if raw is not None:
                noted = _noted_in(raw, place)
                if noted is None:
                    return (path,)
                if any(digest_of(_absolute(place, step.path)) != step.new_sha256 for step in noted.steps):
                    return tuple(step.path for step in noted.steps)
    return ()


def sweep_journals(place: Place, now: float) -> None:
    """Remove what killed commands left of journals they were writing, and journals that were set aside long ago."""
    for entry in list(os.scandir(private_state(place).journals)):
        most = _TEMPORARY_SECONDS if entry.name.endswith(".tmp") else _ASIDE_SECONDS
        if entry.name.endswith((".tmp", _ASIDE)):
            # Another project's writer may sweep at the same time.
            with suppress(OSError):
                if now - entry.stat(follow_symlinks=False).st_mtime > most:
                    os.unlink(entry.path)


def journal_path(state: PrivateState, place: Place) -> str:
    """Return where the journal of a project lies.

    By the path of the project, not by project_id: of two copies of a project each has to finish its own.
    """
    return os.path.join(state.journals, f"{project_key(place)}.json")


def _path(place: Place) -> str:
    return journal_path(private_state(place), place)


def _absolute(place: Place, path: str) -> str:
    return os.path.join(place.root, *path.split("/"))


def _relative(place: Place, path: str) -> str:
    return os.path.relpath(path, place.root).replace(os.sep, "/")


def _is_prepared(place: Place, step: Step) -> bool:
    return digest_of(_absolute(place, step.temporary)) == step.new_sha256


def _noted_in(raw: bytes, place: Place) -> _Noted | None:
    import json

    try:
        found: Any = json.loads(raw)
        steps = [Step(**step) for step in found["steps"]]
        paths = [_absolute(place, path) for step in steps for path in (step.path, step.temporary)]
        if not all(inside(os.path.realpath(path), place.root) and _can_be(path) for path in paths):
            return None
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return None
    if not all(isinstance(value, str) for step in steps for value in step):
        return None
    return _Noted(steps, bool(found.get("back")))


def _can_be(path: str) -> bool:
    """Whether a file can have this name here: where none can, no later command could finish or drop the change."""
    try:
        os.lstat(path)
    except OSError as error:
        return error.errno not in {errno.ENAMETOOLONG, errno.EINVAL}
    return True


def _states(noted: _Noted, digests: Sequence[str]) -> str:
    before, replaced = ("replaced", "as before") if noted.back else ("as before", "replaced")
    words = []
    for step, digest in zip(noted.steps, digests, strict=True):
        state = replaced if digest == step.new_sha256 else before if digest == step.base_sha256 else "edited since"
        words.append(f"{step.path}: {state}")
    return "; ".join(words)


def _set_aside(place: Place, why: str, prepared: Sequence[str]) -> PartialCompletion:
    path = _path(place)
    aside = next(name for name in _aside_names(path) if not os.path.lexists(name))
    os.replace(path, aside)
    # Kept is counted from now on, not from when the change was begun.
    os.utime(aside)
    where = f" What was not put in place stays in {', '.join(prepared)} while that is there." if prepared else ""
    look = "Look at these files, run" if prepared or why != _MALFORMED else "Nothing that was prepared is left. Run"
    return PartialCompletion(
        f"Partial completion of an earlier command, which cannot be finished ({why}). Its journal is now {aside}."
        f"{where} {look} `memory-custodian check`, then try again"
    )


def _aside_names(path: str) -> Iterator[str]:
    yield path + _ASIDE
    number = 2
    while True:
        yield f"{path}.{number}{_ASIDE}"
        number += 1
