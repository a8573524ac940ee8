"""Replaces one file at once: whoever reads it sees the old one or the new one."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress

from memory_custodian.rules.digest import sha256_hex

__all__ = ["digest_of", "named", "prepare", "prepared_in", "replace", "sweep", "sync_folder"]

_NEW_MODE = 0o644


@contextmanager
def named(path: str) -> Iterator[None]:
    """Let an error of the disk name this file: it knows the one beside it, the number of an open one, or none."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = path, None
        raise


def prepare(path: str, content: bytes) -> str:
    """Write the content durably to a new file beside its target, with the target's mode; return its path."""
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{os.urandom(16).hex()}.tmp")
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(temporary, flags, _NEW_MODE)
    try:
        with open(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        if os.path.exists(path):
            os.chmod(temporary, os.stat(path).st_mode & 0o7777)
    except BaseException:
        os.unlink(temporary)
        raise
    return temporary


def replace(temporary: str, path: str) -> None:
    """Put a prepared file in the place of its target."""
    os.replace(temporary, path)


def sync_folder(folder: str) -> None:
    """Make the names in a folder durable, where the system can: not every file system syncs folders."""
    if os.name == "nt":
        return
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def digest_of(path: str) -> str:
    """Return the SHA-256 of a file; of nothing where there is none, and no digest at all of what is no regular file."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return ""
        with named(path), open(path, "rb") as stream:
            return sha256_hex(stream.read())
    except (FileNotFoundError, NotADirectoryError):
        return sha256_hex(b"")


def sweep(folder: str, *, deep: bool, keep: Collection[str] = ()) -> None:
    """Remove what a killed command prepared and never put in place, but for some paths.

    Only under the lock, when nobody prepares.
    """
    for path in prepared_in(folder, deep=deep):
        if path not in keep:
            os.unlink(path)


def prepared_in(folder: str, *, deep: bool) -> Iterator[str]:
    """Find what was prepared and not put in place, in a folder that need not exist, or also below it."""
    if not os.path.isdir(folder):
        return
    with os.scandir(folder) as entries:
        listed = list(entries)
    for entry in listed:
        if entry.is_dir(follow_symlinks=False):
            if deep:
                yield from prepared_in(entry.path, deep=True)
        elif _is_temporary(entry.name) and entry.is_file(follow_symlinks=False):
            yield entry.path


def _is_temporary(name: str) -> bool:
    """Whether a name is one that `prepare` gives: .<name>.<32 hex digits>.tmp."""
    if not (name.startswith(".") and name.endswith(".tmp")):
        return False
    target, _, digits = name[1:-4].rpartition(".")
    return bool(target) and len(digits) == 32 and not digits.strip("0123456789abcdef")
