"""`compact`: clean the inbox, or move the oldest entries of a file to the archive, previewed first."""

from __future__ import annotations

import argparse

from memory_custodian.commands.arguments import add_confirmation, add_format, add_locking, add_place
from memory_custodian.commands.mutation import Request, carry_out
from memory_custodian.commands.outcome import Outcome
from memory_custodian.files.memory_files import read_all
from memory_custodian.files.project import find_place
from memory_custodian.rules.compaction import ARCHIVE_OLDEST, plan_target
from memory_custodian.rules.draws import Draws
from memory_custodian.rules.inbox_cleanup import plan_inbox
from memory_custodian.rules.plan import Plan
from memory_custodian.rules.snapshot import Snapshot

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `compact`."""
    parser.add_argument("--target", metavar="FILE", help="the memory file to bring within its budget; else the inbox")
    parser.add_argument(ARCHIVE_OLDEST, action="store_true", help="agree that the oldest decisions are archived")
    add_place(parser)
    add_confirmation(parser)
    add_locking(parser)
    add_format(parser)


def run(options: argparse.Namespace) -> Outcome:
    """Preview or make one compaction."""
    target = options.target

    def build(snapshot: Snapshot, draws: Draws) -> Plan:
        return plan_inbox(snapshot, draws) if target is None else plan_target(snapshot, target, draws)

    return carry_out(
        Request(
            command="compact",
            place=find_place(options.project_root, options.memory_dir),
            arguments={"target": target},
            build=build,
            reads=read_all,
            confirm="current-protocol",
            apply=options.apply,
            confirm_plan=options.confirm_plan,
            open_gates=frozenset({ARCHIVE_OLDEST} if options.archive_oldest else ()),
            lock_timeout=options.lock_timeout,
            break_stale_lock=options.break_stale_lock,
            command_line=("compact", *(() if target is None else ("--target", target))),
        )
    )
