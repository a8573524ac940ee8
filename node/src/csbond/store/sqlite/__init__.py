"""The ledger on SQLite: one file, one writer with group commit, readers beside it."""

from __future__ import annotations

from csbond.store.sqlite.ledger import SqliteLedger, open_ledger

__all__ = ["SqliteLedger", "open_ledger"]
