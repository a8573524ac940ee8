"""The home of an agent: one directory that holds who it is, its key, its owner's token, its settings and its ledger."""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from errno import EEXIST, ENOSPC, ENOTEMPTY
from pathlib import Path
from typing import TYPE_CHECKING

from csbond.config.identity import Identity, identity_document, identity_from_document, new_identity
from csbond.config.node_key import NodeKey
from csbond.config.settings_text import settings_file_text
from csbond.protocol.errors import CsbError, LocalProtocolError, Unavailable

if TYPE_CHECKING:
    from csbond.flows.ports import Clock, Identifiers

IDENTITY_FILE = "identity.json"
_PRIVATE = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class Home:
    """A home that is there, and the places in it."""

    path: Path
    identity: Identity

    @property
    def identity_file(self) -> Path:
        """Who the agent is; public."""
        return self.path / IDENTITY_FILE

    @property
    def key_file(self) -> Path:
        """The seed of the node's key; for its owner's eyes only."""
        return self.path / "node.key"

    @property
    def token_file(self) -> Path:
        """The owner's token; for its owner's eyes only."""
        return self.path / "owner.token"

    @property
    def settings_file(self) -> Path:
        """The settings."""
        return self.path / "csb.toml"

    @property
    def lock_file(self) -> Path:
        """Locked by the process that runs the home."""
        return self.path / "node.lock"

    @property
    def run_file(self) -> Path:
        """Which process runs the home, and at which address."""
        return self.path / "node.run"

    def node_key(self) -> NodeKey:
        """The node's key; `setting_invalid` when others can read it, or it is not the key of the identity."""
        key = NodeKey.from_text(read_private(self.key_file))
        if key.did != self.identity.did:
            raise LocalProtocolError(
                "setting_invalid",
                f"{self.key_file} is not the key of {self.identity.did}, which {self.identity_file} names",
                next_step="put the two files of one backup together",
            )
        return key

    def owner_token(self) -> str:
        """The owner's token; `setting_invalid` when others can read it or it is empty."""
        token = read_private(self.token_file).strip()
        if not token or not token.isascii() or any(character.isspace() for character in token):
            raise LocalProtocolError("setting_invalid", f"{self.token_file} holds no token")
        return token


def create_home(path: Path, name: str, emoji: str, domain: str, clock: Clock, identifiers: Identifiers) -> Home:
    """A new home, whole or not at all; `already_exists` when anything but an empty directory is at the path.

    A failed attempt leaves nothing behind.
    """
    path = Path(os.path.abspath(path.expanduser()))
    key = NodeKey.generate()
    identity = new_identity(name, emoji, domain, key.public_key, clock.now())
    _refuse_to_overwrite(path)
    contents = {
        IDENTITY_FILE: json.dumps(identity_document(identity), ensure_ascii=False, indent=2) + "\n",
        "node.key": key.to_text() + "\n",
        "owner.token": identifiers.secret() + "\n",
        "csb.toml": settings_file_text(),
    }
    try:
        if path.exists():
            _fill(path, contents)
        else:
            _make(path, contents)
    except OSError as fault:
        raise _creation_fault(path, fault) from fault
    return Home(path, identity)


def open_home(path: Path) -> Home:
    """The home at a path; `home_missing` says how to make one, `setting_invalid` what is wrong with its identity."""
    path = Path(os.path.abspath(path.expanduser()))
    file = path / IDENTITY_FILE
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
        return Home(path, identity_from_document(document))
    except (FileNotFoundError, NotADirectoryError) as fault:
        raise LocalProtocolError(
            "home_missing", f"there is no agent home at {path}", next_step=f"csb init --home {path} --name NAME"
        ) from fault
    except OSError as fault:
        raise LocalProtocolError("setting_invalid", f"{file} cannot be read: {fault.strerror}") from fault
    except (ValueError, RecursionError) as fault:
        raise LocalProtocolError("setting_invalid", f"{file} is not JSON in UTF-8: {fault}") from fault
    except CsbError as fault:
        raise LocalProtocolError("setting_invalid", f"{file}: {fault.reason}", field=fault.field) from fault


