"""Named principals, of whose tokens only digests are kept."""

from __future__ import annotations

from csbond.flows.ports import PrincipalRow
from csbond.protocol.messages.caller import Caller
from csbond.store.sqlite.database import Database
from csbond.store.writing.rows import principal_of


class PrincipalReads:
    """The access side of the ledger."""

    _database: Database

    async def principal_by_digest(self, token_digest: str) -> Caller | None:
        """The principal whose token has this digest."""
        row = self._database.reader.row("principal_by_digest", {"token_digest": token_digest})
        return principal_of(row) if row else None

    async def principals(self) -> tuple[PrincipalRow, ...]:
        """All named principals, by name."""
        rows = self._database.reader.rows("principals")
        return tuple(PrincipalRow(principal_of(row), row[3]) for row in rows)
