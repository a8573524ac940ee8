"""The fixed names and numbers of Protocol 0.6 (§§1, 3)."""

from __future__ import annotations

from typing import Final

__all__ = [
    "ADMISSION_POLICY",
    "AGENT_FILES",
    "CHANGELOG",
    "CONFLICT_IDENTITY_POLICY",
    "CORE_FILES",
    "ENTRY_SCHEMA_VERSION",
    "GUARDS",
    "INBOX",
    "MANIFEST",
    "METADATA_KEYS",
    "MODULE_FOLDERS",
    "PROTOCOL_VERSION",
    "REDACTED",
    "REGISTRY",
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

MANIFEST: Final = "manifest.md"
REGISTRY: Final = "subjects.md"
"""The only file in which a Subject is defined."""
GUARDS: Final = "do-not-use.md"
"""Where tombstones lie."""
INBOX: Final = "inbox.md"
CHANGELOG: Final = "changelog.md"

CORE_FILES: Final = (
    MANIFEST,
    REGISTRY,
    "brief.md",
    "decisions.md",
    "constraints.md",
    GUARDS,
    INBOX,
)
MODULE_FOLDERS: Final = ("rules", "profiles", "areas")
"""The folders of optional modules, one file each."""

AGENT_FILES: Final = {"codex": "AGENTS.md", "claude": "CLAUDE.md", "gemini": "GEMINI.md"}
"""The file of the project that each kind of agent reads first."""

REDACTED: Final = "[redacted]"
REMOVED: Final = "removed"
"""What a link field says when forgetting took the entry it named."""
