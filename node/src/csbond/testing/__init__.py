"""What a test of a story, a skill or a door needs: twins of the ports that keep everything in memory."""

from __future__ import annotations

from csbond.testing.memory_ledger import InMemoryLedger
from csbond.testing.ports import CountedIdentifiers, FixedSigner, KeptJournal, NoPeers, NullWebhooks, SetClock

__all__ = [
    "CountedIdentifiers",
    "FixedSigner",
    "InMemoryLedger",
    "KeptJournal",
    "NoPeers",
    "NullWebhooks",
    "SetClock",
]
