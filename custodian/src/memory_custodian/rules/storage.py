"""In which file an entry lies, by its type and Scope, and whether one that is read lies there (§§4.2, 5.2)."""

from __future__ import annotations

from typing import Final

from memory_custodian.rules.entry import Entry

__all__ = ["expected_body", "storage_file", "storage_issue"]

_PROJECT_FILES: Final = {
    "decision": "decisions.md",
    "constraint": "constraints.md",
    "preference": "preferences.md",
    "tombstone": "do-not-use.md",
    "do-not-use": "do-not-use.md",
    "inbox": "inbox.md",
}
_FOLDERS: Final = {"rule": "rules", "profile": "profiles", "area": "areas"}

_CODES_OF_FILE: Final[dict[str, tuple[str, ...]]] = {
    "decisions.md": ("DEC",),
    "constraints.md": ("CON",),
    "preferences.md": ("PREF",),
    "do-not-use.md": ("DNU", "TOMB"),
    "inbox.md": ("INBOX",),
}
_CODES_OF_FOLDER: Final[dict[str, tuple[str, ...]]] = {
    "areas": ("AREA", "CON", "PREF", "DNU"),
    "rules": ("AREA",),
    "profiles": ("AREA",),
}
_BODIES: Final = {
    "DEC": "Decision",
    "CON": "Constraint",
    "DNU": "Rejected",
    "TOMB": "Rejected",
    "PREF": "Preference",
    "INBOX": "Statement",
}
_AREA_BODIES: Final = {"areas": "Decision", "rules": "Rule", "profiles": "Profile"}


def storage_file(entry_type: str, *, name: str | None, area: str | None, candidate: bool) -> str:
    """Return the memory file of a new entry; a name is needed for a rule, profile or area."""
    if candidate:
        return "inbox.md"
    if entry_type in _FOLDERS:
        return f"{_FOLDERS[entry_type]}/{name}.md"
    return f"areas/{area}.md" if area else _PROJECT_FILES[entry_type]


def storage_issue(entry: Entry) -> str | None:
    """Say what is wrong with the place of an entry, for its type and Scope; None where nothing is.

    What the archive holds was moved there as it was, and is not judged.
    """
    if entry.file.startswith("archive/"):
        return None
    if entry.code == "INBOX" and entry.file != "inbox.md":
        return "must be stored in inbox.md"
    folder, module = _module(entry.file)
    fitting = _CODES_OF_FOLDER.get(folder, ()) if module else _CODES_OF_FILE.get(entry.file, ())
    if not fitting:
        return f"type does not match its storage location; {entry.file} holds no entries"
    if entry.code not in fitting:
        return f"type does not match its storage location; {entry.file} accepts: {', '.join(fitting)}"
    return _scope_issue(entry, folder, module)


def expected_body(entry: Entry) -> str | None:
    """Return the label of the typed text of an entry, by its code, and for AREA by its folder; None where none fits."""
    return _BODIES.get(entry.code) or _AREA_BODIES.get(_module(entry.file)[0])


def _scope_issue(entry: Entry, folder: str, module: str) -> str | None:
    scope = entry.field("Scope")
    if folder == "areas":
        return None if scope == f"area:{module}" else f"must use Scope: area:{module}"
    if entry.file == "inbox.md" or scope == "project":
        return None
    return "must use Scope: project"


def _module(file: str) -> tuple[str, str]:
    """Return folder and name of an optional module; two empty texts for any other file."""
    folder, slash, rest = file.partition("/")
    is_module = folder in _CODES_OF_FOLDER and slash and "/" not in rest and rest != "README.md"
    return (folder, rest.removesuffix(".md")) if is_module else ("", "")
