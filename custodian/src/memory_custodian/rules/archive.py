"""What lies in the archive: sections moved out of memory, one file a day and place they came from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from memory_custodian.rules.parse_blocks import APART, groups, parse
from memory_custodian.rules.templates import module_template

__all__ = ["ARCHIVE_README", "archive_path", "archived", "with_archive"]

ARCHIVE_README: Final = "archive/README.md"

_WRAPPER: Final = re.compile(r"\d{4}-\d{2}-\d{2} - From \S+")
_WRAPPER_LINES: Final = 4


def archive_path(file: str, today: str) -> str:
    """Return where sections of a file go on a day."""
    return f"archive/{file.removesuffix('.md').replace('/', '-')}-{today}.md"


def archived(text: str | None, file: str, today: str, sections: Sequence[str]) -> str:
    """Return an archive file with more sections, verbatim, in front of those of the same day.

    Bare bullets stand before every heading, so that no section swallows them. Days of a changelog keep one heading.
    """
    head = f"# Archive of {file}\n\nMoved out of memory on {today}. No task loads it."
    pieces = list(sections)
    if text is not None:
        # Nothing lies above what a line could set it apart from: sections come behind.
        cut = groups([block for block in parse(text) if block.text.strip() != APART])
        own = [group for group in cut if group[0].kind in {"title", "preamble"}]
        head = "".join(block.text for group in own for block in group).rstrip() if own else head
        older = ["".join(block.text for block in group) for group in cut if group not in own]
        pieces += [piece for piece in older if not _is_wrapper(piece)]
    if file == "changelog.md":
        pieces = _by_day(pieces)
    pieces.sort(key=lambda piece: piece.startswith("## "))
    return "\n\n".join([head, *(piece.strip("\n") for piece in pieces)]) + "\n"


def with_archive(texts: Mapping[str, str], file: str, today: str, sections: Sequence[str]) -> dict[str, str]:
    """Return the files of the archive that change when sections of a file move there, its README first."""
    path = archive_path(file, today)
    readme = {} if ARCHIVE_README in texts else {ARCHIVE_README: module_template(ARCHIVE_README)}
    return {**readme, path: archived(texts.get(path), file, today, sections)}


def _is_wrapper(piece: str) -> bool:
    """Whether it is the heading with a reason that 0.9.1 put above what it archived."""
    lines = [line for line in piece.split("\n") if line.strip()]
    is_named = bool(lines) and _WRAPPER.fullmatch(lines[0].removeprefix("## ").strip()) is not None
    return is_named and len(lines) <= _WRAPPER_LINES and any(line.startswith("Reason:") for line in lines)


def _by_day(pieces: Sequence[str]) -> list[str]:
    days: dict[str, list[str]] = {}
    for piece in pieces:
        heading, _, rest = piece.strip("\n").partition("\n")
        days.setdefault(heading, []).append(rest.strip("\n"))
    return ["\n".join([heading, *(rest for rest in found if rest)]) for heading, found in days.items()]
