"""The files of memory-custodian: its entries by their ids, with type, status, scope and evidence."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from csbond.protocol.errors import CsbError
from csbond.protocol.memory.custodian_entries import CustodianEntry, canonical_id, entries_of
from csbond.protocol.memory.entry import EntryType, refused
from csbond.protocol.memory.foreign_files import SourceFile
from csbond.protocol.memory.foreign_record import (
    SOURCE,
    ForeignLink,
    ForeignName,
    ForeignRecord,
    ForeignRelation,
    Read,
    Unread,
    fitting_tags,
)
from csbond.protocol.memory.import_markdown import records_of

AGENT = "memory-custodian"
"""From whom these come, where nobody else is named."""
NO_MEMORIES = ("manifest.md", "changelog.md", "subjects.md")
"""Files that hold no memory: routes, what was done, and what things are called; nor does a README.md."""
_TYPES: Mapping[str, EntryType] = {
    "DEC": "decision",
    "CON": "lesson",
    "PREF": "preference",
    "DNU": "correction",
    "TOMB": "correction",
    "INBOX": "todo",
}
_OF_FILES: Mapping[str, EntryType] = {
    "decisions.md": "decision",
    "constraints.md": "lesson",
    "preferences.md": "preference",
    "do-not-use.md": "correction",
    "inbox.md": "todo",
}
"""What a text without an id is, by its file; `other` elsewhere."""
_FOLDERS = ("areas/", "rules/", "profiles/", "archive/")
"""Where other files of entries are."""
_PROJECT = re.compile(r"^- project_id: (\S{1,64})\s*$", re.MULTILINE)
_ASIDE = frozenset({"superseded", "promoted"})
"""The states of entries that hold no longer: they are kept cold."""


def records(files: Sequence[SourceFile], agent: str = "") -> Iterator[Read]:
    """A memory for each entry, bullet and section; an entry that replaces another has a link to it.

    What an entry is about is a tag, by the name that `subjects.md` gives it. Of a file that holds no entries, such as
    `brief.md`, each section is a memory. Where no agent is named, they come from the project of the manifest.
    """
    agent = agent or _project(files)
    subjects = {
        entry.id: entry.title for file in files if file.path == "subjects.md" for entry in entries_of(file.text)
    }
    ids = {entry.id for file in files if _has_entries(file) for entry in entries_of(file.text) if entry.id}
    for file in files:
        if not _has_entries(file):
            yield from records_of(file, agent) if _is_prose(file) else ()
            continue
        for entry in entries_of(file.text):
            place = f"{file.path}, line {entry.line}" + (f" ({entry.id})" if entry.id else "")
            try:
                yield _record(entry, file.path, place, agent, subjects)
                yield from _relations(entry, place, agent, ids)
            except CsbError as fault:
                yield Unread(place, fault)


def is_custodian(files: Sequence[SourceFile]) -> bool:
    """Whether files are those of a memory-custodian project: its manifest is among them."""
    return any(file.path == "manifest.md" and "memory-custodian" in file.text for file in files)


def _has_entries(file: SourceFile) -> bool:
    return not _is_aside(file) and (file.path in _OF_FILES or file.path.startswith(_FOLDERS))


def _is_prose(file: SourceFile) -> bool:
    return not _is_aside(file) and not file.path.startswith(_FOLDERS)


def _is_aside(file: SourceFile) -> bool:
    return file.path in NO_MEMORIES or file.path.rpartition("/")[2] == "README.md"


def _project(files: Sequence[SourceFile]) -> str:
    manifest = next((file.text for file in files if file.path == "manifest.md"), "")
    named = _PROJECT.search(manifest)
    return f"{AGENT}:{named[1]}" if named else AGENT


def _record(entry: CustodianEntry, path: str, place: str, agent: str, subjects: Mapping[str, str]) -> ForeignRecord:
    statement, reason = entry.statement, entry.texts.get("Reason", "")
    if not statement:
        raise refused("content", "is empty: the entry says nothing")
    subject = entry.fields.get("Subject") or entry.fields.get("Provisional-Subject") or ""
    scope = entry.fields.get("Scope", "")
    tags = fitting_tags(each for each in (subjects.get(subject, ""), scope if scope != "project" else "") if each)
    status = entry.fields.get("Status", "")
    memory: dict[str, Any] = {
        "type": _TYPES.get(entry.code, "other") if entry.id else _OF_FILES.get(path, "other"),
        "source": SOURCE,
        "content": f"{statement}\n\nReason: {reason}" if reason else statement,
        "tags": tags.tags,
        "custodian": _kept(entry, path),
    }
    if status in _ASIDE or path.startswith("archive/"):
        memory["level"] = "cold"
    timestamp = _day(entry)
    if timestamp:
        memory["timestamp"] = timestamp
    return ForeignRecord(place, memory, ForeignName(agent, key=entry.id or _key(path, statement)))


def _kept(entry: CustodianEntry, path: str) -> dict[str, Any]:
    beside = {name: text for name, text in entry.texts.items() if name == "Promotion-Requirement"}
    named = {"id": entry.id, "title": entry.title, "file": path, **entry.fields, **beside}
    named.pop("Evidence", None)
    told: dict[str, Any] = {name.lower().replace("-", "_"): value for name, value in named.items() if value}
    return told | ({"evidence": list(entry.evidence)} if entry.evidence else {})


def _relations(entry: CustodianEntry, place: str, agent: str, ids: set[str]) -> Iterator[Read]:
    """What replaces another supersedes it; a candidate is resolved by the entry it became. Both ends may say so."""
    for name, relation, turned in (
        ("Supersedes", "supersedes", False),
        ("Superseded-By", "supersedes", True),
        ("Promoted-To", "resolved_by", False),
    ):
        other = _other(entry.fields.get(name, ""))
        if not other or not entry.id:
            continue
        begins, ends = (other, entry.id) if turned else (entry.id, other)
        if other not in ids:
            yield Unread(f"{place}, {name}", refused(name, f"names {other}, which is not in these files"))
        else:
            yield ForeignRelation(f"{place}, {name}", ForeignName(agent, key=begins), ForeignLink(ends, relation))


def _other(value: str) -> str:
    """The id that a field names; "" for none, and for what was forgotten."""
    parts = value.split("-")
    return canonical_id(value) if len(parts) == 4 and parts[0].upper() == "MC" else ""


def _day(entry: CustodianEntry) -> int:
    """The beginning of the day its id names, in UTC; 0 where it names none."""
    if not entry.id:
        return 0
    try:
        day = datetime.strptime(entry.id.split("-")[2], "%Y%m%d").replace(tzinfo=UTC)
    except ValueError:
        return 0
    return max(0, round(day.timestamp() * 1000))


def _key(path: str, statement: str) -> str:
    told = f"{path}\x1f{statement}"
    return f"mc:{hashlib.sha256(told.encode()).hexdigest()[:32]}"
