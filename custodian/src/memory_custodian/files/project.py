"""Finds the project and its memory directory."""

from __future__ import annotations

import os

from memory_custodian.files.place import Place
from memory_custodian.rules.problems import Refused, Unavailable

__all__ = ["find_place", "given_options", "inside"]

_DEFAULT_ROOT = "."
_DEFAULT_MEMORY = "docs/memory"


def find_place(root: str, memory_dir: str) -> Place:
    """Resolve --project-root and --memory-dir, which need not exist yet; nothing is created.

    Refuses a memory directory that is not strictly below docs/ of the project, symbolic links followed. The project
    is what the command says, never guessed from the depth of the memory directory (§8.1).
    """
    for option, value in (("--project-root", root), ("--memory-dir", memory_dir)):
        _check_words(option, value)
    project = os.path.realpath(root)
    if not os.path.isdir(project):
        raise Unavailable(f"--project-root {root}: no such directory")
    memory = os.path.realpath(os.path.join(project, memory_dir))
    if not inside(memory, os.path.join(project, "docs")):
        given = os.path.normpath(os.path.join(project, memory_dir))
        leads = f", which a symbolic link leads to {memory}" if inside(given, os.path.join(project, "docs")) else ""
        raise Refused(
            f"Memory directory must live under docs/ of the project, as {_DEFAULT_MEMORY}; got {memory_dir}{leads}"
        )
    relative = os.path.relpath(memory, project).replace(os.sep, "/")
    return Place(project, memory, relative, given_options(root, memory_dir))


def inside(path: str, folder: str) -> bool:
    """Whether a resolved path lies strictly below a folder, by the rules of this system for letters and separators."""
    above = os.path.normcase(folder).rstrip(os.sep) + os.sep
    return os.path.normcase(path).startswith(above)


def given_options(root: str, memory_dir: str) -> tuple[str, ...]:
    """Return the words that give the same place to another command; none where it is the usual one."""
    options: tuple[str, ...] = () if root == _DEFAULT_ROOT else ("--project-root", root)
    return options if memory_dir == _DEFAULT_MEMORY else (*options, "--memory-dir", memory_dir)


def _check_words(option: str, value: str) -> None:
    if "\0" in value:
        raise Refused(f"{option}: a path has no NUL character")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise Refused(f"{option}: the path is not valid UTF-8") from None
