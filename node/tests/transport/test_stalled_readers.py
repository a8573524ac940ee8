"""A connection that closes is cut when its reader takes nothing for too long, and not before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from csbond.transport.stalled_readers import StalledReaders


@dataclass(eq=False)
class Played:
    """A transport with some bytes to write."""

    waiting: int
    closing: bool = True
    cut: bool = False

    def is_closing(self) -> bool:
        return self.closing

    def get_write_buffer_size(self) -> int:
        return self.waiting

    def abort(self) -> None:
        self.cut = True


def look(readers: StalledReaders, transport: Any, now: float, waiting: int) -> bool:
    transport.waiting = waiting
    readers.cut([transport], now)
    return bool(transport.cut)


def test_a_reader_who_takes_nothing_is_cut_when_the_patience_is_over():
    readers, transport = StalledReaders(10.0), Played(5)
    assert not look(readers, transport, 100.0, 5)
    assert not look(readers, transport, 109.9, 5)
    assert look(readers, transport, 110.0, 5)


def test_whoever_takes_a_byte_now_and_then_is_waited_for():
    readers, transport = StalledReaders(10.0), Played(5)
    assert not any(look(readers, transport, 9.0 * number, 100 - number) for number in range(50))


def test_a_connection_that_is_not_closing_is_left_alone_and_its_time_does_not_count():
    readers, transport = StalledReaders(10.0), Played(5, closing=False)
    assert not look(readers, transport, 0.0, 5)
    assert not look(readers, transport, 1000.0, 5)
    transport.closing = True
    assert not look(readers, transport, 1001.0, 5)
    assert look(readers, transport, 1011.0, 5)


def test_connections_that_are_gone_are_forgotten():
    readers, transport = StalledReaders(10.0), Played(5)
    look(readers, transport, 0.0, 5)
    readers.cut([], 5.0)
    assert not look(readers, transport, 11.0, 5)
