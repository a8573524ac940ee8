"""The private state of a user: locks, previews and journals, in directories that nobody else may enter (§7.1)."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress

from memory_custodian.files.atomic import named
from memory_custodian.files.place import Place
from memory_custodian.files.project import inside
from memory_custodian.rules.digest import sha256_hex
from memory_custodian.rules.problems import Unavailable
from memory_custodian.rules.state_location import Machine, state_candidates
from memory_custodian.rules.value import Value

__all__ = [
    "PrivateState",
    "check_owner",
    "create_private",
    "is_private",
    "private_state",
    "project_key",
    "publish_private",
    "read_private",
    "replace_private",
    "seen_states",
    "this_machine",
]

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class PrivateState(Value):
    """The directories of the private state; they exist."""

    locks: str
    plans: str
    journals: str


def private_state(place: Place, machine: Machine | None = None) -> PrivateState:
    """Return the first place for the state that can be written and lies neither in the project nor in its repository.

    Makes it.

    Raises `Unavailable` where no place can be written, or where one is a link or belongs to somebody else: then
    somebody tampered with it, and going on elsewhere would hide that.
    """
    tried = []
    for candidate in state_candidates(machine or this_machine()):
        if _is_closed(place, candidate):
            tried.append(f"{candidate} lies in the project or its repository")
            continue
        try:
            return _made(candidate)
        except OSError as error:
            tried.append(f"{candidate}: {error.strerror or error}")
    raise Unavailable(f"no directory for locks can be written; set XDG_STATE_HOME to one ({'; '.join(tried)})")


def seen_states(place: Place, machine: Machine | None = None) -> Iterator[PrivateState]:
    """Find the places where the state of a project may lie, for who only looks: nothing is made, none need be safe.

    Those that a writer passes over are left out: in the project or its repository, and where something else lies.
    """
    for candidate in state_candidates(machine or this_machine()):
        state = _in(candidate)
        other = any(os.path.exists(folder) and not os.path.isdir(folder) for folder in state)
        if os.path.isdir(candidate) and not other and not _is_closed(place, candidate):
            yield state


def _is_closed(place: Place, candidate: str) -> bool:
    real = os.path.realpath(candidate)
    return any(real == closed or inside(real, closed) for closed in (place.root, _repository(place.root)))


def _in(root: str) -> PrivateState:
    return PrivateState(*(os.path.join(root, name) for name in PrivateState._fields))


def _repository(root: str) -> str:
    """Return the working tree that a project is part of; the project itself where it is part of none.

    One that begins at the root of the file system is none: nothing at all would lie outside of it.
    """
    folder = root
    while os.path.dirname(folder) != folder:
        if os.path.lexists(os.path.join(folder, ".git")):
            return folder
        folder = os.path.dirname(folder)
    return root


def this_machine() -> Machine:
    """Ask the system for what decides where the state lies."""
    home = os.path.expanduser("~")
    uid = os.getuid() if hasattr(os, "getuid") else None
    return Machine(os.name == "nt", os.environ, home if os.path.isabs(home) and home != "/" else "", uid)


def project_key(place: Place) -> str:
    """Return the name of a project by its path: two copies of one project differ in it, unlike in their project_id."""
    path = os.path.normcase(os.path.realpath(place.root))
    return sha256_hex(path.encode("utf-8", "surrogateescape"))


def is_private(found: os.stat_result) -> bool:
    """Whether this is a regular file of this user that nobody else may write."""
    if not stat.S_ISREG(found.st_mode):
        return False
    return not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 0o022)


def create_private(path: str, content: bytes) -> bool:
    """Create a file that must not exist, for this user only; False where it does."""
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | _NO_FOLLOW, 0o600)
    except FileExistsError:
        return False
    try:
        with named(path), open(handle, "wb") as stream:
            stream.write(content)
    except BaseException:
        os.unlink(path)
        raise
    return True


def read_private(path: str) -> bytes | None:
    """Return the content of a private file, None where there is none; raises `Unavailable` for one that is not."""
    try:
        _check_private(path, os.lstat(path))
        # What took its place since then is not waited for.
        handle = os.open(path, os.O_RDONLY | _NO_FOLLOW | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        return None
    try:
        with named(path):
            _check_private(path, os.fstat(handle))
            return b"".join(iter(lambda: os.read(handle, 1 << 20), b""))
    finally:
        os.close(handle)


def _check_private(path: str, found: os.stat_result) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise Unavailable(f"{path} is a symbolic link; it has to be a file of this user")
    if not is_private(found):
        raise Unavailable(f"{path} is not a regular file that only this user may write")


def replace_private(path: str, content: bytes, *, durable: bool = False) -> None:
    """Put a whole file in place of whatever has its name."""
    with named(path):
        temporary = _written_beside(path, content, durable)
        try:
            os.replace(temporary, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise


def publish_private(path: str, content: bytes) -> bytes:
    """Make a file once, whole, and return what it holds: of two that do so at once both get the same."""
    with named(path):
        temporary = _written_beside(path, content, durable=False)
    try:
        if hasattr(os, "link") and os.name != "nt":
            os.link(temporary, path)
        else:
            os.rename(temporary, path)
    except FileExistsError:
        pass
    except OSError:
        # Some file systems have no second names; there the first use by two at once may cost one of them its preview.
        if not os.path.lexists(path):
            os.replace(temporary, path)
    finally:
        if os.path.lexists(temporary):
            os.unlink(temporary)
    found = read_private(path)
    return content if found is None else found


def _written_beside(path: str, content: bytes, durable: bool) -> str:
    temporary = f"{path}.{os.urandom(16).hex()}.tmp"
    create_private(temporary, content)
    if durable:
        try:
            with open(temporary, "rb+") as stream:
                os.fsync(stream.fileno())
        except BaseException:
            os.unlink(temporary)
            raise
    return temporary


def _made(root: str) -> PrivateState:
    os.makedirs(os.path.dirname(root), mode=0o700, exist_ok=True)
    made = _in(root)
    for folder in (root, made.locks, made.plans, made.journals):
        _make_private_folder(folder)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(13, "not writable", folder)
    return made


def _make_private_folder(folder: str) -> None:
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        found = os.lstat(folder)
        check_owner(folder, found)
        if not stat.S_ISDIR(found.st_mode):
            raise NotADirectoryError(20, "not a directory", folder) from None
        if hasattr(os, "getuid") and found.st_mode & 0o077:
            os.chmod(folder, 0o700)


def check_owner(folder: str, found: os.stat_result) -> None:
    """Raise `Unavailable` for a folder of the state that is a link or belongs to somebody else."""
    if stat.S_ISLNK(found.st_mode):
        raise Unavailable(f"{folder} is a symbolic link; it has to be a directory of this user")
    if stat.S_ISDIR(found.st_mode) and hasattr(os, "getuid") and found.st_uid != os.getuid():
        raise Unavailable(f"{folder} belongs to another user")
