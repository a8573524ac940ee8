"""Reads memory files: strict UTF-8, LF to the rules whatever the disk has, and no link out of the memory directory."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator

from memory_custodian.files.place import Place
from memory_custodian.files.project import inside
from memory_custodian.rules.problems import Problem, Refused, Unavailable
from memory_custodian.rules.protocol import AGENT_FILES
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.suggestion import suggestion
from memory_custodian.rules.value import Value

__all__ = ["read_all", "read_all_with_agent_files", "read_some", "read_what_reads"]

_BOM = b"\xef\xbb\xbf"


def read_all(place: Place) -> Snapshot:
    """Read every Markdown file below the memory directory.

    Raises `Unavailable` where there is no such directory, `Refused` for one that leads in a circle, and for a file
    that is not UTF-8, or that leads outside or in a circle.
    """
    if not os.path.isdir(place.memory):
        raise _no_memory(place)
    return _snapshot(place, _markdown_files(place))


def read_some(place: Place, files: Iterable[str]) -> Snapshot:
    """Read those of the named files that exist; refuses one that is not UTF-8, no file, outside, or in a circle."""
    return _snapshot(place, [_Found(file) for file in sorted(set(files))])


def read_all_with_agent_files(place: Place) -> Snapshot:
    """Read every Markdown file of the memory and the agent files of the project; nothing need exist yet."""
    return _with_agent_files(place, _snapshot(place, _markdown_files(place) if os.path.isdir(place.memory) else ()))


def read_what_reads(place: Place) -> tuple[Snapshot, dict[str, str]]:
    """Read every Markdown file and agent file that can be read, and say of each other one why not.

    For `check`, which reports them.
    """
    faults: dict[str, str] = {}

    def note(file: str, problem: Refused | OSError) -> None:
        if isinstance(problem, Refused):
            faults[file] = problem.message
        else:
            faults[file] = f"{file}: {problem.strerror or problem}; accepted: what this user can read"

    if not os.path.isdir(place.memory):
        raise _no_memory(place)
    return _with_agent_files(place, _snapshot(place, _markdown_files(place, note), note), note), faults


_Note = Callable[[str, Refused | OSError], None]


def _no_memory(place: Place) -> Problem:
    return _circling(place) or Unavailable(
        f"{place.memory_dir}: no such directory; {suggestion('init', place.options)} makes it"
    )


class _Found(Value):
    file: str
    plain: bool = False
    """Whether it was seen as a regular file, in folders that are no links: then it cannot lead outside."""


def _with_agent_files(place: Place, found: Snapshot, note: _Note | None = None) -> Snapshot:
    agents: dict[str, str] = {}
    crlf = set(found.crlf)
    for name in AGENT_FILES.values():
        try:
            text = _read(place, os.path.join(place.root, name), name, place.root)
        except (Refused, OSError) as problem:
            if note is None:
                raise
            note(name, problem)
            continue
        if text is not None:
            agents[name] = _with_lf(name, text, crlf)
    return found._replace(project_texts=agents, crlf=frozenset(crlf))


def _snapshot(place: Place, files: Iterable[_Found], note: _Note | None = None) -> Snapshot:
    texts: dict[str, str] = {}
    crlf: set[str] = set()
    for file, plain in files:
        path = f"{place.memory}{os.sep}{file}"
        try:
            text = _decoded(_content_of(path), file) if plain else _read(place, path, file, place.memory)
        except (Refused, OSError) as problem:
            if note is None:
                raise
            note(file, problem)
            continue
        if text is not None:
            texts[file] = _with_lf(file, text, crlf)
    return Snapshot(place.memory_dir, texts, frozenset(crlf), options=place.options)


def _with_lf(file: str, text: str, crlf: set[str]) -> str:
    """Give a file whose every line ends with CRLF to the rules with LF, and note it; a mixed one is left as it is."""
    ends = text.count("\r\n")
    if not ends or ends != text.count("\n"):
        return text
    crlf.add(file)
    return text.replace("\r\n", "\n")


def _read(place: Place, path: str, name: str, folder: str) -> str | None:
    """Return the text of a file, None where there is none."""
    try:
        kind = os.lstat(path)
        real = os.path.realpath(path)
        if not inside(real, folder):
            raise Refused(f"{name}: leads outside {os.path.basename(folder)}; accepted: a file inside it")
        if stat.S_ISLNK(kind.st_mode):
            kind = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise (_circling(place) or _in_a_circle(name, "file")) from None
        raise
    if not stat.S_ISREG(kind.st_mode):
        raise Refused(f"{name}: not a regular file; accepted: a Markdown file")
    return _decoded(_content_of(real), name)


def _circling(place: Place) -> Refused | None:
    """Return the refusal of the memory directory, or one above it, that leads in a circle."""
    path = place.root
    for name in os.path.relpath(place.memory, place.root).split(os.sep):
        path = os.path.join(path, name)
        try:
            os.stat(path)
        except OSError as error:
            if error.errno != errno.ELOOP:
                return None
            shown = os.path.relpath(path, place.root).replace(os.sep, "/")
            return _in_a_circle(f"{shown}/", "folder")
    return None


def _in_a_circle(name: str, kind: str) -> Refused:
    return Refused(f"{name}: leads in a circle; accepted: a {kind}, or a link to one")


def _decoded(raw: bytes, name: str) -> str:
    if raw.startswith(_BOM):
        raise Refused(f"{name}: begins with a byte order mark (BOM); accepted: UTF-8 without one")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(f"{name}: byte {error.start} is not UTF-8; accepted: UTF-8 text") from None


def _content_of(path: str) -> bytes:
    """Read a file by the calls of the system alone: objects for streams cost more than small files do."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        parts = [os.read(handle, os.fstat(handle).st_size + 1)]
        while parts[-1]:
            parts.append(os.read(handle, 1 << 20))
    except OSError as error:
        error.filename = path
        raise
    finally:
        os.close(handle)
    return b"".join(parts)


