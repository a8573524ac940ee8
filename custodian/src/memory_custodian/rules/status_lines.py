"""How full and how current each memory file is (§§3, 11): the answer of `status`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from memory_custodian.rules.blocks import Block
from memory_custodian.rules.budgets import DECISION_TOKENS, INBOX_ITEMS, budget_of, budget_state, token_count
from memory_custodian.rules.decision_length import is_long_decision
from memory_custodian.rules.manifest import Manifest, protocol_state, protocol_version_of
from memory_custodian.rules.parse_blocks import parse
from memory_custodian.rules.protocol import CHANGELOG, CORE_FILES, MODULE_FOLDERS, PROTOCOL_VERSION
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.templates import is_scaffold
from memory_custodian.rules.value import Value

__all__ = ["FileStatus", "FolderStatus", "Status", "status_data", "status_lines", "status_of"]

_OPTIONAL: Final = ("preferences.md", CHANGELOG)
_FOLDERS: Final = (*MODULE_FOLDERS, "archive")
_COUNTED: Final = ("decisions.md", "do-not-use.md")


class FileStatus(Value):
    """One file."""

    file: str
    state: str
    """MISSING, NEEDS CURATION, OVER BUDGET, LONG ENTRIES, NEAR LIMIT or OK: the first that holds; or not enabled."""
    tokens: int = 0
    limit: int | None = None
    entries: int | None = None
    items: int | None = None
    hints: tuple[str, ...] = ()

    @property
    def well(self) -> bool:
        """Whether nothing has to be done about it."""
        return self.state in {"OK", "not enabled"}


class FolderStatus(Value):
    """One folder of optional modules."""

    folder: str
    enabled: bool
    files: int
    """Markdown files in it, without its README."""


class Status(Value):
    """The state of a memory."""

    manifest: Manifest
    files: tuple[FileStatus, ...]
    folders: tuple[FolderStatus, ...]

    @property
    def well(self) -> bool:
        """Whether every file is OK and the protocol is one that this version reads."""
        readable = protocol_state(self.manifest) in {"current", "older"}
        return readable and all(file.well for file in self.files)


def status_of(snapshot: Snapshot, manifest: Manifest) -> Status:
    """Return the state of each core file, of the two optional ones, and of the folders."""
    core = (
        CORE_FILES if protocol_state(manifest) == "current" else [file for file in CORE_FILES if file != "subjects.md"]
    )
    files = [_file_status(file, snapshot.texts.get(file), snapshot) for file in core]
    files += [
        _file_status(file, snapshot.texts[file], snapshot)
        if file in snapshot.texts
        else FileStatus(file, "not enabled")
        for file in _OPTIONAL
    ]
    return Status(manifest, tuple(files), tuple(_folder_status(folder, list(snapshot.texts)) for folder in _FOLDERS))


def status_lines(status: Status) -> list[str]:
    """Return one line on the protocol, then one a file and folder."""
    lines = [f"Protocol version: {_protocol(status.manifest)}"]
    lines += [_file_line(file) for file in status.files]
    return lines + [f"{folder.folder}/: {_folder_text(folder)}" for folder in status.folders]


def status_data(status: Status) -> dict[str, Any]:
    """Return the same for programs."""
    manifest = status.manifest
    return {
        "protocol": {"version": protocol_version_of(manifest) or None, "state": protocol_state(manifest)},
        "files": [{**file._asdict(), "hints": list(file.hints)} for file in status.files],
        "folders": [folder._asdict() for folder in status.folders],
    }


def _file_status(file: str, text: str | None, snapshot: Snapshot) -> FileStatus:
    limit = budget_of(file)
    if text is None:
        return FileStatus(file, "MISSING", limit=limit, hints=(f"{snapshot.command('init')} creates it",))
    blocks = parse(text)
    tokens = token_count(text)
    entries = sum(block.kind in {"entry", "section"} for block in blocks) if file in _COUNTED else None
    items = sum(block.removable for block in blocks) if file == "inbox.md" else None
    state, hints = _state(file, text, blocks, snapshot.command(f"compact --target {file}"))
    if items is not None and items > INBOX_ITEMS:
        hints = (*hints, f"{snapshot.command('compact')} previews a clean-up")
    return FileStatus(file, state, tokens, limit, entries, items, hints)


def _state(file: str, text: str, blocks: Sequence[Block], compact_command: str) -> tuple[str, tuple[str, ...]]:
    limit = budget_of(file)
    budget = budget_state(token_count(text), limit) if limit is not None else "OK"
    compact = (f"{compact_command} previews what can be done",)
    if file == "brief.md" and is_scaffold(text):
        return "NEEDS CURATION", ("replace the generated TODO lines by project facts",)
    if budget == "OVER BUDGET":
        return budget, compact
    long = sum(is_long_decision(block) for block in blocks) if file == "decisions.md" else 0
    if long:
        return "LONG ENTRIES", (f"{long} over {DECISION_TOKENS} tokens",)
    return budget, compact if budget == "NEAR LIMIT" else ()


def _folder_status(folder: str, files: Sequence[str]) -> FolderStatus:
    inside = [file for file in files if file.startswith(f"{folder}/")]
    return FolderStatus(folder, bool(inside), sum(file != f"{folder}/README.md" for file in inside))


def _protocol(manifest: Manifest) -> str:
    version = protocol_version_of(manifest)
    shown = version if len(version) <= 20 else "(a long value)"
    said = {
        "current": "(current)",
        "older": f"(migration available to {PROTOCOL_VERSION})",
        "newer": f"(newer than CLI supports {PROTOCOL_VERSION})",
        "invalid": "(invalid)",
        "missing": f"missing (migration available to {PROTOCOL_VERSION})",
    }
    return f"{shown} {said[protocol_state(manifest)]}".lstrip()


def _file_line(file: FileStatus) -> str:
    if file.state in {"MISSING", "not enabled"}:
        return ", ".join([f"{file.file}: {file.state}", *file.hints])
    size = f"{file.tokens} tokens" if file.limit is None else f"{file.tokens} tokens/{file.limit} max"
    counts = [f"{file.entries} entries"] if file.entries is not None else []
    counts += [f"{file.items} items"] if file.items is not None else []
    return ", ".join([f"{file.file}: {file.state}", size, *counts, *file.hints])


def _folder_text(folder: FolderStatus) -> str:
    if not folder.enabled:
        return "not enabled"
    return f"enabled, {folder.files} markdown file(s)" if folder.files else "enabled, empty"
