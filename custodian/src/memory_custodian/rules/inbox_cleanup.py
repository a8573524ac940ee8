"""The plan that cleans the inbox: only what needs no judgement; nothing is promoted and nothing inferred (§5.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memory_custodian.rules.archive import with_archive
from memory_custodian.rules.blocks import Block
from memory_custodian.rules.changelog import logged
from memory_custodian.rules.draws import Draws
from memory_custodian.rules.entry_text import parse_entries
from memory_custodian.rules.file_changes import budget_results, file_changes
from memory_custodian.rules.manifest import (
    migration_notice,
    project_id_of,
    protocol_version_of,
    read_manifest,
    require_writable,
)
from memory_custodian.rules.parse_blocks import parse
from memory_custodian.rules.plan import Plan
from memory_custodian.rules.protocol import GUARDS, INBOX
from memory_custodian.rules.removing import without
from memory_custodian.rules.scan import redact
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.unit_key import duplicates, unit_key

__all__ = ["plan_inbox"]


def plan_inbox(snapshot: Snapshot, draws: Draws) -> Plan:
    """Plan to drop bullets that repeat another or a tombstone word for word, and to archive promoted candidates.

    Legacy bullets are cleaned beside structured candidates too. Refuses where manifest.md or inbox.md is missing.
    """
    manifest = read_manifest(snapshot.require("manifest.md"))
    require_writable(manifest)
    text = snapshot.require(INBOX)
    blocks = parse(text)
    repeated = set(duplicates(blocks))
    rejected = _rejected(blocks, _tombstones(snapshot.texts.get(GUARDS, ""))) - repeated
    promoted = _promoted(text, blocks)
    doomed = repeated | rejected | set(promoted)
    texts: dict[str, str] = {}
    if promoted:
        texts.update(with_archive(snapshot.texts, INBOX, draws.today, [blocks[place].text for place in promoted]))
    if doomed:
        texts[INBOX] = without(text, doomed)
    note = (
        f"Cleaned inbox.md: {len(repeated | rejected)} repeated or rejected, {len(promoted)} promoted to the archive."
    )
    if doomed and "changelog.md" in snapshot.texts:
        texts["changelog.md"] = logged(snapshot.texts["changelog.md"], draws.today, note)
    changes = file_changes(snapshot, texts, {file: _summary(file, len(doomed), len(promoted)) for file in texts})
    waiting = [block for place, block in enumerate(blocks) if block.removable and place not in doomed]
    return Plan(
        command="compact",
        arguments={"target": None},
        changes=changes,
        project_id=project_id_of(manifest) or "",
        protocol_version=protocol_version_of(manifest),
        headline=(
            *migration_notice(manifest, snapshot.command("migrate")),
            "# Compaction Plan",
            f"Inbox items: {sum(block.removable for block in blocks)}",
            f"Exact duplicates removable: {len(repeated)}",
            f"Exact tombstone matches removable: {len(rejected)}",
            f"Promoted candidates to archive: {len(promoted)}",
            f"Candidates requiring Agent review: {len(waiting)}",
            *(line for number, block in enumerate(waiting, 1) for line in _shown(number, block)),
            "No semantic destinations are inferred: a person or an agent decides what becomes of each candidate.",
            *(() if doomed else ("No deterministic inbox changes to apply.",)),
        ),
        budgets=budget_results(snapshot, changes),
    )


def _tombstones(text: str) -> set[str]:
    """Return what may not come back, as it would stand in a bullet: titles, texts and bullets of do-not-use.md."""
    keys = {unit_key(block.text) for block in parse(text) if block.kind == "bullet"}
    keys |= {_title(block.label) for block in parse(text) if block.kind == "section"}
    for entry in parse_entries(GUARDS, text):
        if entry.status == "active":
            keys |= {_title(entry.title), unit_key(entry.body("Rejected"))}
    return keys - {""}


def _title(label: str) -> str:
    start, _, title = label.partition(":")
    return unit_key(title) if start.casefold() == "tombstone" else ""


def _rejected(blocks: Sequence[Block], tombstones: set[str]) -> set[int]:
    return {
        place for place, block in enumerate(blocks) if block.kind == "bullet" and unit_key(block.text) in tombstones
    }


def _promoted(text: str, blocks: Sequence[Block]) -> list[int]:
    lines = {entry.line for entry in parse_entries(INBOX, text) if entry.status == "promoted"}
    return [place for place, block in enumerate(blocks) if block.kind == "entry" and block.line in lines]


def _shown(number: int, block: Block) -> Iterator[str]:
    """Show a bullet whole, anything else by its heading; secrets are hidden."""
    first, *later = block.text.rstrip().split("\n")
    yield f"- [{number}] {redact(block.label or first)}"
    if block.kind == "bullet":
        yield from (f"      {redact(line)}" for line in later)


def _summary(file: str, removed: int, promoted: int) -> str:
    if file.startswith("archive/"):
        return "says what the archive is" if file.endswith("README.md") else f"{promoted} promoted candidate(s) added"
    return f"{removed} item(s) out" if file == INBOX else "change noted"
