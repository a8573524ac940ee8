from __future__ import annotations

import io
from collections import deque
from threading import Event, Thread

import pytest

from csbond.engines.embedding_frames import GREETING, LENGTH, Answer, Request

np = pytest.importorskip("numpy", reason="absent extra: semantic")
process = pytest.importorskip("csbond.engines.embedding_process", reason="absent extra: semantic")


class Input(io.RawIOBase):
    """Frames to read: the first at once, the others when it is being worked on; it ends when told to."""

    def __init__(self, *requests: Request) -> None:
        frames = [request.frame() for request in requests]
        self._reads = deque(part for frame in frames for part in (frame[: LENGTH.size], frame[LENGTH.size :]))
        self._read = 0
        self.begun, self.all_read, self.end = Event(), Event(), Event()

    def read(self, size: int = -1) -> bytes:
        if not self._reads:
            self.all_read.set()
            self.end.wait()
            return b""
        self._read += 1
        if self._read > 2:
            self.begun.wait()
        return self._reads.popleft()


class Output(io.RawIOBase):
    """Answers that were written; after a number of them the input ends."""

    def __init__(self, requests: Input, expected: int) -> None:
        self._requests, self._expected = requests, expected
        self.answers: list[Answer] = []

    def write(self, frame: bytes) -> int:  # type: ignore[override]
        self.answers.append(Answer.read(frame[4:]))
        if len(self.answers) == self._expected:
            self._requests.end.set()
        return len(frame)


class Encoder:
    """Works on when every request has been read; keeps what it was given."""

    def __init__(self, requests: Input) -> None:
        self._requests = requests
        self.given: list[list[str]] = []

    def encode(self, texts, role):
        self._requests.begun.set()
        self._requests.all_read.wait()
        self.given.append(texts)
        if "bad" in texts:
            raise ValueError("this text is bad")
        return np.ones((len(texts), 512), dtype=np.float32)


def served(*requests: Request) -> tuple[list[Answer], list[list[str]]]:
    source = Input(*requests)
    output, encoder = Output(source, 1 + len(requests)), Encoder(source)
    serving = Thread(target=process.serve, args=(encoder, source, output), daemon=True)
    serving.start()
    serving.join(30)
    assert not serving.is_alive()
    return output.answers, encoder.given


def test_the_first_answer_is_the_greeting():
    answers, given = served()
    assert (answers, given) == ([Answer(GREETING, True, b"")], [])


def test_queries_go_between_two_slices_of_a_batch_and_before_the_next_batch():
    long = "字" * process.SLICE_CHARACTERS
    answers, given = served(
        Request(1, "document", [long + "1", long + "2"]),
        Request(2, "document", ["next batch"]),
        Request(3, "query", ["a query"]),
        Request(4, "query", ["another"]),
    )
    assert [answer.number for answer in answers] == [GREETING, 3, 4, 1, 2]
    assert given == [[long + "1"], ["a query"], ["another"], [long + "2"], ["next batch"]]


def test_short_texts_are_embedded_together():
    _, given = served(Request(1, "document", ["short"] * 8))
    assert given == [["short"] * 8]


def test_a_failure_is_the_answer_of_its_request_alone():
    answers, _ = served(Request(1, "document", ["bad"]), Request(2, "document", ["good"]))
    assert answers[1] == Answer(1, False, b"ValueError: this text is bad")
    assert answers[2].good
    assert len(answers[2].payload) == 512 * 4


def test_a_request_without_texts_fails_and_does_no_harm():
    answers, _ = served(Request(1, "query", ["good"]), Request(2, "document", []))
    assert {answer.number: answer.good for answer in answers} == {GREETING: True, 1: True, 2: False}


@pytest.mark.parametrize("text", ["", "中文", "\ud800", "\0", '"\n'])
def test_a_request_is_read_as_it_was_sent(text):
    request = Request(7, "query", [text, text])
    assert Request.read(request.frame()[4:]) == request
