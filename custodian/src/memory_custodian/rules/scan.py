"""Looks for secrets and private data in text, and shows none of them (§10).

Two rows that find the same span give one finding, that of the earlier row; every span that any row finds is redacted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from memory_custodian.rules.finding import Finding
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.protocol import REDACTED
from memory_custodian.rules.scan_pattern import Pattern
from memory_custodian.rules.scan_privacy import PRIVACY_PATTERNS, without_identifiers
from memory_custodian.rules.scan_security import PRIVATE_KEY, SECURITY_PATTERNS
from memory_custodian.rules.value import Value

__all__ = ["ALLOW_DOUBTFUL", "PREVIEW_CHARACTERS", "redact", "refuse_secrets", "scan", "scan_warnings"]

PREVIEW_CHARACTERS: Final = 120
ALLOW_DOUBTFUL: Final = "--allow-doubtful-secret"
"""The option that lets a text be written which may hold a secret, and evidently holds none."""
_KEY_LINES: Final = 64
"""How many lines behind the header of a key without an end are taken for its body."""
_CONTROLS: Final = dict.fromkeys([*range(32), 127, *range(128, 160)], " ")


class _Hit(Value):
    pattern: Pattern
    start: int
    end: int
    found_before: bool
    """An earlier row has found some of the same characters."""


class _Row(Value):
    pattern: Pattern
    compiled: re.Pattern[str]


def scan(file: str, text: str) -> tuple[Finding, ...]:
    """Return every finding in a text, in the order of its lines; no finding holds what was found (§§10.1, 10.2)."""
    rows = _rows_for(text)
    lines = text.split("\n")
    bodies = _key_bodies(lines) if any(row.pattern.kind == PRIVATE_KEY for row in rows) else {}
    return tuple(
        finding
        for number, line in enumerate(lines)
        if bodies.get(number) != "closed"
        for finding in _findings(file, number + 1, line, rows, hidden=number in bodies)
    )


def redact(line: str) -> str:
    """Return a line with every recognised span replaced by `[redacted]`, and nothing that steers a terminal."""
    return _redacted(line, _hits(line, _rows_for(line)))


def refuse_secrets(what: str, text: str, *, allow_doubtful: bool = False) -> None:
    """Refuse a text about to be written that holds a secret, or may hold one and is not allowed to (§10.3).

    The message names the kind of secret only. An evident one is never allowed; what is merely private is warned of.
    """
    found = [finding for finding in scan(what, text) if finding.category == "security"]
    for finding in found:
        if finding.severity == "ERROR":
            raise Refused(
                f"{what}: looks like it holds a secret ({finding.kind}); project memory is no place for secrets: "
                "write where it is kept instead"
            )
    if found and not allow_doubtful:
        raise Refused(
            f"{what}: may hold a secret ({found[0].kind}); project memory is no place for secrets: write where it is "
            f"kept instead, or give {ALLOW_DOUBTFUL} where it is none"
        )


def scan_warnings(what: str, text: str) -> tuple[str, ...]:
    """Return one sentence for each kind of doubtful or private content of a text about to be written."""
    kinds = dict.fromkeys(finding.kind for finding in scan(what, text) if finding.severity == "WARNING")
    return tuple(f"{what} may hold something that does not belong in shared memory: {kind}" for kind in kinds)


def _rows_for(text: str) -> list[_Row]:
    """Compile the rows that can match at all: most texts need few of them."""
    small = text.lower()
    return [
        _Row(pattern, re.compile(pattern.regex))
        for pattern in (*SECURITY_PATTERNS, *PRIVACY_PATTERNS)
        if not pattern.hints or any(hint in small for hint in pattern.hints)
    ]


def _key_bodies(lines: Sequence[str]) -> dict[int, str]:
    """Tell for the lines behind the header of a private key whether an end closes it, by index."""
    bodies: dict[int, str] = {}
    header = re.compile(SECURITY_PATTERNS[0].regex)
    for number, line in enumerate(lines):
        if not header.search(line) or "-----END" in line:
            continue
        end = next((at for at in range(number + 1, len(lines)) if "-----" in lines[at]), None)
        closed = end is not None and "-----END" in lines[end]
        last = end if closed and end is not None else min(number + _KEY_LINES, len(lines) - 1)
        bodies.update(dict.fromkeys(range(number + 1, last + 1), "closed" if closed else "open"))
    return bodies


def _hits(line: str, rows: Sequence[_Row]) -> list[_Hit]:
    hits: list[_Hit] = []
    found = bytearray(len(line))
    for pattern, compiled in rows:
        for match in _matches(line, pattern, compiled):
            if pattern.accepts is None or pattern.accepts(match):
                start, end = match.span("secret" if "secret" in compiled.groupindex else 0)
                hits.append(_Hit(pattern, start, end, any(found[start:end])))
                found[start:end] = b"\1" * (end - start)
    return hits


def _matches(line: str, pattern: Pattern, compiled: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Blanking out costs more than looking, so only a line that matches is looked at again without its identifiers."""
    if not pattern.masked:
        return compiled.finditer(line)
    return compiled.finditer(without_identifiers(line)) if compiled.search(line) else iter(())


def _findings(file: str, number: int, line: str, rows: Sequence[_Row], *, hidden: bool) -> Iterator[Finding]:
    hits = _hits(line, rows)
    if not hits:
        return
    preview = REDACTED if hidden else _shortened(_redacted(line, hits))
    for hit in sorted(hits, key=lambda hit: hit.start):
        if not hit.found_before:
            pattern = hit.pattern
            yield Finding(pattern.category, pattern.severity, pattern.kind, file, number, hit.start + 1, preview)


def _redacted(line: str, hits: Sequence[_Hit]) -> str:
    parts, at = [], 0
    for hit in sorted(hits, key=lambda hit: (hit.start, -hit.end)):
        if hit.start >= at:
            parts += [line[at : hit.start], REDACTED]
        at = max(at, hit.end)
    return "".join([*parts, line[at:]]).translate(_CONTROLS)


def _shortened(line: str) -> str:
    bare = line.strip()
    return bare if len(bare) <= PREVIEW_CHARACTERS else bare[: PREVIEW_CHARACTERS - 1] + "…"
