"""`memory-custodian status`: how full and how current each memory file is."""

from __future__ import annotations

import argparse

from memory_custodian import __version__
from memory_custodian.commands.arguments import add_format, add_place
from memory_custodian.commands.outcome import Outcome
from memory_custodian.files.blocking import what_blocks
from memory_custodian.files.journal import unfinished_files
from memory_custodian.files.memory_files import read_all
from memory_custodian.files.project import find_place
from memory_custodian.rules.manifest import project_id_of, read_manifest
from memory_custodian.rules.problems import Unavailable
from memory_custodian.rules.status_lines import status_data, status_lines, status_of
from memory_custodian.rules.suggestion import blocked_line, unfinished_line

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_place(parser)
    add_format(parser)


def run(options: argparse.Namespace) -> Outcome:
    """Print one line a file; exit code 1 where one of them is not OK, or the directory is missing."""
    place = find_place(options.project_root, options.memory_dir)
    head = ("MemoryCustodian status", f"CLI version: {__version__}", f"Memory directory: {place.memory}")
    try:
        snapshot = read_all(place)
    except Unavailable as problem:
        missing = {
            "protocol": {"version": None, "state": "missing"},
            "files": [],
            "folders": [],
            "unfinished": [],
            "blocked": [],
        }
        return Outcome((*head, "Status: MISSING", problem.message), {"state": "MISSING", **missing}, 1)
    manifest = read_manifest(snapshot.texts.get("manifest.md", ""))
    status = status_of(snapshot, manifest)
    begun = unfinished_files(place)
    data = {"state": "OK" if status.well else "NOT OK", **status_data(status), "unfinished": list(begun)}
    blocked = what_blocks(place, project_id_of(manifest))
    data["blocked"] = list(blocked)
    told = (unfinished_line(begun, place.options),) if begun else ()
    return Outcome((*head, *status_lines(status), *told, *map(blocked_line, blocked)), data, 0 if status.well else 1)
