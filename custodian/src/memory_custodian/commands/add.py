"""`add`: writes one entry, with what it rests on (§6.1), and with --supersedes replaces another one (§6.2)."""

from __future__ import annotations

import argparse
from typing import Any

from memory_custodian.commands.arguments import add_confirmation, add_format, add_locking, add_place
from memory_custodian.commands.entry_options import ENTRY_OPTIONS, add_entry, evidence_of
from memory_custodian.commands.mutation import Request, carry_out
from memory_custodian.commands.outcome import Outcome
from memory_custodian.commands.words import option_words, positional_words
from memory_custodian.files.memory_files import read_all
from memory_custodian.files.place import Place
from memory_custodian.files.project import find_place
from memory_custodian.rules.adding import plan_add
from memory_custodian.rules.admission import AddRequest, check_request
from memory_custodian.rules.budget_report import budget_report
from memory_custodian.rules.draws import Draws
from memory_custodian.rules.entry import ENTRY_TYPES
from memory_custodian.rules.plan import Plan
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.snapshot import Snapshot

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare message and options."""
    parser.add_argument("message", metavar="MESSAGE", help="what is to be remembered, word for word")
    parser.add_argument("--type", choices=ENTRY_TYPES, default="inbox", help="what it is (default: inbox)")
    parser.add_argument("--candidate", action="store_true", help="not confirmed yet: goes to the inbox")
    add_entry(parser)
    add_place(parser)
    add_confirmation(parser)
    add_locking(parser)
    add_format(parser)


def run(options: argparse.Namespace) -> Outcome:
    """Write the entry; with --supersedes preview first, and apply with the Plan ID."""
    previewed = options.supersedes is not None
    if not previewed and (options.apply or options.confirm_plan is not None):
        raise Refused("--apply and --confirm-plan go with --supersedes; an entry that replaces none is written at once")
    place = find_place(options.project_root, options.memory_dir)
    request = _request(place, options)
    seen: list[tuple[Snapshot, Plan, Draws]] = []

    def build(snapshot: Snapshot, draws: Draws) -> Plan:
        plan = plan_add(snapshot, request, draws)
        seen.append((snapshot, plan, draws))
        return plan

    outcome = carry_out(
        Request(
            command="add",
            place=place,
            arguments=request.arguments,
            build=build,
            reads=read_all,
            confirm="always" if previewed else "never",
            apply=options.apply,
            confirm_plan=options.confirm_plan,
            lock_timeout=options.lock_timeout,
            break_stale_lock=options.break_stale_lock,
            command_line=("add", *option_words(options, ("type", *ENTRY_OPTIONS)), *positional_words(request.message)),
            facts=("entry_id", "file", "type"),
        )
    )
    snapshot, plan, draws = seen[-1]
    if outcome.data["state"] == "applied":
        return _reported(outcome, place, plan, budget_report(snapshot, plan, str(plan.context["file"]), draws))
    if outcome.data["state"] == "refused" and not previewed:
        said = tuple(line for line in plan.headline if not any(made in line for made in plan.created))
        return outcome._replace(lines=(*said, *plan.blockers))
    return outcome


def _request(place: Place, options: argparse.Namespace) -> AddRequest:
    request = AddRequest(
        message=options.message,
        type=options.type,
        name=options.name,
        area=options.area,
        reason=options.reason,
        candidate=options.candidate,
        supersedes=options.supersedes,
        subject=options.subject,
        facet=options.facet,
        allow_long=options.allow_long,
        allow_doubtful=options.allow_doubtful_secret,
    )
    check_request(request)
    evidence, missing = evidence_of(place, options)
    return request._replace(evidence=evidence, missing_evidence=missing)


def _reported(outcome: Outcome, place: Place, plan: Plan, budget: tuple[str, ...]) -> Outcome:
    """Say in front what was written and where, and behind what is left of the budget."""
    written: list[Any] = outcome.data["written"]
    head = [f"Added {plan.context['kind']} memory to {place.memory}/{plan.context['file']}"]
    manifest = f"{place.memory_dir}/manifest.md"
    if manifest in written:
        head.append(f"Indexed optional memory in {place.memory}/manifest.md")
    return outcome._replace(lines=(*head, *outcome.lines, *budget), data={**outcome.data, "budget": list(budget)})
