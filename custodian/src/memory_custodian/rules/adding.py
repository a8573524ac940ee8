"""What `add` changes (§§5, 6.1, 6.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memory_custodian.rules.admission import AddRequest, admit_entry
from memory_custodian.rules.draws import Draws
from memory_custodian.rules.entry import Draft
from memory_custodian.rules.entry_text import render, with_link
from memory_custodian.rules.entry_writing import Link, SizeReport, changes_with_entry, size_report
from memory_custodian.rules.file_changes import budget_results
from memory_custodian.rules.manifest import (
    project_id_of,
    protocol_state,
    protocol_version_of,
    read_manifest,
    require_current,
)
from memory_custodian.rules.memory_index import MemoryIndex, index_of
from memory_custodian.rules.ownership import wider_owner
from memory_custodian.rules.parse_blocks import parse
from memory_custodian.rules.plan import Plan
from memory_custodian.rules.scan import redact, scan_warnings
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.storage import storage_file

__all__ = ["entry_plan", "entry_warnings", "plan_add", "replaced"]


def plan_add(snapshot: Snapshot, request: AddRequest, draws: Draws) -> Plan:
    """Plan to write one entry, and with `supersedes` to mark the one it replaces, in the same plan.

    A project of an older protocol gets the entry in its own form.
    """
    manifest = read_manifest(snapshot.require("manifest.md"))
    if protocol_state(manifest) in {"older", "missing"}:
        from memory_custodian.rules.adding_0_5 import plan_add_0_5

        return plan_add_0_5(snapshot, request, draws)
    require_current(manifest)
    index = index_of(snapshot, about=[named for named in (request.subject, request.supersedes) if named])
    draft = admit_entry(request, index, draws.today, draws)
    links, said = replaced(draft, index)
    plan = entry_plan(snapshot, request, draft, draws.today, links)
    return plan._replace(
        command="add",
        arguments=request.arguments,
        headline=(*plan.headline, *said),
        warnings=(*plan.warnings, *entry_warnings(request, draft, index)),
        context={**plan.context, "supersedes": draft.supersedes},
    )


def replaced(draft: Draft, index: MemoryIndex) -> tuple[tuple[Link, ...], tuple[str, ...]]:
    """Return the link of the entry that a new one supersedes, and the line that says so; two times nothing if none."""
    old = index.entry(draft.supersedes) if draft.supersedes else None
    if old is None:
        return (), ()
    return (Link(old, "superseded", "Superseded-By", draft.id),), (f"Supersedes: {old.id} in {old.file}",)


def entry_plan(snapshot: Snapshot, request: AddRequest, draft: Draft, today: str, links: Sequence[Link]) -> Plan:
    """Return the plan that writes an admitted entry; command, arguments and further warnings are the caller's."""
    manifest = read_manifest(snapshot.require("manifest.md"))
    file = storage_file(request.type, name=request.name, area=request.area, candidate=request.is_candidate)
    text = render(draft)
    kind = f"{request.type} candidate" if request.candidate and request.type != "inbox" else request.type
    changes = changes_with_entry(snapshot, file, text, f"Added {kind} memory to {file}.", today, links=links)
    size = size_report(text, allow_long=request.allow_long) if request.limited else SizeReport(())
    return Plan(
        command="",
        arguments={},
        changes=changes,
        project_id=project_id_of(manifest) or "",
        protocol_version=protocol_version_of(manifest),
        headline=(redact(text.partition("\n")[0]).replace("##", f"New {kind}:", 1), *size.headline),
        warnings=(*size.warnings, *_going_along(snapshot, links)),
        blockers=size.blockers,
        budgets=budget_results(snapshot, changes),
        context={"entry_id": draft.id, "file": file, "type": request.type, "kind": kind},
        created=(draft.id,),
    )


def _going_along(snapshot: Snapshot, links: Sequence[Link]) -> Iterator[str]:
    """Say which bullets below a superseded entry are taken for its own from now on, as nothing sets them apart."""
    for link in links:
        if link.status != "superseded":
            continue
        text = snapshot.require(link.entry.file)
        linked = with_link(text, link.entry.id, link.status, link.field, link.value)
        block = next(block for block in parse(linked) if block.entry_id == link.entry.id)
        more = linked.count("\n") - text.count("\n")
        last = block.line + block.text.rstrip().count("\n") - more
        going = [other.line for other in parse(text) if block.line < other.line <= last]
        if going:
            yield (
                f"{link.entry.file}: what stands on lines {going[0]}–{last}, below {link.entry.id}, is superseded with "
                "it; where it is to hold on, put a heading above it first"
            )


def entry_warnings(request: AddRequest, draft: Draft, index: MemoryIndex) -> tuple[str, ...]:
    """Return what does not hinder an entry and should be looked at: doubtful words, and a wider owner (§6.3)."""
    warnings = [*scan_warnings(request.message_name, request.message), *scan_warnings("--reason", request.reason)]
    wider = wider_owner(draft, index)
    if wider:
        warnings.append(
            f"{wider.id} in {wider.file} holds for the whole project with the same Subject and Facet; the new entry is "
            "an identity of its own for its area, and no recorded exception to it"
        )
    return tuple(warnings)
