"""`memory-custodian read`: the memory that a task needs (§§3.1, 5.3, 11.3). It writes nothing and loads no writer."""

from __future__ import annotations

import argparse

from memory_custodian.commands.arguments import add_format, add_place
from memory_custodian.commands.outcome import Outcome
from memory_custodian.files.memory_files import read_some
from memory_custodian.files.project import find_place
from memory_custodian.rules.manifest import protocol_state, protocol_version_of, read_manifest, require_readable
from memory_custodian.rules.pack_text import pack_data, pack_lines
from memory_custodian.rules.packing import pack
from memory_custodian.rules.route import TASKS
from memory_custodian.rules.routing import route

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_place(parser)
    parser.add_argument(
        "--task", choices=TASKS, default="default", metavar="TASK", help=f"one of {', '.join(TASKS)} (default: default)"
    )
    parser.add_argument("--profile", action="append", default=[], metavar="NAME", help="also load profiles/NAME.md")
    parser.add_argument("--area", action="append", default=[], metavar="NAME", help="also load areas/NAME.md")
    parser.add_argument("--names-only", action="store_true", help="say what would be loaded, without the texts")
    add_format(parser)


def run(options: argparse.Namespace) -> Outcome:
    """Print the pack; exit code 1 where a required file is missing or nothing is loaded."""
    place = find_place(options.project_root, options.memory_dir)
    manifest = read_manifest(read_some(place, ["manifest.md"]).require("manifest.md"))
    require_readable(manifest)
    category = TASKS[options.task]
    routes = route(manifest, category, options.profile, options.area, place.memory_dir)
    snapshot = read_some(place, [asked.file for asked in routes])
    state = protocol_state(manifest)
    found = pack(options.task, category, routes, snapshot, current=state == "current")
    states = {module.state for module in found.modules}
    data = pack_data(found, options.names_only) if options.format == "json" else {}
    data["protocol"] = {"version": protocol_version_of(manifest) or None, "state": state}
    code = 0 if "loaded" in states and "missing" not in states else 1
    return Outcome(tuple(pack_lines(found, options.names_only)), data, code)
