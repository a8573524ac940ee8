"""A signal ends a command at once, or where its state can be told."""

from __future__ import annotations

import signal

import pytest

from csbond_tests.marks import requirement
from memory_custodian.files.signals import Ending, ended_by_signals

NUMBERS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@requirement("CUST-07.3-06")
@pytest.mark.parametrize("number", NUMBERS)
def test_a_signal_ends_a_command_as_its_kind_says(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with pytest.raises((KeyboardInterrupt, SystemExit)) as ended, ended_by_signals():
        signal.raise_signal(number)
    assert ended.type is (KeyboardInterrupt if number == signal.SIGINT else SystemExit)
    assert ended.value.args == (() if number == signal.SIGINT else (128 + number,))
    assert signal.getsignal(number) == before


@requirement("CUST-14-16")
@pytest.mark.parametrize("number", NUMBERS)
def test_a_signal_that_is_held_off_ends_the_command_afterwards(number: signal.Signals) -> None:
    done = []

    def work() -> None:
        with ended_by_signals() as ending:
            with ending.held():
                signal.raise_signal(number)
                done.append("inside")
            done.append("behind")

    with pytest.raises((KeyboardInterrupt, SystemExit)):
        work()
    assert done == ["inside"]


def test_an_error_of_the_work_inside_is_not_hidden_by_a_signal() -> None:
    def work() -> None:
        with ended_by_signals() as ending, ending.held():
            signal.raise_signal(signal.SIGTERM)
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        work()


@requirement("CUST-14-16")
@pytest.mark.parametrize("number", NUMBERS)
def test_a_command_that_holds_its_end_off_ends_by_itself_unless_it_looks(number: signal.Signals) -> None:
    def work(*, looks: bool) -> str:
        with ended_by_signals() as ending:
            ending.hold()
            signal.raise_signal(number)
            if looks:
                ending.check()
        return "by itself"

    assert work(looks=False) == "by itself"
    with pytest.raises((KeyboardInterrupt, SystemExit)):
        work(looks=True)


@requirement("CUST-14-16")
def test_an_end_that_was_held_off_comes_when_it_is_let_go() -> None:
    done = []

    def work() -> None:
        with ended_by_signals() as ending:
            ending.hold()
            signal.raise_signal(signal.SIGTERM)
            done.append("held")
            ending.release()
            done.append("released")

    with pytest.raises(SystemExit) as ended:
        work()
    assert (ended.value.code, done) == (143, ["held"])


def test_who_is_not_asked_to_end_goes_on() -> None:
    ending = Ending()
    ending.check()
    with ending.held():
        ending.check()


@requirement("CUST-07.3-06")
@pytest.mark.parametrize("number", NUMBERS)
def test_a_signal_that_was_ignored_before_stays_ignored(number: signal.Signals) -> None:
    """As under nohup, and of a command that a script started in the background."""
    before = signal.signal(number, signal.SIG_IGN)
    try:
        with ended_by_signals() as ending:
            signal.raise_signal(number)
            ending.check()
            assert signal.getsignal(number) == signal.SIG_IGN
        assert signal.getsignal(number) == signal.SIG_IGN
    finally:
        signal.signal(number, before)
