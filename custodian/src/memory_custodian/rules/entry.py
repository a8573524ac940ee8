"""What an entry is (§§4, 5): its identity, its fields, and its typed body."""

from __future__ import annotations

from typing import Final, Literal

from memory_custodian.rules.value import Value

__all__ = [
    "BODY_LABELS",
    "CODES",
    "ENTRY_TYPES",
    "FIELDS",
    "Draft",
    "Entry",
    "EntryType",
    "Evidence",
    "EvidenceKind",
    "Status",
]

EntryType = Literal[
    "decision", "constraint", "preference", "tombstone", "do-not-use", "rule", "profile", "area", "inbox"
]
Status = Literal["active", "candidate", "superseded", "promoted"]
EvidenceKind = Literal[
    "user-confirmed",
    "repo",
    "doc",
    "test",
    "issue",
    "pr",
    "agent-observed",
    "conversation-unconfirmed",
    "legacy-unverified",
]

ENTRY_TYPES: Final[tuple[EntryType, ...]] = (
    "decision",
    "constraint",
    "preference",
    "tombstone",
    "do-not-use",
    "rule",
    "profile",
    "area",
    "inbox",
)

CODES: Final[dict[str, str]] = {
    "decision": "DEC",
    "constraint": "CON",
    "tombstone": "DNU",
    "do-not-use": "DNU",
    "preference": "PREF",
    "area": "AREA",
    "rule": "AREA",
    "profile": "AREA",
    "inbox": "INBOX",
}
"""The code in the ID, by type. A decision with an area has AREA; a guard that forgetting leaves has TOMB."""

BODY_LABELS: Final[dict[str, str]] = {
    "decision": "Decision",
    "area": "Decision",
    "constraint": "Constraint",
    "tombstone": "Rejected",
    "do-not-use": "Rejected",
    "preference": "Preference",
    "rule": "Rule",
    "profile": "Profile",
    "inbox": "Statement",
}

FIELDS: Final = (
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
)
"""Every field of an entry, in the order in which one is written."""


class Evidence(Value):
    """One thing an entry rests on (§5.1)."""

    kind: EvidenceKind
    target: str = ""
    """A POSIX path relative to the project for repo, doc and test; digits for issue and pr."""
    revision: str = ""

    @property
    def confirmed(self) -> bool:
        """Whether it can carry an active entry by itself (§5.2)."""
        return self.kind not in {"agent-observed", "conversation-unconfirmed", "legacy-unverified"}

    def __str__(self) -> str:
        if self.kind in {"issue", "pr"}:
            return f"{self.kind}:#{self.target}"
        if not self.target:
            return self.kind
        return f"{self.kind}:{self.target}" + (f"@{self.revision}" if self.revision else "")


class Draft(Value):
    """An entry that is admitted and about to be written; `rules/entry_text.py` renders it."""

    id: str
    type: EntryType
    status: Status
    message: str
    scope: str
    evidence: tuple[Evidence, ...]
    subject: str = ""
    facet: str = ""
    supersedes: str = ""
    reason: str = ""
    """For a candidate: its Promotion-Requirement."""
    candidate_type: str = ""
    title: str = ""
    """Empty: taken from the message."""


class Entry(Value):
    """An entry as it stands in a file: read leniently, judged by `rules/entry_check.py`."""

    file: str
    """Its path in the memory directory."""
    line: int
    """The line of its heading, from 1."""
    id: str
    """Code in capitals, digits in small letters, whatever the file has."""
    title: str
    fields: tuple[tuple[str, str], ...]
    """Every field in file order, repeated ones too; Evidence has here only what stands on its own line."""
    evidence: tuple[str, ...]
    bodies: tuple[tuple[str, str], ...]
    """Every labelled text in file order: (label, text as it was given to `add`)."""

    def field(self, name: str) -> str:
        """Return the first value of a field; empty where it is absent."""
        return next((value for key, value in self.fields if key == name), "")

    def body(self, label: str) -> str:
        """Return the first text under a label; empty where it is absent."""
        return next((text for key, text in self.bodies if key == label), "")

    @property
    def code(self) -> str:
        """The type code of the ID, as DEC."""
        return self.id.split("-")[1]

    @property
    def status(self) -> str:
        """The Status in small letters; empty where it is absent."""
        return self.field("Status").lower()

    @property
    def owner_key(self) -> tuple[str, str, str] | None:
        """The structural conflict identity (§4.4); None for an entry that owns nothing."""
        key = (self.field("Scope").casefold(), self.field("Subject").upper(), self.field("Facet").casefold())
        return key if self.status == "active" and all(key) else None
