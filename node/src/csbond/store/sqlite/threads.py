"""Threads, sessions and what was said in them."""

from __future__ import annotations

from collections.abc import Collection

from csbond.protocol.continuity.thread import Listener, Session, Thread, ThreadMessage
from csbond.protocol.messages.listing import Page
from csbond.store.sqlite.database import Database
from csbond.store.sqlite.reader import Reader
from csbond.store.writing.pages import LATEST, names, page_of
from csbond.store.writing.rows import session_of, thread_message_of, thread_of


class ThreadReads:
    """The conversation side of the ledger."""

    _database: Database

    async def thread(self, thread_id: str, caller_key: str | None) -> Thread | None:
        """A thread of this caller; for None (the owner looks) the one of that id that spoke last."""
        name = "thread_of_anybody" if caller_key is None else "thread"
        row = self._database.reader.row(name, {"id": thread_id, "caller_key": caller_key})
        return thread_of(row) if row else None

    async def session(self, session_id: str, caller_key: str) -> Session | None:
        """The session a caller opened."""
        row = self._database.reader.row("session", {"id": session_id, "caller_key": caller_key})
        return session_of(row) if row else None

    async def sessions(self, thread_id: str, caller_key: str) -> tuple[Session, ...]:
        """The sessions of a thread, oldest first."""
        rows = self._database.reader.rows("sessions", {"thread_id": thread_id, "caller_key": caller_key})
        return tuple(map(session_of, rows))

    async def threads(
        self, caller_key: str | None, spaces: Collection[str] | None, before: tuple[int, str] | None, limit: int
    ) -> Page[Thread]:
        """Threads, latest first; of one caller and within some Spaces, or of all for None."""
        return await self._database.scan("message", _threads, caller_key, spaces, before, limit)

    async def thread_messages(
        self, thread_id: str, caller_key: str, before_seq: int | None, limit: int
    ) -> tuple[ThreadMessage, ...]:
        """The latest messages of a thread before a place in the order, oldest first.

        What was committed together stays together, so a page may be a little longer than its limit.
        """
        if limit <= 0:
            return ()
        bindings = {
            "thread_id": thread_id,
            "caller_key": caller_key,
            "before_seq": LATEST if before_seq is None else before_seq,
            "limit": limit,
        }
        rows = self._database.reader.rows("thread_messages", bindings)
        return tuple(map(thread_message_of, reversed(rows)))

    async def message(self, caller_key: str, message_id: str) -> ThreadMessage | None:
        """A message of a caller by its id; the latest, where the caller gave the id twice."""
        row = self._database.reader.row("message", {"caller_key": caller_key, "id": message_id})
        return thread_message_of(row) if row else None

    async def messages_of_sender(
        self, name: str, listener: Listener | None, before_seq: int | None, limit: int
    ) -> tuple[ThreadMessage, ...]:
        """What senders of that name said, latest first; the DID of each tells two of one name apart.

        What was committed together stays together, so a page may be a little longer than its limit.
        """
        return await self._database.scan("message", _messages_of_sender, name, listener, before_seq, limit)

    async def search_messages(
        self, match: str, listener: Listener | None, limit: int
    ) -> tuple[tuple[ThreadMessage, float], ...]:
        """Messages whose words fit a MATCH text of `protocol.memory.words`, best first, with their rank."""
        if not match:
            return ()
        return await self._database.scan("message", _search_messages, match, listener, limit)


def _threads(
    reader: Reader,
    caller_key: str | None,
    spaces: Collection[str] | None,
    before: tuple[int, str] | None,
    limit: int,
) -> Page[Thread]:
    before_at, before_id = before or (LATEST, "")
    bindings = {
        "caller_key": caller_key,
        "spaces": names(spaces),
        "before_at": before_at,
        "before_id": before_id,
        "limit": max(0, limit) + 1,
    }
    threads = tuple(map(thread_of, reader.rows("threads_page", bindings)))
    total = reader.rows("threads_total", bindings)[0][0]
    return page_of(threads, limit, total, lambda thread: (thread.updated_at, thread.id))


def _messages_of_sender(
    reader: Reader, name: str, listener: Listener | None, before_seq: int | None, limit: int
) -> tuple[ThreadMessage, ...]:
    if limit <= 0:
        return ()
    bindings = {
        "name": name,
        **_heard_by(listener),
        "before_seq": LATEST if before_seq is None else before_seq,
        "limit": limit,
    }
    return tuple(map(thread_message_of, reader.rows("messages_of_sender", bindings)))


def _search_messages(
    reader: Reader, match: str, listener: Listener | None, limit: int
) -> tuple[tuple[ThreadMessage, float], ...]:
    rows = reader.rows("search_messages", {"match": match, "limit": max(0, limit), **_heard_by(listener)})
    return tuple((thread_message_of(row), row[-1]) for row in rows)


def _heard_by(listener: Listener | None) -> dict[str, str | None]:
    return {
        "listener": listener.caller_key if listener else None,
        "spaces": names(listener.spaces if listener else None),
    }
