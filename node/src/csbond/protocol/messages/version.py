"""Which A2A version does a request ask for, and is it spoken here? (A2A v1.0.1 §3.6)"""

from __future__ import annotations

import re

from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.messages.dialects import Version

_FORM = re.compile(r"(\d{1,3})\.(\d{1,3})(?:\.\d{1,6})?")
SPOKEN = ("1.0", "0.3")


def check_version(stated: str, dialect: Version, *, lenient: bool) -> None:
    """Nothing, when the stated version (header or query, may be empty) fits the dialect of the call.

    1. empty means 0.3, and 1.0 as well where the node is lenient; 2. a patch number is ignored; 3. v1.0 calls need
    1.0; v0.3 and draft calls take 0.x and, since clients of the drafts send it, 1.0. `version_not_supported`.
    """
    if not stated:
        fits = dialect is not Version.V1_0 or lenient
        spoken = "0.3 (no A2A-Version was sent)"
    else:
        match = _FORM.fullmatch(stated.strip())
        spoken = f"{match[1]}.{match[2]}" if match else stated[:32]
        older = bool(match) and match[1] == "0" and int(match[2]) <= 6  # type: ignore[index]
        fits = spoken == "1.0" or (older and dialect is not Version.V1_0)
    if not fits:
        raise RemoteProtocolError(
            "version_not_supported",
            f"this call is not part of A2A version {spoken}",
            next_step=f"send the header A2A-Version with one of: {', '.join(SPOKEN)}",
        )
