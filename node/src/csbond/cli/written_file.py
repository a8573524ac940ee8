"""A file that a command writes: whole, or as it was before."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EDQUOT, ENOSPC
from pathlib import Path
from typing import BinaryIO

from csbond.protocol.errors import CsbError, LocalProtocolError, Unavailable


def write_text(file: Path, text: str) -> None:
    """Write a text in UTF-8 in place of what the file held.

    `storage_full`; `invalid_params` when it cannot be written there.
    """
    target = Path(os.path.realpath(file)) if file.is_symlink() else file
    if target.exists() and not target.is_file():
        _write_through(target, text)
        return
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(target)
    except OSError as fault:
        with suppress(OSError):
            draft.unlink()
        raise _translated(file, fault) from fault


@contextmanager
def written(file: Path) -> Iterator[BinaryIO]:
    """What is written inside the block takes the place of what the file held, when the block ends well."""
    target = Path(os.path.realpath(file)) if file.is_symlink() else file
    through = target.exists() and not target.is_file()
    draft = target if through else target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with draft.open("wb") as kept:
            yield kept
        if not through:
            draft.replace(target)
    except BaseException as fault:
        if not through:
            with suppress(OSError):
                draft.unlink()
        if isinstance(fault, OSError):
            raise _translated(file, fault) from fault
        raise


def _write_through(target: Path, text: str) -> None:
    """Into what is no file, such as a pipe."""
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as fault:
        raise _translated(target, fault) from fault


def _translated(file: Path, fault: OSError) -> CsbError:
    reason = f"{file} cannot be written: {fault.strerror}"
    if fault.errno in (ENOSPC, EDQUOT):
        return Unavailable("storage_full", reason)
    return LocalProtocolError("invalid_params", reason, next_step="name another place", field="output")
