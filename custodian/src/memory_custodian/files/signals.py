"""Lets signals end a command, but never between the files of one change: its state could not be told then (§14)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Ending", "ended_by_signals"]


class Ending:
    """What a command does when SIGINT, SIGTERM or SIGHUP asks it to end: at once, or where it next looks."""

    def __init__(self) -> None:
        self._is_held = False
        self._asked = 0

    def receive(self, number: int, _frame: object = None) -> None:
        """End by an exception, so that locks are released; while that is held off, remember it."""
        self._asked = number
        if not self._is_held:
            self.check()

    def hold(self) -> None:
        """Hold every end off from here on. A command that is done then ends by itself, and says what it did."""
        self._is_held = True

    def release(self) -> None:
        """Let an end come at once again, and now if it was asked for meanwhile."""
        self._is_held = False
        self.check()

    def check(self) -> None:
        """End now if that was asked for."""
        number, self._asked = self._asked, 0
        if number:
            import signal

            raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(128 + number)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold an end off until the work inside is done."""
        self._is_held = True
        try:
            yield
        finally:
            self._is_held = False
        self.check()


@contextmanager
def ended_by_signals() -> Iterator[Ending]:
    """Let SIGINT, SIGTERM and SIGHUP end a command as its `Ending` says; one that is ignored, as by nohup, stays so."""
    import signal

    ending = Ending()
    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    try:
        heard = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
        before = {number: signal.signal(number, ending.receive) for number in heard}
    except ValueError:
        # Only the main thread of a program may say what signals do.
        before = {}
    try:
        yield ending
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
