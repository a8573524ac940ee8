"""The JSON schemas of exports, imports and maps between models."""

from __future__ import annotations

from csbond.api.exchange import EXPORT_PARTS
from csbond.api.memory_filter import SEARCH_FILTER
from csbond.api.schema_parts import COUNT, TEXT, TIME, TRUTH, Schema, list_of, named, object_of
from csbond.protocol.memory.interop import MODEL_MAX

_COUNTS: Schema = {"type": "object", "additionalProperties": COUNT}
_EXPORT: Schema = {
    "format": {"type": "string", "enum": ["interop", "published"], "default": "interop"},
    "filter": object_of(dict(SEARCH_FILTER), ()),
    "embeddings": {**TRUTH, "default": False, "description": "With the vectors of this node's model."},
}
_NUMBER: Schema = {"type": "number"}
_FINGERPRINT: Schema = {"type": "string", "minLength": 1, "maxLength": MODEL_MAX}

_MAP = ("fingerprint", "to_model", "from_dimension", "to_dimension", "pairs", "error", "made_at")

EXCHANGE_SCHEMAS: dict[str, Schema] = {
    "MemoryExport": object_of({name: _EXPORT[name] for name in EXPORT_PARTS}, (), closed=True),
    "MemoryExportLine": {
        "type": "object",
        "description": "A document of a memory; the last line is an `export` instead, or an `error`.",
        "properties": {
            "mem_interop": {"type": "object", "description": "A memory in the exchange format (CSB v1.0 §1.2.4)."},
            "export": object_of({"memories": COUNT, "left_out": list_of(TEXT), "lost": _COUNTS}),
            "error": {"type": "object"},
        },
    },
    "MemoryImport": {
        "description": "The source as it is, one record a line or as JSON; a folder as an object with its files."
    },
    "MemoryImportLine": {
        "type": "object",
        "description": "What became of a record; the last line is an `import` instead, or an `error` alone.",
        "properties": {
            "place": TEXT,
            "outcome": {"enum": ["stored", "pieces", "unchanged", "updated", "linked", "refused"]},
            "ids": list_of(TEXT),
            "same_key": {**TRUTH, "description": "That an earlier record of the source has the same name."},
            "error": {"type": "object"},
            "import": object_of(
                {"records": COUNT, "outcomes": _COUNTS, "links": object_of({"set": COUNT, "refused": COUNT})}
            ),
        },
    },
    "VectorMapWish": object_of({"fingerprint": _FINGERPRINT}, closed=True),
    "VectorMap": object_of(
        {
            "fingerprint": TEXT,
            "to_model": TEXT,
            "from_dimension": COUNT,
            "to_dimension": COUNT,
            "pairs": {**COUNT, "description": "Texts of which both models have a vector."},
            "error": {**_NUMBER, "description": "1 − the mean cosine on texts it was not fitted to."},
            "made_at": TIME,
            "matrix": {**TEXT, "description": "Where it is asked for: base64 of little-endian 32-bit floats."},
        },
        _MAP,
    ),
    "VectorMaps": object_of(
        {
            "models": list_of(
                object_of({"fingerprint": TEXT, "model": TEXT, "dimension": COUNT, "vectors": COUNT}),
            ),
            "maps": list_of(named("VectorMap")),
        }
    ),
}
"""By name."""
