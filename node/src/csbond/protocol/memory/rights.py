"""What a caller may do with memory, beyond what it may be told (MEM-007 §7.3)."""

from __future__ import annotations

from csbond.protocol.errors import Refused
from csbond.protocol.memory.entry import HOME_SPACE, MemoryEntry
from csbond.protocol.memory.eviction import deleting_caller
from csbond.protocol.messages.caller import Caller, CallerKind, Role


def may_read(caller: Caller) -> None:
    """Nothing for the owner and for named principals of the home's Space; else `forbidden`."""
    if not _is_at_home(caller):
        raise _refused(f"reading memory is for the owner and for principals of the Space {HOME_SPACE}")


def may_see_deleted(caller: Caller) -> None:
    """Nothing for the owner; else `forbidden`: what is softly deleted is told to nobody else."""
    if caller.kind is not CallerKind.OWNER:
        raise _refused("what was deleted is listed for the owner alone")


def may_change(caller: Caller, entry: MemoryEntry | None = None) -> None:
    """Nothing, when the caller may write, or change this entry; else `forbidden`.

    1. the owner may; 2. nobody else without the home's Space; 3. nor without the role of an editor; 4. an editor
    changes what it told itself.
    """
    if caller.kind is CallerKind.OWNER:
        return
    if not _is_at_home(caller):
        raise _refused(f"writing memory is for the owner and for editors of the Space {HOME_SPACE}")
    if caller.role is not Role.EDITOR:
        raise _refused(f"the principal {caller.name} is a viewer; editors write memory")
    if entry is not None and entry.origin.caller_key != caller.key:
        raise _refused(f"the memory {entry.id} is not one that the principal {caller.name} told")


def may_write(caller: Caller) -> bool:
    """Whether the caller is the owner or an editor of the home's Space: one of those whose memory this is.

    What others say begins no higher than warm, and what they hear raises nothing.
    """
    return caller.kind is CallerKind.OWNER or (_is_at_home(caller) and caller.role is Role.EDITOR)


def deletes(caller: Caller, entry: MemoryEntry) -> bool:
    """Whether a deletion by this caller changes anything: of what is deleted, only who may bring it back."""
    return not entry.deleted_at or (caller.kind is CallerKind.OWNER and entry.deleter != caller.key)


def may_restore(caller: Caller, entry: MemoryEntry) -> None:
    """Nothing, when the caller may change the entry and nobody else deleted it; else `forbidden`.

    What the owner deleted, only the owner brings back.
    """
    may_change(caller, entry)
    if caller.kind is not CallerKind.OWNER and deleting_caller(entry) not in ("", caller.key):
        raise _refused(f"the memory {entry.id} was deleted by somebody else than the principal {caller.name}")


def may_forget(caller: Caller) -> None:
    """Nothing for the owner; else `forbidden`: what is erased, forgotten by rule or asked about is the owner's."""
    if caller.kind is not CallerKind.OWNER:
        raise _refused("erasing, forgetting many at a time, rules, reviews and the archive are for the owner alone")


def may_distribute(caller: Caller) -> None:
    """Nothing for the owner; else `forbidden`: a snapshot holds what was told to anybody, and loading one writes it."""
    if caller.kind is not CallerKind.OWNER:
        raise _refused("snapshots are for the owner alone")


def may_exchange(caller: Caller) -> None:
    """Nothing for the owner; else `forbidden`: an export holds what was told to anybody, and an import writes it."""
    if caller.kind is not CallerKind.OWNER:
        raise _refused("exports, imports and maps between models are for the owner alone")


def _is_at_home(caller: Caller) -> bool:
    return caller.kind is not CallerKind.ANONYMOUS and caller.may_read(HOME_SPACE)


def _refused(reason: str) -> Refused:
    return Refused("forbidden", reason, next_step="ask the owner of the node to do it, or for a token that may")
