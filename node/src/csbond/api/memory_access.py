"""The routes of `/v1/memory`: who gets in, what each is for, and what repeating it does.

A named principal reads what it may hear as a viewer of the home's Space, and writes and changes what is its own as an
editor (`protocol/memory/rights.py`). What concerns the memory as a whole, erasing, rules, reviews and the archive are
for the owner alone.
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
_MOVES = (
    "A memory that is in the tier the body names stays there, and no new version is made. Without a tier each call "
    "moves it once more: with the same Idempotency-Key, or the same If-Match, a repeat does not."
)
_SNAPSHOTS = (
    "With an Idempotency-Key header the same body is answered with the snapshot of the first time, and another "
    "body is refused with already_exists; without it each call makes another snapshot."
)
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
    (
        "GET",
        "/v1/memory/stats",
        _READ,
        "Show memory in numbers: tiers, types, growth; for the owner also removals, caps and what waits (MEM-003).",
        READS,
    ),
    ("GET", "/v1/memory/network", _READ, "Show the most central memories and the links between them (MEM-003).", READS),
    ("GET", "/v1/memory/network/{id}", _READ, "Show what lies around a memory, by its links (MEM-003).", READS),
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
    ("PATCH", "/v1/memory/{id}/promote", _WRITE, "Raise a memory by a tier, or to a higher one (MEM-003).", _MOVES),
    ("PATCH", "/v1/memory/{id}/demote", _WRITE, "Lower a memory by a tier, or to a lower one (MEM-003).", _MOVES),
)
_OWNERS = (
    (
        "DELETE",
        "/v1/memory/{id}/hard",
        "Erase a memory for good, with every piece of its text (MEM-003, MEM-005).",
        "What is erased stays erased, and is answered so while a record of it is kept; then it is memory_not_found.",
    ),
    (
        "POST",
        "/v1/memory/forget",
        "Forget what a filter admits, many at a time; by itself it only tells what that is (MEM-005).",
        "What was forgotten does not fit the filter any more: a repeat is refused with version_conflict.",
    ),
    ("GET", "/v1/memory/forgetting", "Show the rules of forgetting that are in force (MEM-005).", READS),
    (
        "PUT",
        "/v1/memory/forgetting",
        "Set the rules of forgetting, as one document; what it leaves out is as preset (MEM-005).",
        "Rules that are in force already are answered as they are, and no new version is made.",
    ),
    ("POST", "/v1/memory/forgetting/preview", "List what rules would delete and archive (MEM-005).", READS),
    (
        "POST",
        "/v1/memory/forgetting/apply",
        "Do what a preview listed (MEM-005).",
        "What was done is in no plan any more: a repeat is refused with version_conflict.",
    ),
    (
        "POST",
        "/v1/memory/tend",
        "Let memories rise, sink, be deleted and cleared as they are due, or see what would (MEM-004, MEM-005).",
        "As of the same time nothing is left to do: a repeat changes nothing.",
    ),
    ("GET", "/v1/memory/reviews", "List what waits for a person, and what was answered (MEM-005).", READS),
    (
        "POST",
        "/v1/memory/reviews/{id}",
        "Approve or decline what waits for a person (MEM-005).",
        "The same answer again changes nothing; another one is refused with version_conflict.",
    ),
    ("GET", "/v1/memory/archive", "List what is left of cleared memories, the latest first (MEM-004).", READS),
    ("GET", "/v1/memory/archive/{id}", "Show what is left of a cleared memory (MEM-004).", READS),
    (
        "POST",
        "/v1/memory/reindex",
        "Embed every memory anew; the status tells how far it is (MEM-002).",
        "While it is under way, it goes on and is not begun again.",
    ),
    (
        "POST",
        "/v1/memory/snapshot",
        "Make a snapshot of memories (MEM-003, MEM-006).",
        _SNAPSHOTS,
    ),
    ("GET", "/v1/memory/snapshots", "List the snapshots that were made, the latest first (MEM-003).", READS),
    ("GET", "/v1/memory/snapshot/{id}", "Show a snapshot as a file (MEM-003, MEM-006).", READS),
    (
        "DELETE",
        "/v1/memory/snapshot/{id}",
        "Delete a snapshot; the memories in it stay (MEM-006).",
        "A snapshot that is gone is answered with snapshot_not_found; nothing changes.",
    ),
    ("POST", "/v1/memory/snapshot/verify", "Verify a snapshot without loading it (MEM-006).", READS),
    (
        "POST",
        "/v1/memory/snapshot/load",
        "Load a snapshot, or one that came with a task (MEM-006).",
        "What was loaded is the same the second time: no memory changes, and the log has another line.",
    ),
    (
        "POST",
        "/v1/memory/export",
        "Export memories as documents, one a line (CSB v1.0 §1.2.4).",
        "Exports what is there then; no memory changes, and another record says so.",
    ),
    (
        "POST",
        "/v1/memory/import",
        "Import memories of another home or system, and say what became of each record (CSB v1.0 §1.2.4).",
        "What was imported is unchanged the second time, and nothing is added.",
    ),
    ("GET", "/v1/memory/vector-maps", "List the models whose vectors are kept apart, and maps from them.", READS),
    (
        "POST",
        "/v1/memory/vector-maps",
        "Fit a map from the vectors of another model to this node's (CSB v1.0 §1.2.4).",
        "Fits it anew from the memories that are there then.",
    ),
    ("GET", "/v1/memory/snapshot-log", "List the snapshots that were loaded, the latest first (MEM-006).", READS),
)

MEMORY_ROUTES = (
    *(
        RouteRow(method, path, Access.PRINCIPAL, MEMORY, summary, again, role)
        for method, path, role, summary, again in _ROWS
    ),
    *(RouteRow(method, path, Access.OWNER, MEMORY, summary, again) for method, path, summary, again in _OWNERS),
)
"""In the order in which they are told."""
