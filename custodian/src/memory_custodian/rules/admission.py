"""Whether an entry may be written: the ladder that every add and promotion climbs (§§5, 6.1, 6.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from memory_custodian.rules.draws import Draws
from memory_custodian.rules.entry import CODES, Draft, Entry, EntryType, Evidence
from memory_custodian.rules.entry_ids import canonical_id, canonical_subject_id, new_id
from memory_custodian.rules.evidence import INSTEAD_OF_ADD, admit, require_paths
from memory_custodian.rules.facets import check_facet
from memory_custodian.rules.memory_index import MemoryIndex
from memory_custodian.rules.ownership import check_owner
from memory_custodian.rules.plan import Argument, arguments_of
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.protocol import REGISTRY, REMOVED
from memory_custodian.rules.scan import refuse_secrets
from memory_custodian.rules.scope import safe_name, scope_of
from memory_custodian.rules.text import require_unicode
from memory_custodian.rules.value import Value

__all__ = ["MANAGED_TYPES", "AddRequest", "admit_entry", "check_request"]

MANAGED_TYPES: Final = frozenset({"decision", "constraint", "tombstone", "do-not-use", "area"})
"""What is identified by Subject and Facet while it is active (§4.4)."""

_NAMED: Final = frozenset({"rule", "profile", "area"})
_WITH_AREA: Final = frozenset({"decision", "constraint", "preference", "tombstone", "do-not-use"})
_DECISIONS: Final = frozenset({"decision", "area"})


class AddRequest(Value):
    """What is asked for by `add`, or by `promote` about its candidate."""

    message: str
    type: EntryType
    name: str | None = None
    area: str | None = None
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()
    missing_evidence: tuple[str, ...] = ()
    """Evidence whose path does not exist, unless that was allowed."""
    candidate: bool = False
    supersedes: str | None = None
    subject: str | None = None
    facet: str | None = None
    allow_long: bool = False
    allow_doubtful: bool = False
    """Whether texts may be written that may hold a secret."""
    message_name: str = "MESSAGE"
    """What a person knows the message by."""

    @property
    def arguments(self) -> dict[str, Argument]:
        """What the plan and its pending preview are found by."""
        found = arguments_of(self._asdict())
        del found["message_name"]
        return found

    @property
    def is_candidate(self) -> bool:
        """Whether it goes to the inbox: a plain note is a candidate of no type."""
        return self.candidate or self.type == "inbox"

    @property
    def limited(self) -> bool:
        """Whether the guide for the length of one decision holds for it."""
        return self.type in _DECISIONS and not self.is_candidate


def check_request(request: AddRequest) -> None:
    """Refuse options that do not fit together, empty texts, and texts with secrets (§10.3)."""
    _check_options(request)
    texts = {
        request.message_name: request.message,
        "--reason": request.reason,
        "--name": request.name,
        "--area": request.area,
        "--facet": request.facet,
    }
    for what, text in texts.items():
        require_unicode(what, text or "")
    if not request.message.strip():
        raise Refused(f"{request.message_name} is empty; accepted: what is to be remembered")
    for what, text in (*texts.items(), *(("--evidence", str(one)) for one in request.evidence)):
        refuse_secrets(what, text or "", allow_doubtful=request.allow_doubtful)
    if request.name is not None:
        safe_name(request.type, request.name)
    if request.area is not None:
        safe_name("area", request.area)


def admit_entry(
    request: AddRequest, index: MemoryIndex, today: str, draws: Draws, *, instead: str = INSTEAD_OF_ADD
) -> Draft:
    """Return the entry that may be written. Refuses at the first rung that does not hold, in this order.

    1. The options fit together, and no text holds a secret. 2. The evidence carries the entry. 3. Its paths
    exist. 4. A managed type names Subject and Facet. 5. The Subject is one of the registry and active. 6. The Facet
    fits the type. 7. What it supersedes exists and is active, else its replacement is named. 8. No other active entry
    owns the same identity. 9. What it supersedes has the same identity. Then it gets an ID that nothing has. What an
    unconfirmed one may do instead is said as `admit` is told.
    """
    check_request(request)
    admit(request.evidence, candidate=request.is_candidate, instead=instead)
    require_paths(request.missing_evidence)
    _check_presence(request)
    subject = _subject(request.subject, index) if request.subject else ""
    if request.facet:
        check_facet("decision" if request.type == "inbox" else request.type, request.facet)
    draft = _draft(request, subject)
    old = _superseded(draft.supersedes, index) if draft.supersedes else None
    check_owner(draft, index)
    if old is not None:
        _check_same_identity(draft, old)
    return draft._replace(id=new_id(_code(request), today, draws, index.ids))


def _check_options(request: AddRequest) -> None:
    kind, candidate = request.type, request.is_candidate
    if candidate and request.supersedes is not None:
        raise Refused("--supersedes does not go with a candidate; promote it first")
    if request.allow_long and not request.limited:
        raise Refused("--allow-long goes with --type decision or area only, and with no candidate")
    if request.area is not None and kind not in _WITH_AREA:
        raise Refused(f"--area does not go with --type {kind}; accepted for: {', '.join(sorted(_WITH_AREA))}")
    if kind not in _NAMED and request.name is not None:
        raise Refused(f"--name does not go with --type {kind}; accepted for: {', '.join(sorted(_NAMED))}")
    if kind in _NAMED and request.name is None and not candidate:
        raise Refused(f"--type {kind} requires --name <name of the {kind}>")
    if candidate and kind in {"rule", "profile"} and request.name is not None:
        raise Refused(f"--name does not go with a candidate for a {kind}; give it when the candidate is promoted")


def _check_presence(request: AddRequest) -> None:
    managed = request.type in MANAGED_TYPES and not request.is_candidate
    if (managed or request.subject or request.facet) and not (request.subject and request.facet):
        what = f"--type {request.type}" if managed else "what names one of them"
        raise Refused(
            f"{what} requires both --subject <SUBJECT_ID> and --facet <FACET>; memory-custodian subject list shows the "
            "Subjects, and memory-custodian subject add makes one"
        )


def _subject(given: str, index: MemoryIndex) -> str:
    subject_id = _of_option("--subject", canonical_subject_id, given)
    subject = index.subject(subject_id)
    if subject is None:
        raise Refused(
            f"--subject {subject_id} is not defined in {REGISTRY}; accepted: an active one of memory-custodian subject "
            "list"
        )
    if not subject.active:
        raise Refused(f"--subject {subject_id} is not active in {REGISTRY}; accepted: an active Subject")
    return subject_id


def _draft(request: AddRequest, subject: str) -> Draft:
    candidate = request.is_candidate
    return Draft(
        id="",
        type="inbox" if candidate else request.type,
        status="candidate" if candidate else "active",
        message=request.message,
        scope=scope_of(request.name if request.type == "area" else request.area),
        evidence=request.evidence,
        subject=subject,
        facet=request.facet or "",
        supersedes=_of_option("--supersedes", canonical_id, request.supersedes) if request.supersedes else "",
        reason=request.reason if request.reason.strip() else "",
        candidate_type=("note" if request.type == "inbox" else request.type) if candidate else "",
    )


def _code(request: AddRequest) -> str:
    if request.is_candidate:
        return CODES["inbox"]
    return CODES["area"] if request.type == "decision" and request.area else CODES[request.type]


def _superseded(entry_id: str, index: MemoryIndex) -> Entry:
    """Return the active entry that is to be replaced; of one that was replaced, the replacement is named (§6.2)."""
    found = [entry for entry in index.entries if entry.id == entry_id]
    if len(found) != 1:
        there = f"occurs {len(found)} times" if found else "does not exist"
        raise Refused(f"--supersedes {entry_id} {there}; accepted: the ID of one active entry")
    old = found[0]
    if old.status == "superseded":
        by, last = _replacements(old, index)
        accepted = f"an active entry, as {last}" if last else "an active entry"
        raise Refused(f"--supersedes {old.id} is already superseded by {by}; accepted: {accepted}")
    if old.file.startswith("archive/") or old.status != "active":
        state = "archived" if old.file.startswith("archive/") else old.status or "without a Status"
        raise Refused(f"--supersedes {old.id} in {old.file} is {state}; accepted: an active entry")
    return old


def _replacements(old: Entry, index: MemoryIndex) -> tuple[str, str]:
    """Return what an entry says that replaced it, and the active entry at the end of its replacements, if one is."""
    by = old.field("Superseded-By")
    seen: list[str] = []
    entry: Entry | None = old
    while entry is not None and entry.status == "superseded" and entry.id not in seen:
        seen.append(entry.id)
        following = entry.field("Superseded-By").casefold()
        entry = next((other for other in index.entries if other.id.casefold() == following), None)
    last = entry.id if entry is not None and entry.status == "active" else ""
    return "an entry that was removed" if by == REMOVED else by or "another entry", last


def _check_same_identity(draft: Draft, old: Entry) -> None:
    """An entry of before Subjects has none to keep; whatever has one is replaced by what holds in its place."""
    own = [("Scope", draft.scope, old.field("Scope"))]
    if old.field("Subject") or old.field("Facet"):
        own += [("Subject", draft.subject, old.field("Subject")), ("Facet", draft.facet, old.field("Facet"))]
    differing = [(name, there) for name, here, there in own if here.casefold() != there.casefold()]
    if differing:
        kept = ", ".join(f"{name} {there or '(none)'}" for name, there in differing)
        raise Refused(f"--supersedes {old.id} keeps the identity of the old entry; accepted: {kept}")


def _of_option(option: str, check: Callable[[str], str], given: str) -> str:
    try:
        return check(given)
    except Refused as refused:
        raise Refused(f"{option}: {refused.message}") from None
