"""A world for the stories of memory and continuity: nobody answers messages in it, and tests see what is committed."""

from __future__ import annotations

from typing import Any, cast

from csbond.engines.indexed_nearest import IndexedNearest
from csbond.flows.changes import Change
from csbond.flows.ports import Committed, Ledger
from csbond.flows.turn import Skill
from csbond.flows.world import Agent, World
from csbond.protocol.audit.record import Intent
from csbond.testing.meaning import ConceptEmbedder, ScannedIndex
from csbond.testing.ports import FIRST_MOMENT, CountedIdentifiers, KeptJournal, NoPeers, NullWebhooks, SetClock

__all__ = ["INTENT", "NOW", "WatchedLedger", "meaningful_world", "small_world"]

NOW = FIRST_MOMENT
INTENT = Intent("see whether it works", "owner", "owner token")


class WatchedLedger:
    """A ledger that keeps what is committed to it, and can be told to fail."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.changes: list[Change] = []
        self.fault: Exception | None = None

    async def commit(self, change: Change) -> Committed:
        """Write a change, or raise the fault a test set."""
        if self.fault:
            raise self.fault
        committed = await self._ledger.commit(change)
        self.changes.append(change)
        return committed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)


def small_world(ledger: Any, **changes: Any) -> World:
    """Return a world around a ledger, without an embedder."""
    nobody: Any = None
    fields: dict[str, Any] = {
        "agent": Agent("Luna", "did:key:zLuna"),
        "clock": SetClock(),
        "identifiers": CountedIdentifiers(),
        "ledger": ledger,
        "skill": cast(Skill, nobody),
        "webhooks": NullWebhooks(),
        "peers": NoPeers(),
        "journal": KeptJournal(),
    }
    return World(**(fields | changes))


def meaningful_world(ledger: Any, model_id: str = "concepts-1", **changes: Any) -> Any:
    """Return a world around a ledger, with an embedder that knows a few concepts; a test looks into its twins."""
    index = ScannedIndex()
    fields = {"embedder": ConceptEmbedder(model_id), "index": index, "nearest": IndexedNearest(index, ledger)}
    return small_world(ledger, **(fields | changes))
