"""The text of an entry: written so that every word comes back byte for byte, and read leniently (§§4.2, 4.3, 5.3)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from memory_custodian.rules.blocks import Block
from memory_custodian.rules.budgets import token_count
from memory_custodian.rules.entry import BODY_LABELS, Draft, Entry, Status
from memory_custodian.rules.entry_ids import canonical_id
from memory_custodian.rules.parse_blocks import APART, field_of, label_of, parse
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.text import fence_spans, fenced, lines_of, one_line, title_of

__all__ = ["DEFAULT_REQUIREMENT", "escape_body", "parse_entries", "render", "with_link", "written_size"]

DEFAULT_REQUIREMENT: Final = "Confirm it with the user, or find a source in the project that says so."
"""What a candidate waits for when nothing else was said."""

_NEEDS_FENCE = re.compile(
    rf"^(?:#{{1,6}}(?:\s|$)|[A-Za-z][A-Za-z-]*:| {{0,3}}(?:```|~~~)|[-*+]\s|{APART})|[:\uff1a]\Z", re.MULTILINE
)
_FENCE = r" {0,3}(?:`{3,}|~{3,})[ \t]*(?:text)?[ \t]*\r?\n?"


def render(draft: Draft) -> str:
    """Return the text of an entry, ended by one line end; read again, it gives back every value of the draft."""
    candidate = draft.status == "candidate"
    fields = [
        ("Status", draft.status),
        ("Candidate-Type", draft.candidate_type),
        ("Scope", draft.scope),
        ("Provisional-Subject" if candidate else "Subject", draft.subject),
        ("Provisional-Facet" if candidate else "Facet", draft.facet),
    ]
    reason = draft.reason or (DEFAULT_REQUIREMENT if candidate else "")
    lines = [f"## {draft.id} — {_heading_title(draft)}", ""]
    lines += [f"{name}: {value}" for name, value in fields if value]
    lines += ["Evidence:", *(f"- {evidence}" for evidence in draft.evidence)]
    lines += [f"Supersedes: {draft.supersedes}"] if draft.supersedes else []
    lines += ["", f"{_label(draft)}:", escape_body(draft.message)]
    if reason:
        lines += ["", "Promotion-Requirement:" if candidate else "Reason:", escape_body(reason)]
    text = "\n".join(lines) + "\n"
    _check_round_trip(draft, text)
    return text


def escape_body(text: str) -> str:
    """Return a text as it may stand below a label: as it is, or in one code fence where a line would be misread."""
    if text == text.strip() and "\r" not in text and not _NEEDS_FENCE.search(text):
        return text
    fence = "`" * (1 + max((len(run) for run in re.findall("`{3,}", text)), default=2))
    return f"{fence}text\n{text}\n{fence}"


def parse_entries(file: str, text: str) -> tuple[Entry, ...]:
    """Return the entries of a file; its bare bullets and sections without an ID are none, nor are Subjects."""
    return tuple(
        _entry(file, block)
        for block in parse(text)
        if block.kind == "entry" and not block.entry_id.startswith("MC-SUBJ-")
    )


def with_link(text: str, entry_id: str, status: Status | None, field: str, value: str) -> str:
    """Return a text in which one entry has another Status, if one is given, and a link, directly after Status if new.

    Every other byte stays. Refuses when the text has no such entry, or the entry no Status.
    """
    blocks = list(parse(text))
    wanted = canonical_id(entry_id)
    place = next((at for at, block in enumerate(blocks) if block.entry_id == wanted), None)
    if place is None:
        raise Refused(f"{wanted} is not in the file that should hold it; memory-custodian check lists what is amiss")
    linked = _linked(blocks[place].text, wanted, status, field, value)
    return "".join(linked if at == place else block.text for at, block in enumerate(blocks))


def written_size(entry_text: str) -> int:
    """Return the tokens of what a person wrote, without heading, fields and labels; of a decision of 0.5 too."""
    bodies = _entry("", Block("section", entry_text, 1, 0)).bodies
    return sum(token_count(text) for _, text in bodies or [("", entry_text.partition("\n")[2])])


def _label(draft: Draft) -> str:
    return "Statement" if draft.status == "candidate" else BODY_LABELS[draft.type]


def _heading_title(draft: Draft) -> str:
    title = one_line(draft.title) or title_of(draft.message)
    return f"Tombstone: {title}" if draft.id.split("-")[1] in {"DNU", "TOMB"} else title


def _entry(file: str, block: Block) -> Entry:
    lines = lines_of(block.text)
    inside = fenced(lines)
    fields: list[tuple[str, str]] = []
    evidence: list[str] = []
    bodies: list[tuple[str, list[str]]] = []
    in_evidence = False
    for at in range(1, len(lines)):
        row = lines[at]
        if in_evidence and row.startswith("- "):
            evidence.append(row[2:].strip())
            continue
        in_evidence = False
        may_be_one = ":" in row and not inside[at]
        found = field_of(row) if may_be_one else None
        label = label_of(row) if may_be_one and not found else None
        if found:
            fields.append(found)
            in_evidence = found[0] == "Evidence"
            evidence += [found[1]] if in_evidence and found[1] else []
        elif label:
            bodies.append((label, []))
        elif bodies:
            bodies[-1][1].append(row)
    texts = tuple((label, _body(rows)) for label, rows in bodies)
    title = block.label.partition("\u2014")[2].strip()
    return Entry(file, block.line, block.entry_id, title, tuple(fields), tuple(evidence), texts)


def _body(rows: Sequence[str]) -> str:
    """Undo `escape_body`: one fence around everything is not part of the text."""
    start, end = 0, len(rows)
    while start < end and not rows[start].strip():
        start += 1
    while end > start and not rows[end - 1].strip():
        end -= 1
    kept = rows[start:end]
    looks_fenced = len(kept) >= 3 and kept[0].lstrip().startswith(("```", "~~~"))
    if looks_fenced and re.fullmatch(_FENCE, kept[0]) and fence_spans(kept) == [(0, len(kept) - 1)]:
        return "".join(kept[1:-1]).removesuffix("\n")
    return "".join(kept).removesuffix("\n")


def _linked(text: str, entry_id: str, status: Status | None, field: str, value: str) -> str:
    lines = lines_of(text)
    inside = fenced(lines)
    found = [(at, field_of(line)) for at, line in enumerate(lines) if not inside[at]]
    places = {known[0]: at for at, known in reversed(found) if known}
    if field in places:
        _set(lines, places[field], field, value)
    else:
        _require_status(places, entry_id)
        lines.insert(places["Status"] + 1, lines[places["Status"]])
        _set(lines, places["Status"] + 1, field, value)
    if status is not None:
        _require_status(places, entry_id)
        _set(lines, places["Status"], "Status", status)
    return "".join(lines)


def _set(lines: list[str], at: int, field: str, value: str) -> None:
    lines[at] = f"{field}: {value}" + ("\r\n" if lines[at].endswith("\r\n") else "\n")


def _require_status(places: Mapping[str, int], entry_id: str) -> None:
    if "Status" not in places:
        raise Refused(f"{entry_id}: Status is missing; accepted: active, candidate, superseded, promoted")


def _check_round_trip(draft: Draft, text: str) -> None:
    read = parse_entries("", text)
    same = (
        len(read) == 1
        and read[0].id == draft.id
        and read[0].body(_label(draft)) == draft.message
        and (not draft.reason or read[0].bodies[-1][1] == draft.reason)
        and read[0].evidence == tuple(str(one) for one in draft.evidence)
    )
    if not same:
        raise RuntimeError(f"{draft.id} would not be read as it was written")
