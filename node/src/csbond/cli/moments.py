"""Times as people type them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from csbond.protocol.errors import LocalProtocolError

TIME_FORMS = "2027-01-15T08:00+08:00, milliseconds since 1970, or -7d, -12h, -30m from now"
"""How a time may be typed."""

_FROM_NOW = re.compile(r"([+-][0-9]{1,6})([dhm])")
_UNITS = {"d": "days", "h": "hours", "m": "minutes"}


def milliseconds_of(name: str, text: str) -> int:
    """Milliseconds since 1970; `invalid_params` names the option for a text that is no time, or one without a zone."""
    if text.isascii() and text.isdecimal():
        return int(text)
    try:
        moment = _moment(text)
        if moment.tzinfo is None:
            raise _refused(name, text)
        return round(moment.timestamp() * 1000)
    except (ValueError, OverflowError):
        raise _refused(name, text) from None


def _moment(text: str) -> datetime:
    found = _FROM_NOW.fullmatch(text)
    if found:
        return datetime.now(UTC) + timedelta(**{_UNITS[found[2]]: int(found[1])})
    return datetime.fromisoformat(text)


def _refused(name: str, text: str) -> LocalProtocolError:
    return LocalProtocolError("invalid_params", f"{text!r} is no time: write {TIME_FORMS}", field=name)