def _markdown_files(place: Place, note: _Note | None = None) -> list[_Found]:
    found = list(_below(place, "", note))
    found.sort()
    return found


def _below(place: Place, folder: str, note: _Note | None) -> Iterator[_Found]:
    try:
        with os.scandir(os.path.join(place.memory, *folder.split("/")) if folder else place.memory) as entries:
            listed = list(entries)
    except OSError as error:
        if note is None or not folder:
            raise
        note(f"{folder}/", error)
        return
    for entry in listed:
        file = f"{folder}/{entry.name}" if folder else entry.name
        try:
            if entry.is_dir(follow_symlinks=False):
                yield from _below(place, file, note)
            elif entry.name.endswith(".md") and not _is_linked_folder(entry):
                _check_name(file)
                yield _Found(file, entry.is_file(follow_symlinks=False))
            elif entry.is_symlink():
                _check_linked_folder(place, file, entry)
        except (Refused, OSError) as problem:
            if note is None:
                raise
            note(_in_utf8(file), problem)


def _is_linked_folder(entry: os.DirEntry[str]) -> bool:
    """Whether a link leads to a folder; what leads nowhere is left to who reads it."""
    return entry.is_symlink() and os.path.isdir(entry.path)


def _check_linked_folder(place: Place, file: str, entry: os.DirEntry[str]) -> None:
    """Refuse a folder outside. A linked folder inside is read where it really lies, so no file is there twice."""
    try:
        leads_outside = entry.is_dir() and not inside(os.path.realpath(entry.path), place.memory)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _in_a_circle(f"{_in_utf8(file)}/", "folder") from None
        raise
    if leads_outside:
        raise Refused(f"{_in_utf8(file)}/: leads outside {place.memory_dir}; accepted: a folder inside it")


def _check_name(file: str) -> None:
    shown = _in_utf8(file)
    if shown != file:
        raise Refused(f"{shown}: the file name is not UTF-8; accepted: a name in UTF-8")


def _in_utf8(file: str) -> str:
    """Return a name as it may be shown."""
    return file.encode("utf-8", "backslashreplace").decode("utf-8")
