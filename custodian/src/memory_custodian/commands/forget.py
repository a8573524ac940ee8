"""`forget`: take a topic out of the managed memory, previewed first (§10.3)."""

from __future__ import annotations

import argparse

from memory_custodian.commands.arguments import add_confirmation, add_format, add_locking, add_place
from memory_custodian.commands.mutation import Request, carry_out
from memory_custodian.commands.outcome import Outcome
from memory_custodian.files.journal import left_texts
from memory_custodian.files.memory_files import read_all
from memory_custodian.files.place import Place
from memory_custodian.files.project import find_place
from memory_custodian.rules.forgetting import BROAD_MATCH, plan_forget
from memory_custodian.rules.snapshot import Snapshot

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `forget`."""
    parser.add_argument("topic", metavar="TOPIC", help="what to forget: a literal text, whatever its case")
    parser.add_argument(
        "--mode",
        choices=("soft", "hard", "purge"),
        default="soft",
        help="soft leaves a tombstone that names the topic, hard one that does not; purge reaches the archive too",
    )
    parser.add_argument(BROAD_MATCH, action="store_true", help="agree that a short topic, or several units, match")
    add_place(parser)
    add_confirmation(parser)
    add_locking(parser)
    add_format(parser)


def run(options: argparse.Namespace) -> Outcome:
    """Preview or make the forgetting of one topic."""
    topic, mode = options.topic, options.mode
    words = ("forget", "--mode", mode, "--", topic) if topic.startswith("-") else ("forget", topic, "--mode", mode)
    return carry_out(
        Request(
            command="forget",
            place=find_place(options.project_root, options.memory_dir),
            arguments={"topic": topic, "mode": mode},
            build=lambda snapshot, draws: plan_forget(snapshot, topic, mode, draws),
            reads=_read,
            confirm="current-protocol",
            apply=options.apply,
            confirm_plan=options.confirm_plan,
            open_gates=frozenset({BROAD_MATCH} if options.allow_broad_match else ()),
            lock_timeout=options.lock_timeout,
            break_stale_lock=options.break_stale_lock,
            command_line=words,
        )
    )


def _read(place: Place) -> Snapshot:
    # First what is left: a command that runs now may put it in place, and then it is read there.
    left = left_texts(place)
    return read_all(place)._replace(set_aside=left.set_aside, unfinished=left.unfinished)
