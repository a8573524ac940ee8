"""One audit record (CSB v1.0 §2.3) with the stated intent beside what was done."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from csbond.protocol.canonical_json import digest
from csbond.protocol.errors import LocalProtocolError

AuditResult = Literal["allowed", "denied", "escalated"]

_TYPE = re.compile(
    r"(delegation_create|delegation_execute|conflict_resolve|trust_change"
    r"|(message|memory|kip|federation|command)_[a-z_]+)"
)
"""The four types of CSB v1.0 §2.3 and the families this node adds."""

FIRST_HASH = "sha256:" + "0" * 64
"""What the first record of a chain points back to."""


@dataclass(frozen=True, slots=True)
class Step:
    """One rule of a decision and how it came out."""

    rule: str
    result: str


@dataclass(frozen=True, slots=True)
class Intent:
    """Why it was done: the second track beside the data (CSB v1.0 appendix E)."""

    goal: str
    requested_by: str
    authority: str
    """On what the right rests: `owner token`, `principal token`, `public`, later a certificate."""


@dataclass(frozen=True, slots=True)
class AuditDraft:
    """A record before the ledger gives it its place in the chain."""

    id: str
    type: str
    timestamp: int
    operation: str
    target: str
    intent: Intent
    result: AuditResult = "allowed"
    scope: tuple[str, ...] = ()
    level: str = ""
    steps: tuple[Step, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not _TYPE.fullmatch(self.type):
            raise LocalProtocolError("internal_error", f"no audit type: {self.type}")


def audit_body(draft: AuditDraft, agent_did: str, agent_name: str, previous: str) -> dict[str, Any]:
    """The record as it is hashed: everything but its own hash and signature."""
    return {
        "id": draft.id,
        "type": draft.type,
        "timestamp": draft.timestamp,
        "agent": {"id": agent_did, "name": agent_name},
        "action": {
            "operation": draft.operation,
            "target": draft.target,
            "scope": list(draft.scope),
            "level": draft.level,
        },
        "intent": {
            "goal": draft.intent.goal,
            "requested_by": draft.intent.requested_by,
            "authority": draft.intent.authority,
        },
        "decision_chain": [
            {"step": number, "rule": step.rule, "result": step.result} for number, step in enumerate(draft.steps, 1)
        ],
        "result": draft.result,
        "details": dict(draft.details),
        "previous": previous,
    }


def audit_hash(body: Mapping[str, Any]) -> str:
    """The hash that the next record points back to."""
    return digest(body)
