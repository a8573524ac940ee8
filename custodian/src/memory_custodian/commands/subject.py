"""`subject`: lists, shows, adds and renames what entries are about (§6.3). There is no merge."""

from __future__ import annotations

import argparse
from typing import Any

from memory_custodian.commands.arguments import add_confirmation, add_format, add_locking, add_place
from memory_custodian.commands.mutation import Build, Request, carry_out
from memory_custodian.commands.outcome import Outcome
from memory_custodian.files.evidence_paths import missing_paths
from memory_custodian.files.memory_files import read_all
from memory_custodian.files.place import Place
from memory_custodian.files.project import find_place
from memory_custodian.rules.draws import Draws
from memory_custodian.rules.evidence import parse_evidence
from memory_custodian.rules.manifest import read_manifest, require_current
from memory_custodian.rules.memory_index import MemoryIndex, index_of
from memory_custodian.rules.plan import Argument, Plan
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.scan import ALLOW_DOUBTFUL
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.subject import SUBJECT_KINDS, Subject
from memory_custodian.rules.subject_plans import (
    SubjectAdd,
    SubjectAlias,
    SubjectRename,
    listed,
    plan_subject_add,
    plan_subject_alias,
    plan_subject_rename,
    references,
    subject_named,
)

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the actions with their options."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    _action(actions, "list", "list the active Subjects", writes=False)
    show = _action(actions, "show", "show one Subject, and the entries that name it", writes=False)
    show.add_argument("subject_id", metavar="SUBJECT_ID", help="which Subject")
    add = _action(actions, "add", "make a new Subject", writes=True)
    add.add_argument("title", metavar="TITLE", help="its name, which is also its first alias")
    add.add_argument("--kind", required=True, choices=SUBJECT_KINDS, help="what it is")
    add.add_argument("--canonical-ref", default="", metavar="REF", help="its authoritative name, where it has one")
    add.add_argument("--alias", action="append", default=[], metavar="NAME", help="another name; repeatable")
    add.add_argument("--evidence", action="append", default=[], metavar="EVIDENCE", help="what it rests on; repeatable")
    add.add_argument("--allow-missing-evidence", action="store_true", help="take evidence whose path does not exist")
    rename = _action(actions, "rename", "give a Subject another title; its ID stays", writes=True)
    rename.add_argument("subject_id", metavar="SUBJECT_ID", help="which Subject")
    rename.add_argument("title", metavar="TITLE", help="the new name")
    alias = _action(actions, "add-alias", "give a Subject one more alias", writes=True)
    alias.add_argument("subject_id", metavar="SUBJECT_ID", help="which Subject")
    alias.add_argument("alias", metavar="ALIAS", help="another name of the same thing")


def run(options: argparse.Namespace) -> Outcome:
    """Do what the action says."""
    place = find_place(options.project_root, options.memory_dir)
    match options.action:
        case "list":
            return _list(place)
        case "show":
            return _show(place, options.subject_id)
        case "add":
            return _add(place, options)
        case "rename":
            return _rename(place, options)
        case _:
            return _add_alias(place, options)


def _action(actions: Any, name: str, sentence: str, *, writes: bool) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(name, help=sentence, description=sentence.capitalize() + ".")
    add_place(parser)
    if writes:
        parser.add_argument(
            ALLOW_DOUBTFUL, action="store_true", help="take text that looks like a secret and holds none"
        )
        add_confirmation(parser)
        add_locking(parser)
    add_format(parser)
    return parser


def _list(place: Place) -> Outcome:
    index = _index(place)
    subjects = [_data(subject) for subject in index.subjects if subject.active]
    return Outcome(tuple(listed(index)), {"subjects": subjects})


