"""Ids of threads, sessions and messages as callers give them."""

from __future__ import annotations

import re

from csbond.protocol.errors import RemoteProtocolError

ID_MAX = 256
"""Code points of an id; longer ones are no ids but content."""

UNSAYABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]+")
"""Control characters, which an address cannot carry, and halves of surrogate pairs, which UTF-8 cannot say."""


def checked_id(field: str, value: object) -> str:
    """The id, so that what is kept under it can be asked for again; `invalid_params` names the field.

    1. it is a text; 2. of at most 256 characters; 3. that is not blank; 4. without control characters.
    """
    if not isinstance(value, str):
        raise _refuse(field, "must be a text")
    if len(value) > ID_MAX:
        raise _refuse(field, f"has more than {ID_MAX} characters")
    if not value.strip():
        raise _refuse(field, "must not be blank")
    if UNSAYABLE.search(value):
        raise _refuse(field, "must not hold control characters")
    return value


def _refuse(field: str, reason: str) -> RemoteProtocolError:
    return RemoteProtocolError("invalid_params", f"{field} {reason}", field=field)
