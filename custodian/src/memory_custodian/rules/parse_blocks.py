"""Cuts a memory file into the pieces that are packed, counted, moved and removed (§§4.2, 11.3).

Code fences are respected, and a piece never takes what lies beside it: an entry that was put in front of bare bullets
ends where a line says so, and a bullet ends where anything begins that is no part of it. Joined in order, the pieces
are the file.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from memory_custodian.rules.blocks import Block, BlockKind
from memory_custodian.rules.entry import BODY_LABELS, FIELDS
from memory_custodian.rules.entry_ids import heading_id
from memory_custodian.rules.list_items import content_column, continues, indent_of, is_bullet_item, is_rule
from memory_custodian.rules.text import fence_spans, lines_of

__all__ = ["APART", "BODY_NAMES", "INBOX_SENTINEL", "LABELS", "field_of", "groups", "label_of", "parse", "without"]

BODY_NAMES: Final = frozenset(BODY_LABELS.values())
LABELS: Final = BODY_NAMES | {"Reason", "Promotion-Requirement"}
"""A line that consists of one of these and a colon begins a text of an entry."""

APART: Final = "<!-- What stands below is no part of what stands above. -->"
"""What stands where text would otherwise be read as a part of the entry or bullet above it."""

INBOX_SENTINEL: Final = "No unprocessed memory candidates."
"""What an inbox without items says."""

_FIELD_NAMES = frozenset(FIELDS)
_TAIL_HINT = re.compile(r"\n(?:[ \t\r\f\v]*\n[-*+][ \t]|<!-- What stands below)")
_BELOW: Final = frozenset({"bullet", "lead"})
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


def without(text: str, doomed: Collection[int]) -> str:
    """Return a text without some blocks, given by their place in `parse(text)`; others keep every byte.

    A heading whose last bullet went goes too, unless it has text of its own, and so does a line that sets nothing
    apart any more. Where something went, one blank line stays between its neighbours; where the lower would now be
    read as a part of the upper, such a line as well. An inbox without items says so again.
    """
    if not doomed:
        return text
    blocks = parse(text)
    going = {*doomed, *_lonely_headings(blocks, doomed)}
    going |= {*_idle_lines(blocks, going)}
    kept: list[str] = []
    gap: str | None = None
    above: Block | None = None
    for place, block in enumerate(blocks):
        if place in going:
            gap = (gap or "") + block.text
            continue
        if gap is not None:
            kept.append(_joint(above, gap, block))
        kept.append(block.text)
        gap, above = None, block
    made = "".join(kept)
    if len(blocks) - 1 in going:
        made = f"{made.rstrip()}\n" if made.strip() else ""
    return _with_sentinel(made)


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
        self._apart: set[int] = set()
        """The bullets directly below a line that sets apart: they may be indented, and are bullets all the same."""
        self._next_group = 0

    def set_apart(self) -> None:
        """Find the bullets that a line sets apart."""
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
        bullets = self._bullets(start + 1, end)
        if not bullets or label.lower().startswith("tombstone:") or self._has_body(start, end):
            self._take("section", start, end, self._new_group(), label=label)
            return
        group = self._new_group()
        behind = self._behind_blank_lines(start + 1)
        self._take("heading", start, behind, group, label=label)
        if bullets[0] > behind:
            self._take("lead", behind, bullets[0], group)
        self._take_bullets(bullets[0], end, group)

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


def _lonely_headings(blocks: Sequence[Block], doomed: Collection[int]) -> list[int]:
    """Find the headings that would be left without a bullet and without text of their own."""
    staying = {
        block.group
        for place, block in enumerate(blocks)
        if block.kind != "heading" and place not in doomed and not _is_line(block)
    }
    return [place for place, block in enumerate(blocks) if block.kind == "heading" and block.group not in staying]


def _idle_lines(blocks: Sequence[Block], going: Collection[int]) -> list[int]:
    """Find the lines that would set nothing apart."""
    idle: list[int] = []
    lines: list[int] = []
    above: Block | None = None
    for place, block in enumerate(blocks):
        if place in going:
            continue
        if _is_line(block):
            lines.append(place)
            continue
        is_below_entry = above is not None and above.kind == "entry" and block.kind in _BELOW
        idle += lines[1:] if is_below_entry or _needs_line(above, block) else lines
        lines, above = [], block
    return [*idle, *lines]


def _joint(above: Block | None, gap: str, below: Block) -> str:
    """Return what comes between two blocks where others went."""
    line = f"{APART}\n\n" if _needs_line(above, below) else ""
    if above is None or _ends_blank(above.text):
        return line
    return f"\n{line}" if line or _ends_blank(gap) or not _tight(above.kind, below.kind) else ""


def _needs_line(above: Block | None, below: Block) -> bool:
    """Whether a block would no longer be what it was behind another, however many blank lines are between them.

    That is so with text behind an entry, with what is indented as the text of an item above it, and with an indented
    bullet that has no bullet above it.
    """
    if below.kind not in _BELOW or (above and _is_line(above)):
        return False
    indent = indent_of(below.text.partition("\n")[0])
    is_below_bullet = above is not None and above.kind == "bullet"
    if below.kind == "bullet" and not is_below_bullet:
        return indent > 0
    if above is None or above.kind == "entry":
        return above is not None
    lines = above.text.split("\n")
    return any(0 < content_column(line) <= indent for line in (lines[:1] if is_below_bullet else lines))


def _is_line(block: Block) -> bool:
    """Whether a block is nothing but a line that sets apart."""
    return block.text.strip() == APART


def _tight(kind: str, next_kind: str) -> bool:
    """Tell whether a block may follow another without a blank line and stay a block of its own."""
    return next_kind == "bullet" and kind not in {"entry", "section"}


def _ends_blank(text: str) -> bool:
    return text.endswith(("\n\n", "\n\r\n"))


def _with_sentinel(text: str) -> str:
    blocks = parse(text)
    is_inbox = bool(blocks) and blocks[0].kind == "title" and blocks[0].label.casefold() == "memory inbox"
    if not is_inbox or any(block.removable for block in blocks) or INBOX_SENTINEL in text:
        return text
    return f"{text.rstrip()}\n\n{INBOX_SENTINEL}\n"
