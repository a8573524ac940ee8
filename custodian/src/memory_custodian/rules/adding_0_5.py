"""What `add` changes in a project of an older protocol: entries keep their old form there (§§6.1, 8.2)."""

from __future__ import annotations

from memory_custodian.rules.admission import AddRequest, check_request
from memory_custodian.rules.draws import Draws
from memory_custodian.rules.entry_forms_0_5 import render_0_5
from memory_custodian.rules.entry_writing import SizeReport, changes_with_entry, size_report
from memory_custodian.rules.file_changes import budget_results
from memory_custodian.rules.manifest import migration_notice, protocol_version_of, read_manifest
from memory_custodian.rules.plan import Plan
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.protocol import PROTOCOL_VERSION
from memory_custodian.rules.scan import scan_warnings
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.storage import storage_file

__all__ = ["plan_add_0_5"]

_NEWEST_FIRST = frozenset({"decision", "tombstone", "do-not-use", "inbox"})
_WITH_REASON = frozenset({"decision", "tombstone", "do-not-use"})


def plan_add_0_5(snapshot: Snapshot, request: AddRequest, draws: Draws) -> Plan:
    """Plan to write one entry in the form of 0.5, without ID and fields; refuses what only 0.6 has.

    Evidence is not asked for, and not recorded where it is given: the form has no place for it.
    """
    manifest = read_manifest(snapshot.require("manifest.md"))
    _check_protocol(request)
    check_request(request)
    file = storage_file(request.type, name=request.name, area=request.area, candidate=request.type == "inbox")
    text = render_0_5(request.type, request.message, request.reason, draws.today)
    changes = changes_with_entry(
        snapshot,
        file,
        text,
        f"Added {request.type} memory to {file}.",
        draws.today,
        newest_first=request.type in _NEWEST_FIRST,
    )
    is_decision = request.type == "decision"
    size = size_report(text, allow_long=request.allow_long) if is_decision else SizeReport(())
    return Plan(
        command="add",
        arguments=request.arguments,
        changes=changes,
        project_id="",
        protocol_version=protocol_version_of(manifest),
        headline=(*migration_notice(manifest, snapshot.command("migrate")), *size.headline),
        warnings=(*size.warnings, *_unrecorded(request), *scan_warnings("MESSAGE", request.message)),
        blockers=size.blockers,
        budgets=budget_results(snapshot, changes),
        context={"entry_id": None, "file": file, "type": request.type, "kind": request.type},
    )


def _check_protocol(request: AddRequest) -> None:
    given = {
        "--candidate": request.candidate,
        "--supersedes": request.supersedes is not None,
        "--subject": request.subject is not None,
        "--facet": request.facet is not None,
    }
    newer = [option for option, is_given in given.items() if is_given]
    if newer:
        raise Refused(
            f"{', '.join(newer)}: only a project of protocol {PROTOCOL_VERSION} has this; run memory-custodian migrate "
            "first"
        )


def _unrecorded(request: AddRequest) -> tuple[str, ...]:
    lost = ["--evidence"] if request.evidence else []
    lost += ["--reason"] if request.reason.strip() and request.type not in _WITH_REASON else []
    return tuple(
        f"{option} is not recorded: the old form of --type {request.type} has no place for it" for option in lost
    )
