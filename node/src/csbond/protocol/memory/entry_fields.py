"""Readers of the fields of a MEM-001 entry: exactly as the schema has them, and as loosely as §1.4.2 allows."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.memory.entry import (
    EMBEDDING_MAX,
    ENTRY_TYPES,
    SOURCES,
    TAGS_MAX,
    Level,
    Visibility,
    checked_content,
    checked_tags,
    checked_text,
    refused,
)
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.project import PROJECT_MAX, folded_name
from csbond.protocol.memory.tolerance import FieldReader, whole_number

CLOCK_SKEW_MS = 5 * 60 * 1000
"""How far ahead of this node's clock a timestamp may be: as much as two hosts without time service differ."""
FLOAT_MAX = 3.4028234663852886e38
"""The largest number of 32 bits, as vectors are stored."""
COUNT_MAX = 2**53 - 1
"""The largest integer every JSON reader keeps exactly."""

ID_PATTERN = r"mem_(del_)?[0-9]{1,16}_[A-Za-z0-9]{1,64}"
"""MEM-001 §1.3 and, with `del_`, the ids that delegation gives (DEL-007)."""

_ID = re.compile(ID_PATTERN)
_WHOLE_NUMBER = re.compile(r"[0-9]{1,16}")

Value = TypeVar("Value")


def is_entry_id(value: str) -> bool:
    """Whether a text has the form of an entry's id."""
    return _ID.fullmatch(value) is not None


def checked_entry_id(value: Any) -> str:
    """An id of the form `mem_<ms>_<random>` or `mem_del_<ms>_<random>`."""
    if not isinstance(value, str) or not is_entry_id(value):
        raise refused("id", "must have the form mem_<milliseconds>_<letters and digits>")
    return value


def checked_name(name: str, value: object, longest: int) -> str:
    """A short text that is not empty, as filters use them."""
    if not isinstance(value, str) or not value.strip() or len(value) > longest:
        raise refused(name, f"must be a text of 1 to {longest} characters")
    return checked_text(name, value)


def whole_object(value: object) -> Mapping[str, Any]:
    """The body of a request as an object; `invalid_request` when it is another kind of JSON."""
    if not isinstance(value, Mapping):
        raise RemoteProtocolError("invalid_request", "the body must be a JSON object")
    return value


def choice(choices: Sequence[Value]) -> FieldReader[Value]:
    """One of some texts; loosely, in any case of letters and with white space around it."""

    def exact(name: str, value: Any) -> Value:
        for each in choices:
            if value == each:
                return each
        raise refused(name, f"must be one of {', '.join(str(each) for each in choices)}")

    def loose(name: str, value: Any) -> Value:
        return exact(name, value.strip().lower() if isinstance(value, str) else value)

    return FieldReader(exact, loose)


def level_reader(names: LevelNames) -> FieldReader[Level]:
    """A tier by the names of this home."""

    def read(_name: str, value: Any) -> Level:
        return names.level(value)

    return FieldReader(read, read)


def timestamp_reader(now: int) -> FieldReader[int]:
    """A time in milliseconds since 1970 that is not in the future; loosely, its digits as a text."""

    def exact(name: str, value: Any) -> int:
        return _not_ahead(name, _count(name, value), now)

    def loose(name: str, value: Any) -> int:
        return _not_ahead(name, _loose_count(name, value), now)

    return FieldReader(exact, loose, (int, float))


def _content(_name: str, value: Any) -> str:
    return checked_content(value)


def _loose_content(_name: str, value: Any) -> str:
    return checked_content(_as_text(value))


def _tags(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, list) and len(value) > TAGS_MAX:
        raise refused(name, f"are {len(value)}; an entry has at most {TAGS_MAX}")
    return checked_tags(value)


def _loose_tags(_name: str, value: Any) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [value]
    return checked_tags([_as_text(item) for item in items])


def _count(name: str, value: Any) -> int:
    return whole_number(name, value, COUNT_MAX)


def _loose_count(name: str, value: Any) -> int:
    if isinstance(value, str) and _WHOLE_NUMBER.fullmatch(value.strip()):
        return _count(name, int(value))
    return _count(name, value)


def _not_ahead(name: str, value: int, now: int) -> int:
    if value > now + CLOCK_SKEW_MS:
        raise refused(name, "is more than five minutes ahead of this node's clock")
    return value


def _embedding(name: str, value: Any) -> list[float]:
    if not isinstance(value, list) or not 1 <= len(value) <= EMBEDDING_MAX:
        raise refused(name, f"must be a list of 1 to {EMBEDDING_MAX} numbers")
    for number in value:
        if isinstance(number, bool) or not isinstance(number, int | float) or not abs(number) <= FLOAT_MAX:
            raise refused(name, "must hold finite numbers only")
    return value


def _loose_embedding(name: str, value: Any) -> list[float]:
    if not isinstance(value, list):
        return _embedding(name, value)
    try:
        return _embedding(name, [float(number) if isinstance(number, str) else number for number in value])
    except ValueError:
        raise refused(name, "must hold finite numbers only") from None


def _object(name: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise refused(name, "must be an object")
    return value


def _project(name: str, value: Any) -> str:
    if not isinstance(value, str) or len(value) > PROJECT_MAX or not folded_name(checked_text(name, value)):
        raise refused(name, f"must be a name of 1 to {PROJECT_MAX} characters, of which one is no gap")
    return unicodedata.normalize("NFC", value)


def _loose_project(name: str, value: Any) -> str:
    return _project(name, _as_text(value))


def _as_text(value: Any) -> Any:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


CONTENT = FieldReader(_content, _loose_content, (str,))
"""A text; loosely, a number becomes its digits."""
TAGS = FieldReader(_tags, _loose_tags, (list,))
"""A list of texts; loosely, a single text is a list of one, and a number becomes its digits."""
COUNT = FieldReader(_count, _loose_count, (int, float))
"""A whole number from 0; loosely, its digits as a text."""
EMBEDDING = FieldReader(_embedding, _loose_embedding, (list,))
"""At most 2,048 finite numbers (MEM-002 §2.1); loosely, a number may stand in a text."""
OBJECT = FieldReader(_object, _object)
"""An object."""
PROJECT = FieldReader(_project, _loose_project, (str,))
"""A project's name; loosely, a number becomes its digits."""
TYPE = choice(ENTRY_TYPES)
SOURCE = choice(SOURCES)
VISIBILITY = choice(tuple(Visibility))
