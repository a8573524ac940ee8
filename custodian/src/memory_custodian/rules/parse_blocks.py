"""Cuts a memory file into the pieces that are packed, counted, moved and removed (§§4.2, 11.3).

Code fences are respected, and a piece never takes what lies beside it: an entry or section ends where a line says so,
and a bullet ends where anything begins that is no part of it. Joined in order, the pieces are the file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from memory_custodian.rules.blocks import Block, BlockKind
from memory_custodian.rules.entry import BODY_LABELS, FIELDS
from memory_custodian.rules.entry_ids import heading_id
from memory_custodian.rules.list_items import content_column, continues, indent_of, is_bullet_item, is_rule
from memory_custodian.rules.text import fence_spans, lines_of

__all__ = ["APART", "BODY_NAMES", "INBOX_SENTINEL", "LABELS", "field_of", "groups", "label_of", "parse"]

BODY_NAMES: Final = frozenset(BODY_LABELS.values())
LABELS: Final = BODY_NAMES | {"Reason", "Promotion-Requirement"}
"""A line that consists of one of these and a colon begins a text of an entry."""

APART: Final = "<!-- What stands below is no part of what stands above. -->"
"""What stands where text would otherwise be read as a part of the entry or bullet above it."""

INBOX_SENTINEL: Final = "No unprocessed memory candidates."
"""What an inbox without items says."""

_FIELD_NAMES = frozenset(FIELDS)
_TAIL_HINT = re.compile(r"\n(?:[ \t\r\f\v]*\n[-*+][ \t]|<!-- What stands below)")
_HEADINGS = ("## ", "# ")
_BULLETS = ("- ", "* ", "+ ", "-\t", "*\t", "+\t")


def parse(text: str) -> tuple[Block, ...]:
    """Cut a text into its blocks; their texts joined are the text, byte for byte."""
    cut = _Cutter(lines_of(text))
    if APART in text:
        cut.set_apart()
    body = cut.title()
    heads = [at for at, line in enumerate(cut.lines) if line[0] == "#" and at >= body and cut.is_heading(at)]
    cut.head(body, heads[0] if heads else len(cut.lines), before_headings=bool(heads))
    for start, end in zip(heads, [*heads[1:], len(cut.lines)][: len(heads)], strict=True):
        cut.section(start, end)
    return tuple(cut.blocks)


def groups(blocks: Sequence[Block]) -> tuple[tuple[Block, ...], ...]:
    """Put blocks of one group together, in order."""
    found: dict[int, list[Block]] = {}
    for block in blocks:
        found.setdefault(block.group, []).append(block)
    return tuple(tuple(group) for group in found.values())


def label_of(line: str) -> str | None:
    """Return the label that a line consists of, as Decision or Reason."""
    name, colon, rest = line.partition(":")
    return name if colon and name in LABELS and not rest.strip() else None


def field_of(line: str) -> tuple[str, str] | None:
    """Return name and value of a known field that a line holds; unknown names are text."""
    name, colon, value = line.partition(":")
    return (name, value.strip()) if colon and name in _FIELD_NAMES else None


class _Cutter:
    """Collects the blocks of one text, from its first line to its last."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.inside = [False] * len(lines)
        self.openings: set[int] = set()
        """The first line of every code fence."""
        for first, last in fence_spans(lines):
            self.inside[first : last + 1] = [True] * (last + 1 - first)
            self.openings.add(first)
        self.blocks: list[Block] = []
        self._has_apart = False
        self._apart: set[int] = set()
        """The bullets directly below a line that sets apart: they may be indented, and are bullets all the same."""
        self._next_group = 0

    def set_apart(self) -> None:
        """Find the bullets that a line sets apart."""
        self._has_apart = True
        lines = (self._behind_blank_lines(at + 1) for at in range(len(self.lines)) if self._is_apart(at))
        self._apart = {at for at in lines if at < len(self.lines) and is_bullet_item(self.lines[at])}

    def is_heading(self, at: int) -> bool:
        return self.lines[at].startswith(_HEADINGS) and not self.inside[at]

    def title(self) -> int:
        """Take the title, and return the line behind it."""
        if not self.lines or not self.lines[0].startswith("# "):
            return 0
        end = self._behind_blank_lines(1)
        self._take("title", 0, end, self._new_group(), label=self.lines[0][2:].strip())
        return end

    def head(self, start: int, end: int, *, before_headings: bool) -> None:
        """Take what stands before the first heading."""
        bullets = self._bullets(start, end)
        first = bullets[0] if bullets else end
        if first > start:
            kind: BlockKind = "preamble" if bullets or before_headings else "body"
            self._take(kind, start, first, self._new_group())
        self._take_bullets(first, end, None)

    def section(self, start: int, end: int) -> None:
        """Take what stands from one heading to the next."""
        named = heading_id(self.lines[start])
        label = self.lines[start].lstrip("#").strip()
        if named:
            tail = self._tail(start, end)
            self._take("entry", start, tail, self._new_group(), label=label, entry_id=named[0])
            self._take_bullets(tail, end, None)
            return
        apart = [at for at in range(start + 1, end) if self._is_apart(at)] if self._has_apart else []
        first, own = apart[0] if apart else end, next((at for at in apart if self._ends_heading(at)), end)
        bullets = self._bullets(start + 1, own)
        if not bullets or label.lower().startswith("tombstone:") or self._has_body(start, first):
            self._take("section", start, first, self._new_group(), label=label)
            self._take_bullets(first, end, None)
            return
        group = self._new_group()
        behind = self._behind_blank_lines(start + 1)
        self._take("heading", start, behind, group, label=label)
        lead = min(bullets[0], first)
        if lead > behind:
            self._take("lead", behind, lead, group)
        self._take_bullets(max(lead, behind), own, group)
        self._take_bullets(own, end, None)

    def _ends_heading(self, at: int) -> bool:
        """Whether a line that sets apart ends what a heading groups: not where what is below is indented.

        That would else be taken for a part of a bullet above, and stays with the heading.
        """
        below = self._behind_blank_lines(at + 1)
        return below == len(self.lines) or not indent_of(self.lines[below])

    def _tail(self, start: int, end: int) -> int:
        """Return where what stands below an entry begins; the end where nothing does.

        Bullets below a line that ends with a colon are what that line speaks of, and belong to the entry. So do those
        below a superseded entry, unless a line sets them apart: what no longer holds is not taken for what does.
        """
        if not _TAIL_HINT.search("".join(self.lines[start:end])):
            return end
        last = start
        has_body, status = False, ""
        for at in range(start + 1, end):
            line = self.lines[at]
            if self._is_apart(at):
                end = at
                break
            if ":" not in line or self.inside[at]:
                continue
            label, field = label_of(line), field_of(line)
            if label or field:
                has_body = has_body or label in BODY_NAMES
                status = status or (field[1] if field and field[0] == "Status" else "")
                last = at
        if not has_body or status.lower() == "superseded":
            return end
        text = self._behind_blank_lines(last + 1)
        if text < end and self._is_bullet(text):
            return end
        tails = (at for at in range(text + 1, end) if self._is_bullet(at) and not self.lines[at - 1].strip())
        tail = next(tails, end)
        above = next(at for at in range(tail - 1, start, -1) if self.lines[at].strip())
        return end if self.lines[above].rstrip().endswith((":", "\uff1a")) and not self.inside[above] else tail

    def _take_bullets(self, start: int, end: int, group: int | None) -> None:
        """Take bullets, and as leads the text between them that belongs to none."""
        begun, kind = start, self._kind_at(start) if start < end else ""
        column = content_column(self.lines[start]) if start < end else 0
        for at in range(start + 1, end):
            if self._is_apart(at):
                next_kind = "preamble"
            elif kind == "preamble":
                next_kind = self._kind_at(at) if self.lines[at].strip() else ""
            else:
                next_kind = self._begins_below_bullet(at, column) if kind == "bullet" else self._begins_below_lead(at)
            if next_kind:
                self._take_piece(kind, begun, at, group)
                begun, kind, column = at, next_kind, content_column(self.lines[at])
        if start < end:
            self._take_piece(kind, begun, end, group)

    def _kind_at(self, at: int) -> str:
        """Return the kind of what begins with a line, where nothing above goes on with it."""
        return "preamble" if self._is_apart(at) else "bullet" if self._is_bullet(at) else "lead"

    def _begins_below_bullet(self, at: int, column: int) -> str:
        line = self.lines[at]
        if self.inside[at]:
            return "lead" if at in self.openings and indent_of(line) < column else ""
        if self._is_bullet(at):
            return "bullet"
        if not line.strip() or continues(line, "" if self.inside[at - 1] else self.lines[at - 1], column):
            return ""
        return "bullet" if is_bullet_item(line) else "lead"

    def _begins_below_lead(self, at: int) -> str:
        if self._is_bullet(at):
            return "bullet"
        line = self.lines[at]
        after_blank = not self.lines[at - 1].strip() and not self.inside[at - 1]
        return "lead" if after_blank and line[0] not in " \t" and line.strip() else ""

    def _take_piece(self, kind: str, start: int, end: int, group: int | None) -> None:
        number = self._new_group() if group is None else group
        if kind == "bullet":
            self._take("bullet", start, end, number, label=self.lines[start].lstrip()[1:].strip())
        else:
            self._take("preamble" if kind == "preamble" else "lead", start, end, number)

    def _take(self, kind: BlockKind, start: int, end: int, group: int, *, label: str = "", entry_id: str = "") -> None:
        self.blocks.append(Block(kind, "".join(self.lines[start:end]), start + 1, group, label, entry_id))

    def _bullets(self, start: int, end: int) -> list[int]:
        return [at for at in range(start, end) if self._is_bullet(at)]

    def _is_bullet(self, at: int) -> bool:
        line = self.lines[at]
        return (line.startswith(_BULLETS) or at in self._apart) and not self.inside[at] and not is_rule(line)

    def _is_apart(self, at: int) -> bool:
        return self.lines[at].rstrip() == APART and not self.inside[at]

    def _has_body(self, start: int, end: int) -> bool:
        return any(label_of(self.lines[at]) in BODY_NAMES and not self.inside[at] for at in range(start, end))

    def _behind_blank_lines(self, at: int) -> int:
        while at < len(self.lines) and not self.lines[at].strip():
            at += 1
        return at

    def _new_group(self) -> int:
        self._next_group += 1
        return self._next_group - 1
