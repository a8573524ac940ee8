"""How names of Subjects are compared: exactly, after a fixed normalisation, never by likeness (§§4.4, 6.3)."""

from __future__ import annotations

import re
from typing import Final

from memory_custodian.rules.problems import Refused

__all__ = ["CANONICAL_REF_FORMS", "NAME_LENGTH", "alias_key", "canonical_ref", "kind_of_ref", "plain_name", "words_of"]

NAME_LENGTH: Final = 120
"""Characters of a title or alias: it names something, and tells nothing."""

CANONICAL_REF_FORMS: Final = (
    "dependency:pypi:<name>",
    "dependency:npm:[@scope/]<name>",
    "repo-path:<relative path>",
    "area:<id>",
    "api:<id>",
    "service:<id>",
    "feature:<id>",
)

_ID: Final = r"[a-z0-9][a-z0-9._-]*"
_PYPI: Final = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
_NPM: Final = r"(?:@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*"
_HINT_LETTERS: Final = 4
"""A shorter word is in too many names to hint at anything."""
_INVISIBLE: Final = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_JOINERS: Final = "\u200c\u200d"
"""Scripts and emoji need them between letters."""


def alias_key(text: str) -> str:
    """Return what two aliases have in common when they are the same: NFKC, case folded, single spaces (§6.3)."""
    return " ".join(_nfkc(_nfkc(text).casefold()).split())


def words_of(text: str) -> frozenset[str]:
    """Return the words of a name that a spelling hint goes by: those of at least four letters."""
    return frozenset(word for word in re.findall(r"\w+", alias_key(text)) if len(word) >= _HINT_LETTERS)


def plain_name(what: str, text: str) -> str:
    """Return a title or alias with single spaces; refuse one that is empty, long, or more than one line."""
    from unicodedata import category

    if any(category(letter) in _INVISIBLE and letter not in _JOINERS for letter in text):
        raise Refused(f"{what}: has line ends or control characters; accepted: one line of text")
    name = " ".join(text.split())
    if not name:
        raise Refused(f"{what}: is empty; accepted: one line of text")
    if len(name) > NAME_LENGTH:
        raise Refused(f"{what}: has {len(name)} characters; accepted: up to {NAME_LENGTH}")
    return name


def canonical_ref(text: str) -> str:
    """Return a Canonical-Ref in its normal form (§4.4). Refuse any other form; the message lists those that exist.

    The prefix is compared with its case. A PyPI name is case-folded with runs of - _ . as one hyphen; an npm name is
    case-folded with an optional @scope/; a path becomes relative with slashes and keeps its case; the others are
    case-folded ids.
    """
    normal = _nfkc(text).strip()
    prefix, _, rest = normal.partition(":")
    if prefix == "dependency":
        registry, _, name = rest.partition(":")
        return f"dependency:{registry}:{_dependency(registry, name)}"
    if prefix == "repo-path":
        return f"repo-path:{_path(rest)}"
    if prefix in {"area", "api", "service", "feature"}:
        return f"{prefix}:{_matched(_ID, rest.casefold(), prefix)}"
    raise Refused(f"Canonical-Ref has no such form; accepted: {', '.join(CANONICAL_REF_FORMS)}")


def kind_of_ref(ref: str) -> str:
    """Return the kind that a normalised reference belongs to: its prefix."""
    return ref.partition(":")[0]


def _dependency(registry: str, name: str) -> str:
    if registry == "pypi":
        return _matched(_PYPI, re.sub(r"[-_.]+", "-", name.casefold()), "dependency:pypi")
    if registry == "npm":
        return _matched(_NPM, name.casefold(), "dependency:npm")
    raise Refused("Canonical-Ref dependency: has no such registry; accepted: dependency:pypi:, dependency:npm:")


def _nfkc(text: str) -> str:
    from unicodedata import normalize

    return normalize("NFKC", text)


def _matched(pattern: str, name: str, prefix: str) -> str:
    if not re.fullmatch(pattern, name):
        form = next(form for form in CANONICAL_REF_FORMS if form.startswith(f"{prefix}:"))
        raise Refused(
            f"Canonical-Ref {prefix}: has a name that is not valid; accepted: {form} of letters a-z, 0-9, . _ -"
        )
    return name


def _path(text: str) -> str:
    path = text.strip().replace("\\", "/")
    segments = [segment for segment in path.split("/") if segment not in {"", "."}]
    unsafe = path.startswith(("/", "~")) or ".." in segments or (segments and ":" in segments[0])
    if unsafe or not segments or not path.isprintable():
        raise Refused(
            "Canonical-Ref repo-path: is no path inside the project; accepted: a relative path without .., ~ and drive"
        )
    return "/".join(segments)
