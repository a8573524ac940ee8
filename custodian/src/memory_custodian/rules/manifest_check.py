"""What `check` finds in manifest.md beside its routes: protocol, metadata, and what every manifest mentions (§3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from memory_custodian.rules.finding import Issue, Severity
from memory_custodian.rules.manifest import FIXED_VALUES, Manifest, protocol_state, valid_project_id
from memory_custodian.rules.protocol import MANIFEST, METADATA_KEYS, PROTOCOL_VERSION
from memory_custodian.rules.trust import TRUST_HEADING

__all__ = ["manifest_issues"]

_MENTIONED: Final = ("brief.md", "do-not-use.md", "archive/", "rules/", "profiles/")


def manifest_issues(text: str, manifest: Manifest, migrate: str = "memory-custodian migrate") -> Iterator[Issue]:
    """Yield the issues of a manifest; in a project of an older protocol the hint to migrate stands for its metadata."""
    hint = f"`{migrate}` previews what brings it up to date"
    state = protocol_state(manifest)
    if state == "missing":
        yield _issue("manifest-protocol", f"missing MemoryCustodian Protocol metadata; {hint}")
    elif state == "older":
        yield _issue("manifest-protocol", f"protocol_version is older than {PROTOCOL_VERSION}; {hint}")
    elif state == "newer":
        yield _issue("manifest-protocol", f"protocol_version is newer than this CLI supports ({PROTOCOL_VERSION})")
    elif state == "invalid":
        yield _issue("manifest-protocol", f"invalid protocol version; accepted: two numbers, as {PROTOCOL_VERSION}")
    yield from _repeated(manifest)
    if state == "current":
        yield from _values(manifest, hint)
        if TRUST_HEADING not in text.split("\n"):
            yield _issue("manifest-trust", f"has no section '{TRUST_HEADING}'; {hint}", "WARNING")
    for mentioned in _MENTIONED:
        if mentioned not in text:
            yield _issue("manifest-mention", f"never mentions {mentioned}")


def _repeated(manifest: Manifest) -> Iterator[Issue]:
    names = [name for name, _ in manifest.metadata]
    for key in METADATA_KEYS:
        if names.count(key) > 1:
            yield _issue("manifest-metadata", f"{key} occurs {names.count(key)} times; accepted: one line")


def _values(manifest: Manifest, hint: str) -> Iterator[Issue]:
    for key in METADATA_KEYS:
        value = manifest.value(key)
        if not value:
            yield _issue("manifest-metadata", f"{key} is missing; {hint}")
        elif key == "project_id" and not valid_project_id(value):
            yield _issue("manifest-metadata", "project_id is not valid; accepted: a UUIDv4 in small letters")
        elif key in FIXED_VALUES and value != FIXED_VALUES[key]:
            yield _issue("manifest-metadata", f"{key} is not valid; accepted: {FIXED_VALUES[key]}")


def _issue(code: str, text: str, severity: Severity = "ERROR") -> Issue:
    return Issue(severity, code, MANIFEST, f"{MANIFEST}: {text}")
