"""What `check` finds in memory files apart from entries: budgets, long decisions, modules, legacy units (§11)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from memory_custodian.rules.budgets import DECISION_TOKENS, INBOX_ITEMS, budget_of, budget_state, token_count
from memory_custodian.rules.coverage import legacy_units
from memory_custodian.rules.decision_length import is_long_decision
from memory_custodian.rules.entry_text import written_size
from memory_custodian.rules.finding import Issue, Severity
from memory_custodian.rules.manifest import Manifest, protocol_state
from memory_custodian.rules.parse_blocks import parse
from memory_custodian.rules.protocol import CORE_FILES, MODULE_FOLDERS
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.templates import is_scaffold
from memory_custodian.rules.text import lines_of, unclosed_fence

__all__ = ["file_issues"]

_WITH_DECISIONS: Final = ("decisions.md", "areas/")


def file_issues(snapshot: Snapshot, manifest: Manifest) -> Iterator[Issue]:
    """Yield the issues of each file, then those of modules that the manifest does not know, or knows in vain."""
    yield from _missing(snapshot, manifest)
    if is_scaffold(snapshot.texts.get("brief.md", "")):
        yield _issue("brief.md", "brief-scaffold", "generated scaffold still needs real project facts")
    for file, text in snapshot.texts.items():
        yield from _size_issues(file, text, snapshot)
        yield from _block_issues(file, text)
    yield from _modules(snapshot, manifest)
    if protocol_state(manifest) == "current":
        yield from _legacy(snapshot)


def _missing(snapshot: Snapshot, manifest: Manifest) -> Iterator[Issue]:
    for file in CORE_FILES:
        belongs = file != "subjects.md" or protocol_state(manifest) == "current"
        if belongs and file not in snapshot.texts:
            yield _issue(file, "file-missing", f"is missing; `{snapshot.command('init')}` creates missing core files")
    lines = [*manifest.always, *(line for lines in manifest.tasks.values() for line in lines)]
    for path in dict.fromkeys(line.path for line in lines if line.required):
        if path not in snapshot.texts and path not in CORE_FILES:
            yield _issue(path, "route-missing", "is missing, and a route of manifest.md requires it")


def _size_issues(file: str, text: str, snapshot: Snapshot) -> Iterator[Issue]:
    limit = budget_of(file)
    if limit is not None:
        tokens = token_count(text)
        state = budget_state(tokens, limit)
        size = f"{tokens}/{limit} tokens"
        hint = f"`{snapshot.command(f'compact --target {file}')}` previews what can be done"
        if state == "OVER BUDGET":
            yield _issue(file, "file-budget", f"over its context budget, {size}; {hint}")
        elif state == "NEAR LIMIT":
            yield _issue(file, "file-near-limit", f"near limit, {size}; {hint}", "WARNING")
    if file == "inbox.md":
        items = sum(block.removable for block in parse(text))
        if items > INBOX_ITEMS:
            hint = f"`{snapshot.command('compact')}` lists them"
            yield _issue(file, "inbox-items", f"{items} items wait, more than {INBOX_ITEMS}; {hint}", "WARNING")


def _block_issues(file: str, text: str) -> Iterator[Issue]:
    line = unclosed_fence(lines_of(text))
    if line:
        text_of_issue = "a code fence opens and never closes, so headings and bullets below it count as such"
        yield _issue(file, "file-fence", text_of_issue, "WARNING", line)
    for block in parse(text):
        if file.startswith(_WITH_DECISIONS) and is_long_decision(block):
            size = f"{written_size(block.text)} of {DECISION_TOKENS} tokens"
            said = f"{block.entry_id or 'decision'} is too long, {size}; shorten what it says"
            yield _issue(file, "decision-long", said, line=block.line)
        if block.kind in {"section", "heading"} and block.label.upper().startswith("MC-"):
            said = "a heading begins with MC- and has no valid ID; accepted: ## MC-<TYPE>-<YYYYMMDD>-<8 hex> — <title>"
            yield _issue(file, "entry-heading", said, "WARNING", block.line)


def _modules(snapshot: Snapshot, manifest: Manifest) -> Iterator[Issue]:
    text = snapshot.texts.get("manifest.md", "")
    for folder in MODULE_FOLDERS:
        files = [file for file in snapshot.texts if file.startswith(f"{folder}/")]
        if files and f"{folder}/" not in text:
            yield _issue(f"{folder}/", "module-folder", "is there, and manifest.md never mentions it")
        for file in files:
            if file not in manifest.indexed and not file.endswith("/README.md"):
                hint = f"`{snapshot.command('init --repair')}` adds it"
                yield _issue(file, "module-index", f"exists but is missing from optional module index; {hint}", sep=" ")
    for file in manifest.indexed:
        if file not in snapshot.texts:
            yield _issue(file, "module-absent", "is in the optional module index, and does not exist", "WARNING")


def _legacy(snapshot: Snapshot) -> Iterator[Issue]:
    for file, units in legacy_units(snapshot):
        said = f"{len(units)} legacy entries remain readable; they have no ID and no Evidence"
        yield _issue(file, "entry-legacy", said, "WARNING", units[0].line)


def _issue(file: str, code: str, text: str, severity: Severity = "ERROR", line: int = 0, *, sep: str = ": ") -> Issue:
    place = f"{file}:{line}" if line else file
    return Issue(severity, code, file, f"{place}{sep}{text}", line=line)
