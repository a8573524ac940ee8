"""`check`: judge the memory and change nothing; exit code 1 where something fails."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from memory_custodian.commands.arguments import add_format, add_place
from memory_custodian.commands.outcome import Outcome
from memory_custodian.files.blocking import what_blocks
from memory_custodian.files.journal import unfinished_files
from memory_custodian.files.memory_files import read_what_reads
from memory_custodian.files.project import find_place
from memory_custodian.rules.check_report import Report, report_data, report_lines
from memory_custodian.rules.checks import blocked_issues, check_all, unfinished_issues, unreadable_issues
from memory_custodian.rules.coverage import coverage_of
from memory_custodian.rules.finding import Issue
from memory_custodian.rules.manifest import project_id_of, read_manifest
from memory_custodian.rules.memory_index import index_of
from memory_custodian.rules.scan import scan

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `check`."""
    parser.add_argument("--privacy", action="store_true", help="say where something looks private, redacted")
    parser.add_argument("--security", action="store_true", help="say where something looks like a secret, redacted")
    add_place(parser)
    add_format(parser)


def run(options: argparse.Namespace) -> Outcome:
    """Read everything that can be read, and report; a file that cannot be read is an issue of its own."""
    place = find_place(options.project_root, options.memory_dir)
    snapshot, faults = read_what_reads(place)
    index = index_of(snapshot)
    manifest = read_manifest(snapshot.texts.get("manifest.md", ""))
    findings = tuple(finding for file, text in snapshot.texts.items() for finding in scan(file, text))
    issues = [issue for issue in check_all(snapshot, index, manifest, findings) if not _is_unread(issue, faults)]
    placed = {category for category in ("security", "privacy") if getattr(options, category)}
    hindered = (
        *unfinished_issues(unfinished_files(place), place.options),
        *blocked_issues(what_blocks(place, project_id_of(manifest))),
    )
    report = Report(
        (*unreadable_issues(faults), *issues, *hindered), coverage_of(snapshot, index), findings, placed, place.options
    )
    return Outcome(tuple(report_lines(report)), report_data(report), 0 if report.well else 1)


def _is_unread(issue: Issue, faults: Mapping[str, str]) -> bool:
    """Whether it calls a file missing that is there and cannot be read, or lies in a folder that cannot."""
    if issue.code not in {"file-missing", "route-missing", "module-absent"}:
        return False
    return issue.file in faults or any(issue.file.startswith(f"{file.rstrip('/')}/") for file in faults)
