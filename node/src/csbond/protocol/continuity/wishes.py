"""What a message wishes: the window it is answered with, its summary, and what is kept of it (A2A-004 §4.2, §4.4).

They are keys of its metadata. What is none of the values they know is refused, for none of them has a meaning that
may be guessed; null is as if the key were left out, except for the two flags, which guard what is told on.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from csbond.protocol.continuity.summary import SummaryOptions, summary_options_from_json
from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.messages.extensions import CONTEXT_SUMMARY, MEMORY
from csbond.protocol.messages.message import Message


def check_wishes(message: Message) -> None:
    """Nothing, when each wish can be kept; else `invalid_params` with its field.

    1. `history_length` is a whole number from 0; 2. `context_summary` is a summary, or says how one is wished;
    3. `private` is true or false; 4. `remember` of the memory extension is true or false.
    """
    stated_history_length(message)
    wished_summary(message)
    _check_flag(message.metadata, "private", "metadata.private")
    hint = message.metadata.get(MEMORY, {})
    if not isinstance(hint, Mapping):
        raise _refuse(f"metadata.{MEMORY}", "must be an object")
    _check_flag(hint, "remember", f"metadata.{MEMORY}.remember")


def stated_history_length(message: Message) -> int | None:
    """How many messages of the thread its sender wants to be in mind (A2A-004 §4.2 `history_length`); None for all.

    `invalid_params` when it is no whole number from 0.
    """
    length = message.metadata.get("history_length")
    if length is None:
        return None
    number = isinstance(length, int | float) and not isinstance(length, bool) and isfinite(length)
    if not number or length < 0 or length != int(length):
        raise _refuse("metadata.history_length", "must be a whole number from 0")
    return int(length)


def wished_summary(message: Message) -> SummaryOptions | None:
    """How the summary of what lies beyond the window is wished; None when the message brings a summary of its own.

    `invalid_params` for what A2A-024 §24.1 does not list.
    """
    stated = message.metadata.get(CONTEXT_SUMMARY)
    if isinstance(stated, Mapping) and "summary" in stated:
        return None
    return summary_options_from_json({} if stated is None else stated)


def is_private(message: Message) -> bool:
    """Whether its sender marked it private; a mark that cannot be read counts as one."""
    return message.metadata.get("private", False) is not False


def _check_flag(stated: Mapping[str, Any], name: str, field: str) -> None:
    if not isinstance(stated.get(name, False), bool):
        raise _refuse(field, "must be true or false")


def _refuse(field: str, reason: str) -> RemoteProtocolError:
    return RemoteProtocolError("invalid_params", f"{field} {reason}", field=field)
