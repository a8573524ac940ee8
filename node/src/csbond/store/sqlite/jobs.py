"""When the jobs of the schedule ran, and what they do for the file."""

from __future__ import annotations

from csbond.store.sqlite.database import Database
from csbond.store.sqlite.transaction import Transaction


class JobRows:
    """The schedule's side of the ledger."""

    _database: Database

    async def jobs_ran(self) -> dict[str, int]:
        """When each job of the schedule last began to run, by its name."""
        return dict(self._database.reader.rows("jobs_ran"))

    async def look_after(self) -> None:
        """Let the database renew what it knows of its tables, and fold its log into the file."""
        await self._database.writer.write(_optimize)
        await self._database.scan_long(lambda reader: reader.rows("checkpoint"))


def _optimize(transaction: Transaction) -> int:
    transaction.run("optimize")
    transaction.run("drop_samples")
    return 0
