"""Makes the changes of a plan: all of them, or none, or a report of exactly which (§14)."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress

from memory_custodian.files import journal
from memory_custodian.files.atomic import prepare, replace, sync_folder
from memory_custodian.files.place import Place
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
            prepared.append(_Prepared(change, path, prepare(path, change.bytes_after)))
        check_end()
        if len(prepared) > 1:
            journal.note(place, [_step(place, one) for one in prepared])
        for one in prepared:
            replace(one.temporary, one.path)
        for folder in dict.fromkeys(os.path.dirname(one.path) for one in prepared):
            sync_folder(folder)
    except BaseException as error:
        # What is done is asked of the disk: an interruption may come between a replacement and any note of it.
        done = [one for one in prepared if not os.path.lexists(one.temporary)]
        _take_back(place, prepared, done, folders, error)
        if isinstance(error, OSError):
            where = f"{changes[min(len(done), len(changes) - 1)].path}: " if changes else ""
            raise Unavailable(f"{where}{error.strerror or error}; nothing was changed") from error
        raise
    if len(prepared) > 1:
        # A journal that stays is found finished by the next writer.
        with suppress(OSError):
            journal.forget(place)


def _take_back(
    place: Place, prepared: Sequence[_Prepared], done: Sequence[_Prepared], folders: Sequence[str], error: BaseException
) -> None:
    for one in prepared:
        with suppress(OSError):
            os.unlink(one.temporary)
    left = [one for one in reversed(done) if not _restored(one)]
    with suppress(OSError, Unavailable):
        journal.forget(place)
    for folder in reversed(folders):
        with suppress(OSError):
            os.rmdir(folder)
    if left:
        raise PartialCompletion(_report(prepared, left, error)) from error


def _restored(one: _Prepared) -> bool:
    try:
        if one.change.before is None:
            os.unlink(one.path)
        else:
            replace(prepare(one.path, one.change.bytes_before), one.path)
    except OSError:
        return False
    sync_folder(os.path.dirname(one.path))
    return True


def _report(prepared: Sequence[_Prepared], left: Sequence[_Prepared], error: BaseException) -> str:
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error) or type(error).__name__
    states = "; ".join(f"{one.change.path}: {'written' if one in left else 'as before'}" for one in prepared)
    return f"{why}. Partial completion: {states}. Run `memory-custodian check` and compare these files by hand"


def _step(place: Place, one: _Prepared) -> journal.Step:
    temporary = os.path.relpath(one.temporary, place.root).replace(os.sep, "/")
    return journal.Step(
        one.change.path, temporary, sha256_hex(one.change.bytes_before), sha256_hex(one.change.bytes_after)
    )


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
        with open(path, "rb") as stream:
            return stream.read()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _absolute(place: Place, change: FileChange) -> str:
    return os.path.join(place.root, *change.path.split("/"))
