"""Threads, their sessions and messages."""

from __future__ import annotations

from collections.abc import Callable, Collection

from csbond.protocol.continuity.thread import Listener, Session, Thread, ThreadMessage
from csbond.protocol.messages.listing import Page
from csbond.testing.open_rows import OpenRows
from csbond.testing.row_pages import Position, page_of
from csbond.testing.word_index import ranked


class ThreadReads(OpenRows):
    """The conversation side of the ledger."""

    async def thread(self, thread_id: str, caller_key: str | None) -> Thread | None:
        """A thread of this caller; for None (the owner looks) the one of that id that spoke last."""
        threads = [
            thread
            for thread in self._open().threads.values()
            if thread.id == thread_id and caller_key in (None, thread.caller_key)
        ]
        return max(threads, key=lambda thread: (thread.updated_at, thread.caller_key), default=None)

    async def session(self, session_id: str, caller_key: str) -> Session | None:
        """The session a caller opened."""
        return self._open().sessions.get((caller_key, session_id))

    async def sessions(self, thread_id: str, caller_key: str) -> tuple[Session, ...]:
        """The sessions of a thread, oldest first."""
        of_thread = [
            session
            for session in self._open().sessions.values()
            if (session.caller_key, session.thread_id) == (caller_key, thread_id)
        ]
        return tuple(sorted(of_thread, key=lambda session: (session.opened_at, session.id)))

    async def threads(
        self, caller_key: str | None, spaces: Collection[str] | None, before: Position | None, limit: int
    ) -> Page[Thread]:
        """Threads, latest first; of one caller and within some Spaces, or of all for None."""
        threads = [
            thread
            for thread in self._open().threads.values()
            if caller_key in (None, thread.caller_key) and (spaces is None or thread.space in spaces)
        ]
        return page_of(threads, lambda thread: (thread.updated_at, thread.id), before, limit)

    async def thread_messages(
        self, thread_id: str, caller_key: str, before_seq: int | None, limit: int
    ) -> tuple[ThreadMessage, ...]:
        """The latest messages of a thread before a place in the order, oldest first; whole commits."""
        said = self._said(before_seq, lambda said: (said.caller_key, said.thread_id) == (caller_key, thread_id))
        return tuple(reversed(_whole_commits(said, limit)))

    async def message(self, caller_key: str, message_id: str) -> ThreadMessage | None:
        """A message of a caller by its id; the latest, where the caller gave the id twice."""
        said = self._said(None, lambda said: (said.caller_key, said.message.id) == (caller_key, message_id))
        return said[0] if said else None

    async def messages_of_sender(
        self, name: str, listener: Listener | None, before_seq: int | None, limit: int
    ) -> tuple[ThreadMessage, ...]:
        """What senders of that name said, latest first; whole commits."""
        said = self._said(
            before_seq, lambda said: said.sender.name == name and (listener is None or listener.hears(said))
        )
        return tuple(_whole_commits(said, limit))

    async def search_messages(
        self, match: str, listener: Listener | None, limit: int
    ) -> tuple[tuple[ThreadMessage, float], ...]:
        """Messages whose words fit a MATCH text of `protocol.memory.words`, best first, with their rank."""
        rows = self._open()
        hits = [(rows.messages[row], rank) for row, rank in ranked(match, rows.message_words)]
        return tuple(hit for hit in hits if listener is None or listener.hears(hit[0]))[: max(0, limit)]

    def _said(self, before_seq: int | None, wanted: Callable[[ThreadMessage], bool]) -> list[ThreadMessage]:
        """The wanted messages before a place, latest first."""
        said = [said for said in self._open().messages.values() if wanted(said)]
        return [said for said in reversed(said) if before_seq is None or said.seq < before_seq]


def _whole_commits(said: list[ThreadMessage], limit: int) -> list[ThreadMessage]:
    """The first ones, and those that were committed together with the last of them."""
    if limit <= 0:
        return []
    return [each for each in said if len(said) <= limit or each.seq >= said[limit - 1].seq]
