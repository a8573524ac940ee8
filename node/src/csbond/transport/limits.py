"""What the transport bears and which liberties it takes; every number has its unit and reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class TransportLimits:
    """Settings of the A2A side; unknown ones are refused where they are read."""

    body_bytes: int = 16 * 1024 * 1024
    """Longest request body: twice the files of one message, since JSON writes them as base64."""
    body_timeout_s: float = 30.0
    """Seconds for a whole body to arrive: a slow client must not hold a place for ever."""
    json_depth: int = 64
    """Brackets inside brackets: deeper than any real message, far from what breaks parsers."""
    json_values: int = 50_000
    """Values in one request, lists and objects counted: a table of some thousand rows. Each is work for everybody."""
    message_parts: int = 1000
    """Parts of one message, or entries of another of its lists: more than anybody writes. Each is read by itself."""
    stream_ping_s: float = 15.0
    """Seconds without an event after which a comment keeps proxies from closing the stream."""
    stream_write_timeout_s: float = 60.0
    """Seconds a reader may take no byte before its stream is cut; the task goes on."""
    lenient_version: bool = False
    """Take v1.0 calls without the header A2A-Version."""
    anonymous_lists: Literal["context", "all"] = "context"
    """Whether anybody may list all tasks of callers without a token, or only those of a context they can name."""
    required_extensions: tuple[str, ...] = ()
    """Extension URIs a caller must declare in A2A-Extensions."""
    extended_card: bool = True
    """Whether the owner is offered an extended card."""
    validate_modes: bool = False
    """Whether parts whose media type the skill does not list are refused."""
    push: bool = True
    """Whether webhooks may be set."""
