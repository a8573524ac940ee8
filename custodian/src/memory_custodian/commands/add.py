"""`add`: writes one entry, with what it rests on (§6.1), and with --supersedes replaces another one (§6.2)."""

from __future__ import annotations

import argparse
from typing import Any

from memory_custodian.commands.arguments import add_confirmation, add_format, add_locking, add_place
from memory_custodian.commands.mutation import Request, carry_out
from memory_custodian.commands.outcome import Outcome
from memory_custodian.files.evidence_paths import missing_paths
from memory_custodian.files.memory_files import read_all
from memory_custodian.files.place import Place
from memory_custodian.files.project import find_place
from memory_custodian.rules.adding import plan_add
from memory_custodian.rules.admission import AddRequest, check_request
from memory_custodian.rules.budget_report import budget_report
from memory_custodian.rules.draws import Draws
from memory_custodian.rules.entry import ENTRY_TYPES, Evidence
from memory_custodian.rules.evidence import parse_evidence
from memory_custodian.rules.plan import Plan
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.scan import ALLOW_DOUBTFUL
from memory_custodian.rules.snapshot import Snapshot

__all__ = ["declare", "declare_admission", "evidence_of", "optional_words", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare message and options."""
    parser.add_argument("message", metavar="MESSAGE", help="what is to be remembered, word for word")
    parser.add_argument("--type", choices=ENTRY_TYPES, default="inbox", help="what it is (default: inbox)")
    parser.add_argument("--candidate", action="store_true", help="not confirmed yet: goes to the inbox")
    parser.add_argument("--supersedes", metavar="ENTRY_ID", help="the active entry it replaces; previewed first")
    parser.add_argument("--allow-long", action="store_true", help="take a decision over its budget")
    declare_admission(parser)
    add_place(parser)
    add_confirmation(parser)
    add_locking(parser)
    add_format(parser)


def declare_admission(parser: argparse.ArgumentParser) -> None:
    """Declare what `add` and `promote` ask alike of an entry."""
    parser.add_argument("--name", metavar="NAME", help="the rule, profile or area, for an entry of that type")
    parser.add_argument("--area", metavar="NAME", help="the area in which it holds (default: the whole project)")
    parser.add_argument("--reason", default="", metavar="TEXT", help="why; for a candidate, what would confirm it")
    parser.add_argument(
        "--evidence", action="append", default=[], metavar="EVIDENCE", help="what it rests on; repeatable"
    )
    parser.add_argument("--allow-missing-evidence", action="store_true", help="take evidence whose path does not exist")
    parser.add_argument(ALLOW_DOUBTFUL, action="store_true", help="take text that looks like a secret and holds none")
    parser.add_argument("--subject", metavar="SUBJECT_ID", help="what it is about, by ID")
    parser.add_argument("--facet", metavar="FACET", help="which side of the Subject it settles")


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
            command_line=("add", *_words(request, options)),
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


def evidence_of(place: Place, options: argparse.Namespace) -> tuple[tuple[Evidence, ...], tuple[str, ...]]:
    """Return the evidence that was given, and what of it names no existing file although it has to."""
    evidence = tuple(parse_evidence(text) for text in options.evidence)
    missing = missing_paths(place, evidence)
    return evidence, () if options.allow_missing_evidence else missing


def optional_words(options: argparse.Namespace, names: tuple[str, ...]) -> list[str]:
    """Return the words that give these options again; those that were not given are left out."""
    words: list[str] = []
    for name in names:
        value = getattr(options, name)
        flag = f"--{name.replace('_', '-')}"
        if value is True:
            words.append(flag)
        for one in value if isinstance(value, list) else [value] if isinstance(value, str) and value else []:
            words += [f"{flag}={one}"] if one.startswith("-") else [flag, one]
    return words


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


def _words(request: AddRequest, options: argparse.Namespace) -> list[str]:
    names = ("type", "name", "area", "reason", "evidence", "allow_missing_evidence", "supersedes", "subject", "facet")
    words = optional_words(options, (*names, "allow_long", "allow_doubtful_secret"))
    return [*words, *(["--"] if request.message.startswith("-") else []), request.message]


def _reported(outcome: Outcome, place: Place, plan: Plan, budget: tuple[str, ...]) -> Outcome:
    """Say in front what was written and where, and behind what is left of the budget."""
    written: list[Any] = outcome.data["written"]
    head = [f"Added {plan.context['kind']} memory to {place.memory}/{plan.context['file']}"]
    manifest = f"{place.memory_dir}/manifest.md"
    if manifest in written:
        head.append(f"Indexed optional memory in {place.memory}/manifest.md")
    return outcome._replace(lines=(*head, *outcome.lines, *budget), data={**outcome.data, "budget": list(budget)})
