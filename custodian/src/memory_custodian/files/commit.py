"""Makes the changes of a plan: all of them, or none, or a report of exactly which (§14)."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress

from memory_custodian.files import journal
from memory_custodian.files.atomic import digest_of, named, prepare, replace, sync_folder
from memory_custodian.files.place import Place
from memory_custodian.files.project import inside
from memory_custodian.rules.digest import sha256_hex
from memory_custodian.rules.plan import FileChange
from memory_custodian.rules.problems import PartialCompletion, Refused, Unavailable
from memory_custodian.rules.value import Value

__all__ = ["commit", "preflight"]


class _Prepared(Value):
    change: FileChange
    path: str
    temporary: str


def preflight(place: Place, changes: Sequence[FileChange]) -> None:
    """Refuse what cannot be written, before anything is.

    1. A file that is named twice. 2. A target that is no regular file. 3. A parent that is no directory.
    4. A file that is not what the plan was made from.
    """
    seen: set[str] = set()
    for change in changes:
        if change.path in seen:
            raise Refused(f"{change.path}: the plan names it twice; nothing was written")
        seen.add(change.path)
        path = _absolute(place, change)
        _check_parents(place, change)
        if os.path.lexists(path) and (os.path.islink(path) or not os.path.isfile(path)):
            raise Refused(f"{change.path}: not a regular file, so it is not replaced; nothing was written")
        if _content_of(path) != (None if change.before is None else change.bytes_before):
            raise Refused(f"{change.path}: changed while the plan was made; nothing was written, try again")


def _goes_on() -> None:
    """Nobody asked to end."""


def commit(place: Place, changes: Sequence[FileChange], check_end: Callable[[], None] = _goes_on) -> None:
    """Replace the files of a plan in its order; several are noted in a journal first.

    Raises `Unavailable` where nothing is changed, `PartialCompletion` where some files could not be put back. Whether
    somebody asked to end is checked while nothing is replaced; whoever gives that check holds signals off.
    """
    folders: list[str] = []
    prepared: list[_Prepared] = []
    try:
        for change in changes:
            check_end()
            path = _absolute(place, change)
            folders += _make_folders(os.path.dirname(path))
            with named(path):
                prepared.append(_Prepared(change, path, prepare(path, change.bytes_after)))
        check_end()
        if len(prepared) > 1:
            journal.note(place, [_step(place, one) for one in prepared])
        for one in prepared:
            with named(one.path):
                replace(one.temporary, one.path)
        for folder in dict.fromkeys(os.path.dirname(one.path) for one in prepared):
            sync_folder(folder)
    except BaseException as error:
        _take_back(place, prepared, folders, error)
        if isinstance(error, OSError):
            raise Unavailable(f"{_why(place, error)}; nothing was changed") from error
        raise
    if len(prepared) > 1:
        # A journal that stays is found finished by the next writer.
        with suppress(OSError):
            journal.forget(place)


def _take_back(place: Place, prepared: Sequence[_Prepared], folders: Sequence[str], error: BaseException) -> None:
    # What is done is asked of the disk: an interruption may come between a replacement and any note of it.
    begun = [one for one in prepared if not os.path.lexists(one.temporary)]
    for one in prepared:
        with suppress(OSError):
            os.unlink(one.temporary)
    steps = [_put_back(place, one) for one in reversed(begun) if _state(one) == "written"]
    left = [step for step in steps if step]
    noted = _leave_to_the_next(place, left)
    for folder in reversed(folders):
        with suppress(OSError):
            os.rmdir(folder)
    if any(_state(one) != "as before" for one in begun):
        raise PartialCompletion(_report(_why(place, error), prepared, left, noted)) from error


def _put_back(place: Place, one: _Prepared) -> journal.Step | None:
    """Put back what was there before; where that is only prepared, return the step that is left to do."""
    temporary = ""
    try:
        if one.change.before is None:
            os.unlink(one.path)
        else:
            temporary = prepare(one.path, one.change.bytes_before)
            replace(temporary, one.path)
    except OSError:
        step = _step(place, one)._replace(base_sha256=sha256_hex(one.change.bytes_after))
        back = step._replace(temporary=_relative(place, temporary), new_sha256=sha256_hex(one.change.bytes_before))
        return back if temporary else None
    sync_folder(os.path.dirname(one.path))
    return None


def _leave_to_the_next(place: Place, steps: Sequence[journal.Step]) -> bool:
    """Note what the next writer has to put back, in place of what was to be done; whether that is noted."""
    try:
        if steps:
            journal.note(place, steps, back=True)
            return True
    except (OSError, Unavailable):
        pass
    with suppress(OSError, Unavailable):
        journal.forget(place)
    return False


def _report(why: str, prepared: Sequence[_Prepared], left: Sequence[journal.Step], noted: bool) -> str:
    states = "; ".join(f"{one.change.path}: {_state(one)}" for one in prepared)
    kept = f"What was there before stays in {', '.join(step.temporary for step in left)}" if left else ""
    end = " until the next write puts it back. " if noted else ", which the next write removes: put it back first. "
    return (
        f"{why}. Partial completion: {states}. {kept + end if kept else ''}"
        "Run `memory-custodian check` and compare these files by hand"
    )


def _state(one: _Prepared) -> str:
    if one.change.before is None and not os.path.lexists(one.path):
        return "as before"
    try:
        digest = digest_of(one.path)
    except OSError:
        return "cannot be read"
    if digest == sha256_hex(one.change.bytes_after):
        return "written"
    return "as before" if digest == sha256_hex(one.change.bytes_before) else "edited since"


def _why(place: Place, error: BaseException) -> str:
    """Return what failed, after the file that it failed with, where that is known."""
    if not isinstance(error, OSError):
        return str(error) or type(error).__name__
    why = error.strerror or str(error)
    return f"{_relative(place, error.filename)}: {why}" if isinstance(error.filename, str) else why


def _relative(place: Place, path: str) -> str:
    """Return the POSIX path in the project; another one as it is."""
    return os.path.relpath(path, place.root).replace(os.sep, "/") if inside(path, place.root) else path


def _step(place: Place, one: _Prepared) -> journal.Step:
    base, new = sha256_hex(one.change.bytes_before), sha256_hex(one.change.bytes_after)
    return journal.Step(one.change.path, _relative(place, one.temporary), base, new)


def _make_folders(folder: str) -> list[str]:
    """Make a folder with those above it; return the ones that are new, the outermost first."""
    missing: list[str] = []
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    missing.reverse()
    for new in missing:
        os.mkdir(new)
        sync_folder(os.path.dirname(new))
    return missing


def _check_parents(place: Place, change: FileChange) -> None:
    folder = place.root
    for name in change.path.split("/")[:-1]:
        folder = os.path.join(folder, name)
        if os.path.lexists(folder) and not os.path.isdir(folder):
            shown = os.path.relpath(folder, place.root).replace(os.sep, "/")
            raise Refused(f"{change.path}: non-directory parent {shown}; nothing was written")


def _content_of(path: str) -> bytes | None:
    try:
        with named(path), open(path, "rb") as stream:
            return stream.read()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _absolute(place: Place, change: FileChange) -> str:
    return os.path.join(place.root, *change.path.split("/"))
