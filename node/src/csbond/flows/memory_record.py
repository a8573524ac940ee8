"""The record of what a story did to memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from csbond.flows.world import World
from csbond.protocol.audit.record import AuditDraft, Intent
from csbond.protocol.identifiers import dated_id


def memory_record(
    world: World, kind: str, target: str, intent: Intent, now: int, details: Mapping[str, Any]
) -> AuditDraft:
    """The record `memory_<kind>` about a memory, made at a time in milliseconds since 1970.

    A merge is recorded as a write of memory.
    """
    return AuditDraft(
        id=dated_id("audit", now, world.identifiers.letters(8)),
        type=f"memory_{kind}",
        timestamp=now,
        operation=f"{'write' if kind == 'merge' else kind}_memory",
        target=target,
        intent=intent,
        details=details,
    )
