"""What changes when a Subject is made, renamed, or gets an alias (§§4.4, 6.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from memory_custodian.rules.changelog import logged
from memory_custodian.rules.draws import Draws
from memory_custodian.rules.entry import Entry, Evidence
from memory_custodian.rules.entry_ids import canonical_subject_id, new_id
from memory_custodian.rules.evidence import admit
from memory_custodian.rules.file_changes import budget_results, file_changes
from memory_custodian.rules.insertion import prepend
from memory_custodian.rules.manifest import Manifest, project_id_of, protocol_version_of, read_manifest, require_current
from memory_custodian.rules.memory_index import MemoryIndex, index_of
from memory_custodian.rules.plan import Argument, Plan, arguments_of
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.protocol import CHANGELOG, REGISTRY
from memory_custodian.rules.scan import refuse_secrets, scan_warnings
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.subject import SUBJECT_KINDS, Subject, SubjectDraft
from memory_custodian.rules.subject_names import alias_key, canonical_ref, kind_of_ref, plain_name, words_of
from memory_custodian.rules.subject_text import render_subject, with_names
from memory_custodian.rules.value import Value

__all__ = [
    "SubjectAdd",
    "SubjectAlias",
    "SubjectRename",
    "listed",
    "plan_subject_add",
    "plan_subject_alias",
    "plan_subject_rename",
    "references",
    "subject_named",
]

_INSTEAD: Final = "Provide user-confirmed/source-backed evidence; a Subject is no candidate."


class SubjectAdd(Value):
    """What is asked for by `subject add`, the names as they were typed."""

    title: str
    kind: str
    canonical_ref: str = ""
    aliases: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    allow_doubtful: bool = False

    @property
    def arguments(self) -> dict[str, Argument]:
        """What the plan and its pending preview are found by."""
        return arguments_of(self._asdict())


class SubjectRename(Value):
    """What is asked for by `subject rename`."""

    subject_id: str
    title: str
    allow_doubtful: bool = False

    @property
    def arguments(self) -> dict[str, Argument]:
        """What the plan and its pending preview are found by."""
        return dict(self._asdict())


class SubjectAlias(Value):
    """What is asked for by `subject add-alias`."""

    subject_id: str
    alias: str
    allow_doubtful: bool = False

    @property
    def arguments(self) -> dict[str, Argument]:
        """What the plan and its pending preview are found by."""
        return dict(self._asdict())


def plan_subject_add(snapshot: Snapshot, request: SubjectAdd, draws: Draws) -> Plan:
    """Plan a new Subject; nothing else makes one (§6.3).

    1. The project has protocol 0.6. 2. Title, aliases and reference are well-formed and hold no secret. 3. The
    reference fits the kind. 4. The evidence carries it. 5. No active Subject has the reference or one of the names:
    the refusal names it, and the active Subjects and exact matches are shown with it.
    """
    manifest, index = _opened(snapshot)
    names = _names(request.title, request.aliases)
    ref = canonical_ref(request.canonical_ref) if request.canonical_ref else ""
    for what, texts in (
        ("title", (request.title,)),
        ("alias", request.aliases),
        ("reference", (ref,)),
        ("--evidence", tuple(str(one) for one in request.evidence)),
    ):
        for text in texts:
            refuse_secrets(what, text, allow_doubtful=request.allow_doubtful)
    _check_kind(request.kind, ref)
    admit(request.evidence, candidate=False, instead=_INSTEAD)
    head = [*listed(index), *_match_lines(index.subjects, names, ref)]
    _check_free(index.subjects, names, ref, shown=tuple(head))
    subject_id = new_id("SUBJ", draws.today, draws, index.ids)
    draft = SubjectDraft(subject_id, names[0], request.kind, ref, names, request.evidence)
    after = prepend(snapshot.require(REGISTRY), render_subject(draft))
    head += [*_hints(index.subjects, names), f"New Subject: {subject_id} \N{EM DASH} {names[0]}"]
    plan = _plan(snapshot, manifest, draws, f"Added Subject {subject_id} to {REGISTRY}.", after)
    return plan._replace(
        command="subject add",
        arguments=request.arguments,
        headline=tuple(head),
        warnings=(*_area_warnings(manifest, ref), *_scan_warnings(*names)),
        context={"subject_id": subject_id, "canonical_ref": ref},
        created=(subject_id,),
    )


def plan_subject_rename(snapshot: Snapshot, request: SubjectRename, draws: Draws) -> Plan:
    """Plan another title for a Subject: its ID stays, and the old title stays one of its aliases (§6.3)."""
    manifest, index = _opened(snapshot)
    subject = _active(index, request.subject_id)
    title = plain_name("title", request.title)
    refuse_secrets("title", title, allow_doubtful=request.allow_doubtful)
    others = [one for one in index.subjects if one.id != subject.id]
    _check_free(others, (title,), "", shown=())
    after = snapshot.require(REGISTRY)
    if title != subject.title:
        after = with_names(after, subject.id, title, _distinct((title, subject.title, *subject.aliases)))
    plan = _plan(snapshot, manifest, draws, f"Renamed Subject {subject.id} in {REGISTRY}.", after)
    said = (
        f"Rename {subject.id}: {subject.title} -> {title}" if plan.changes else f"{subject.id}: already has this title"
    )
    return plan._replace(
        command="subject rename",
        arguments=request.arguments,
        headline=(said, *_hints(others, (title,))),
        warnings=_scan_warnings(title),
        context={"subject_id": subject.id},
    )


def plan_subject_alias(snapshot: Snapshot, request: SubjectAlias, draws: Draws) -> Plan:
    """Plan one more alias for a Subject, unless it has it already or another active one does (§6.3)."""
    manifest, index = _opened(snapshot)
    subject = _active(index, request.subject_id)
    alias = plain_name("alias", request.alias)
    refuse_secrets("alias", alias, allow_doubtful=request.allow_doubtful)
    others = [one for one in index.subjects if one.id != subject.id]
    _check_free(others, (alias,), "", shown=())
    after = snapshot.require(REGISTRY)
    if alias_key(alias) not in {alias_key(name) for name in subject.aliases}:
        after = with_names(after, subject.id, subject.title, (*subject.aliases, alias))
    plan = _plan(snapshot, manifest, draws, f"Added an alias to Subject {subject.id} in {REGISTRY}.", after)
    said = f"New alias of {subject.id}: {alias}" if plan.changes else f"{subject.id}: already has this alias"
    return plan._replace(
        command="subject add-alias",
        arguments=request.arguments,
        headline=(said, *_hints(others, (alias,))),
        warnings=_scan_warnings(alias),
        context={"subject_id": subject.id},
    )


def references(subject_id: str, entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return the entries that name a Subject, provisionally or not, the archive included."""
    wanted = subject_id.upper()
    return tuple(
        entry
        for entry in entries
        if wanted in {entry.field("Subject").upper(), entry.field("Provisional-Subject").upper()}
    )


