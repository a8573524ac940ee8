"""Takes pieces out of a memory file; what stays keeps its bytes and belongs to what it belonged to (§11.3)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from memory_custodian.rules.blocks import Block
from memory_custodian.rules.list_items import indent_of
from memory_custodian.rules.parse_blocks import APART, INBOX_SENTINEL, parse
from memory_custodian.rules.value import Value

__all__ = ["without"]

_BELOW: Final = frozenset({"bullet", "lead"})
_BEGINS: Final = frozenset({"entry", "section", "heading"})
_LOOSE: Final = frozenset({"preamble", "body", "lead"})


def without(text: str, doomed: Collection[int]) -> str:
    """Return a text without some blocks, given by their place in `parse(text)`; others keep every byte.

    A heading whose last bullet went goes too, unless it has text of its own, and so does a line that sets nothing
    apart any more. Where something went, one blank line stays between its neighbours; where the lower would now be
    read as a part of the upper or of its heading, such a line as well. An inbox without items says so again.
    """
    if not doomed:
        return text
    blocks = parse(text)
    cut = _Cut(blocks, {*doomed, *_lonely_headings(blocks, doomed)})
    cut.drop_lines()
    wanted = _items(cut.blocks, cut.kept)
    apart: set[int] = set()
    while True:
        made = cut.joined(apart)
        place = cut.changed(wanted, _items_of(made), apart)
        if place is None:
            return _with_sentinel(made)
        apart.add(place)


class _Item(Value):
    """Something that stays, as it is compared: kinds that a neighbour decides are one kind."""

    first: int
    last: int
    """The blocks that it consists of."""
    kind: str
    owner: int
    """The number of the heading that groups it, of all headings from 1; 0 where none does."""
    text: str
    """Its lines that are not blank."""


class _Cut:
    """A text that loses blocks."""

    def __init__(self, blocks: Sequence[Block], going: set[int]) -> None:
        self.blocks = blocks
        self.going = going
        self.headings = frozenset(block.group for block in blocks if block.kind == "heading")

    @property
    def kept(self) -> list[int]:
        return [place for place in range(len(self.blocks)) if place not in self.going]

    def drop_lines(self) -> None:
        """Let lines that set apart go, and come again where they are needed; below an entry one always stays."""
        lines: list[int] = []
        above = ""
        for place in self.kept:
            block = self.blocks[place]
            if _is_line(block):
                lines.append(place)
                continue
            stays = above == "entry" and block.kind in _BELOW
            self.going.update(lines[1:] if stays else lines)
            lines, above = [], block.kind
        self.going.update(lines)

    def joined(self, apart: Collection[int]) -> str:
        """Join what stays, with lines that set apart above some blocks."""
        made: list[str] = []
        above: Block | None = None
        gap: str | None = None
        group: int | None = None
        for place, block in enumerate(self.blocks):
            if place in self.going:
                gap = (gap or "") + block.text
                continue
            if gap is not None:
                made.append(_joint(above, gap, block, _lines(block, group) if place in apart else ""))
            made.append(block.text)
            gap, above = None, block
            if block.kind in _BEGINS:
                group = block.group if block.kind != "entry" else None
        text = "".join(made)
        if text.startswith("# ") and self.blocks[0].kind != "title":
            # On the first line it would be the title.
            text = f"\n{text}"
        return text if gap is None else _without_blank_end(text)

    def changed(self, wanted: Sequence[_Item], found: Sequence[_Item], apart: Collection[int]) -> int | None:
        """Return the block that needs a line above it, because something would be read differently without."""
        for at, item in enumerate(wanted):
            other = found[at] if at < len(found) else None
            if other is not None and item[2:] == other[2:]:
                continue
            longer = other is not None and item[2:4] == other[2:4] and other.text.startswith(item.text)
            return self._joint_from(item.last + 1 if longer or item.kind in _BEGINS else item.first, apart)
        return None

    def _joint_from(self, start: int, apart: Collection[int]) -> int | None:
        """Return the first block from a place on that stands where something went, and has no line yet."""
        for place in range(start, len(self.blocks)):
            block = self.blocks[place]
            if place in self.going:
                continue
            if block.kind in _BEGINS and place > start:
                return None
            if place - 1 in self.going and place not in apart and self._may_be_set_apart(block):
                return place
        return None

    def _may_be_set_apart(self, block: Block) -> bool:
        """Whether a line would not part it from its own heading, as it would what is not indented."""
        return block.kind in _BELOW and (block.group not in self.headings or _is_indented(block))


def _items_of(text: str) -> list[_Item]:
    blocks = parse(text)
    return _items(blocks, range(len(blocks)))


def _items(blocks: Sequence[Block], places: Iterable[int]) -> list[_Item]:
    """Return what stays. Text that is no unit is compared as one, however it is cut."""
    found: list[_Item] = []
    for item in _pieces(blocks, [place for place in places if blocks[place].kind != "title"]):
        above = found[-1] if found else None
        if above and above[2:4] == item[2:4] == ("loose", item.owner) and item.text[0] not in " \t":
            found[-1] = above._replace(last=item.last, text=f"{above.text}\n{item.text}")
        else:
            found.append(item)
    return found


def _pieces(blocks: Sequence[Block], places: Sequence[int]) -> Iterator[_Item]:
    with_bullets = {blocks[place].group for place in places if blocks[place].kind == "bullet"}
    owners: dict[int, int] = {}
    begun = 0
    whole: dict[int, list[int]] = {}
    """The blocks of headings without bullets: they are sections."""
    for place in places:
        block = blocks[place]
        begun += block.kind in _BEGINS
        if block.kind == "heading":
            owners[block.group] = begun
        if block.group in owners and block.group not in with_bullets:
            whole.setdefault(block.group, []).append(place)
    for place in places:
        block = blocks[place]
        owner = owners.get(block.group, 0)
        if block.group in whole:
            if block.kind == "heading":
                text = "".join(blocks[one].text for one in whole[block.group])
                yield _Item(place, whole[block.group][-1], "section", 0, "\n".join(_parts(text)))
        elif block.kind in _LOOSE:
            yield from (_Item(place, place, "loose", owner, part) for part in _parts(block.text))
        else:
            owner = 0 if block.kind == "heading" else owner
            yield _Item(place, place, block.kind, owner, "\n".join(_parts(block.text)))


def _parts(text: str) -> list[str]:
    """Return the parts of a text between lines that set apart, without blank lines."""
    parts: list[list[str]] = [[]]
    for line in text.split("\n"):
        if line.rstrip() == APART:
            parts.append([])
        elif line.strip():
            parts[-1].append(line)
    return ["\n".join(part) for part in parts if part]


def _lonely_headings(blocks: Sequence[Block], doomed: Collection[int]) -> list[int]:
    """Find the headings that would be left without a bullet and without text of their own."""
    staying = {
        block.group
        for place, block in enumerate(blocks)
        if block.kind != "heading" and place not in doomed and not _is_line(block)
    }
    return [place for place, block in enumerate(blocks) if block.kind == "heading" and block.group not in staying]


def _joint(above: Block | None, gap: str, below: Block, lines: str) -> str:
    """Return what comes between two blocks where others went."""
    if above is None or _ends_blank(above.text):
        return lines
    return f"\n{lines}" if lines or _ends_blank(gap) or not _tight(above.kind, below.kind) else ""


def _lines(below: Block, group: int | None) -> str:
    """Return what sets a block apart; what is indented and no part of the heading above it needs two lines."""
    is_twice = group not in {None, below.group} and _is_indented(below)
    return f"{APART}\n\n" * (2 if is_twice else 1)


def _is_indented(block: Block) -> bool:
    return indent_of(block.text.partition("\n")[0]) > 0


def _is_line(block: Block) -> bool:
    """Whether a block is nothing but a line that sets apart."""
    return block.text.strip() == APART


def _tight(kind: str, next_kind: str) -> bool:
    """Tell whether a block may follow another without a blank line and stay a block of its own."""
    return next_kind == "bullet" and kind not in {"entry", "section"}


def _without_blank_end(text: str) -> str:
    lines = text.split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    return "\n".join([*lines, ""])


def _ends_blank(text: str) -> bool:
    return text.endswith(("\n\n", "\n\r\n"))


def _with_sentinel(text: str) -> str:
    blocks = parse(text)
    is_inbox = bool(blocks) and blocks[0].kind == "title" and blocks[0].label.casefold() == "memory inbox"
    if not is_inbox or any(block.removable for block in blocks) or INBOX_SENTINEL in text:
        return text
    return f"{text.rstrip()}\n\n{INBOX_SENTINEL}\n"
