"""One batch of moves is carried out: each with its own record, in one transaction, or put to a person (MEM-005 §5.4).

Tending carries out what is due; what a person approves, applies or forgets by a filter goes the same way.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from csbond.flows.changes import Write
from csbond.flows.made_again import OVERTAKEN
from csbond.flows.memory_record import memory_record
from csbond.flows.note_use import keep_uses
from csbond.flows.review_record import review_record
from csbond.flows.world import World
from csbond.flows.write_memory import commit_memory, entry_writes, erase_writes, review_writes, used_writes
from csbond.protocol.audit.record import AuditDraft, Intent
from csbond.protocol.errors import Refused
from csbond.protocol.identifiers import dated_id
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.eviction import (
    Move,
    deleting_caller,
    deleting_rule,
    each_piece,
    eviction_details,
    has_just_moved,
    moved,
    record_type,
)
from csbond.protocol.memory.forgetting import ForgettingPolicy
from csbond.protocol.memory.review import Review, asked, decided, kind_of, may_ask, needs_review
from csbond.protocol.memory.whitespace import archived
from csbond.protocol.memory.whole_text import judged_alike

BATCH = 100
"""Memories of one transaction, the pieces of texts one by one: nobody waits longer for it than for a batch of memories
that somebody writes."""
NODE = "this node"
"""Who removes what nobody removes by name."""
_TRIES = 3
_AGAIN = OVERTAKEN | {"already_exists"}
_BECAUSE = {
    "ttl": "its time has passed",
    "lru": "its tier holds more than its cap, and it was used least recently",
    "system": "it was not used for long",
    "manual": "somebody asked for it",
}


@dataclass(eq=False)
class Tending:
    """One run: at what time, by whose wish, by which rules, and what it has moved so far."""

    now: int
    """As of when, in milliseconds since 1970; it may lie ahead, to see what would become of the memories."""
    forgetting: ForgettingPolicy
    intent: Intent
    operator: str = NODE
    """Who removes: a caller's key, or the node."""
    dry_run: bool = False
    """Whether it only tells what it would do."""
    removes: bool = True
    """Whether it deletes and clears at all."""
    reason: str = ""
    """Why, where a person gives a reason."""
    planned: dict[str, Move] = field(default_factory=dict)
    """What a dry run would have done so far: the later steps go on from there."""
    settled: set[str] = field(default_factory=set)
    """Memories that moved in this run, or wait for a person: it takes none of them twice."""
    waiting: set[str] = field(default_factory=set)
    """Those of them that wait for a person: they stay where they are, so a cap counts them as staying."""
    clock: int | None = None
    """What the clock says, where that is not `now`."""

    @property
    def at(self) -> int:
        """When it happens, whatever it is done as of: the time that a person has begins then."""
        return self.now if self.clock is None else self.clock

    def is_free(self, entry: MemoryEntry) -> bool:
        """Whether a time or a cap may still move the memory in this run."""
        return entry.id not in self.settled and not has_just_moved(entry, self.now)


@dataclass(frozen=True, slots=True)
class Carried:
    """What became of a batch; what somebody else changed meanwhile is in neither."""

    moves: tuple[Move, ...] = ()
    """What was done, or would be by a dry run."""
    reviews: tuple[Review, ...] = ()
    """What a person is asked now."""
    closed: tuple[Review, ...] = ()
    """Questions about what the memories were before, which are closed as stale and asked anew."""


async def batches(moves: AsyncIterator[Move]) -> AsyncIterator[Sequence[Move]]:
    """The moves in their order, each of its whole text already, as many at once as one transaction takes.

    Each memory is once in a batch.
    """
    batch: dict[str, Move] = {}
    size = 0
    async for move in moves:
        if move.entry.id in batch:
            continue
        batch[move.entry.id] = move
        size += 1 + len(move.pieces)
        if size >= BATCH:
            yield tuple(batch.values())
            batch, size = {}, 0
    if batch:
        yield tuple(batch.values())


async def of_whole_text(world: World, move: Move) -> Move:
    """The move with the other pieces of its text, as they are now."""
    text = await world.ledger.entry_pieces(move.entry.id)
    return replace(move, pieces=tuple(piece for piece in text if piece.id != move.entry.id))


