"""The verdict of `check`: every rule of a memory set, in the order in which a person would mend it (§§5, 10, 11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from memory_custodian.rules.agent_file_check import agent_file_issues
from memory_custodian.rules.entry_check import entry_issues
from memory_custodian.rules.file_check import file_issues
from memory_custodian.rules.finding import Finding, Issue
from memory_custodian.rules.manifest import Manifest, protocol_state
from memory_custodian.rules.manifest_check import manifest_issues
from memory_custodian.rules.memory_index import MemoryIndex
from memory_custodian.rules.routing import route_issues
from memory_custodian.rules.scan_privacy import MACHINE_PATH
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.subject_check import subject_issues
from memory_custodian.rules.suggestion import blocked_line, places_command, unfinished_line

__all__ = ["blocked_issues", "check_all", "unfinished_issues", "unreadable_issues"]


def check_all(
    snapshot: Snapshot, index: MemoryIndex, manifest: Manifest, findings: Sequence[Finding]
) -> tuple[Issue, ...]:
    """Return every issue; the memory is well when none is an ERROR. Nothing is changed and nothing mended (§2).

    Of a newer or invalid protocol only that is said, and what the scans found: its rules are not known.
    """
    known = protocol_state(manifest) not in {"newer", "invalid"}
    text = snapshot.texts.get("manifest.md")
    return (
        *(manifest_issues(text, manifest, snapshot.command("migrate")) if text is not None else ()),
        *(_of_known_protocol(snapshot, index, manifest) if known else ()),
        *_finding_issues(findings, snapshot.options),
        *agent_file_issues(snapshot.project_texts, snapshot.memory_dir),
    )


def unreadable_issues(faults: Mapping[str, str]) -> tuple[Issue, ...]:
    """Return the issues of files that could not be read, from the messages that name them."""
    return tuple(Issue("ERROR", "file-unreadable", file, message) for file, message in faults.items())


def unfinished_issues(files: Sequence[str], options: Sequence[str]) -> tuple[Issue, ...]:
    """Return the warning of a change that was begun, by a command that was killed or one that runs now."""
    if not files:
        return ()
    return (Issue("WARNING", "change-unfinished", files[0], unfinished_line(files, options)),)


def blocked_issues(reasons: Sequence[str]) -> tuple[Issue, ...]:
    """Return the warnings of what lets no command write: the memory itself is as it was."""
    return tuple(Issue("WARNING", "writes-blocked", "", blocked_line(reason)) for reason in reasons)


def _of_known_protocol(snapshot: Snapshot, index: MemoryIndex, manifest: Manifest) -> Iterator[Issue]:
    if "manifest.md" in snapshot.texts:
        yield from route_issues(manifest)
    yield from file_issues(snapshot, manifest)
    yield from entry_issues(snapshot, index)
    yield from subject_issues(snapshot, index)


def _finding_issues(findings: Sequence[Finding], options: Sequence[str]) -> Iterator[Issue]:
    """Fail for evident secrets by number only: the places are for those who ask for them."""
    evident = [finding for finding in findings if finding.severity == "ERROR"]
    if evident:
        files = ", ".join(dict.fromkeys(finding.file for finding in evident))
        said = f"{len(evident)} evident secret(s) in {files}; run {places_command('security', options)}"
        yield Issue("ERROR", "secret", "", said)
    for finding in findings:
        if finding.kind == MACHINE_PATH and finding.file == "preferences.md":
            said = f"preferences.md:{finding.line}: contains a machine-specific absolute path"
            yield Issue("WARNING", "preference-path", "preferences.md", said, line=finding.line)