def read_private(path: Path) -> str:
    """The text of a file that only its owner can read; `setting_invalid` with the `chmod` to type otherwise."""
    try:
        with path.open(encoding="utf-8") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            if mode & _PRIVATE:
                raise LocalProtocolError(
                    "setting_invalid",
                    f"{path} can be read or changed by others (mode {mode:04o})",
                    next_step=f"chmod 600 {path}",
                )
            return file.read()
    except OSError as fault:
        raise LocalProtocolError("setting_invalid", f"{path} cannot be read: {fault.strerror}") from fault
    except UnicodeDecodeError as fault:
        raise LocalProtocolError("setting_invalid", f"{path} is not text in UTF-8") from fault


def _refuse_to_overwrite(path: Path) -> None:
    try:
        empty = not any(path.iterdir()) if path.is_dir() and not path.is_symlink() else not os.path.lexists(path)
    except OSError as fault:
        raise _creation_fault(path, fault) from fault
    if not empty:
        raise _exists(path)


def _make(path: Path, contents: Mapping[str, str]) -> None:
    """A new directory, written as a hidden sibling and moved into place at once."""
    with _new_parents(path), _drafts(path.parent, f".{path.name}.", contents) as drafts:
        drafts.rename(path)
        _sync_directory(path.parent)


def _fill(path: Path, contents: Mapping[str, str]) -> None:
    """An empty directory that somebody else made (a mounted volume, a service's state), filled file by file.

    identity.json comes last: without it there is no home yet.
    """
    placed: list[Path] = []
    with _drafts(path, ".init.", contents) as drafts:
        try:
            for file in sorted(contents, key=lambda file: file == IDENTITY_FILE):
                # A link, unlike a rename, does not replace what another process has put there meanwhile.
                (path / file).hardlink_to(drafts / file)
                placed.append(path / file)
        except BaseException:
            for each in placed:
                each.unlink(missing_ok=True)
            raise
    _sync_directory(path)
    with suppress(PermissionError):
        path.chmod(0o700)


@contextmanager
def _new_parents(path: Path) -> Iterator[None]:
    """Make the directories above a path; on failure those that were made are taken away again."""
    missing = [parent for parent in path.parents if not parent.exists()]
    made: list[Path] = []
    try:
        for parent in reversed(missing):
            parent.mkdir()
            made.append(parent)
        yield
    except BaseException:
        for parent in reversed(made):
            with suppress(OSError):
                parent.rmdir()
        raise


@contextmanager
def _drafts(where: Path, prefix: str, contents: Mapping[str, str]) -> Iterator[Path]:
    """A directory with the files of a home, gone afterwards unless it was moved away; only its owner may enter it."""
    drafts = Path(tempfile.mkdtemp(prefix=prefix, dir=where))
    try:
        for file, text in contents.items():
            _write_private(drafts / file, text)
        _sync_directory(drafts)
        yield drafts
    finally:
        shutil.rmtree(drafts, ignore_errors=True)


def _write_private(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        os.fchmod(descriptor, 0o600)
        file.write(text)
        file.flush()
        os.fsync(descriptor)


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _creation_fault(path: Path, fault: OSError) -> CsbError:
    if fault.errno in (EEXIST, ENOTEMPTY):
        return _exists(path)
    if fault.errno == ENOSPC:
        return Unavailable("storage_full", f"no home was made at {path}: {fault.strerror}")
    return LocalProtocolError(
        "setting_invalid",
        f"no home was made at {path}: {fault.strerror}",
        next_step="name a place you may write to with --home",
    )


def _exists(path: Path) -> LocalProtocolError:
    return LocalProtocolError(
        "already_exists", f"{path} is there already and is left as it is", next_step="name another place with --home"
    )


def file_modes(home: Home) -> Mapping[Path, int]:
    """The permission bits of the home and of its two secret files, of those that are there."""
    paths = (home.path, home.key_file, home.token_file)
    return {path: stat.S_IMODE(path.stat().st_mode) for path in paths if path.exists()}
