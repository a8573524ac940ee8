"""The command `memory-custodian`: finds the verb, loads only its module, prints its outcome, and maps errors."""

from __future__ import annotations

import argparse
import errno
import gc
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Final, NoReturn, TextIO

from memory_custodian import __version__
from memory_custodian.commands.outcome import Outcome
from memory_custodian.rules.problems import Problem, of_disk
from memory_custodian.rules.value import Value

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

_ONLY_LOOK: Final = frozenset({"read", "status", "check"})
"""Verbs that write no file."""
_PIPE_CLOSED: Final = 141
_INTERRUPTED: Final = 130
"""What a shell says of a program that SIGPIPE or SIGINT ended."""


class _Verb(Value):
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
    rest = ""
    try:
        options = _parser(arguments).parse_args(arguments)
        rest = "" if options.verb in _ONLY_LOOK else "look at the files first"
        return _ended(options)
    except BrokenPipeError:
        return _PIPE_CLOSED
    except OSError as error:
        return _lost(error, rest)
    except KeyboardInterrupt:
        _say("Interrupted.")
        return _INTERRUPTED


def _ended(options: argparse.Namespace) -> int:
    try:
        outcome = _verb(options.verb).run(options)
    except Problem as problem:
        return _complain(problem, options)
    except OSError as error:
        return _complain(of_disk(error), options)
    if _is_for_programs(options):
        _print_data(outcome.data, outcome.exit_code, options)
    else:
        _print("\n".join((*outcome.earlier, *outcome.lines)))
    return outcome.exit_code


class _Parser(argparse.ArgumentParser):
    """Prints as every command does: argparse takes one stream for the other that is closed, and does not see failures.

    The parsers of verbs and actions are of this class too.
    """

    def print_help(self, file: object = None) -> None:
        _print(self.format_help().rstrip("\n"))

    def error(self, message: str) -> NoReturn:
        _say(f"{self.format_usage()}{self.prog}: error: {message}")
        self.exit(2)


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_given: object) -> None:
        _print(f"{parser.prog} {__version__}")
        parser.exit()


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
    parser = _Parser(
        prog="memory-custodian",
        formatter_class=_Formatter,
        description="Keeps the project memory of coding agents as reviewable Markdown in a repository.",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show program's version number and exit")
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


def _complain(problem: Problem, options: argparse.Namespace) -> int:
    """Say why it was not done on standard error; what belongs to that, and for programs all of it, is on the other.

    The reason comes first: it is there also where the other cannot be written.
    """
    from memory_custodian.files.project import given_options
    from memory_custodian.rules.suggestion import with_place

    message = with_place(problem.message, given_options(options.project_root, options.memory_dir))
    _say(problem.prefix + message)
    try:
        if _is_for_programs(options):
            error = {"message": message, "kind": problem.kind}
            _print_data({"error": error, **problem.shown_data}, problem.exit_code, options)
        elif problem.shown:
            _print("\n".join(problem.shown))
    except OSError as failed:
        if problem.kind != "refused" or isinstance(failed, BrokenPipeError):
            raise
        return _lost(failed, "the command was refused and wrote nothing")
    return problem.exit_code


def _is_for_programs(options: argparse.Namespace) -> bool:
    return getattr(options, "format", "text") == "json"


def _print_data(data: Mapping[str, Any], exit_code: int, options: argparse.Namespace) -> None:
    import json

    head = {"command": options.verb, "cli_version": __version__, "exit_code": exit_code}
    _print(json.dumps({**head, **data}, ensure_ascii=False, indent=2))


def _lost(error: OSError, rest: str) -> int:
    _say(f"I/O error: the output cannot be written: {error.strerror}{'; ' if rest else ''}{rest}")
    return 1


def _say(text: str) -> None:
    """Print on standard error; whoever closed that does not want to know, and a failure could be told nowhere."""
    try:
        _write(sys.stderr, text)
    except OSError:
        return


def _print(text: str) -> None:
    """Print on standard output. Raises `BrokenPipeError` where nobody reads any more, `OSError` where it fails."""
    _write(sys.stdout, text)


def _write(stream: TextIO | None, text: str) -> None:
    """Print as UTF-8 with LF on every system, so that programs read the same bytes."""
    if stream is None:
        # Python has no stream where the system has none.
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    buffer = getattr(stream, "buffer", None)
    if buffer is None:
        print(text, file=stream)
        return
    try:
        stream.flush()
        buffer.write(text.encode("utf-8", "backslashreplace") + b"\n")
        buffer.flush()
    except OSError:
        _discard(stream)
        raise


def _discard(stream: TextIO) -> None:
    """Let what could not be printed go nowhere; else Python tries it again at its end, and complains."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
