"""A page around a picture of memory: one file that loads nothing and runs nothing (CSP), for eyes and for readers.

Below the picture every memory of it is listed with its links, and can be reached from its circle.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence

from csbond.cli.graph.look import FONT, page_colours, style
from csbond.cli.graph.svg import drawing, told
from csbond.cli.graph.text import escaped
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.picture import Circle, Line, Picture

_SHAPES = f"""\
body{{font:15px/1.55 {FONT};margin:0 auto;max-width:1500px;padding:16px}}
svg{{display:block;width:100%;height:auto}}
details{{margin:0 16px 10px}}
summary{{cursor:pointer;font-weight:600}}
ul{{list-style:none;padding-left:18px;margin:6px 0}}
li{{margin:4px 0;overflow-wrap:anywhere}}
li:target{{border-radius:4px;outline-offset:4px}}
.quiet{{font-size:13px}}
a{{color:inherit;text-decoration-color:#8886}}
bdi{{unicode-bidi:isolate}}
"""


def page(picture: Picture, title: str, names: LevelNames) -> str:
    """The page, in UTF-8, with the home's names of the tiers."""
    return "\n".join(_parts(picture, title, names)) + "\n"


def _parts(picture: Picture, title: str, names: LevelNames) -> Iterator[str]:
    sheet = _SHAPES + page_colours() + style()
    name = escaped(title)
    yield "<!doctype html>"
    yield '<html lang="und"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_policy(sheet)}">'
    yield '<meta name="viewport" content="width=device-width,initial-scale=1">'
    yield '<meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark">'
    yield f"<title>{name}</title>"
    yield f"<style>{sheet}</style></head><body><main>"
    yield drawing(picture, title, names, links=True)
    yield from _beds(picture, names)
    yield f'<p class="quiet">{escaped(told(picture))}</p></main></body></html>'


def _policy(sheet: str) -> str:
    """Nothing is loaded, run, framed or sent; only this very style sheet counts."""
    digest = base64.b64encode(hashlib.sha256(sheet.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _beds(picture: Picture, names: LevelNames) -> Iterator[str]:
    numbers = {circle.node.id: number for number, circle in enumerate(picture.circles)}
    links = _links_by_source(picture.lines)
    for bed in picture.beds:
        members = [circle for circle in picture.circles if _cluster(circle) == bed.name]
        yield f"<details open><summary><bdi>{escaped(bed.name)}</bdi> · {bed.members}</summary><ul>"
        for circle in members:
            yield from _member(circle, numbers, links.get(circle.node.id, ()), names)
        yield "</ul></details>"


def _cluster(circle: Circle) -> str:
    return circle.node.place.clusters[0] if circle.node.place else circle.node.type


def _member(circle: Circle, numbers: Mapping[str, int], links: Sequence[Line], names: LevelNames) -> Iterator[str]:
    node = circle.node
    about = [node.type, names.name(node.level), node.id]
    if node.place:
        about.insert(2, f"{node.place.centrality:g}")
    yield f'<li id="m{numbers[node.id]}"><bdi>{escaped(node.title)}</bdi>'
    yield f'<span class="quiet">{escaped(" · ".join(about))}</span>'
    if links:
        yield "<ul>"
        for line in links:
            target = line.ends[1]
            relation = escaped(line.relation.replace("_", " "))
            yield (
                f'<li><span class="quiet">{relation} →</span> '
                f'<a href="#m{numbers[target.id]}"><bdi>{escaped(target.title)}</bdi></a></li>'
            )
        yield "</ul>"
    yield "</li>"


def _links_by_source(lines: Sequence[Line]) -> Mapping[str, list[Line]]:
    found: dict[str, list[Line]] = {}
    for line in lines:
        found.setdefault(line.ends[0].id, []).append(line)
    return found
