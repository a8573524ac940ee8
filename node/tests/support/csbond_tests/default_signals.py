"""Lets signals end what tests start, also where whoever started the tests ignored them (`nohup`, a shell's `&`).

A signal that is ignored stays ignored in every process that is started from here, and in the commands themselves.
"""

from __future__ import annotations

import signal
import threading

__all__ = ["pytest_configure"]


def pytest_configure() -> None:
    """Give interrupts and hang-ups their default handlers back."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)
