"""What the node and its embedding process say to each other: frames with their length in front.

A request is JSON, an answer is its number, whether it went well, and the vectors or a reason. The
answer numbered 0 is the greeting: the model is loaded, or why not.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Role = Literal["document", "query"]

LENGTH = struct.Struct("<I")
_ANSWER = struct.Struct("<I?")
GREETING = 0


@dataclass(frozen=True, slots=True)
class Request:
    """Texts to embed in one role."""

    number: int
    role: Role
    texts: Sequence[str]

    def frame(self) -> bytes:
        """The bytes to send."""
        return _framed(json.dumps([self.number, self.role, list(self.texts)]).encode())

    @classmethod
    def read(cls, body: bytes) -> Request:
        """The request inside a frame."""
        number, role, texts = json.loads(body)
        return cls(number, role, texts)


@dataclass(frozen=True, slots=True)
class Answer:
    """The vectors of a request, one after the other, or the reason why there are none (UTF-8)."""

    number: int
    good: bool
    payload: bytes

    def frame(self) -> bytes:
        """The bytes to send."""
        return _framed(_ANSWER.pack(self.number, self.good) + self.payload)

    @classmethod
    def read(cls, body: bytes) -> Answer:
        """The answer inside a frame."""
        number, good = _ANSWER.unpack_from(body)
        return cls(number, good, body[_ANSWER.size :])

    @classmethod
    def failure(cls, number: int, error: BaseException) -> Answer:
        """The answer that something went wrong."""
        return cls(number, False, f"{type(error).__name__}: {error}".encode("utf-8", "replace"))


def _framed(body: bytes) -> bytes:
    return LENGTH.pack(len(body)) + body
