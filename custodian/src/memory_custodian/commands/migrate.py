"""`memory-custodian migrate`: brings an older project to this protocol, previewed first (§11)."""

from __future__ import annotations

import argparse

from memory_custodian import __version__
from memory_custodian.commands.arguments import add_confirmation, add_format, add_locking, add_place
from memory_custodian.commands.mutation import Request, carry_out
from memory_custodian.commands.outcome import Outcome
from memory_custodian.files.memory_files import read_all
from memory_custodian.files.project import find_place
from memory_custodian.rules.migration import migration_arguments, plan_migration

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_place(parser)
    add_confirmation(parser)
    add_locking(parser)
    add_format(parser)


def run(options: argparse.Namespace) -> Outcome:
    """Preview the migration, or make the one that was previewed."""
    place = find_place(options.project_root, options.memory_dir)
    return carry_out(
        Request(
            command="migrate",
            place=place,
            arguments=migration_arguments(place.memory_dir),
            build=lambda snapshot, draws: plan_migration(snapshot, draws, __version__),
            reads=read_all,
            confirm="always",
            apply=options.apply,
            confirm_plan=options.confirm_plan,
            lock_timeout=options.lock_timeout,
            break_stale_lock=options.break_stale_lock,
            command_line=("migrate",),
        )
    )
