"""What `add` and `promote` ask alike of an entry, and `subject add` of a Subject (§§6.1, 6.3)."""

from __future__ import annotations

import argparse

from memory_custodian.files.evidence_paths import missing_paths
from memory_custodian.files.place import Place
from memory_custodian.rules.entry import Evidence
from memory_custodian.rules.evidence import parse_evidence
from memory_custodian.rules.scan import ALLOW_DOUBTFUL

__all__ = ["ENTRY_OPTIONS", "add_doubtful", "add_entry", "add_evidence", "evidence_of"]

ENTRY_OPTIONS = (
    "name",
    "area",
    "reason",
    "evidence",
    "allow_missing_evidence",
    "allow_doubtful_secret",
    "supersedes",
    "subject",
    "facet",
    "allow_long",
)
"""The names of what `add_entry` declares."""


def add_entry(parser: argparse.ArgumentParser) -> None:
    """Declare what says of an entry where it holds, why, what it is about, and what it replaces."""
    parser.add_argument("--supersedes", metavar="ENTRY_ID", help="the active entry it replaces; previewed first")
    parser.add_argument("--allow-long", action="store_true", help="take a decision over its budget")
    parser.add_argument("--name", metavar="NAME", help="the rule, profile or area, for an entry of that type")
    parser.add_argument("--area", metavar="NAME", help="the area in which it holds (default: the whole project)")
    parser.add_argument("--reason", default="", metavar="TEXT", help="why; for a candidate, what would confirm it")
    add_evidence(parser)
    add_doubtful(parser)
    parser.add_argument("--subject", metavar="SUBJECT_ID", help="what it is about, by ID")
    parser.add_argument("--facet", metavar="FACET", help="which side of the Subject it settles")


def add_evidence(parser: argparse.ArgumentParser) -> None:
    """Declare --evidence and --allow-missing-evidence."""
    parser.add_argument(
        "--evidence", action="append", default=[], metavar="EVIDENCE", help="what it rests on; repeatable"
    )
    parser.add_argument("--allow-missing-evidence", action="store_true", help="take evidence whose path does not exist")


def add_doubtful(parser: argparse.ArgumentParser) -> None:
    """Declare --allow-doubtful-secret."""
    parser.add_argument(ALLOW_DOUBTFUL, action="store_true", help="take text that looks like a secret and holds none")


def evidence_of(place: Place, options: argparse.Namespace) -> tuple[tuple[Evidence, ...], tuple[str, ...]]:
    """Return the evidence that was given, and what of it names no existing file although it has to."""
    evidence = tuple(parse_evidence(text) for text in options.evidence)
    missing = missing_paths(place, evidence)
    return evidence, () if options.allow_missing_evidence else missing
