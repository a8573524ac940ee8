"""Entry IDs and Subject IDs: their form, and a new one (§§4.1, 4.4)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from memory_custodian.rules.draws import Draws
from memory_custodian.rules.problems import Refused

__all__ = ["ENTRY_CODES", "canonical_id", "canonical_subject_id", "heading_id", "ids_in_headings", "new_id"]

ENTRY_CODES: Final = ("DEC", "CON", "DNU", "PREF", "AREA", "INBOX", "TOMB")

_CODES = "|".join(ENTRY_CODES)
_TAIL = r"-[0-9]{8}-[0-9a-f]{8}"
_FLAGS = re.IGNORECASE | re.ASCII
_HEADING = re.compile(rf"##[ ](MC-(?:{_CODES}|SUBJ){_TAIL})\s+\u2014(?:\s+(.*))?$", _FLAGS)
_ANYWHERE = re.compile(rf"(?<![\w-])MC-(?:{_CODES}|SUBJ){_TAIL}(?![\w-])", _FLAGS)
_DRAWS_BEFORE_GIVING_UP = 1000


def new_id(code: str, today: str, draws: Draws, taken: Collection[str]) -> str:
    """Return an ID of a code and a date that no heading of the memory set has; draw again until it is free."""
    for _ in range(_DRAWS_BEFORE_GIVING_UP):
        drawn = _canonical(f"MC-{code}-{today.replace('-', '')}-{draws.suffix()}")
        if drawn not in taken:
            return drawn
    raise RuntimeError(f"no free ID of {code} after {_DRAWS_BEFORE_GIVING_UP} draws")


def canonical_id(text: str) -> str:
    """Return an Entry ID as it is written: the code in capitals, the digits small. Refuse anything else.

    What was given is not repeated: it may be anything that was pasted.
    """
    if not re.fullmatch(rf"MC-(?:{_CODES}){_TAIL}", text.strip(), _FLAGS):
        raise Refused(f"not an Entry ID; accepted: MC-<TYPE>-<YYYYMMDD>-<8 hex digits>, TYPE one of {_listed()}")
    return _canonical(text.strip())


def canonical_subject_id(text: str) -> str:
    """Return a Subject ID as it is written. Refuse anything else, so a display name too: names may change."""
    if not re.fullmatch(rf"MC-SUBJ{_TAIL}", text.strip(), _FLAGS):
        raise Refused(
            "not a Subject ID; accepted: MC-SUBJ-<YYYYMMDD>-<8 hex digits>, no display name and no alias "
            "(memory-custodian subject list shows the IDs)"
        )
    return _canonical(text.strip())


def heading_id(line: str) -> tuple[str, str] | None:
    """Return ID and title of a heading of an entry or Subject; None for any other line."""
    matched = _HEADING.match(line.rstrip())
    return (_canonical(matched[1]), (matched[2] or "").strip()) if matched else None


def ids_in_headings(text: str) -> Iterator[str]:
    """Yield the first ID of each heading of any level, those in code fences too: none of them is given out again."""
    if "MC-" not in text and "mc-" not in text.lower():
        return
    for rest in f"\n{text}".split("\n#")[1:]:
        heading = rest.partition("\n")[0]
        found = _ANYWHERE.search(heading) if heading.lstrip("#").startswith((" ", "\t")) else None
        if found:
            yield _canonical(found[0])


def _canonical(text: str) -> str:
    return text[:-8].upper() + text[-8:].lower()


def _listed() -> str:
    return ", ".join(ENTRY_CODES)
