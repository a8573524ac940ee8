"""A picture of memory as SVG: it loads nothing, runs nothing, and follows the light of whoever looks at it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from csbond.cli.graph.look import style
from csbond.cli.graph.text import escaped as escaped
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.picture import Bed, Circle, Label, Line, Picture

HEAD = 78
"""Above the picture: its title, and what is left out of it."""
FOOT = 44
"""Below it: how it is read."""
_LETTER = 8
"""Width of a letter of the legend."""


def svg(picture: Picture, title: str, names: LevelNames) -> str:
    """A file of its own, with the home's names of the tiers."""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{drawing(picture, title, names, style=style())}\n'


def drawing(picture: Picture, title: str, names: LevelNames, style: str = "", *, links: bool = False) -> str:
    """The element: with its style unless the page around it has it, and with links into that page."""
    return "\n".join(_parts(picture, title, names, style, links=links))


def told(picture: Picture) -> str:
    """What is in the picture, and how much is not."""
    here, lines = len(picture.circles), len(picture.lines)
    parts = [
        f"{_of(here, picture.left_out_nodes)} {'memory' if _all(here, picture.left_out_nodes) == 1 else 'memories'}",
        f"{_of(lines, picture.left_out_edges)} {'link' if _all(lines, picture.left_out_edges) == 1 else 'links'}",
    ]
    if picture.unlinked:
        parts.append(f"{picture.unlinked:,} {'memory has' if picture.unlinked == 1 else 'memories have'} no link")
    return " · ".join(parts)


def _of(shown: int, left_out: int) -> str:
    return f"{shown:,} of {shown + left_out:,}" if left_out else f"{shown:,}"


def _all(shown: int, left_out: int) -> int:
    return shown + left_out


def _parts(picture: Picture, title: str, names: LevelNames, style: str, *, links: bool) -> Iterator[str]:
    width, height = picture.width, picture.height + HEAD + FOOT
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        ' role="img">'
    )
    yield f"<title>{escaped(title)}</title><desc>{escaped(told(picture))}</desc>"
    if style:
        yield f"<style>\n{style}</style>"
    yield f'<rect class="paper" width="{width}" height="{height}"/>'
    yield f'<text class="title" x="32" y="40">{escaped(title)}</text>'
    yield f'<text class="note" x="32" y="62">{escaped(told(picture))}</text>'
    yield f'<g transform="translate(0 {HEAD})">'
    yield from map(_bed, picture.beds)
    yield from map(_line, picture.lines)
    yield from (_circle(circle, number, names, links=links) for number, circle in enumerate(picture.circles))
    yield from map(_label, picture.labels)
    yield "</g>"
    yield from _legend(names, height - 20)
    yield "</svg>"


def _bed(bed: Bed) -> str:
    return f'<circle class="bed h{bed.hue}" cx="{bed.x}" cy="{bed.y}" r="{bed.r}"/>'


def _line(line: Line) -> str:
    kinds = ["line", f"s{line.strength}", "across" if line.hue < 0 else f"h{line.hue}"]
    if line.relation == "contradicts":
        kinds.append("against")
    way = f"L{line.x2} {line.y2}" if line.bend is None else f"Q{line.bend[0]} {line.bend[1]} {line.x2} {line.y2}"
    source, target = line.ends
    words = escaped(f"{source.title} — {line.relation.replace('_', ' ')} → {target.title}")
    return f'<path class="{" ".join(kinds)}" d="M{line.x1} {line.y1}{way}"><title>{words}</title></path>'


def _circle(circle: Circle, number: int, names: LevelNames, *, links: bool) -> str:
    node, place = circle.node, f'cx="{circle.x}" cy="{circle.y}"'
    words = escaped(f"{node.title} ({node.type}, {names.name(node.level)}) {node.id}")
    drawn = f'<circle class="{node.level.value} h{circle.hue}" {place} r="{circle.r}"><title>{words}</title></circle>'
    if node.level is Level.HOT:
        drawn += f'<circle class="ring h{circle.hue}" {place} r="{circle.r + 3}"/>'
    if circle.is_center:
        drawn += f'<circle class="center" {place} r="{circle.r + 6}"/>'
    return f'<a href="#m{number}">{drawn}</a>' if links else drawn


def _label(label: Label) -> str:
    kind = f"bed-name h{label.hue}" if label.names_bed else "label"
    return f'<text class="{kind}" x="{label.x}" y="{label.y}" font-size="{label.size}">{escaped(label.text)}</text>'


def _legend(names: LevelNames, y: int) -> Iterator[str]:
    x = 40
    for level, name in names.written.items():
        yield f'<circle class="{level.value} h0" cx="{x}" cy="{y - 4}" r="6"/>'
        if level is Level.HOT:
            yield f'<circle class="ring h0" cx="{x}" cy="{y - 4}" r="9"/>'
        yield f'<text class="note" x="{x + 14}" y="{y}">{escaped(name)}</text>'
        x += 48 + _LETTER * sum(1 + (unicodedata.east_asian_width(letter) in "WF") for letter in name)
    yield f'<path class="line s3 across against" d="M{x} {y - 4}h26"/>'
    yield f'<text class="note" x="{x + 34}" y="{y}">contradicts</text>'
    yield f'<text class="note" x="{x + 126}" y="{y}">the larger, the more central</text>'
