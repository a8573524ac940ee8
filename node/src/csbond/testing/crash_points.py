"""Ends the process as `kill -9` would, at a named point between two statements of a commit group.

`CSB_CRASH_AT=<name>:<n>` names the point and which of its passings; the names are `before_begin`,
`after_<statement>`, `before_commit`, `after_commit`, and `any` for all of them. Only a drill calls `arm`.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping

from csbond.protocol.errors import LocalProtocolError
from csbond.store.sqlite import crash_point

VARIABLE = "CSB_CRASH_AT"
ANY = "any"


def arm(environment: Mapping[str, str] = os.environ) -> bool:
    """Set the point that the environment names; False when it names none, `setting_invalid` when it is no point."""
    wanted = environment.get(VARIABLE, "")
    if not wanted:
        return False
    name, _, number = wanted.partition(":")
    if not name or not number.isdecimal() or int(number) < 1:
        raise LocalProtocolError("setting_invalid", f"{VARIABLE} is <name>:<number>, not {wanted!r}", field=VARIABLE)
    left = int(number)

    def reached(point: str) -> None:
        nonlocal left
        if name in (ANY, point):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    crash_point.reached = reached
    return True
