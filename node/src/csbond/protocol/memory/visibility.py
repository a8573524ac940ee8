"""Which entries a caller may be answered from (MEM-007 §7.3)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from csbond.protocol.memory.entry import HOME_SPACE, MemoryEntry, Origin, Visibility
from csbond.protocol.memory.facets import Facets
from csbond.protocol.memory.link_extra import without_unresolved
from csbond.protocol.messages.caller import Caller, CallerKind


@dataclass(frozen=True, slots=True)
class Audience:
    """For whom a search is made: the store filters by it, so a hidden entry never leaves the store."""

    everything: bool = False
    """True for the owner."""
    caller_key: str = ""
    """A principal also hears what it said itself, in any thread."""
    thread_id: str = ""
    """Anybody also hears what was said in the thread they are in."""
    trusted: bool = False
    """True for a named principal of the Space: it hears trusted entries too."""


def audience_of(caller: Caller, thread_id: str = "") -> Audience:
    """The audience of a caller who is in a thread.

    1. the owner hears everything; 2. a principal hears public entries and what it told, one of the home's Space
    trusted entries too; 3. anybody else hears public entries and what was told in the same thread by the same kind
    of caller.
    """
    if caller.kind is CallerKind.OWNER:
        return Audience(everything=True)
    if caller.kind is CallerKind.PRINCIPAL:
        return Audience(caller_key=caller.key, trusted=caller.may_read(HOME_SPACE))
    return Audience(caller_key=caller.key, thread_id=thread_id or "\x00")


def may_hear(audience: Audience, entry: MemoryEntry | Facets) -> bool:
    """Whether an entry may be told to an audience."""
    if audience.everything or entry.visibility is Visibility.PUBLIC:
        return True
    if audience.trusted and entry.visibility is Visibility.TRUSTED:
        return True
    return told_by(audience, entry)


def told_by(audience: Audience, entry: MemoryEntry | Facets) -> bool:
    """Whether an entry comes from the audience itself, or the audience hears everything.

    Only then is it told where the entry comes from and what it was before.
    """
    if audience.everything:
        return True
    if entry.origin.caller_key != audience.caller_key:
        return False
    return not audience.thread_id or entry.origin.thread_id == audience.thread_id


def as_told(audience: Audience, entry: MemoryEntry) -> MemoryEntry:
    """The entry as an audience that may hear it is told it: of what others told, only who spoke.

    Links that could not be kept as such may name memories that the audience may not be told of.
    """
    if told_by(audience, entry):
        return entry
    return replace(entry, origin=Origin("", speaker=entry.origin.speaker), extra=without_unresolved(entry.extra))