def _show(place: Place, subject_id: str) -> Outcome:
    index = _index(place)
    subject = subject_named(index, subject_id)
    named_by = [(entry.id, entry.file) for entry in references(subject.id, index.entries)]
    lines = [
        f"Subject ID: {subject.id}",
        f"Title: {subject.title}",
        f"Status: {subject.status}",
        f"Kind: {subject.kind}",
        f"Canonical-Ref: {subject.canonical_ref or 'none'}",
        *_listing("Aliases", subject.aliases),
        *_listing("Evidence", subject.evidence),
        *_listing("Referenced by", tuple(f"{entry_id}: {file}" for entry_id, file in named_by)),
    ]
    referenced = [{"id": entry_id, "file": file} for entry_id, file in named_by]
    return Outcome(tuple(lines), {"subject": _data(subject), "referenced_by": referenced})


def _add(place: Place, options: argparse.Namespace) -> Outcome:
    evidence = tuple(parse_evidence(text) for text in options.evidence)
    doubtful = options.allow_doubtful_secret
    request = SubjectAdd(options.title, options.kind, options.canonical_ref, tuple(options.alias), evidence, doubtful)
    missing = missing_paths(place, evidence)
    if missing and not options.allow_missing_evidence:
        raise Refused(
            f"--evidence {', '.join(missing)}: no such file in the project; accepted: an existing one, "
            "or --allow-missing-evidence"
        )
    words = ["--kind", options.kind]
    if options.canonical_ref:
        words += _option("--canonical-ref", options.canonical_ref)
    for name, values in (("--alias", options.alias), ("--evidence", options.evidence)):
        for value in values:
            words += _option(name, value)
    words += ["--allow-missing-evidence"] if missing else []

    def build(snapshot: Snapshot, draws: Draws) -> Plan:
        return plan_subject_add(snapshot, request, draws)

    return _mutate(place, options, request.arguments, build, (*words, *_positional(options.title)))


def _rename(place: Place, options: argparse.Namespace) -> Outcome:
    request = SubjectRename(options.subject_id, options.title, options.allow_doubtful_secret)

    def build(snapshot: Snapshot, draws: Draws) -> Plan:
        return plan_subject_rename(snapshot, request, draws)

    return _mutate(place, options, request.arguments, build, _positional(options.subject_id, options.title))


def _add_alias(place: Place, options: argparse.Namespace) -> Outcome:
    request = SubjectAlias(options.subject_id, options.alias, options.allow_doubtful_secret)

    def build(snapshot: Snapshot, draws: Draws) -> Plan:
        return plan_subject_alias(snapshot, request, draws)

    return _mutate(place, options, request.arguments, build, _positional(options.subject_id, options.alias))


def _mutate(
    place: Place,
    options: argparse.Namespace,
    arguments: dict[str, Argument],
    build: Build,
    words: tuple[str, ...],
) -> Outcome:
    allowed = (ALLOW_DOUBTFUL,) if options.allow_doubtful_secret else ()
    return carry_out(
        Request(
            command=f"subject {options.action}",
            place=place,
            arguments=arguments,
            build=build,
            reads=read_all,
            confirm="always",
            apply=options.apply,
            confirm_plan=options.confirm_plan,
            lock_timeout=options.lock_timeout,
            break_stale_lock=options.break_stale_lock,
            command_line=("subject", options.action, *allowed, *words),
        )
    )


def _index(place: Place) -> MemoryIndex:
    snapshot = read_all(place)
    require_current(read_manifest(snapshot.require("manifest.md")))
    snapshot.require("subjects.md")
    return index_of(snapshot)


def _listing(title: str, items: tuple[str, ...]) -> list[str]:
    return [f"{title}:", *([f"- {item}" for item in items] or ["- none"])]


def _data(subject: Subject) -> dict[str, Any]:
    return {
        "id": subject.id,
        "title": subject.title,
        "status": subject.status,
        "kind": subject.kind,
        "canonical_ref": subject.canonical_ref or None,
        "aliases": list(subject.aliases),
        "evidence": list(subject.evidence),
    }


def _positional(*words: str) -> tuple[str, ...]:
    return ("--", *words) if any(word.startswith("-") for word in words) else words


def _option(name: str, value: str) -> list[str]:
    return [f"{name}={value}"] if value.startswith("-") else [name, value]
