"""A file that a command writes: whole, or as it was before; a new one is for nobody but whoever made it."""

from __future__ import annotations

import os
import secrets
import stat
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
    with written(file) as kept:
        kept.write(text.encode("utf-8"))


@contextmanager
def written(file: Path) -> Iterator[BinaryIO]:
    """What is written inside the block takes the place of what the file held, when the block ends well.

    `storage_full`; `invalid_params` when it cannot be written there.
    """
    try:
        if file.exists() and not file.is_file():  # such as a pipe
            with file.open("wb") as kept:
                yield kept
        else:
            with _draft(Path(os.path.realpath(file)) if file.is_symlink() else file) as kept:
                yield kept
    except OSError as fault:
        raise _translated(file, fault) from fault


@contextmanager
def _draft(target: Path) -> Iterator[BinaryIO]:
    """A file beside the target that takes its place, and its mode, in the end."""
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o600
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "wb") as kept:
            yield kept
        draft.chmod(mode)
        draft.replace(target)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise


def _translated(file: Path, fault: OSError) -> CsbError:
    reason = f"{file} cannot be written: {fault.strerror}"
    if fault.errno in (ENOSPC, EDQUOT):
        return Unavailable("storage_full", reason)
    return LocalProtocolError("invalid_params", reason, next_step="name another place", field="output")
