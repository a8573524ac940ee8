"""For whom a statement asks: the bindings of `{heard}` and of what begins at what somebody may be told."""

from __future__ import annotations

from typing import Any

from csbond.protocol.memory.visibility import Audience

_AFTER_ALL_TEXT = b""
"""SQLite sorts every blob after every text."""


def audience_bindings(audience: Audience) -> dict[str, Any]:
    """The bindings of `{heard}` and `{told_by}`."""
    return {
        "everything": audience.everything,
        "trusted": audience.trusted,
        "caller_key": audience.caller_key,
        "thread_id": audience.thread_id,
    }


def own_bindings(audience: Audience) -> dict[str, Any]:
    """The threads that `{own}` begins at: the one the audience is in, or all where it counts as told in any."""
    return {"first_thread": audience.thread_id, "last_thread": audience.thread_id or _AFTER_ALL_TEXT}
