"""What may be forgotten many at a time: never everything (MEM-005 §5.3)."""

from __future__ import annotations

from dataclasses import replace

from csbond.protocol.memory.entry import refused
from csbond.protocol.memory.entry_fields import CLOCK_SKEW_MS
from csbond.protocol.memory.filter import FILTERS, EntryFilter


def checked_bulk_filter(wanted: EntryFilter, now: int) -> EntryFilter:
    """The filter, when it narrows; `invalid_params` for one that fits every memory.

    The beginning of time narrows nothing, nor does a time after every memory, nor asking for the deleted instead of the
    living.
    """
    ends = wanted.until is not None and wanted.until < now + CLOCK_SKEW_MS
    narrowest = replace(wanted, deleted=False, since=wanted.since or None, until=wanted.until if ends else None)
    if narrowest == EntryFilter():
        narrowing = ", ".join(name for name in FILTERS if name != "deleted")
        raise refused("filter", f"must narrow what is forgotten; give one or more of {narrowing}")
    return wanted
