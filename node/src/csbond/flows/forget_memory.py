"""Memories are forgotten many at a time, by a filter: first the list, then what was listed (MEM-005 §5.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from csbond.flows.by_hand import by_hand
from csbond.flows.copies_elsewhere import COPIES_MAX, Copy, copies_elsewhere
from csbond.flows.erase_memory import NO_REASON
from csbond.flows.read_memory import entry_query
from csbond.flows.tend_step import BATCH, Tending, carry_out
from csbond.flows.world import World
from csbond.protocol.audit.record import Intent
from csbond.protocol.errors import Refused
from csbond.protocol.memory.bulk import checked_bulk_filter
from csbond.protocol.memory.entry import MemoryEntry, refused
from csbond.protocol.memory.eviction import Move, each_piece
from csbond.protocol.memory.filter import EntryFilter
from csbond.protocol.memory.rights import may_forget
from csbond.protocol.memory.visibility import Audience
from csbond.protocol.memory.whitespace import checked_reason
from csbond.protocol.messages.caller import Caller
from csbond.protocol.messages.listing import PAGE_SIZE_DEFAULT, Page, cursor_of, position_of

Mode = Literal["soft", "hard"]
"""Deleted, so that it can be restored, or erased."""
AT_MOST = 100_000
"""Memories of one call: more are forgotten part by part, by their time for example."""
IDS_TOLD = 1000
"""Memories that an answer names after they were forgotten; its count is whole."""
_READ = 500
"""Memories read at once."""
_NONE: Page[MemoryEntry] = Page(())


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """What to forget."""

    wanted: EntryFilter
    mode: Mode = "soft"
    dry_run: bool = True
    expected: int | None = None
    """The count of the dry run, for what is to be done."""
    reason: str = NO_REASON
    """Why, for the records of what is erased."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten, or would be."""

    dry_run: bool
    count: int
    """How many memories, the pieces of long texts one by one."""
    page: Page[MemoryEntry] = _NONE
    """Of a dry run: some of them, the latest first."""
    ids: tuple[str, ...] = ()
    """Of what was forgotten: the first of them."""
    left: int = 0
    """How many somebody else changed meanwhile: they are as they were left."""
    erased: bool = False
    """Whether no byte of what was erased is left in the files; otherwise the node tries again."""
    copies: tuple[Copy, ...] = ()
    """Messages that hold the text of what was erased, with their tasks."""


@dataclass(frozen=True, slots=True)
class _Found:
    """One memory as it was found."""

    id: str
    timestamp: int
    version: int


_Text = tuple[_Found, ...]
"""The pieces of one text, which go together; most have one."""


async def forget_memory(
    world: World,
    request: ForgetRequest,
    caller: Caller,
    intent: Intent,
    before: tuple[int, str] | None = None,
    limit: int = PAGE_SIZE_DEFAULT,
) -> Forgotten:
    """Delete or erase what a filter admits, and nothing else; of a text in pieces one that fits takes all along.

    1. the caller is the owner (`forbidden`); 2. the filter narrows, and does not ask to delete what is deleted; the
    reason can be kept; what is no dry run names the count that one told; not too many fit (`invalid_params`); 3. as
    many fit now (`version_conflict`).
    """
    may_forget(caller)
    reason = _checked(request, world.clock.now())
    texts = await _texts(world, request.wanted)
    found = tuple(each for text in texts for each in text)
    if request.dry_run:
        return Forgotten(True, len(found), await _page(world, found, before, limit))
    if len(found) != request.expected:
        raise Refused(
            "version_conflict",
            f"{len(found)} memories fit the filter now, not {request.expected}",
            next_step="look at a dry run again",
        )
    return await _forgotten(world, by_hand(world, caller, intent, reason), request.mode, texts)


def _checked(request: ForgetRequest, now: int) -> str:
    """The reason, of a request that can be done."""
    checked_bulk_filter(request.wanted, now)
    if request.wanted.deleted and request.mode == "soft":
        raise refused("filter.deleted", "asks for what is deleted already; mode hard erases it")
    if not request.dry_run and request.expected is None:
        raise refused("expected", "must be the count that a dry run of the same filter told")
    return checked_reason(request.reason)


async def _texts(world: World, wanted: EntryFilter) -> Sequence[_Text]:
    """All that the filter admits, text by text, each memory once."""
    texts, seen, before = list[_Text](), set[str](), None
    while True:
        query = entry_query(wanted, Audience(everything=True), before, _READ)
        page = await world.ledger.entries(query)
        for entry in page.rows:
            if entry.id not in seen:
                text = await _whole(world, entry)
                texts.append(text)
                seen.update(each.id for each in text)
        if len(seen) > AT_MOST:
            raise refused("filter", f"fits more than {AT_MOST} memories; forget them part by part, with until")
        if not page.next_cursor:
            return texts
        before = position_of(page.next_cursor)


async def _whole(world: World, entry: MemoryEntry) -> _Text:
    """The entry with the other pieces of its text that live, or are deleted, as it does."""
    of_message = entry.origin.message_id or entry.extends
    pieces = await world.ledger.entry_pieces(entry.id) if of_message else (entry,)
    alike = (piece for piece in pieces if bool(piece.deleted_at) == bool(entry.deleted_at))
    return tuple(_Found(piece.id, piece.timestamp, piece.version) for piece in alike)


async def _page(world: World, found: Sequence[_Found], before: tuple[int, str] | None, limit: int) -> Page[MemoryEntry]:
    places = sorted(((each.timestamp, each.id) for each in found), reverse=True)
    left = [place for place in places if before is None or place < before]
    shown = left[:limit]
    entries = await world.ledger.entries_by_id([entry_id for _, entry_id in shown])
    rows = tuple(entries[entry_id] for _, entry_id in shown if entry_id in entries)
    return Page(rows, cursor_of(shown[-1]) if len(left) > len(shown) > 0 else "", len(found))


async def _forgotten(world: World, tending: Tending, mode: Mode, texts: Sequence[_Text]) -> Forgotten:
    done, ids, copies = 0, list[str](), dict[Copy, None]()
    for batch in _batches(texts):
        moves = await _moves(world, mode, batch)
        if mode == "hard" and len(copies) < COPIES_MAX:
            going = [each.entry for move in moves for each in each_piece(move)]
            copies |= dict.fromkeys(await copies_elsewhere(world, going))
        carried = await carry_out(world, tending, moves)
        gone = [each.entry.id for move in carried.moves for each in each_piece(move)]
        done += len(gone)
        ids += gone[: IDS_TOLD - len(ids)]
    erased = mode == "hard" and await world.ledger.erase_traces()
    left = sum(map(len, texts)) - done
    return Forgotten(False, done, ids=tuple(ids), left=left, erased=erased, copies=tuple(copies)[:COPIES_MAX])


def _batches(texts: Sequence[_Text]) -> Iterator[Sequence[_Text]]:
    """As many texts at once as one transaction takes, and none of them by half."""
    batch, size = list[_Text](), 0
    for text in texts:
        if batch and size + len(text) > BATCH:
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch


async def _moves(world: World, mode: Mode, texts: Sequence[_Text]) -> list[Move]:
    """The moves of those texts that nobody has changed since they were found."""
    entries = await world.ledger.entries_by_id([each.id for text in texts for each in text])
    unchanged = (
        text for text in texts if all(each.id in entries and entries[each.id].version == each.version for each in text)
    )
    to: Literal["deleted", "erased"] = "deleted" if mode == "soft" else "erased"
    whole = ([entries[each.id] for each in text] for text in unchanged)
    return [Move(first, to, "manual", pieces=tuple(others)) for first, *others in whole]
