"""Where the text of memories still stands when they are erased: in messages, which are no memories (MEM-005 §5.2)."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from csbond.flows.world import World
from csbond.protocol.continuity.thread import ThreadMessage
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.words import Query, match_all, query_terms

COPIES_MAX = 100
"""Messages that are named; who needs more looks into the threads."""
SOUGHT_MAX = 100
"""Texts that are looked for; of further ones only the messages they come from are named."""
_WORDS = 32
"""Words of a text by which messages that may hold it are found."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A message that holds the text of a memory, and the task it belongs to, if any."""

    thread_id: str
    message_id: str
    task_id: str = ""


async def copies_elsewhere(world: World, entries: Sequence[MemoryEntry]) -> tuple[Copy, ...]:
    """The messages that entries come from, and others that hold the text of one of the entries, each once.

    A memory that was told again keeps the message of the first time alone, so the others are found by their words.
    """
    copies: dict[Copy, None] = {}
    for caller_key, message_id in dict.fromkeys((each.origin.caller_key, each.origin.message_id) for each in entries):
        said = await world.ledger.message(caller_key, message_id) if message_id else None
        if said and len(copies) < COPIES_MAX:
            copies[_copy(said)] = None
    for entry in entries[:SOUGHT_MAX]:
        if len(copies) < COPIES_MAX:
            copies |= dict.fromkeys(_copy(said) for said in await _holding(world, entry.content))
    return tuple(copies)[:COPIES_MAX]


async def _holding(world: World, content: str) -> list[ThreadMessage]:
    """The messages that hold a text as it stands."""
    query = query_terms(content)
    if not query:
        return []
    match = match_all(Query(query.pieces[:_WORDS]))
    found = await world.ledger.search_messages(match, None, COPIES_MAX)
    return [said for said, _ in found if content in unicodedata.normalize("NFC", said.message.text)]


def _copy(said: ThreadMessage) -> Copy:
    return Copy(said.thread_id, said.message.id, said.task_id)