def listed(index: MemoryIndex) -> list[str]:
    """Return the lines that list the active Subjects."""
    active = [_line(subject) for subject in index.subjects if subject.active]
    return ["Active subjects:", *(active or ["- none"])]


def subject_named(index: MemoryIndex, subject_id: str) -> Subject:
    """Return a Subject of the registry; refuse an ID that is none or that no Subject has."""
    wanted = canonical_subject_id(subject_id)
    subject = index.subject(wanted)
    if subject is None:
        raise Refused(f"{REGISTRY}: has no {wanted}; memory-custodian subject list shows the active ones")
    return subject


def _opened(snapshot: Snapshot) -> tuple[Manifest, MemoryIndex]:
    manifest = read_manifest(snapshot.require("manifest.md"))
    require_current(manifest)
    snapshot.require(REGISTRY)
    return manifest, index_of(snapshot)


def _active(index: MemoryIndex, subject_id: str) -> Subject:
    subject = subject_named(index, subject_id)
    if not subject.active:
        raise Refused(f"{REGISTRY}: {subject.id}: Status is not active, so it takes no new name; accepted: active")
    return subject


def _plan(snapshot: Snapshot, manifest: Manifest, draws: Draws, note: str, registry: str) -> Plan:
    """Make the plan of a changed registry; it is noted in the changelog where the project has one."""
    texts, summaries = {REGISTRY: registry}, {REGISTRY: note.removesuffix("."), CHANGELOG: "change noted"}
    if registry != snapshot.require(REGISTRY) and CHANGELOG in snapshot.texts:
        texts[CHANGELOG] = logged(snapshot.texts[CHANGELOG], draws.today, note)
    changes = file_changes(snapshot, texts, summaries)
    return Plan(
        command="",
        arguments={},
        changes=changes,
        project_id=project_id_of(manifest) or "",
        protocol_version=protocol_version_of(manifest),
        budgets=budget_results(snapshot, changes),
    )


