"""How the run talks to a store in a process of its own: a line of JSON each way, and whatever else it prints aside."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any, TextIO

__all__ = ["Line", "answer_lines", "answer_lines_async", "own_pipe"]

Line = dict[str, Any]
Answer = Callable[[Line], Line]


def own_pipe() -> TextIO:
    """What the run reads; from now on everything that is printed goes to the error output, which is a log."""
    pipe = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return pipe


def answer_lines(answer: Answer, pipe: TextIO) -> None:
    """Answer every line until there are no more."""
    for line in sys.stdin:
        _write(pipe, answer(json.loads(line)))


async def answer_lines_async(
    answer: Callable[[Line], Awaitable[Line]], read: Callable[[], Awaitable[str]], pipe: TextIO
) -> None:
    """The same for a store that lives on an event loop."""
    while line := await read():
        _write(pipe, await answer(json.loads(line)))


def _write(pipe: TextIO, line: Line) -> None:
    pipe.write(json.dumps(line, ensure_ascii=False) + "\n")
    pipe.flush()
