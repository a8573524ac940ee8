"""The fixed names and numbers of Protocol 0.6 (§§1, 3)."""

from __future__ import annotations

from typing import Final

__all__ = [
    "ADMISSION_POLICY",
    "CONFLICT_IDENTITY_POLICY",
    "CORE_FILES",
    "ENTRY_SCHEMA_VERSION",
    "METADATA_KEYS",
    "PROTOCOL_VERSION",
    "REDACTED",
    "REMOVED",
    "SUBJECT_SCHEMA_VERSION",
]

PROTOCOL_VERSION: Final = "0.6"
ENTRY_SCHEMA_VERSION: Final = "1"
SUBJECT_SCHEMA_VERSION: Final = "1"
ADMISSION_POLICY: Final = "evidence-required"
CONFLICT_IDENTITY_POLICY: Final = "scope-subject-facet"

METADATA_KEYS: Final = (
    "protocol_version",
    "entry_schema_version",
    "subject_schema_version",
    "subject_registry",
    "initialized_with",
    "last_migrated_with",
    "project_id",
    "admission_policy",
    "conflict_identity_policy",
)

CORE_FILES: Final = (
    "manifest.md",
    "subjects.md",
    "brief.md",
    "decisions.md",
    "constraints.md",
    "do-not-use.md",
    "inbox.md",
)

REDACTED: Final = "[redacted]"
REMOVED: Final = "removed"
"""What a link field says when forgetting took the entry it named."""
