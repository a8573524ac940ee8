"""What manifest.md says (§3): the metadata of the protocol, the routes of each task, and the optional modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, Literal

from memory_custodian.rules.manifest_page import (
    ALWAYS_HEADING,
    BUDGET_HEADING,
    INDEX_HEADING,
    PROTOCOL_HEADING,
    TASK_HEADINGS,
    Page,
    page_of,
)
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.protocol import (
    ADMISSION_POLICY,
    CONFLICT_IDENTITY_POLICY,
    ENTRY_SCHEMA_VERSION,
    METADATA_KEYS,
    MODULE_FOLDERS,
    PROTOCOL_VERSION,
    REGISTRY,
    SUBJECT_SCHEMA_VERSION,
)
from memory_custodian.rules.route import Category
from memory_custodian.rules.value import Value

__all__ = [
    "FIXED_VALUES",
    "Manifest",
    "ProtocolState",
    "RouteFault",
    "RouteLine",
    "StatedBudget",
    "metadata_line",
    "migration_notice",
    "module_path",
    "precedes",
    "project_id_of",
    "protocol_state",
    "protocol_version_of",
    "read_manifest",
    "require_current",
    "require_readable",
    "require_writable",
    "valid_project_id",
]

ProtocolState = Literal["current", "older", "newer", "invalid", "missing"]

FIXED_VALUES: Final = {
    "entry_schema_version": ENTRY_SCHEMA_VERSION,
    "subject_schema_version": SUBJECT_SCHEMA_VERSION,
    "subject_registry": REGISTRY,
    "admission_policy": ADMISSION_POLICY,
    "conflict_identity_policy": CONFLICT_IDENTITY_POLICY,
}
"""The metadata that has one accepted value in protocol 0.6."""

_MODULE_FOLDERS: Final = tuple(f"{folder}/" for folder in MODULE_FOLDERS)
_BUDGETED: Final = (
    "brief.md",
    "decisions.md",
    "constraints.md",
    "do-not-use.md",
    "preferences.md",
    "changelog.md",
    *_MODULE_FOLDERS,
)
_PROJECT_ID: Final = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
_LETTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")


class RouteLine(Value):
    """One file that a route names."""

    path: str
    """Normalised, in the memory directory."""
    required: bool
    line: int
    """From 1."""


class RouteFault(Value):
    """What is wrong with the route of a category."""

    category: Category
    code: str
    message: str
    line: int
    fatal: bool
    """Whether the category cannot be read; otherwise only `check` reports it."""


class StatedBudget(Value):
    """A number that the section Context budget gives. It decides nothing: `rules/budgets.py` does."""

    file: str
    """A file, or a folder with its slash."""
    tokens: int
    line: int


class Manifest(Value):
    """A manifest, read leniently: what is wrong with it is a value too."""

    metadata: tuple[tuple[str, str], ...]
    """Every bullet of the metadata in file order, repeated and unknown keys too."""
    always: tuple[RouteLine, ...]
    tasks: Mapping[Category, tuple[RouteLine, ...]]
    indexed: tuple[str, ...]
    """The optional modules that are enabled."""
    faults: tuple[RouteFault, ...]
    budgets: tuple[StatedBudget, ...] = ()

    def value(self, key: str) -> str:
        """Return the first value of a metadata key; empty where it is absent."""
        return next((value for name, value in self.metadata if name == key), "")


@lru_cache(maxsize=4)
def read_manifest(text: str) -> Manifest:
    """Return what a manifest says (§3). Never refuses: `faults` has what is broken in its routes."""
    page = page_of(text)
    faults: list[RouteFault] = []
    return Manifest(
        metadata=tuple(_metadata(page)),
        always=_always(page, faults),
        tasks={category: _task(category, page, faults) for category in TASK_HEADINGS},
        indexed=_indexed(page),
        faults=tuple(faults),
        budgets=tuple(_budgets(page)),
    )


def module_path(text: str) -> str | None:
    """Return a path in the memory directory in its one spelling; None where it is not a safe path of a Markdown file.

    Safe is a relative POSIX path that ends in .md, without `..`, without a backslash, and without a colon in its first
    segment, which would be a drive or a scheme. `.` and empty segments are dropped, the same on every system.
    """
    segments = text.split("/")
    unsafe = "\\" in text or not segments[0] or ":" in segments[0] or ".." in segments or not text.isprintable()
    kept = [segment for segment in segments if segment not in {"", "."}]
    if unsafe or not kept or not text.endswith(".md") or kept[-1] == ".md":
        return None
    return "/".join(kept)


def valid_project_id(text: str) -> bool:
    """Whether a project_id is a UUIDv4 in its canonical spelling (§3)."""
    import re

    return re.fullmatch(_PROJECT_ID, text) is not None


def project_id_of(manifest: Manifest) -> str | None:
    """Return the project_id; None unless there is exactly one and it is valid."""
    values = [value for key, value in manifest.metadata if key == "project_id"]
    return values[0] if len(values) == 1 and valid_project_id(values[0]) else None


def protocol_version_of(manifest: Manifest) -> str:
    """Return the protocol_version as it stands; empty where there is none."""
    return manifest.value("protocol_version")


def protocol_state(manifest: Manifest) -> ProtocolState:
    """Return how the protocol of a project stands to the one this version writes."""
    version = protocol_version_of(manifest)
    if not version:
        return "missing"
    number, own = _numbers(version), _numbers(PROTOCOL_VERSION)
    if number is None or own is None:
        return "invalid"
    if number == own:
        return "current"
    return "older" if number < own else "newer"


def precedes(manifest: Manifest, version: str) -> bool:
    """Whether the protocol of a project is older than a version; one that names none is older than any."""
    stated, other = protocol_version_of(manifest), _numbers(version)
    number = _numbers(stated)
    return not stated or (number is not None and other is not None and number < other)


def metadata_line(line: str) -> tuple[str, str] | None:
    """Return key and value of a bullet of the metadata, as `- project_id: …`; None for any other line."""
    bullet = line.lstrip(" ")
    key, colon, value = bullet[2:].partition(":")
    written = colon and bullet.startswith("- ") and len(line) - len(bullet) <= 3
    return (key, value.strip()) if written and key and _LETTERS.issuperset(key) else None


def require_readable(manifest: Manifest) -> None:
    """Refuse a protocol that is newer, whose routes may mean something else, or no version at all."""
    state, version = protocol_state(manifest), _shown(protocol_version_of(manifest))
    if state == "newer":
        raise Refused(
            f"manifest.md: protocol_version {version} is newer than this CLI supports; "
            f"accepted: up to {PROTOCOL_VERSION}, so update memory-custodian"
        )
    if state == "invalid":
        raise Refused(f"manifest.md: invalid protocol version {version}; accepted: two numbers, as {PROTOCOL_VERSION}")


def require_writable(manifest: Manifest) -> None:
    """Refuse what no writer may build on: an unreadable protocol, repeated or malformed metadata (§3).

    Missing keys pass, so that `migrate` and `init --repair` can add them.
    """
    require_readable(manifest)
    names = [key for key, _ in manifest.metadata]
    repeated = next((key for key in METADATA_KEYS if names.count(key) > 1), "")
    if repeated:
        raise Refused(f"manifest.md: {repeated} occurs {names.count(repeated)} times; accepted: one line")
    if "project_id" in names and project_id_of(manifest) is None:
        raise Refused("manifest.md: project_id is not valid; accepted: a UUIDv4 in small letters")
    if protocol_state(manifest) != "current":
        return
    for key, accepted in FIXED_VALUES.items():
        if key in names and manifest.value(key) != accepted:
            raise Refused(f"manifest.md: {key} {_shown(manifest.value(key))} is not valid; accepted: {accepted}")


def require_current(manifest: Manifest) -> None:
    """Refuse a project that is not of protocol 0.6 with all its metadata; the message names `migrate`."""
    require_writable(manifest)
    if protocol_state(manifest) != "current":
        version = protocol_version_of(manifest) or "an unnamed version"
        raise Refused(
            f"manifest.md: protocol_version is {version}; accepted: {PROTOCOL_VERSION}, "
            "so run memory-custodian migrate first"
        )
    missing = [key for key in METADATA_KEYS if not manifest.value(key)]
    if missing:
        raise Refused(f"manifest.md: {', '.join(missing)} missing; memory-custodian migrate adds what is missing")


def migration_notice(manifest: Manifest, migrate: str) -> tuple[str, ...]:
    """Return the line that every write in an older project prints, with the command to run; else nothing (§8.2)."""
    if protocol_state(manifest) not in {"older", "missing"}:
        return ()
    version = protocol_version_of(manifest) or "no protocol_version"
    return (f"Notice: this project has {version}; {migrate} previews the move to {PROTOCOL_VERSION}",)


def _numbers(version: str) -> tuple[int, int] | None:
    """Return the two numbers of a version in their plain spelling."""
    parts = version.split(".")
    plain = [part for part in parts if part.isascii() and part.isdigit() and len(part) < 10 and str(int(part)) == part]
    return (int(parts[0]), int(parts[1])) if len(plain) == len(parts) == 2 else None


def _shown(value: str) -> str:
    """Quote a short value. A long one is no version, and may be something that should not be repeated."""
    return f"'{value}'" if len(value) <= 20 and value.isprintable() else "(a long value)"


def _metadata(page: Page) -> list[tuple[str, str]]:
    return [
        found
        for heading in page.places(PROTOCOL_HEADING)
        for _, line in page.content(heading, 2)
        if (found := metadata_line(line))
    ]


def _always(page: Page, faults: list[RouteFault]) -> tuple[RouteLine, ...]:
    places = page.places(ALWAYS_HEADING)
    if len(places) == 1:
        return _route("general", page.content(places[0], 6), faults)
    message = f"expected exactly one 'Always load' section, found {len(places)}"
    line = places[1].line + 1 if places else 0
    faults.append(RouteFault("general", "route-heading", _said("general", message), line, fatal=True))
    return ()


def _task(category: Category, page: Page, faults: list[RouteFault]) -> tuple[RouteLine, ...]:
    heading = TASK_HEADINGS[category]
    places = page.places(heading)
    if len(places) == 1:
        return _route(category, page.content(places[0], 6), faults)
    candidates = ", ".join(f"line {place.line + 1}" for place in places) or "none"
    message = f"expected one canonical heading; candidates: {candidates}; accepted: {heading}"
    line = places[1].line + 1 if places else 0
    faults.append(RouteFault(category, "route-heading", _said(category, message), line, fatal=True))
    return ()


def _route(category: Category, content: Sequence[tuple[int, str]], faults: list[RouteFault]) -> tuple[RouteLine, ...]:
    found: list[RouteLine] = []
    required = True
    for number, raw in content:
        line = raw.strip()
        if line.casefold() in {"load:", "also load:", "load if present:"}:
            required = line.casefold() != "load if present:"
        elif line.startswith("- ") and not (named := line[2:].strip().strip("`").strip()).endswith("/"):
            path = module_path(named)
            if path:
                found.append(RouteLine(path, required, number + 1))
            else:
                message = _said(category, f"unsafe or malformed memory path {_path_shown(named)}")
                faults.append(RouteFault(category, "route-path", message, number + 1, fatal=True))
    _note_duplicates(category, found, faults)
    return tuple(found)


def _note_duplicates(category: Category, found: Sequence[RouteLine], faults: list[RouteFault]) -> None:
    paths = [line.path for line in found]
    repeated = sorted({path for path in paths if paths.count(path) > 1})
    if repeated:
        line = next(line.line for number, line in enumerate(found) if line.path in paths[:number])
        message = _said(category, f"duplicate paths: {', '.join(repeated)}")
        faults.append(RouteFault(category, "route-duplicate", message, line, fatal=False))


def _said(category: Category, message: str) -> str:
    return f"manifest.md: {category} route: {message}"


def _path_shown(path: str) -> str:
    return f"'{path}'" if len(path) <= 80 and path.isprintable() else "(not shown)"


def _indexed(page: Page) -> tuple[str, ...]:
    named = (
        module_path(found)
        for heading in page.places(INDEX_HEADING)
        for _, line in page.content(heading, 2)
        for found in line.split("`")[1::2]
        if found.startswith(_MODULE_FOLDERS)
    )
    return tuple(dict.fromkeys(path for path in named if path and not path.endswith("/README.md")))


def _budgets(page: Page) -> list[StatedBudget]:
    """Return what lines of the budget section say that name one file and one number."""
    found = []
    for heading in page.places(BUDGET_HEADING):
        for number, line in page.content(heading, 2):
            files = [file for file in _BUDGETED if file in line]
            tokens = [word for raw in line.split() if (word := raw.strip("`|*:.,;()")).isascii() and word.isdigit()]
            if len(files) == len(tokens) == 1 and len(tokens[0]) < 10:
                found.append(StatedBudget(files[0], int(tokens[0]), number + 1))
    return found
