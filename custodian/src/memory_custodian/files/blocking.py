"""What lies in the place of private state and lets no command write, for who only looks (§7.1)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

from memory_custodian.files.journal import journal_path
from memory_custodian.files.lock import lock_path
from memory_custodian.files.place import Place
from memory_custodian.files.private_state import PrivateState, check_owner, read_private, seen_states
from memory_custodian.rules.problems import Unavailable

__all__ = ["what_blocks"]


def what_blocks(place: Place, project_id: str | None) -> tuple[str, ...]:
    """Return a sentence on each folder, lock and journal that every write of this project would stop at.

    A lock that somebody holds is none: it is released, or broken on request.
    """
    state = next(seen_states(place), None)
    if state is None:
        return ()
    folders = tuple(_bad_folders(state))
    return folders or tuple(_bad_files(state, place, project_id))


def _bad_folders(state: PrivateState) -> Iterator[str]:
    for folder in (os.path.dirname(state.locks), *state):
        with suppress(OSError):
            try:
                check_owner(folder, os.lstat(folder))
            except Unavailable as problem:
                yield problem.message


def _bad_files(state: PrivateState, place: Place, project_id: str | None) -> Iterator[str]:
    locks = [lock_path(state, place, one) for one in ((None, project_id) if project_id else (None,))]
    for path in (journal_path(state, place), *locks):
        yield from _fault_of(path)


def _fault_of(path: str) -> Iterator[str]:
    try:
        read_private(path)
    except Unavailable as problem:
        yield problem.message
    except OSError as error:
        yield f"{path}: {error.strerror or error}"
