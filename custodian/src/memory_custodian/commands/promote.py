"""`promote`: makes a reviewed candidate an entry of its own, and marks the candidate (§5.3). Always previewed."""

from __future__ import annotations

import argparse

from memory_custodian.commands.arguments import add_confirmation, add_format, add_locking, add_place
from memory_custodian.commands.entry_options import ENTRY_OPTIONS, add_entry, evidence_of
from memory_custodian.commands.mutation import Request, carry_out
from memory_custodian.commands.outcome import Outcome
from memory_custodian.commands.words import option_words
from memory_custodian.files.memory_files import read_all
from memory_custodian.files.project import find_place
from memory_custodian.rules.draws import Draws
from memory_custodian.rules.entry_ids import canonical_id
from memory_custodian.rules.plan import Plan
from memory_custodian.rules.promotion import PROMOTED_TYPES, PromoteRequest, plan_promote
from memory_custodian.rules.snapshot import Snapshot

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the ID and the options."""
    parser.add_argument("entry_id", metavar="ENTRY_ID", help="the candidate in inbox.md")
    parser.add_argument("--type", choices=PROMOTED_TYPES, help="what it becomes (default: its Candidate-Type)")
    parser.add_argument("--message", metavar="TEXT", help="what it says (default: its Statement)")
    parser.add_argument("--scope", choices=("project",), help="let what was seen in an area hold in the whole project")
    add_entry(parser)
    add_place(parser)
    add_confirmation(parser)
    add_locking(parser)
    add_format(parser)


def run(options: argparse.Namespace) -> Outcome:
    """Preview the promotion, or make the one that was previewed."""
    entry_id = canonical_id(options.entry_id)
    place = find_place(options.project_root, options.memory_dir)
    evidence, missing = evidence_of(place, options)
    request = PromoteRequest(
        entry_id=entry_id,
        type=options.type,
        subject=options.subject,
        facet=options.facet,
        evidence=evidence,
        area=options.area,
        scope=options.scope,
        name=options.name,
        reason=options.reason,
        message=options.message,
        missing_evidence=missing,
        allow_doubtful=options.allow_doubtful_secret,
        supersedes=options.supersedes,
        allow_long=options.allow_long,
    )

    def build(snapshot: Snapshot, draws: Draws) -> Plan:
        return plan_promote(snapshot, request, draws)

    given = option_words(options, ("type", "message", "scope", *ENTRY_OPTIONS))
    return carry_out(
        Request(
            command="promote",
            place=place,
            arguments=request.arguments,
            build=build,
            reads=read_all,
            confirm="always",
            apply=options.apply,
            confirm_plan=options.confirm_plan,
            lock_timeout=options.lock_timeout,
            break_stale_lock=options.break_stale_lock,
            command_line=("promote", *given, entry_id),
        )
    )
