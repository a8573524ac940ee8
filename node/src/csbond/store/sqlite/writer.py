"""The one writer: units queue up, one transaction takes all that wait, one fsync makes them durable.

Statements run on the event loop, where the values are; only the COMMIT, which waits for the disk, runs in the writer
thread (why: docs/decisions/0002-group-commit.md). Units that arrive meanwhile are the next group.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from queue import SimpleQueue

import apsw

from csbond.store.sqlite.faults import closed, translated
from csbond.store.sqlite.transaction import GroupLost, Transaction

GROUP_UNITS = 64
"""Units of one group at most: their statements hold up the event loop, some 0.1 ms each."""
PATIENCE_S = 0.02
"""Seconds a patient unit waits for a commit to go with before it makes a group of its own: short answers save an fsync.
"""
QUEUE_UNITS = 1_000
"""Units that may wait before whoever queues chunks has to wait too."""


@dataclass(slots=True, eq=False)
class Unit:
    """What is written whole or not at all, and who waits for it."""

    apply: Callable[[Transaction], int]
    task_ids: frozenset[str] = frozenset()
    """The tasks it writes: a fault of an earlier chunk of one of them ends it."""
    waiter: asyncio.Future[int] | None = None
    """None for a chunk: nobody waits."""
    patient: bool = False
    """Goes with the next group of others; its fault is told to the next commit of its task."""
    alone: Callable[[], int] | None = None
    """What the writer thread does in place of a commit, while no transaction is open; it has no statements."""
    outcome: int = 0
    fault: Exception | None = field(default=None)


class Writer:
    """Takes units in order and writes them in groups; belongs to the loop it was made on."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[Unit] = deque()
        self._group: list[Unit] = []
        self._called = False
        self._hurried = 0
        self._one_by_one = 0
        self._owed: dict[str, Exception] = {}
        self._moved = asyncio.Event()
        self._closed = False
        self._patience: asyncio.TimerHandle | None = None
        self._groups_to_commit: SimpleQueue[Callable[[], int] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._commit_for_ever, name="csbond-writer", daemon=True)
        self._thread.start()

    async def write(self, apply: Callable[[Transaction], int], task_ids: frozenset[str] = frozenset()) -> int:
        """What the unit returns, once it is on disk; or the fault that kept it from there."""
        if self._closed:
            raise closed()
        waiter: asyncio.Future[int] = self._loop.create_future()
        self._take(Unit(apply, task_ids, waiter))
        return await waiter

    async def do_alone(self, work: Callable[[], int]) -> int:
        """What work returns, done by the writer thread between two groups; those that come meanwhile wait for it."""
        if self._closed:
            raise closed()
        waiter: asyncio.Future[int] = self._loop.create_future()
        self._take(Unit(_nothing, waiter=waiter, alone=work))
        return await waiter

    def write_with_next(self, apply: Callable[[Transaction], int], task_ids: frozenset[str]) -> asyncio.Future[int]:
        """Queue a unit that goes with the next group of others, or by itself when none comes for a while."""
        if self._closed:
            raise closed()
        waiter: asyncio.Future[int] = self._loop.create_future()
        self._take(Unit(apply, task_ids, waiter, patient=True))
        return waiter

    async def write_soon(self, apply: Callable[[Transaction], int], task_ids: frozenset[str]) -> None:
        """Queue a unit and return; waits only when too many others wait."""
        while len(self._waiting) >= QUEUE_UNITS and not self._closed:
            await self._moved.wait()
        if self._closed:
            raise closed()
        self._take(Unit(apply, task_ids, patient=True))

    async def close(self) -> None:
        """Finish what waits, then end the thread."""
        self._closed = True
        if not self._group:
            self._start_groups()
        while self._group or self._waiting:
            await self._moved.wait()
        self._groups_to_commit.put(None)
        self._thread.join()

    def _take(self, unit: Unit) -> None:
        """A group begins when all that this round of the event loop commits is there; the patient wait a little."""
        self._waiting.append(unit)
        self._hurried += not unit.patient
        if not self._group:
            self._begin_in_time()

    def _begin_in_time(self) -> None:
        """See to it that what waits is begun: in this round of the loop for whoever is in a hurry."""
        if self._hurried or len(self._waiting) >= GROUP_UNITS or self._closed:
            if not self._called:
                self._called = True
                self._loop.call_soon(self._start_groups)
        elif self._waiting and self._patience is None:
            self._patience = self._loop.call_later(PATIENCE_S, self._start_groups)

    def _start_groups(self) -> None:
        """Hand the next group that has anything to commit to the thread."""
        self._called = False
        if self._patience:
            self._patience.cancel()
            self._patience = None
        while self._waiting and not self._group:
            units = self._next_units()
            if units[0].alone or self._filled(units):
                self._group = units
                self._groups_to_commit.put(units[0].alone or self._commit)
            else:
                self._settle(units)

    def _next_units(self) -> list[Unit]:
        size = 1 if self._one_by_one else min(GROUP_UNITS, len(self._waiting))
        alone = next((place for place, unit in enumerate(islice(self._waiting, size)) if unit.alone), size)
        size = min(size, max(1, alone))
        self._one_by_one = max(0, self._one_by_one - 1)
        units = [self._waiting.popleft() for _ in range(size)]
        self._hurried -= sum(not unit.patient for unit in units)
        return units

    def _filled(self, units: list[Unit]) -> bool:
        """Whether the transaction is open and holds at least one unit of the group."""
        owed = dict(self._owed)
        try:
            self._transaction.begin()
            for unit in units:
                self._attempt(unit)
            if any(unit.fault is None for unit in units):
                self._transaction.seal()
                return True
            self._transaction.roll_back()
        except Exception as fault:
            if len(units) > 1 and isinstance(_cause(fault), apsw.FullError):
                self._owed = owed
                self._try_one_by_one(units)
            else:
                self._take_back(units, fault)
        return False

    def _try_one_by_one(self, units: list[Unit]) -> None:
        """What does not fit on the disk must not keep from it what does; nobody of the group is told anything yet."""
        self._transaction.roll_back()
        for unit in units:
            unit.fault = None
        self._waiting.extendleft(reversed(units))
        self._hurried += sum(not unit.patient for unit in units)
        self._one_by_one = len(units)
        units.clear()

    def _attempt(self, unit: Unit) -> None:
        owed = next((self._owed[task_id] for task_id in unit.task_ids if task_id in self._owed), None)
        if owed is not None:
            self._fail(unit, owed)
            return
        try:
            unit.outcome = self._transaction.attempt(unit.apply)
        except GroupLost:
            raise
        except Exception as fault:
            self._fail(unit, fault)

    def _fail(self, unit: Unit, fault: Exception) -> None:
        """A patient unit leaves its fault to the next commit of its task; that commit has it, and the debt is paid."""
        unit.fault = fault
        for task_id in unit.task_ids:
            if unit.patient:
                self._owed[task_id] = fault
            else:
                self._owed.pop(task_id, None)

    def _take_back(self, units: list[Unit], fault: Exception) -> None:
        """Also who was refused hears of the loss: it may have been refused for what a lost unit had written."""
        for unit in units:
            self._fail(unit, translated(_cause(fault)))
        self._transaction.roll_back()

    def _commit(self) -> int:
        self._transaction.commit()
        return 0

    def _commit_for_ever(self) -> None:
        while work := self._groups_to_commit.get():
            fault: Exception | None = None
            outcome = 0
            try:
                outcome = work()
            except Exception as raised:
                fault = raised
            try:
                self._loop.call_soon_threadsafe(self._committed, fault, outcome)
            except RuntimeError:
                return  # the loop ended without closing the ledger; nobody waits any more

    def _committed(self, fault: Exception | None, outcome: int) -> None:
        units, self._group = self._group, []
        if units[0].alone:
            units[0].outcome = outcome
        if fault is not None:
            self._take_back(units, fault)
        self._settle(units)
        self._begin_in_time()

    def _settle(self, units: list[Unit]) -> None:
        for unit in units:
            if unit.waiter is None or unit.waiter.done():
                continue
            if unit.fault is not None:
                unit.waiter.set_exception(unit.fault)
            else:
                unit.waiter.set_result(unit.outcome)
        self._moved.set()
        self._moved.clear()


def _nothing(_: Transaction) -> int:
    return 0


def _cause(fault: Exception) -> Exception:
    cause = fault.__cause__
    return cause if isinstance(fault, GroupLost) and isinstance(cause, Exception) else fault
