"""The file changes of a plan that writes one entry: target, linked entry, manifest, changelog, in this order (§6.2)."""

from __future__ import annotations

from collections.abc import Sequence

from memory_custodian.rules.budgets import DECISION_TOKENS, budget_state
from memory_custodian.rules.changelog import logged
from memory_custodian.rules.entry import Entry, Status
from memory_custodian.rules.entry_text import with_link, written_size
from memory_custodian.rules.file_changes import file_changes
from memory_custodian.rules.insertion import placed
from memory_custodian.rules.plan import FileChange
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.protocol import CHANGELOG, MANIFEST
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.value import Value

__all__ = ["Link", "SizeReport", "changes_with_entry", "size_report"]


class Link(Value):
    """An older entry that gets another Status and names the new one."""

    entry: Entry
    status: Status
    field: str
    value: str


class SizeReport(Value):
    """What is said of the length of one decision."""

    headline: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()


def changes_with_entry(
    snapshot: Snapshot,
    file: str,
    entry_text: str,
    log: str,
    today: str,
    *,
    links: Sequence[Link] = (),
    newest_first: bool = True,
) -> tuple[FileChange, ...]:
    """Return the changes that write an entry into a file, made from its template and indexed where it is missing."""
    _check_case(snapshot, file)
    texts = {file: snapshot.texts[file] if file in snapshot.texts else _new_module(file)}
    summaries = {file: "entry added", MANIFEST: f"{file} indexed", CHANGELOG: "change noted"}
    for link in links:
        linked, said = link.entry.file, f"{link.entry.id} {link.status}"
        before = texts[linked] if linked in texts else snapshot.require(linked)
        texts[linked] = with_link(before, link.entry.id, link.status, link.field, link.value)
        summaries[linked] = f"{summaries[linked]}, {said}" if linked in summaries else said
    texts[file] = placed(file, texts[file], entry_text, newest_first=newest_first)
    if "/" in file:
        from memory_custodian.rules.manifest_edit import with_module

        texts[MANIFEST] = with_module(snapshot.require(MANIFEST), file)
    if CHANGELOG in snapshot.texts:
        texts[CHANGELOG] = logged(snapshot.texts[CHANGELOG], today, log)
    return file_changes(snapshot, texts, summaries)


def _new_module(file: str) -> str:
    from memory_custodian.rules.templates import module_template

    return module_template(file)


def size_report(entry_text: str, *, allow_long: bool) -> SizeReport:
    """Judge the length of a decision by what a person wrote of it; one that is too long blocks the plan."""
    tokens = written_size(entry_text)
    said = (f"Decision entry budget: {tokens}/{DECISION_TOKENS} tokens",)
    state = budget_state(tokens, DECISION_TOKENS)
    if state == "OK":
        return SizeReport(said)
    if state == "NEAR LIMIT":
        return SizeReport(said, (f"the decision has {tokens} of {DECISION_TOKENS} tokens; keep reasons short",))
    if allow_long:
        return SizeReport(
            said, (f"explicitly allowed long decision: {tokens} tokens where {DECISION_TOKENS} are meant",)
        )
    blocker = (
        f"Not added: shorten Decision and Reason by {tokens - DECISION_TOKENS} tokens, keep details in a document and "
        "name it with --evidence doc:<path>, or give --allow-long"
    )
    return SizeReport(said, blockers=(blocker,))


def _check_case(snapshot: Snapshot, file: str) -> None:
    """Refuse a new file that some file systems would take for one that is there."""
    taken = next((other for other in snapshot.texts if other != file and other.casefold() == file.casefold()), None)
    if taken and file not in snapshot.texts:
        raise Refused(f"{file} would differ from {taken} in case only; accepted: the spelling that is there")
