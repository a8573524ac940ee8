"""The routes of `/v1/memory`: who gets in, what each is for, and what repeating it does.

A named principal reads what it may hear as a viewer of the home's Space, and writes and changes what is its own as an
editor (`protocol/memory/rights.py`). What concerns the memory as a whole is the owner's.
"""

from __future__ import annotations

from csbond.api.route_row import READS, RouteRow
from csbond.protocol.messages.caller import Role
from csbond.protocol.trust.access import Access

MEMORY = "Memory"

_CREATES = (
    "With an Idempotency-Key header, or an id of the client's own, the same body is answered with the entry of the "
    "first time, and another body is refused with already_exists; without either, the same content in the same place "
    "answers the entry that is there."
)
_EDITS = "An edit that is already made answers the entry as it is and makes no new version."
_LINKS = "A link that is there already stays as it is, and one that is gone stays gone: no new version is made."
_LINKED = "A link that is there already is answered with 200 instead of 201, and no new version is made."
_READ, _WRITE = Role.VIEWER, Role.EDITOR

_ROWS = (
    ("POST", "/v1/memory", _WRITE, "Write a memory (MEM-003).", _CREATES),
    ("POST", "/v1/memory/batch", _WRITE, "Write up to 100 memories; the good ones are kept (MEM-003).", _CREATES),
    ("POST", "/v1/memory/link", _WRITE, "Link one memory to another (MEM-003).", _LINKED),
    ("POST", "/v1/memory/search", _READ, "Search by words and by meaning (MEM-003).", READS),
    (
        "GET",
        "/v1/memory",
        _READ,
        "List memories, newest first, narrowed by their fields, links and words; deleted ones for the owner (MEM-003).",
        READS,
    ),
    ("GET", "/v1/memory/{id}", _READ, "Show a memory, with the whole text it belongs to (MEM-003).", READS),
    ("GET", "/v1/memory/{id}/versions", _READ, "List what a memory was before, the latest first (MEM-003).", READS),
    ("PUT", "/v1/memory/{id}", _WRITE, "Edit a memory; the version before is kept (MEM-003).", _EDITS),
    (
        "DELETE",
        "/v1/memory/{id}",
        _WRITE,
        "Delete a memory softly, with every piece of its text (MEM-005).",
        "What is deleted stays deleted, and the answer is the same.",
    ),
    (
        "PATCH",
        "/v1/memory/{id}/restore",
        _WRITE,
        "Bring a softly deleted memory back, with every piece of its text and its links (MEM-005).",
        "What is there stays there, and no new version is made.",
    ),
    ("PATCH", "/v1/memory/{id}/link", _WRITE, "Add links to a memory, and take some away (MEM-003).", _LINKS),
)

_OWNERS = (
    (
        "POST",
        "/v1/memory/reindex",
        "Embed every memory anew; the status tells how far it is (MEM-002).",
        "While it is under way, it goes on and is not begun again.",
    ),
)

MEMORY_ROUTES = (
    *(
        RouteRow(method, path, Access.PRINCIPAL, MEMORY, summary, again, role)
        for method, path, role, summary, again in _ROWS
    ),
    *(RouteRow(method, path, Access.OWNER, MEMORY, summary, again) for method, path, summary, again in _OWNERS),
)
"""In the order in which they are told."""
