"""The structural rules of entries, checked on what was written by hand too (§§4.2, 5.2, 5.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from memory_custodian.rules.entry import ENTRY_TYPES, FIELDS, Entry, Evidence
from memory_custodian.rules.entry_ids import canonical_subject_id
from memory_custodian.rules.entry_links import link_issues
from memory_custodian.rules.entry_text import parse_entries
from memory_custodian.rules.evidence import parse_evidence
from memory_custodian.rules.facets import FACETS, check_facet
from memory_custodian.rules.finding import Issue, entry_issue
from memory_custodian.rules.memory_index import MemoryIndex
from memory_custodian.rules.parse_blocks import BODY_NAMES
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.protocol import REGISTRY
from memory_custodian.rules.scope import is_scope
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.storage import expected_body, storage_issue

__all__ = ["INBOX_STATUSES", "MEMORY_STATUSES", "entry_issues", "owns_subject", "valid_evidence"]

MEMORY_STATUSES: Final = ("active", "superseded")
INBOX_STATUSES: Final = ("candidate", "promoted")

_ONCE: Final = ("Status", "Scope", "Evidence")
_TYPES: Final = {"DEC": "decision", "CON": "constraint", "DNU": "do-not-use", "TOMB": "tombstone", "PREF": "preference"}
_AREA_TYPES: Final = {"areas": "area", "rules": "rule", "profiles": "profile"}


def entry_issues(snapshot: Snapshot, index: MemoryIndex) -> tuple[Issue, ...]:
    """Return what is wrong with entries: each by itself, then their IDs, links and owners among each other.

    What lies in the archive was judged when it was written; only its IDs count.
    """
    entries = [*index.entries, *parse_entries(REGISTRY, snapshot.texts.get(REGISTRY, ""))]
    live = [entry for entry in entries if not entry.file.startswith("archive/")]
    return (
        *(issue for entry in live for issue in _own_issues(entry, index)),
        *_repeated(entries),
        *(issue for entry in live for issue in link_issues(entry, index)),
        *_second_owners(live),
    )


def valid_evidence(texts: Iterable[str]) -> tuple[Evidence, ...]:
    """Return those evidences that have a valid form."""
    return tuple(evidence for text in texts if (evidence := _evidence(text)) is not None)


def _evidence(text: str) -> Evidence | None:
    try:
        return parse_evidence(text)
    except Refused:
        return None


def owns_subject(entry: Entry) -> bool:
    """Whether an entry is of a kind that names a Subject and Facet: decisions, constraints, rejected approaches."""
    return entry.code in {"DEC", "CON", "DNU"} or (entry.code == "AREA" and entry.file.startswith("areas/"))


def _own_issues(entry: Entry, index: MemoryIndex) -> Iterator[Issue]:
    yield from _field_issues(entry)
    yield from _body_issues(entry)
    yield from _status_issues(entry)
    if entry.field("Scope") and not is_scope(entry.field("Scope")):
        yield entry_issue(entry, "entry-scope", "has an invalid Scope; accepted: project, area:<name>")
    misplaced = storage_issue(entry)
    if misplaced:
        yield entry_issue(entry, "entry-storage", misplaced)
    yield from _evidence_issues(entry)
    yield from _subject_issues(entry, index)
    yield from _facet_issues(entry)


def _field_issues(entry: Entry) -> Iterator[Issue]:
    names = [name for name, _ in entry.fields]
    for name in FIELDS:
        count = names.count(name)
        if name in _ONCE and count != 1:
            yield entry_issue(entry, "entry-field", f"must declare exactly one {name} field; found {count}")
        elif count > 1:
            yield entry_issue(entry, "entry-field", f"has duplicate {name} fields; accepted: one")


def _body_issues(entry: Entry) -> Iterator[Issue]:
    wanted = expected_body(entry)
    if wanted is None:
        return
    typed = [(label, text) for label, text in entry.bodies if label in BODY_NAMES]
    others = sorted({label for label, _ in typed if label != wanted})
    if sum(label == wanted for label, _ in typed) != 1:
        yield entry_issue(entry, "entry-body", f"must declare exactly one {wanted} typed body")
    if others:
        yield entry_issue(entry, "entry-body", f"uses {', '.join(others)} body; accepted: {wanted}")
    if any(label == wanted and not text.strip() for label, text in typed):
        yield entry_issue(entry, "entry-body", f"has an empty {wanted} body")


def _status_issues(entry: Entry) -> Iterator[Issue]:
    status, in_inbox = entry.status, entry.file == "inbox.md"
    if status in MEMORY_STATUSES and in_inbox:
        yield entry_issue(entry, "entry-status", "has a Status of memory; inbox entries must be candidate or promoted")
    elif status in INBOX_STATUSES and not in_inbox:
        yield entry_issue(entry, "entry-status", f"is {status}, so it must be stored in inbox.md")
    elif status and status not in MEMORY_STATUSES + INBOX_STATUSES:
        accepted = INBOX_STATUSES if in_inbox else MEMORY_STATUSES
        yield entry_issue(entry, "entry-status", f"has an invalid Status; accepted: {', '.join(accepted)}")
    kind = entry.field("Candidate-Type")
    if in_inbox and kind not in {*ENTRY_TYPES, "note"}:
        accepted_types = ", ".join([*(one for one in ENTRY_TYPES if one != "inbox"), "note"])
        yield entry_issue(entry, "entry-candidate", f"has no valid Candidate-Type; accepted: {accepted_types}")


def _evidence_issues(entry: Entry) -> Iterator[Issue]:
    valid = valid_evidence(entry.evidence)
    if len(valid) < len(entry.evidence):
        yield entry_issue(entry, "entry-evidence", "has invalid Evidence; memory-custodian add --help lists the forms")
    if not entry.evidence:
        yield entry_issue(entry, "entry-evidence", f"is {entry.status or 'there'} without Evidence")
    elif entry.status == "active" and valid and not any(one.confirmed for one in valid):
        if any(one.kind == "legacy-unverified" for one in valid):
            text = "rests on legacy-unverified evidence; give it a source when you have one"
            yield entry_issue(entry, "entry-unverified", text, "WARNING")
        else:
            text = "is active with only unconfirmed Evidence; it belongs in inbox.md until one is confirmed"
            yield entry_issue(entry, "entry-evidence", text)


def _subject_issues(entry: Entry, index: MemoryIndex) -> Iterator[Issue]:
    for name in ("Subject", "Provisional-Subject"):
        if entry.field(name) and not _is_known_subject(entry.field(name), index, active=entry.status == "active"):
            yield entry_issue(entry, "entry-subject", f"has a missing or inactive {name}; subjects.md has the Subjects")
    for subject, facet in (("Subject", "Facet"), ("Provisional-Subject", "Provisional-Facet")):
        if bool(entry.field(subject)) != bool(entry.field(facet)):
            yield entry_issue(entry, "entry-subject", f"has one of {subject} and {facet}; accepted: both or neither")
    if entry.file == "inbox.md" and (entry.field("Subject") or entry.field("Facet")):
        text = "is a candidate with Subject or Facet; accepted: Provisional-Subject and Provisional-Facet"
        yield entry_issue(entry, "entry-subject", text)
    if entry.status == "active" and owns_subject(entry) and not (entry.field("Subject") or entry.field("Facet")):
        yield entry_issue(entry, "entry-coverage", "has no Subject and Facet", "WARNING")


def _is_known_subject(text: str, index: MemoryIndex, *, active: bool) -> bool:
    """Whether a Subject exists; an entry in force needs one that is in force."""
    try:
        subject = index.subject(canonical_subject_id(text))
    except Refused:
        return False
    return subject is not None and (subject.active or not active)


def _facet_issues(entry: Entry) -> Iterator[Issue]:
    kind = _TYPES.get(entry.code) or _AREA_TYPES.get(entry.file.partition("/")[0], "")
    if entry.field("Facet") and kind:
        yield from _facet_issue(entry, "Facet", kind)
    candidate = entry.field("Candidate-Type")
    if entry.field("Provisional-Facet") and candidate in ENTRY_TYPES and candidate != "inbox":
        yield from _facet_issue(entry, "Provisional-Facet", candidate)


def _facet_issue(entry: Entry, name: str, kind: str) -> Iterator[Issue]:
    facet = entry.field(name)
    try:
        check_facet(kind, facet)
    except Refused as refused:
        accepted = refused.message.rpartition("; ")[2]
        why = f"that does not fit type {kind}" if facet in FACETS else "that is not valid"
        yield entry_issue(entry, "entry-facet", f"has a {name} {why}; {accepted}")


def _repeated(entries: Sequence[Entry]) -> Iterator[Issue]:
    first: dict[str, Entry] = {}
    for entry in entries:
        other = first.setdefault(entry.id, entry)
        if other is not entry:
            yield entry_issue(entry, "entry-duplicate-id", f"has a duplicate Entry ID: {other.file}:{other.line} too")


def _second_owners(live: Sequence[Entry]) -> Iterator[Issue]:
    owners: dict[tuple[str, str, str], Entry] = {}
    for entry in live:
        key = entry.owner_key
        if key is None or entry.file in {"inbox.md", REGISTRY}:
            continue
        owner = owners.setdefault(key, entry)
        if owner is not entry:
            text = f"has the Scope, Subject and Facet of {owner.id} in {owner.file}; only one may be active"
            yield entry_issue(entry, "entry-duplicate-owner", text)
