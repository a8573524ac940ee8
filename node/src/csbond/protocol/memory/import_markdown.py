"""A folder of plain Markdown: a memory for each section, and nothing that a file says of itself decides a field."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from csbond.protocol.memory.entry import refused
from csbond.protocol.memory.foreign_files import SourceFile
from csbond.protocol.memory.foreign_record import SOURCE, ForeignName, ForeignRecord, Read, Unread
from csbond.protocol.memory.markdown_sections import Section, sectioned

AGENT = "markdown"
"""From whom these come, where nobody else is named."""


def records(files: Sequence[SourceFile], agent: str = AGENT) -> Iterator[Read]:
    """The sections of each file, as they stand, with their headings and the path; a heading alone is no memory.

    Front matter is kept with the first section of its file, as text.
    """
    for file in files:
        found = False
        for record in records_of(file, agent):
            found = True
            yield record
        if not found:
            yield Unread(file.path, refused("text", "has no section that says anything"))


def records_of(file: SourceFile, agent: str) -> Iterator[ForeignRecord]:
    """The sections of one file."""
    parts = sectioned(file.text)
    front, seen = parts.front_matter, dict[tuple[str, ...], int]()
    for section in parts.sections:
        if section.body or not section.headings:
            nth = seen[section.headings] = seen.get(section.headings, 0) + 1
            yield _record(file, section, agent, front, nth)
            front = ""


def _record(file: SourceFile, section: Section, agent: str, front: str, nth: int) -> ForeignRecord:
    told = {"path": file.path, "headings": list(section.headings)}
    memory = {
        "type": "other",
        "source": SOURCE,
        "content": section.text,
        "markdown": told | ({"front_matter": front} if front else {}),
    }
    where = "\x1f".join((file.path, *section.headings, str(nth)))
    key = f"md:{hashlib.sha256(where.encode()).hexdigest()[:32]}"
    title = section.headings[-1] if section.headings else ""
    place = f"{file.path}, line {section.line}" + (f" ({title})" if title else "")
    return ForeignRecord(place, memory, ForeignName(agent, key=key))
