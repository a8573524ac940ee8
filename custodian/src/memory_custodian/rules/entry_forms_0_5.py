"""The entries of protocol 0.5: how they are written in an older project, and which of them are clear (§§8.2, 11.2).

A new text is wrapped or indented where a line of it would otherwise begin a heading, a label or a bullet of its own.
"""

from __future__ import annotations

import re
from typing import Final

from memory_custodian.rules.blocks import Block
from memory_custodian.rules.entry_text import escape_body
from memory_custodian.rules.parse_blocks import field_of, label_of
from memory_custodian.rules.text import fenced, one_line, title_of
from memory_custodian.rules.value import Value

__all__ = ["DatedTitle", "clear_decision", "dated_title", "render_0_5"]

_DEFAULT_REASON: Final = "Rejected; not to be brought back without asking."
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:\s+[-–—]\s+|:\s+|\s+|$)")


class DatedTitle(Value):
    """The heading of an old entry."""

    date: str
    """YYYY-MM-DD; empty where the heading begins with none."""
    title: str


def render_0_5(entry_type: str, message: str, reason: str, today: str) -> str:
    """Return an entry in the form of 0.5, ended by a line end; without ID, fields and Evidence."""
    if entry_type == "decision":
        lines = [f"## {today} - {title_of(message)}", "Decision:", escape_body(message.strip())]
        return _ended([*lines, "Reason:", escape_body(reason.strip())] if reason.strip() else lines)
    if entry_type in {"tombstone", "do-not-use"}:
        because = one_line(reason) or _DEFAULT_REASON
        body = escape_body(message.strip())
        return _ended([f"## Tombstone: {title_of(message)}", body, f"Reason: {because}", f"Date: {today}."])
    bullet = _bullet(message)
    return _ended([f"## {today}", bullet] if entry_type == "inbox" else [bullet])


def clear_decision(block: Block) -> bool:
    """Whether an H2 without an ID is a decision whose limits and parts are certain, so that migration may mark it.

    Its first text line is `Decision:`; it has text, at most one `Reason:` behind it, no other label and no field.
    """
    if block.kind != "section" or block.entry_id or block.label.casefold().startswith("tombstone:"):
        return False
    lines = block.text.rstrip("\n").split("\n")
    inside = fenced(lines)
    outside = [line for number, line in enumerate(lines) if not inside[number]]
    labels = [label for line in outside[1:] if (label := label_of(line))]
    text = [line for line in lines[1:] if line.strip()]
    if not dated_title(block.label).title or labels not in (["Decision"], ["Decision", "Reason"]):
        return False
    starts_so = bool(text) and label_of(text[0]) == "Decision"
    says_something = len(text) > 1 and label_of(text[1]) is None
    return starts_so and says_something and not any(field_of(line) for line in outside)


def dated_title(label: str) -> DatedTitle:
    """Return date and title of an old heading, as `2026-03-02 - Ship one binary`; an impossible date is title."""
    found = _DATE.match(label)
    if not found or not _on_calendar(int(found[1]), int(found[2]), int(found[3])):
        return DatedTitle("", label.strip())
    return DatedTitle(found[0][:10], label[found.end() :].strip())


def _on_calendar(year: int, month: int, day: int) -> bool:
    from datetime import date

    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def _bullet(message: str) -> str:
    """Return a bullet whose later lines are indented, so that they stay a part of it."""
    first, *later = message.strip().split("\n")
    return "\n".join([f"- {first.strip()}", *(f"  {line}" if line.strip() else "" for line in later)])


def _ended(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"