async def carry_out(world: World, tending: Tending, batch: Sequence[Move]) -> Carried:
    """Make a batch of moves, with a record for each, all or nothing; a dry run writes nothing.

    1. What needs a person's yes is asked, unless it was and waits or rests (`protocol.memory.review`); 2. what somebody
    else changed meanwhile is left as it is now, and a text of which only another piece changed is tried again; 3. the
    rest moves. `storage_full`, `storage_unavailable`.
    """
    moves, asking = list[Move](), list[Move]()
    for move in batch:
        (asking if needs_review(move, world.tiers, tending.forgetting) else moves).append(move)
    carried = await _asked(world, tending, tuple(moves), asking)
    if not tending.dry_run:
        await settle_uses(world, moves)
        carried = await _written(world, tending, carried)
    tending.settled.update(move.entry.id for move in carried.moves)
    if tending.dry_run:
        tending.planned.update((move.entry.id, move) for move in carried.moves)
    return carried


async def settle_uses(world: World, moves: Iterable[Move]) -> None:
    """Keep the uses that wait, before a move by hand lets them count anew: kept later they would undo it."""
    if any(move.trigger == "manual" and move.to not in ("deleted", "erased") for move in moves):
        await keep_uses(world)


def move_writes(world: World, tending: Tending, move: Move) -> tuple[list[Write], list[AuditDraft]]:
    """The writes of one move and its records, one for each piece of its text.

    A change of tier by hand lets its uses count anew from now.
    """
    writes, records = list[Write](), list[AuditDraft]()
    for each in each_piece(move):
        made, record = _piece_writes(world, tending, each)
        writes += made
        records.append(record)
    return writes, records


def _piece_writes(world: World, tending: Tending, move: Move) -> tuple[tuple[Write, ...], AuditDraft]:
    now, at, entry = tending.now, tending.at, move.entry
    kind = record_type(move).removeprefix("memory_")
    record = memory_record(world, kind, entry.id, tending.intent, world.clock.now(), eviction_details(move, at))
    if move.to == "erased":
        return _erase_writes(world, tending, move), record
    after = moved(move, now)
    by_hand = move.trigger == "manual"
    if after.deleted_at:
        after = replace(after, deleted_at=at, moved_at=now, deleter=tending.operator if by_hand else after.deleter)
    used = used_writes((after,), now, anew=True) if by_hand and not after.deleted_at else ()
    return (*entry_writes((after,)), *used), record


def _erase_writes(world: World, tending: Tending, move: Move) -> tuple[Write, ...]:
    record = archived(
        move.entry,
        tending.at,
        tending.reason or _because(move),
        (deleting_caller(move.entry) if move.trigger == "system" else "") or tending.operator,
        world.whitespace,
        trigger=move.trigger,
        rule=move.rule or deleting_rule(move.entry),
    )
    return erase_writes(move.entry, tending.at, record)


def _because(move: Move) -> str:
    """Why a memory is to move, for the person who is asked and for the archive."""
    if move.rule:
        return f"the rule {move.rule} says so"
    if move.entry.deleted_at and move.trigger == "system":
        return "it was deleted, and not restored in time"
    return _BECAUSE[move.trigger]


async def _asked(world: World, tending: Tending, moves: tuple[Move, ...], asking: Iterable[Move]) -> Carried:
    """The moves, with the questions to ask now; a memory whose question waits is settled for this run."""
    fresh, closed = list[Review](), list[Review]()
    for kind, group in groupby(sorted(asking, key=kind_of), kind_of):
        alike = tuple(group)
        latest = await world.ledger.latest_reviews([move.entry.id for move in alike], kind)
        for move in alike:
            known = latest.get(move.entry.id)
            is_open = known is not None and not known.decided_at
            if may_ask(known, tending.now, move.entry):
                review_id = dated_id("review", tending.at, world.identifiers.letters(12))
                fresh.append(asked(move, review_id, _because(move), tending.at))
                if known and is_open:
                    closed.append(decided(known, "stale", tending.operator, tending.at))
            elif not is_open:
                continue
            tending.settled.add(move.entry.id)
            tending.waiting.add(move.entry.id)
    return Carried(moves, tuple(fresh), tuple(closed))


