"""The entries of a memory-custodian file: their fields, evidence and texts, and what stands there without an id.

The files may be of any project and any hand, so they are read leniently: what is no field is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from csbond.protocol.memory.markdown_sections import Section, sectioned

FIELDS = frozenset(
    {
        "Status",
        "Superseded-By",
        "Promoted-To",
        "Candidate-Type",
        "Scope",
        "Subject",
        "Facet",
        "Provisional-Subject",
        "Provisional-Facet",
        "Evidence",
        "Supersedes",
        "Kind",
        "Canonical-Ref",
    }
)
STATEMENTS = ("Decision", "Constraint", "Rejected", "Preference", "Rule", "Profile", "Statement")
"""The labels of what an entry says; of the first that is there."""
_LABELS = frozenset((*STATEMENTS, "Reason", "Promotion-Requirement", "Aliases"))
_HEADING = re.compile(r"(MC-[A-Z]+-[0-9]{8}-[0-9A-F]{8})(?:\s+[\u2014\u2013-]+\s*(.*))?", re.IGNORECASE)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*(?:text)?[ \t]*")
_ANY_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_BULLET = re.compile(r"[-*+][ \t]+")
_COMMENT = "<!--"


@dataclass(frozen=True, slots=True)
class CustodianEntry:
    """One entry, or a text without an id, which is a bullet or a section."""

    line: int
    id: str = ""
    """Code in capitals, digits in small letters; "" without one."""
    title: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    evidence: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    """By their labels, as they were given; under "" what has none."""

    @property
    def code(self) -> str:
        """What kind of entry its id says it is; "" without one."""
        return self.id.split("-")[1] if self.id else ""

    @property
    def statement(self) -> str:
        """What it says; "" for nothing."""
        return next((self.texts[label] for label in (*STATEMENTS, "") if self.texts.get(label)), "")


def entries_of(text: str) -> Iterator[CustodianEntry]:
    """The entries of a file in order, and its bullets and sections without an id; its title and what is below it not.

    A text that stands in one code fence is what is in the fence.
    """
    for section in sectioned(text, underlined=False).sections:
        heading = _HEADING.fullmatch(section.headings[-1]) if section.headings else None
        if heading:
            yield from _entry(section, heading[1], heading[2] or "")
        elif len(section.headings) > 1:
            yield from _bare(section)
        else:
            yield from _bullets(section.body.split("\n"), section.line + 1)


def canonical_id(written: str) -> str:
    """An id as it is compared."""
    prefix, code, day, digits = written.split("-")
    return f"{prefix.upper()}-{code.upper()}-{day}-{digits.lower()}"


def _entry(section: Section, id_: str, title: str) -> Iterator[CustodianEntry]:
    rows = section.text.split("\n")[1:]
    fields: dict[str, str] = {}
    evidence: list[str] = []
    texts: dict[str, list[str]] = {}
    label, listing, end = "", False, len(rows)
    fenced = _fenced(rows)
    for at, row in enumerate(rows):
        name, colon, value = row.partition(":")
        if listing and row.startswith("- "):
            evidence.append(row[2:].strip())
        elif not fenced[at] and colon and name in FIELDS:
            fields.setdefault(name, value.strip())
            listing = name == "Evidence"
        elif not fenced[at] and colon and name in _LABELS and not value.strip():
            label, listing = name, False
            texts.setdefault(label, [])
        elif label not in ("", "Aliases") and not fenced[at] and _is_bare(rows, at, fields):
            end = at
            break
        elif label or row.strip():
            texts.setdefault(label, []).append(row)
            listing = False
    told = {name: body for name, lines in texts.items() if (body := _unfenced(lines))}
    yield CustodianEntry(section.line, canonical_id(id_), title, fields, tuple(evidence), told)
    yield from _bullets(rows[end:], section.line + 1 + end)


def _is_bare(rows: Sequence[str], at: int, fields: Mapping[str, str]) -> bool:
    """Whether a bullet begins here that is no part of the entry above it."""
    if rows[at].startswith(_COMMENT):
        return True
    if not _BULLET.match(rows[at]) or fields.get("Status") == "superseded":
        return False
    above = next((rows[before] for before in range(at - 1, -1, -1) if rows[before].strip()), "")
    return not above.rstrip().endswith((":", "\uff1a")) or _is_label(above)


def _is_label(row: str) -> bool:
    name, colon, rest = row.partition(":")
    return bool(colon) and name in _LABELS and not rest.strip()


def _bare(section: Section) -> Iterator[CustodianEntry]:
    """A section without an id: its bullets one by one, else it is one as it stands."""
    rows = section.body.split("\n")
    bullets = tuple(_bullets(rows, section.line + 1))
    if bullets and not rows[0].strip().startswith(("```", "~~~")) and _BULLET.match(rows[0]):
        yield from bullets
    elif section.body:
        yield CustodianEntry(section.line, title=section.headings[-1], texts={"": section.text})


def _bullets(rows: Sequence[str], line: int) -> Iterator[CustodianEntry]:
    """The bullets among some lines, each with what is indented below it."""
    start, fenced = -1, _fenced(rows)
    for at, row in enumerate((*rows, "")):
        inside = at < len(rows) and fenced[at]
        goes_on = start >= 0 and (inside or row.startswith((" ", "\t")) or (row.strip() and not _begins(row)))
        if start >= 0 and not goes_on:
            text = _BULLET.sub("", "\n".join(rows[start:at]), count=1).strip()
            if text:
                yield CustodianEntry(line + start, texts={"": text})
            start = -1
        if start < 0 and not inside and _BULLET.match(row):
            start = at


def _begins(row: str) -> bool:
    """Whether a line begins something of its own."""
    return bool(_BULLET.match(row)) or row.startswith(("#", "|", "<", "```", "~~~", "***", "---"))


def _fenced(rows: Sequence[str]) -> list[bool]:
    """Which lines stand in a code fence, or are its marks."""
    inside, fence = list[bool](), ""
    for row in rows:
        mark = _ANY_FENCE.match(row)
        if fence:
            inside.append(True)
            fence = "" if mark and mark[1].startswith(fence) and row.strip() == mark[1] else fence
        else:
            inside.append(bool(mark))
            fence = mark[1] if mark else ""
    return inside


def _unfenced(rows: Sequence[str]) -> str:
    """A text without the fence that stands around all of it."""
    text = "\n".join(rows).strip("\n").rstrip()
    kept = text.split("\n")
    opening = _FENCE.fullmatch(kept[0])
    if opening and len(kept) > 2 and kept[-1].strip() == opening[1] and _closes_last(kept):
        return "\n".join(kept[1:-1])
    return text.strip()


def _closes_last(rows: Sequence[str]) -> bool:
    """Whether the fence that the first line opens is the one that the last line closes."""
    mark = _ANY_FENCE.match(rows[0])
    return mark is not None and not any(
        row.strip() == found[1] and found[1].startswith(mark[1])
        for row in rows[1:-1]
        if (found := _ANY_FENCE.match(row))
    )
