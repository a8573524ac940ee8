"""The JSON schemas of what the routes of snapshots take and give (MEM-006 §6.1)."""

from __future__ import annotations

from csbond.api.memory_filter import SEARCH_FILTER
from csbond.api.schema_parts import COUNT, CURSOR, TEXT, TIME, TRUTH, Schema, list_of, named, object_of
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.snapshot import DESCRIPTION_MAX


def _saying(schema: Schema, description: str) -> Schema:
    return {**schema, "description": description}


_LEVELS = object_of({level.value: COUNT for level in Level})
_SUM: Schema = {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}
_ALL: Schema = _saying(COUNT, "How many there are on all pages.")
_IDS = list_of(TEXT)
_OF_FILE: dict[str, Schema] = {
    "totalCount": COUNT,
    "levels": _LEVELS,
    "checksum": _saying(_SUM, "SHA-256 of the RFC 8785 form of the memories."),
    "includes_links": TRUTH,
    "includes_embeddings": TRUTH,
    "embedding_model": _saying(TEXT, "Whose vectors it has; left out for those that clients supplied."),
}
_HEAD: dict[str, Schema] = {
    "id": TEXT,
    "created": TIME,
    "source": _saying(TEXT, "The name of the agent that made it."),
    "description": TEXT,
    **_OF_FILE,
}
_REQUIRED = tuple(name for name in _HEAD if name != "embedding_model")
_COUNTS = object_of(
    dict.fromkeys(("loaded", "same", "replaced", "conflicts", "deleted_here", "outlived", "unresolved_links"), COUNT)
)
_DOCUMENT = object_of(
    {
        "snapshot": object_of(
            {"version": TEXT, "created": TIME, "source": TEXT, "description": TEXT, "schema_version": TEXT, "id": TEXT},
            ("version", "schema_version"),
        ),
        "memories": list_of({"type": "object"}),
        "metadata": object_of(
            {**_OF_FILE, "file_checksum": _saying(_SUM, "SHA-256 of the RFC 8785 form of the file without it.")},
            ("totalCount", "levels", "checksum"),
        ),
    }
)
_OF_TASK = object_of(
    {
        "task_id": _saying(TEXT, "A task that brought a snapshot."),
        "part": _saying(COUNT, "Which of several it brought, from 0."),
    },
    ("task_id",),
    closed=True,
)
_FIRST = "The first of them; `counts` is whole."
_LOAD: dict[str, Schema] = {
    "id": TEXT,
    "snapshot_id": _saying(TEXT, "Empty for a file that names itself by none."),
    "agent": _saying(TEXT, "The name of the agent that made it."),
    "source": _saying(TEXT, "Where the file came from, as whoever loaded it says."),
    "checksum": _SUM,
    "loaded_at": TIME,
    "loaded_by": TEXT,
    "counts": _COUNTS,
    "conflicts": _saying(_IDS, _FIRST),
    "lenient": _saying(TRUTH, "Whether names that nobody knows were let pass."),
}

SNAPSHOT_SCHEMAS: dict[str, Schema] = {
    "Snapshot": object_of(_HEAD, _REQUIRED),
    "SnapshotWrite": object_of(
        {
            "description": {"type": "string", "maxLength": DESCRIPTION_MAX},
            "filter": _saying(object_of(dict(SEARCH_FILTER), ()), "Each part narrows; without it everything is in."),
            "embeddings": _saying({**TRUTH, "default": False}, "Whether vectors are in it."),
            "links": _saying({**TRUTH, "default": True}, "Whether links are in it."),
        },
        (),
        closed=True,
    ),
    "SnapshotPage": object_of({"snapshots": list_of(named("Snapshot")), "total": _ALL, "next_cursor": CURSOR}),
    "SnapshotDocument": _DOCUMENT,
    "SnapshotFile": {"anyOf": [named("SnapshotDocument"), _OF_TASK]},
    "SnapshotDeleted": object_of({"id": TEXT, "deleted": TRUTH}),
    "SnapshotVerified": object_of(
        {
            "valid": TRUTH,
            "snapshot": named("Snapshot"),
            "unknown": _saying(_IDS, "Names in its head that were let pass."),
        }
    ),
    "SnapshotLoaded": object_of(
        {
            "dry_run": TRUTH,
            "snapshot": named("Snapshot"),
            "counts": _COUNTS,
            "loaded": _saying(_IDS, _FIRST),
            "replaced": _saying(_IDS, _FIRST),
            "conflicts": _saying(_IDS, f"What is here with another content and stays. {_FIRST}"),
            "deleted_here": _saying(_IDS, f"What was deleted here and does not come back. {_FIRST}"),
            "outlived": _saying(
                _IDS, f"Of what was loaded, what has outlived its time to live: it is in cold. {_FIRST}"
            ),
            "unresolved_links": _saying(
                list_of(object_of({"source_id": TEXT, "target_id": TEXT})), f"Links that lead nowhere here. {_FIRST}"
            ),
            "unknown": _saying(_IDS, "Names in its head that were let pass."),
            "log_id": _saying(TEXT, "The line of the log; empty for a dry run."),
        }
    ),
    "SnapshotLog": object_of({"loads": list_of(object_of(_LOAD)), "total": _ALL, "next_cursor": CURSOR}),
}
"""By name."""
