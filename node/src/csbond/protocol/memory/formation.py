"""What one message leaves in memory (MEM-001 §1.3): statements, whole, in entries that go on from each other."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from csbond.protocol.identifiers import dated_id
from csbond.protocol.memory.entry import TAG_MAX, Level, MemoryEntry, Origin, Visibility, checked_text
from csbond.protocol.memory.kinds import asks, greets, guessed_type
from csbond.protocol.memory.pieces import pieces_of, without_long_blanks
from csbond.protocol.memory.project import project_of
from csbond.protocol.memory.sentences import split_sentences
from csbond.protocol.messages.extensions import MEMORY
from csbond.protocol.messages.message import Message

HOT_FROM = 0.8
"""Importance (0…1) from which a memory starts hot: whoever said it asked for it to be at hand."""
WARM_FROM = 0.2
"""Importance from which a memory starts warm; the usual 0.5 does, and below it is small talk, kept cold."""
RANDOM_LETTERS = 8
"""Random letters of an id: with the millisecond before them, no two entries share one."""


class Speaker(Protocol):
    """Who said it, by their own word."""

    @property
    def name(self) -> str:
        """The name; empty when none was given."""
        ...


class Told(Protocol):
    """A message as a thread keeps it (`continuity.thread.ThreadMessage` is one)."""

    @property
    def message(self) -> Message:
        """What was said."""
        ...

    @property
    def thread_id(self) -> str:
        """The thread it was said in."""
        ...

    @property
    def caller_key(self) -> str:
        """Whose thread it is."""
        ...

    @property
    def space(self) -> str:
        """The Space the thread belongs to."""
        ...

    @property
    def sender(self) -> Speaker:
        """Who said it."""
        ...

    @property
    def importance(self) -> float:
        """0…1: how strongly it is to be kept (CSB v1.0 §1.2.2)."""
        ...


def formed_entries(
    told: Told, letters: Callable[[int], str], now: int, *, by_stranger: bool = False
) -> tuple[MemoryEntry, ...]:
    """The entries a message leaves, piece by piece; none for a message of questions and greetings only.

    `letters` gives that many random letters; `now` is in milliseconds. All entries are private: what was said in
    a conversation is told on only within it. What a stranger says, who may not write, begins no higher than warm.
    `invalid_params` when UTF-8 cannot say the text.
    """
    if not wants_remembering(told.message):
        return ()
    text = remembered_text(told.message.text)
    statements = tuple(each for each in split_sentences(text) if not asks(each) and not greets(each))
    if not statements:
        return ()
    kind, tags = guessed_type(statements), _tags(told.sender.name)
    origin = Origin(told.caller_key, told.thread_id, told.message.id, told.sender.name)
    entries: list[MemoryEntry] = []
    for place, content in enumerate(pieces_of(text)):
        entry = MemoryEntry(
            id=dated_id("mem", now, letters(RANDOM_LETTERS)),
            space=told.space,
            type=kind,
            content=content,
            tags=tags,
            timestamp=now,
            source="agent" if told.message.role == "agent" else "session",
            level=starting_level(told.importance, by_stranger=by_stranger),
            visibility=Visibility.PRIVATE,
            origin=origin,
            extends=entries[-1].id if entries else "",
            piece=place,
            kept_at=now,
            project=project_of("", origin),
            used_at=now,
        )
        entries.append(entry)
    return tuple(entries)


def wants_remembering(message: Message) -> bool:
    """Whether its sender leaves it to this node what to remember.

    `remember: false` asks for nothing to be kept, and so does, when in doubt, what cannot be read.
    """
    hint = message.metadata.get(MEMORY, {})
    return isinstance(hint, Mapping) and hint.get("remember", True) is True


def remembered_text(text: str) -> str:
    """The text as it is remembered: NFC, without NUL characters, blanks at its ends and overlong blanks inside."""
    composed = unicodedata.normalize("NFC", checked_text("message.parts", text.replace("\x00", "")))
    return without_long_blanks(composed)


def join_pieces(pieces: Iterable[MemoryEntry]) -> str:
    """The text that was cut into these entries, whatever order they come in."""
    return "".join(entry.content for entry in sorted(pieces, key=lambda entry: entry.piece))


def starting_level(importance: float, *, by_stranger: bool = False) -> Level:
    """The tier a new memory starts in (MEM-001 §1.1), by the importance its message was given.

    Hot has a cap, so a stranger's word alone lets nothing begin there: it would push out what others need.
    """
    if importance >= HOT_FROM and not by_stranger:
        return Level.HOT
    return Level.WARM if importance >= WARM_FROM else Level.COLD


def _tags(name: str) -> tuple[str, ...]:
    tag = unicodedata.normalize("NFC", name).strip()
    return (tag,) if tag and len(tag) <= TAG_MAX and "\x00" not in tag else ()