def _names(title: str, aliases: Sequence[str]) -> tuple[str, ...]:
    return _distinct((plain_name("title", title), *(plain_name("alias", alias) for alias in aliases)))


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Drop names that are the same as an earlier one."""
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(alias_key(name), name)
    return tuple(found.values())


def _check_kind(kind: str, ref: str) -> None:
    if kind not in SUBJECT_KINDS:
        raise Refused(f"--kind is not valid; accepted: {', '.join(SUBJECT_KINDS)}")
    if ref and kind_of_ref(ref) != kind:
        raise Refused(f"--kind {kind} does not fit --canonical-ref {ref}; accepted: --kind {kind_of_ref(ref)}")


def _check_free(subjects: Iterable[Subject], names: Sequence[str], ref: str, *, shown: tuple[str, ...]) -> None:
    taken = [match for match in _matches(subjects, names, ref) if match.subject.active]
    if taken:
        words = "; ".join(f"{match.what} belongs to {match.subject.id}" for match in taken)
        raise Refused(f"{words}; use that Subject, or other names", shown=shown, shown_data={"headline": list(shown)})


class _Match(Value):
    what: str
    subject: Subject


def _matches(subjects: Iterable[Subject], names: Sequence[str], ref: str) -> list[_Match]:
    wanted = {alias_key(name): name for name in names}
    found: list[_Match] = []
    for subject in subjects:
        if ref and subject.canonical_ref == ref:
            found.append(_Match(f"Canonical-Ref {ref}", subject))
        keys = dict.fromkeys(alias_key(name) for name in (subject.title, *subject.aliases))
        found += [_Match(f"alias '{wanted[key]}'", subject) for key in keys if key in wanted]
    return found


def _match_lines(subjects: Iterable[Subject], names: Sequence[str], ref: str) -> list[str]:
    matches = _matches(subjects, names, ref)
    return ["Exact matches:", *([f"- {match.what}: {match.subject.id}" for match in matches] or ["- none"])]


def _hints(subjects: Iterable[Subject], names: Sequence[str]) -> list[str]:
    wanted = frozenset[str]().union(*(words_of(name) for name in names))
    return [
        f"Review hint (spelling only, says nothing about meaning): {subject.id} {subject.title}"
        for subject in subjects
        if subject.active and any(wanted & words_of(name) for name in (subject.title, *subject.aliases))
    ]


def _area_warnings(manifest: Manifest, ref: str) -> tuple[str, ...]:
    name = ref.removeprefix("area:")
    if name == ref or any(path.casefold() == f"areas/{name}.md" for path in manifest.indexed):
        return ()
    return (f"manifest.md does not index areas/{name}.md, which {ref} names",)


def _scan_warnings(*names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(warning for name in names for warning in scan_warnings(REGISTRY, name)))


def _line(subject: Subject) -> str:
    ref = f" [{subject.canonical_ref}]" if subject.canonical_ref else ""
    return f"- {subject.id}: {subject.title} ({subject.kind}){ref}"
