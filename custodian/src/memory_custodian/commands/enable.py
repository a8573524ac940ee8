"""`memory-custodian enable`: makes one optional module and indexes it."""

from __future__ import annotations

import argparse

from memory_custodian.commands.arguments import add_format, add_locking, add_place
from memory_custodian.commands.mutation import Request, carry_out
from memory_custodian.commands.outcome import Outcome
from memory_custodian.files.memory_files import read_all
from memory_custodian.files.project import find_place
from memory_custodian.rules.enabling import feature_file, plan_enable
from memory_custodian.rules.problems import Refused

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "feature",
        metavar="FEATURE",
        help="preferences, changelog, rules, profiles, archive, rules/<name>, profile/<name> or area/<name>",
    )
    parser.add_argument("--force", action="store_true", help=argparse.SUPPRESS)
    add_place(parser)
    add_locking(parser)
    add_format(parser)


def run(options: argparse.Namespace) -> Outcome:
    """Make the module where it is missing; what exists is never overwritten."""
    if options.force:
        raise Refused("enable --force was removed: what exists is never overwritten; accepted: enable FEATURE")
    file = feature_file(options.feature)
    place = find_place(options.project_root, options.memory_dir)
    return carry_out(
        Request(
            command="enable",
            place=place,
            arguments={"memory_dir": place.memory_dir, "feature": file},
            build=lambda snapshot, draws: plan_enable(snapshot, options.feature, draws.today),
            reads=read_all,
            confirm="never",
            lock_timeout=options.lock_timeout,
            break_stale_lock=options.break_stale_lock,
            command_line=("enable", options.feature),
        )
    )
