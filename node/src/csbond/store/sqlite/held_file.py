"""One process works on a ledger file: indexes in memory and background jobs know of no other."""

from __future__ import annotations

import os
from errno import ENOENT
from pathlib import Path

from filelock import FileLock, Timeout

from csbond.protocol.errors import Unavailable

HeldFile = FileLock


def hold_file(path: Path) -> HeldFile:
    """The right to work on a file, until it is released or the process ends, however it ends.

    `home_busy` while another process has it, `storage_unavailable` where no lock file can be made. The lock is beside
    the file that links lead to, so that two names of one file are one.
    """
    try:
        place = path.resolve()
    except RuntimeError as fault:
        raise Unavailable("storage_unavailable", f"the database cannot be used: {path} is a link to itself") from fault
    lock = FileLock(place.with_name(f"{place.name}.lock"), timeout=0, mode=0o600, thread_local=False)
    try:
        if not place.parent.is_dir():
            raise FileNotFoundError(ENOENT, os.strerror(ENOENT))
        lock.acquire()
    except Timeout as fault:
        raise Unavailable(
            "home_busy",
            f"another process already works on the database {path}",
            next_step="stop it, or name another file with --database",
        ) from fault
    except OSError as fault:
        raise Unavailable(
            "storage_unavailable",
            f"the database cannot be used: {place}: {fault.strerror}",
            next_step="check the disk, and the rights of the directory",
        ) from fault
    return lock
