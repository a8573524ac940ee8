"""The routes of `/v1/memory`: who gets in, what each is for, and what repeating it does."""

from __future__ import annotations

from csbond.api.route_row import READS, RouteRow
from csbond.protocol.trust.access import Access

MEMORY = "Memory"

_CREATES = (
    "With an Idempotency-Key header, or an id of the client's own, the same body is answered with the entry of the "
    "first time, and another body is refused with already_exists; without either, each call writes a new entry."
)
_EDITS = "An edit that is already made answers the entry as it is and makes no new version."
_ROWS = (
    ("POST", "/v1/memory", "Write a memory (MEM-003).", _CREATES),
    ("POST", "/v1/memory/batch", "Write up to 100 memories; the good ones are kept (MEM-003).", _CREATES),
    ("POST", "/v1/memory/search", "Search by words and by meaning (MEM-003).", READS),
    ("GET", "/v1/memory", "List memories, newest first, by tier, type, tag or source (MEM-003).", READS),
    ("GET", "/v1/memory/{id}", "Show a memory, with the whole text it belongs to (MEM-003).", READS),
    ("PUT", "/v1/memory/{id}", "Edit a memory; the version before is kept (MEM-003).", _EDITS),
    (
        "DELETE",
        "/v1/memory/{id}",
        "Delete a memory softly, with every piece of its text (MEM-005).",
        "What is deleted stays deleted, and the answer is the same.",
    ),
)

MEMORY_ROUTES = tuple(
    RouteRow(method, path, Access.OWNER, MEMORY, summary, again) for method, path, summary, again in _ROWS
)
"""In the order in which they are told."""
