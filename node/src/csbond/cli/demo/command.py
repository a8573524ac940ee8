"""`csb demo`."""

from __future__ import annotations

import shlex
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from csbond.cli.demo.processes import NodeProcess, new_agent, stop_all
from csbond.cli.demo.record import StoryRecord
from csbond.cli.demo.story import QUESTION_EN, QUESTION_ZH, tell_story
from csbond.cli.demo.teller import Storyteller
from csbond.cli.endings import INTERRUPTED
from csbond.cli.options import JsonOption
from csbond.cli.output import flush, print_json

FIRST, SECOND = ("Mira", "🌊"), ("小舟", "⛵")
TITLE = (
    "Two agents talk, remember, and survive a crash",
    "两个智能体：交谈、记忆，崩溃之后仍然记得",
)
_ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def demo(
    stay: Annotated[
        bool | None,
        typer.Option("--stay/--no-stay", help="Leave the two nodes running until Ctrl-C; by default on a terminal."),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Show two agents with separate homes: they talk, remember, search in two languages, and survive kill -9.

    Everything is made in a temporary place and taken away at the end. Ends with another status than 0 when a node
    answers otherwise than it should. With --json the story is one document at its end: whether all was well, the
    agents with their addresses, and every step with what the nodes answered.

    Repeating: begins anew with fresh homes.
    """
    stays = sys.stdin is not None and sys.stdin.isatty() and not as_json if stay is None else stay
    record, teller = StoryRecord(), Storyteller()
    if not as_json:
        teller.title(TITLE)
    status = INTERRUPTED
    with _any_end_is_ctrl_c(), tempfile.TemporaryDirectory(prefix="csbond-demo-") as place:
        nodes: list[NodeProcess] = []
        try:
            nodes += [new_agent(Path(place), name, emoji) for name, emoji in (FIRST, SECOND)]
            tell_story(nodes[0], nodes[1], record if as_json else teller)
            status = 0
            _print_record(record, nodes, ok=True) if as_json else _look_further(nodes, stays, teller)
            if stays:
                signal.pause()
        except KeyboardInterrupt:
            if not as_json:
                teller.note("")
        finally:
            for number in _ENDS:
                signal.signal(number, signal.SIG_IGN)  # a second Ctrl-C must not leave a home behind
            stop_all(nodes)
            if as_json and status:
                _print_record(record, nodes, ok=False)
    if not as_json:
        teller.note("Both nodes have ended, and their homes are gone.")
    return status


def _print_record(record: StoryRecord, nodes: Sequence[NodeProcess], *, ok: bool) -> None:
    print_json(record.document(nodes, ok=ok))
    flush()


@contextmanager
def _any_end_is_ctrl_c() -> Iterator[None]:
    """Whoever ends the demonstration, or closes its terminal, ends its nodes as well."""
    before = {number: signal.getsignal(number) for number in _ENDS}
    try:
        for number in _ENDS:
            signal.signal(number, signal.default_int_handler)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _look_further(nodes: Sequence[NodeProcess], stays: bool, teller: Storyteller) -> None:
    teller.heading("Look further · 接着看")
    first, second = nodes
    csb = _typed()
    if not stays:
        teller.note(f"{first.name} was at {first.url}, {second.name} at {second.url}.")
        teller.note("To speak to them yourself, let them stay:")
        teller.commands([f"{csb} demo --stay"])
        teller.note("To give an agent of your own a home:")
        teller.commands([f"{csb} init --home ./home --name Ada", f"{csb} serve --home ./home"])
        return
    teller.note(f"{first.name} is at {first.url}, {second.name} at {second.url}.")
    teller.note("From another terminal:")
    teller.commands(
        [
            f"export CSB_HOME={first.home.path}",
            f'{csb} send {first.url} "{QUESTION_EN}"',
            f'{csb} talk {second.url} "{QUESTION_ZH}"',
            f"{csb} memory list",
            f"{csb} card {second.url}",
        ]
    )
    teller.note("Both stay until Ctrl-C; then they end, and their homes are taken away.")


def _typed() -> str:
    """The command as it was called: `csb`, or the path that leads to it."""
    called = Path(sys.argv[0])
    return shlex.quote(str(called)) if called.name == "csb" and len(called.parts) > 1 else "csb"
