"""The rules of the Subject registry, checked on what was written by hand too (§4.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from memory_custodian.rules.entry_check import valid_evidence
from memory_custodian.rules.entry_ids import heading_id
from memory_custodian.rules.finding import Issue
from memory_custodian.rules.memory_index import MemoryIndex
from memory_custodian.rules.parse_blocks import parse
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.protocol import REGISTRY
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.subject import SUBJECT_KINDS, SUBJECT_STATUSES, Subject
from memory_custodian.rules.subject_names import alias_key, canonical_ref, kind_of_ref

__all__ = ["subject_issues"]


def subject_issues(snapshot: Snapshot, index: MemoryIndex) -> tuple[Issue, ...]:
    """Return what is wrong with Subjects: each by itself, names that two active ones share, and Subjects elsewhere."""
    active = [subject for subject in index.subjects if subject.active]
    return (
        *(issue for subject in index.subjects for issue in _own_issues(subject)),
        *_shared(index.subjects, "Subject ID", lambda subject: [subject.id]),
        *_shared(active, "Canonical-Ref", lambda subject: [subject.canonical_ref] if subject.canonical_ref else []),
        *_shared(active, "alias", _keys),
        *_elsewhere(snapshot),
    )


def _own_issues(subject: Subject) -> Iterator[Issue]:
    if not subject.title:
        yield _issue(subject, "has no title")
    if not subject.status:
        yield _issue(subject, f"must declare a Status; accepted: {', '.join(SUBJECT_STATUSES)}")
    elif subject.status not in SUBJECT_STATUSES:
        yield _issue(subject, f"has an invalid Status; accepted: {', '.join(SUBJECT_STATUSES)}")
    if subject.kind not in SUBJECT_KINDS:
        yield _issue(subject, f"has an invalid Kind; accepted: {', '.join(SUBJECT_KINDS)}")
    if subject.canonical_ref:
        yield from _ref_issues(subject)
    if not subject.evidence:
        yield _issue(subject, "has no Evidence")
    elif len(valid_evidence(subject.evidence)) < len(subject.evidence):
        yield _issue(subject, "has invalid Evidence; memory-custodian subject add --help lists the forms")


def _ref_issues(subject: Subject) -> Iterator[Issue]:
    try:
        kind = kind_of_ref(canonical_ref(subject.canonical_ref))
    except Refused as refused:
        yield _issue(subject, f"has an invalid Canonical-Ref; accepted: {refused.message.rpartition('accepted: ')[2]}")
        return
    if kind != subject.kind and subject.kind in SUBJECT_KINDS:
        yield _issue(subject, f"has a Canonical-Ref of another Kind; accepted: Kind: {kind}")


def _keys(subject: Subject) -> list[str]:
    return list(dict.fromkeys(alias_key(name) for name in (subject.title, *subject.aliases)))


def _shared(subjects: Iterable[Subject], what: str, names: Callable[[Subject], list[str]]) -> Iterator[Issue]:
    owners: dict[str, Subject] = {}
    for subject in subjects:
        for name in names(subject):
            owner = owners.setdefault(name, subject)
            if owner is not subject:
                yield _issue(subject, f"has the same {what} as {owner.id} in line {owner.line}")
                break


def _elsewhere(snapshot: Snapshot) -> Iterator[Issue]:
    for file, text in snapshot.texts.items():
        if file == REGISTRY or "MC-SUBJ-" not in text.upper():
            continue
        for block in parse(text):
            if (
                block.kind == "entry"
                and block.entry_id.startswith("MC-SUBJ-")
                and heading_id(block.text.split("\n")[0])
            ):
                message = f"{file}:{block.line}: {block.entry_id} is a Subject; accepted: in {REGISTRY} only"
                yield Issue("ERROR", "subject-place", file, message, block.entry_id, block.line)


def _issue(subject: Subject, text: str) -> Issue:
    message = f"{REGISTRY}:{subject.line}: {subject.id} {text}"
    return Issue("ERROR", "subject", REGISTRY, message, subject.id, subject.line)
