"""Which words stand in a picture, and where: no two on each other, those in the middle of things first."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from csbond.protocol.memory.picture import Bed, Circle, Label

LABEL_MAX = 40
"""Code points of a label; all of a title is told when one points at the memory."""
_SHORTEST, _SHORT, _LONG = 15, 22, 30
"""Letters of a label where there is little room, in a crowd and elsewhere; wide ones count double."""
_CROWD = 40
"""From how many memories on there is a crowd: then only those in the middle have labels."""
_LABELLED = 36
_HIDES = 1
"""Memories that a label may lie on in a crowd."""
_BED_SIZE, _SIZE, _SMALL = 15, 13, 12
_NAMED_FROM = 3
"""A cluster of fewer memories has no name where there are many clusters."""
_FEW_BEDS = 12


@dataclass(frozen=True, slots=True)
class _Box:
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: _Box) -> bool:
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


def labels_of(circles: Sequence[Circle], beds: Sequence[Bed], width: int) -> tuple[Label, ...]:
    """The names of the beds, then of the memories for which there is room; circles come the most central first."""
    labels: list[Label] = []
    taken: list[_Box] = []
    for bed in beds:
        if bed.members >= _NAMED_FROM or len(beds) <= _FEW_BEDS:
            label = Label(bed.x, bed.y - bed.r - 8, shortened(bed.name, _SHORT), _BED_SIZE, bed.hue, names_bed=True)
            labels.append(_inside(label, width))
            taken.append(_box(labels[-1]))
    bodies = [_Box(each.x - each.r, each.y - each.r, each.x + each.r, each.y + each.r) for each in circles]
    crowd = len(circles) > _CROWD
    for circle in circles[: _LABELLED if crowd else None]:
        best = _best(circle, taken, bodies, width, crowd=crowd)
        if best:
            labels.append(best)
            taken.append(_box(best))
    return tuple(labels)


def shortened(text: str, most: int) -> str:
    """A text of so many letters at most, wide ones double, cut where a character begins."""
    room, cut = float(most), 0
    for letter in text[:LABEL_MAX]:
        room -= _width(letter)
        if room < 0:
            break
        cut += 1
    if cut == len(text):
        return text
    while cut and (unicodedata.combining(text[cut]) or text[cut] in _JOINS or text[cut - 1] == "\u200d"):
        cut -= 1
    return text[:cut].rstrip() + "…"


_JOINS = "\u200d\ufe0e\ufe0f"
"""What goes on with the character before."""


def _best(circle: Circle, taken: Sequence[_Box], bodies: Sequence[_Box], width: int, *, crowd: bool) -> Label | None:
    """The place for the words of a memory that hides least; None where all places are taken."""
    found: tuple[int, Label] | None = None
    for label in _tried(circle, width, crowd=crowd):
        box = _box(label)
        if any(box.meets(other) for other in taken):
            continue
        hidden = sum(box.meets(body) for body in bodies)
        if found is None or hidden < found[0]:
            found = hidden, label
    if found and crowd and found[0] > _HIDES:
        return None
    return found[1] if found else None


def _tried(circle: Circle, width: int, *, crowd: bool) -> Iterator[Label]:
    size = _SMALL if crowd else _SIZE
    for letters in (_SHORT if crowd else _LONG, _SHORTEST):
        text = shortened(circle.node.title, letters)
        half = _length(text, size) / 2
        beside, level = circle.r + 5 + half, size * 0.35
        for x, y in ((0.0, circle.r + size + 2.0), (0.0, -circle.r - 6.0), (beside, level), (-beside, level)):
            yield _inside(Label(round(circle.x + x), round(circle.y + y), text, size, circle.hue), width)


def _inside(label: Label, width: int) -> Label:
    """The label moved so that it does not leave the picture."""
    half = _length(label.text, label.size) / 2 + 6
    x = round(min(max(label.x, half), max(half, width - half)))
    return Label(x, label.y, label.text, label.size, label.hue, label.names_bed)


def _box(label: Label) -> _Box:
    half = _length(label.text, label.size) / 2 + 3
    return _Box(label.x - half, label.y - label.size, label.x + half, label.y + label.size * 0.35)


def _length(text: str, size: int) -> float:
    return sum(map(_width, text)) * size * 0.55


def _width(letter: str) -> float:
    """In letters of middle width."""
    if unicodedata.combining(letter):
        return 0.0
    return 1.85 if unicodedata.east_asian_width(letter) in "WF" else 1.0
