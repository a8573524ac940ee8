"""The command `memory-custodian`: finds the verb, loads only its module, prints its outcome, and maps errors."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from memory_custodian import __version__
from memory_custodian.commands.outcome import Outcome
from memory_custodian.rules.problems import Problem
from memory_custodian.rules.value import NamedTuple

__all__ = ["VERBS", "main"]

VERBS = {
    "init": "make the memory of a project, or repair it",
    "status": "say how full and how current each memory file is",
    "read": "print the memory that a task needs, within its budget",
    "add": "write one entry, with what it rests on",
    "promote": "make a reviewed candidate an entry of its own",
    "subject": "list, show, add and rename what entries are about",
    "compact": "clean the inbox, or move the oldest entries of a file to the archive",
    "forget": "take a topic out of the managed memory",
    "enable": "add an optional memory module",
    "check": "judge the memory: form, evidence, links, routes, secrets",
    "migrate": "bring a project of an older protocol to this one",
}
"""Every verb and its sentence. Its module is `commands/<verb>.py`, with `declare(parser)` and `run(options)`."""


class _Verb(NamedTuple):
    declare: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], Outcome]


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code; argparse ends a usage error with 2 itself."""
    if argv is not None:
        return _run(argv)
    # A command is over before there is garbage worth looking for, and nobody needs its memory swept at its end.
    gc.disable()
    try:
        return _run(sys.argv[1:])
    finally:
        gc.freeze()


def _run(arguments: list[str]) -> int:
    options = _parser(arguments).parse_args(arguments)
    try:
        outcome = _verb(options.verb).run(options)
    except Problem as problem:
        return _complain(problem)
    except OSError as error:
        return _complain_of_disk(error)
    _print(outcome, options)
    return outcome.exit_code


class _Formatter(argparse.HelpFormatter):
    """Help as wide as the terminal, where help is printed.

    argparse makes a formatter for every option that is declared, and each would load what asks for the width.
    """

    asked = False

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=None if self.asked else 100)


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Declare the verb that is named first with its options, or all verbs by name only."""
    _Formatter.asked = not {"-h", "--help"}.isdisjoint(arguments)
    parser = argparse.ArgumentParser(
        prog="memory-custodian",
        formatter_class=_Formatter,
        description="Keeps the project memory of coding agents as reviewable Markdown in a repository.",
    )
    parser.add_argument("--version", action="version", version=f"memory-custodian {__version__}")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    named = arguments[0] if arguments and arguments[0] in VERBS else ""
    for name in [named] if named else VERBS:
        sentence = VERBS[name]
        described = sentence[0].upper() + sentence[1:] + "."
        declared = verbs.add_parser(name, help=sentence, description=described, formatter_class=_Formatter)
        if name == named:
            _verb(name).declare(declared)
    return parser


def _verb(name: str) -> _Verb:
    module = import_module(f"memory_custodian.commands.{name}")
    return _Verb(module.declare, module.run)


def _print(outcome: Outcome, options: argparse.Namespace) -> None:
    if getattr(options, "format", "text") == "json":
        import json

        head = {"command": options.verb, "cli_version": __version__, "exit_code": outcome.exit_code}
        text = json.dumps({**head, **outcome.data}, ensure_ascii=False, indent=2)
    else:
        text = "\n".join(outcome.lines)
    _write(sys.stdout, text)


def _complain(problem: Problem) -> int:
    if problem.shown:
        _write(sys.stdout, "\n".join(problem.shown))
    _write(sys.stderr, problem.prefix + problem.message)
    return problem.exit_code


def _complain_of_disk(error: OSError) -> int:
    place = f"{error.filename}: " if error.filename else ""
    _write(sys.stderr, f"I/O error: {place}{error.strerror or error}")
    return 1


def _write(stream: object, text: str) -> None:
    """Print as UTF-8 with LF on every system, so that programs read the same bytes."""
    buffer = getattr(stream, "buffer", None)
    if buffer is None:
        print(text, file=stream)  # type: ignore[call-overload]
        return
    stream.flush()  # type: ignore[attr-defined]
    buffer.write(text.encode("utf-8", "backslashreplace") + b"\n")
    buffer.flush()