async def _written(world: World, tending: Tending, carried: Carried) -> Carried:
    """What was written: all together, or one by one when others are always faster."""
    for _ in range(_TRIES):
        if await _is_committed(world, tending, carried):
            return carried
        carried = await _unchanged(world, tending, carried)
    moves = [move for move in carried.moves if await _is_committed(world, tending, Carried((move,)))]
    apart = [_about(carried, review) for review in carried.reviews]
    asked_now = [each for each in apart if await _is_committed(world, tending, each)]
    return Carried(tuple(moves), *_joined(asked_now))


def _about(carried: Carried, review: Review) -> Carried:
    """One question, with the one that it replaces."""
    closed = (each for each in carried.closed if (each.entry_id, each.kind) == (review.entry_id, review.kind))
    return Carried(reviews=(review,), closed=tuple(closed))


def _joined(parts: Iterable[Carried]) -> tuple[tuple[Review, ...], tuple[Review, ...]]:
    some = tuple(parts)
    return (tuple(r for each in some for r in each.reviews), tuple(r for each in some for r in each.closed))


async def _is_committed(world: World, tending: Tending, carried: Carried) -> bool:
    """Whether it is on disk; not, when something of it was changed by somebody else."""
    writes, records = list[Write](review_writes((*carried.closed, *carried.reviews))), list[AuditDraft]()
    for move in carried.moves:
        made, told = move_writes(world, tending, move)
        writes += made
        records += told
    questions, at = (*carried.closed, *carried.reviews), world.clock.now()
    records += [review_record(world, each, tending.intent, at) for each in questions]
    if not writes:
        return True
    try:
        await commit_memory(world, writes, *records)
    except Refused as fault:
        if fault.code.name not in _AGAIN:
            raise
        return False
    leave_index(world, carried.moves)
    return True


async def _unchanged(world: World, tending: Tending, carried: Carried) -> Carried:
    """The moves of those memories that are as they were, and the questions about them.

    Of a text the other pieces may say something else now, but what a person chose, and whatever decides about it, has
    to be as it was in all its pieces.
    """
    ids = [move.entry.id for move in carried.moves] + [review.entry_id for review in carried.reviews]
    now = await world.ledger.entries_by_id(ids)
    versions = {entry_id: entry.version for entry_id, entry in now.items()}
    same = [
        replace(move, entry=now[move.entry.id])
        for move in carried.moves
        if versions.get(move.entry.id) == move.entry.version
    ]
    again = [(move, await of_whole_text(world, move)) for move in same if move.pieces]
    gone = {move.entry.id for move, whole in again if not _is_alike(move, whole)}
    texts = {whole.entry.id: whole for _, whole in again}
    moves = [texts.get(move.entry.id, move) for move in same if move.entry.id not in gone]
    asking = [
        _about(carried, review)
        for review in carried.reviews
        if versions.get(review.entry_id) == review.entry_version
        if await _may_still_ask(world, tending, carried, review)
    ]
    return Carried(tuple(moves), *_joined(asking))


def _is_alike(move: Move, whole: Move) -> bool:
    """Whether the pieces that are to go are as they were; what goes by itself, in all that decides about it."""
    before, now = ({piece.id: piece for piece in each.pieces} for each in (move, whole))
    if move.trigger == "manual":
        return all(piece_id in now and now[piece_id].version == before[piece_id].version for piece_id in before)
    return before.keys() == now.keys() and all(judged_alike(before[piece_id], now[piece_id]) for piece_id in now)


async def _may_still_ask(world: World, tending: Tending, carried: Carried, review: Review) -> bool:
    """Whether nobody else has asked it meanwhile, or answered the one before it."""
    known = (await world.ledger.latest_reviews((review.entry_id,), review.kind)).get(review.entry_id)
    replaced = {each.id for each in carried.closed}
    if known and known.id in replaced:
        return not known.decided_at
    return may_ask(known, tending.now)


def leave_index(world: World, moves: Iterable[Move]) -> None:
    """Let no search by meaning find what was erased."""
    if world.index:
        for move in moves:
            for entry in (move.entry, *move.pieces) if move.to == "erased" else ():
                world.index.drop(entry.space, entry.id)
