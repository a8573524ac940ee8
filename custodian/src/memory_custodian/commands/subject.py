"""`subject`: lists, shows, adds and renames what entries are about (§6.3). There is no merge."""

from __future__ import annotations

import argparse
from typing import Any

from memory_custodian.commands.arguments import add_confirmation, add_format, add_locking, add_place
from memory_custodian.commands.entry_options import add_doubtful, add_evidence, evidence_of
from memory_custodian.commands.mutation import Build, Request, carry_out
from memory_custodian.commands.outcome import Outcome
from memory_custodian.commands.words import option_words, positional_words
from memory_custodian.files.memory_files import read_all
from memory_custodian.files.place import Place
from memory_custodian.files.project import find_place
from memory_custodian.rules.draws import Draws
from memory_custodian.rules.evidence import require_paths
from memory_custodian.rules.manifest import read_manifest, require_current
from memory_custodian.rules.memory_index import MemoryIndex, index_of
from memory_custodian.rules.plan import Argument, Plan
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
    add_evidence(add)
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
        add_doubtful(parser)
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
    evidence, missing = evidence_of(place, options)
    require_paths(missing)
    doubtful = options.allow_doubtful_secret
    request = SubjectAdd(options.title, options.kind, options.canonical_ref, tuple(options.alias), evidence, doubtful)
    words = option_words(options, ("kind", "canonical_ref", "alias", "evidence", "allow_missing_evidence"))

    def build(snapshot: Snapshot, draws: Draws) -> Plan:
        return plan_subject_add(snapshot, request, draws)

    return _mutate(place, options, request.arguments, build, [*words, *positional_words(options.title)])


def _rename(place: Place, options: argparse.Namespace) -> Outcome:
    request = SubjectRename(options.subject_id, options.title, options.allow_doubtful_secret)

    def build(snapshot: Snapshot, draws: Draws) -> Plan:
        return plan_subject_rename(snapshot, request, draws)

    return _mutate(place, options, request.arguments, build, positional_words(options.subject_id, options.title))


def _add_alias(place: Place, options: argparse.Namespace) -> Outcome:
    request = SubjectAlias(options.subject_id, options.alias, options.allow_doubtful_secret)

    def build(snapshot: Snapshot, draws: Draws) -> Plan:
        return plan_subject_alias(snapshot, request, draws)

    return _mutate(place, options, request.arguments, build, positional_words(options.subject_id, options.alias))


def _mutate(
    place: Place,
    options: argparse.Namespace,
    arguments: dict[str, Argument],
    build: Build,
    words: list[str],
) -> Outcome:
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
            command_line=("subject", options.action, *option_words(options, ("allow_doubtful_secret",)), *words),
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
