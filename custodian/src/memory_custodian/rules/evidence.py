"""What an entry may rest on, and what of it can carry active memory (§§5.1, 5.2, 6.1)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from memory_custodian.rules.entry import Evidence, EvidenceKind
from memory_custodian.rules.problems import Refused

__all__ = ["ACTIVE_FORMS", "CANDIDATE_FORMS", "INSTEAD_OF_ADD", "admit", "parse_evidence", "require_paths"]

ACTIVE_FORMS: Final = (
    "user-confirmed, repo:<path>, repo:<path>@<revision>, doc:<path>, test:<path>, issue:#<number>, pr:#<number>"
)
CANDIDATE_FORMS: Final = "agent-observed, conversation-unconfirmed"
INSTEAD_OF_ADD: Final = "Use --candidate or provide user-confirmed/source-backed evidence."
"""What `add` says to do instead of resting memory on what nobody confirmed."""

_WORDS: Final[dict[str, EvidenceKind]] = {
    "user-confirmed": "user-confirmed",
    "agent-observed": "agent-observed",
    "conversation-unconfirmed": "conversation-unconfirmed",
    "legacy-unverified": "legacy-unverified",
}
_PATHS: Final[dict[str, EvidenceKind]] = {"repo": "repo", "doc": "doc", "test": "test"}
_NUMBERS: Final[dict[str, EvidenceKind]] = {"issue": "issue", "pr": "pr"}
_REVISION = r"[A-Za-z0-9._-]+"


def parse_evidence(text: str) -> Evidence:
    """Return what an evidence says, its path with slashes. Refuse any other form (§5.1) and any unsafe path (§6.1).

    Nothing is looked up: whether a path exists is asked elsewhere, and issues and pull requests are never asked for.
    The value is not repeated in a refusal: it may be anything that was pasted.
    """
    given = text.strip()
    if given in _WORDS:
        return Evidence(_WORDS[given])
    kind, colon, rest = given.partition(":")
    if colon and kind in _NUMBERS:
        number = re.fullmatch("#([0-9]+)", rest)
        if not number:
            raise Refused(f"evidence {kind}: names no number; accepted: {kind}:#<number>")
        return Evidence(_NUMBERS[kind], number[1])
    if not colon or kind not in _PATHS:
        raise Refused(f"evidence of no known form; accepted: {ACTIVE_FORMS}; for a candidate also {CANDIDATE_FORMS}")
    path, at, revision = rest.replace("\\", "/").partition("@")
    if at and not re.fullmatch(_REVISION, revision):
        raise Refused(
            f"evidence {kind}: has no valid revision; accepted: letters, digits, '.', '_' and '-' after one '@'"
        )
    _check_path(kind, path)
    return Evidence(_PATHS[kind], path, revision)


def admit(evidence: Sequence[Evidence], *, candidate: bool, instead: str = INSTEAD_OF_ADD) -> None:
    """Refuse an entry that rests on nothing, or an active one of which nothing is confirmed (§5.2).

    What to do instead is said in the words of the verb that asks.
    """
    if not evidence:
        also = f", {CANDIDATE_FORMS}" if candidate else ""
        raise Refused(f"--evidence is missing: every entry says what it rests on; accepted: {ACTIVE_FORMS}{also}")
    if any(one.kind == "legacy-unverified" for one in evidence):
        raise Refused("evidence legacy-unverified is written by migration alone; give what the entry rests on")
    if not candidate and not any(one.confirmed for one in evidence):
        raise Refused(f"{evidence[0].kind} evidence cannot create active memory.\n{instead}")


def require_paths(missing: Sequence[str]) -> None:
    """Refuse evidence whose path does not exist, as far as that was not allowed."""
    if missing:
        raise Refused(
            f"--evidence {', '.join(missing)}: no such file in the project; accepted: an existing one, or "
            "--allow-missing-evidence"
        )


def _check_path(kind: str, path: str) -> None:
    segments = path.split("/")
    if ".." in segments:
        raise Refused(f"evidence {kind}: has '..' in its path; accepted: a path inside the project")
    if path.startswith(("/", "~")) or ":" in segments[0]:
        raise Refused(
            f"evidence {kind}: is no relative path; accepted: a path inside the project, relative to its root"
        )
    if any(character.isspace() or not character.isprintable() for character in path):
        raise Refused(f"evidence {kind}: has white space or control characters in its path; accepted: a path without")
    if all(segment in {"", "."} for segment in segments):
        raise Refused(f"evidence {kind}: names no file; accepted: {kind}:<path>")
