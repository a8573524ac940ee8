"""What `promote` changes: a reviewed candidate becomes an entry of its own, and says which (§5.3)."""

from __future__ import annotations

from typing import Final

from memory_custodian.rules.adding import entry_plan, entry_warnings, replaced
from memory_custodian.rules.admission import AddRequest, admit_entry
from memory_custodian.rules.draws import Draws
from memory_custodian.rules.entry import ENTRY_TYPES, Entry, EntryType, Evidence
from memory_custodian.rules.entry_ids import canonical_id
from memory_custodian.rules.entry_writing import Link
from memory_custodian.rules.manifest import read_manifest, require_current
from memory_custodian.rules.memory_index import MemoryIndex, index_of
from memory_custodian.rules.plan import Argument, Plan, arguments_of
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.scope import area_of, is_scope
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.value import Value

__all__ = ["PROMOTED_TYPES", "PromoteRequest", "plan_promote"]

PROMOTED_TYPES: Final[tuple[EntryType, ...]] = tuple(kind for kind in ENTRY_TYPES if kind != "inbox")
"""What a candidate can become."""

_WITHOUT_AREA: Final = frozenset({"rule", "profile", "area"})
_INSTEAD: Final = "Provide user-confirmed/source-backed evidence, or leave the candidate in the inbox."


class PromoteRequest(Value):
    """What is asked for by `promote`; what is not given is taken from the candidate, but for its evidence."""

    entry_id: str
    type: EntryType | None = None
    subject: str | None = None
    facet: str | None = None
    evidence: tuple[Evidence, ...] = ()
    area: str | None = None
    scope: str | None = None
    """`project` takes a candidate of an area into the whole project."""
    name: str | None = None
    reason: str = ""
    message: str | None = None
    missing_evidence: tuple[str, ...] = ()
    """Evidence whose path does not exist, unless that was allowed."""
    supersedes: str | None = None
    allow_long: bool = False
    allow_doubtful: bool = False
    """Whether texts may be written that may hold a secret."""

    @property
    def arguments(self) -> dict[str, Argument]:
        """What the plan and its pending preview are found by."""
        return arguments_of(self._asdict())


def plan_promote(snapshot: Snapshot, request: PromoteRequest, draws: Draws) -> Plan:
    """Plan an active entry that passes every rule of `add`, and mark the candidate promoted, in one plan.

    With `supersedes` the entry that it replaces is marked in the same plan.

    The evidence of the candidate is not carried over: it was not enough to make it memory.
    """
    require_current(read_manifest(snapshot.require("manifest.md")))
    index = index_of(snapshot)
    candidate = _candidate(request.entry_id, index)
    asked = _as_add(request, candidate)
    draft = admit_entry(asked, index, draws.today, draws, instead=_INSTEAD)
    links, said = replaced(draft, index)
    promoted = Link(candidate, "promoted", "Promoted-To", draft.id)
    plan = entry_plan(snapshot, asked, draft, draws.today, (promoted, *links))
    return plan._replace(
        command="promote",
        arguments={**request.arguments, "entry_id": candidate.id},
        headline=(*plan.headline, f"Promotes: {candidate.id} in {candidate.file}", *said),
        warnings=(*plan.warnings, *entry_warnings(asked, draft, index)),
        context={**plan.context, "promotes": candidate.id, "supersedes": draft.supersedes},
    )


def _candidate(given: str, index: MemoryIndex) -> Entry:
    entry_id = canonical_id(given)
    found = [entry for entry in index.entries if entry.id == entry_id]
    if len(found) != 1:
        there = f"occurs {len(found)} times" if found else "does not exist"
        raise Refused(f"{entry_id} {there}; accepted: the ID of one candidate in inbox.md")
    entry = found[0]
    if entry.status == "promoted":
        became = entry.field("Promoted-To") or "another entry"
        raise Refused(f"{entry_id} is already promoted to {became}; accepted: a candidate in inbox.md")
    if entry.status != "candidate" or entry.file != "inbox.md":
        raise Refused(
            f"{entry_id} in {entry.file} is {entry.status or 'without a Status'}; accepted: a candidate in inbox.md"
        )
    if not is_scope(entry.field("Scope")):
        raise Refused(f"inbox.md: {entry_id}: Scope is not valid; accepted: project, area:<slug>")
    return entry


def _as_add(request: PromoteRequest, candidate: Entry) -> AddRequest:
    kind = _type(request, candidate)
    area = area_of(candidate.field("Scope")) if request.scope is None else None
    if request.scope is not None and (request.area is not None or kind == "area"):
        other = "--area" if request.area is not None else "--type area"
        raise Refused(f"--scope {request.scope} does not go with {other}; accepted: one of them")
    return AddRequest(
        message=candidate.body("Statement") if request.message is None else request.message,
        type=kind,
        name=request.name or (area if kind == "area" else None),
        area=request.area or (None if kind in _WITHOUT_AREA else area),
        reason=request.reason,
        evidence=request.evidence,
        missing_evidence=request.missing_evidence,
        supersedes=request.supersedes,
        allow_long=request.allow_long,
        allow_doubtful=request.allow_doubtful,
        message_name=f"Statement of {candidate.id}" if request.message is None else "--message",
        subject=request.subject or candidate.field("Provisional-Subject") or None,
        facet=request.facet or candidate.field("Provisional-Facet") or None,
    )


def _type(request: PromoteRequest, candidate: Entry) -> EntryType:
    if request.type is not None:
        return request.type
    declared = candidate.field("Candidate-Type").lower()
    found = next((kind for kind in PROMOTED_TYPES if kind == declared), None)
    if found is None:
        raise Refused(f"{candidate.id} does not say what it is for; give --type, one of: {', '.join(PROMOTED_TYPES)}")
    return found
