"""`csb memory graph`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from csbond.cli.node_client import node_of, path_of
from csbond.cli.options import HomeOption, JsonOption, chosen_home
from csbond.cli.output import print_json, print_line
from csbond.cli.written_file import write_text
from csbond.protocol.errors import LocalProtocolError
from csbond.protocol.memory.network import DEPTH_MAX, SHOWN_MAX

_PLACE = "/v1/memory/network"
_DEPTH = 2


class Form(StrEnum):
    """What is written."""

    SVG = "svg"
    HTML = "html"


def graph(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write it.")],
    form: Annotated[
        Form | None,
        typer.Option("--format", help="A picture alone, or a page with a list below; by the name of the file."),
    ] = None,
    center: Annotated[
        str | None, typer.Option("--center", metavar="ID", help="Only what lies around this memory.")
    ] = None,
    depth: Annotated[
        int | None, typer.Option("--depth", min=1, max=DEPTH_MAX, metavar="N", help="How many steps around it: 2.")
    ] = None,
    nodes: Annotated[
        int, typer.Option("--nodes", min=1, max=SHOWN_MAX, metavar="N", help="Memories to draw at most.")
    ] = 300,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Draw how the memories hang together by their links, the most central ones first; what is left out is counted.

    The file holds no script and loads nothing; the same links give the same picture.
    """
    from csbond.cli.graph.page import page
    from csbond.cli.graph.svg import svg, told
    from csbond.config.identity import as_served
    from csbond.config.settings_file import read_settings
    from csbond.protocol.memory.graph_layout import layout
    from csbond.protocol.memory.level_names import level_names
    from csbond.protocol.memory.network_json import network_from_json

    if depth is not None and center is None:
        raise LocalProtocolError("invalid_params", "--depth is about --center ID", field="depth")
    form = form or _form_of(output)
    chosen = chosen_home(home)
    with node_of(chosen) as node:
        if center is None:
            found = node.get(_PLACE, limit=nodes)
        else:
            place = path_of(_PLACE, center, absent="memory_not_found")
            found = node.get(place, depth=depth or _DEPTH, limit=nodes)
    served = as_served(chosen.identity, read_settings(chosen.settings_file).memory.memory_level_map)
    names = level_names(served.memory_level_map)
    picture = layout(network_from_json(found, names), nodes)
    write = page if form is Form.HTML else svg
    write_text(output, write(picture, f"{chosen.identity.name}: memories and their links", names))
    if as_json:
        print_json({"file": str(output), "nodes": len(picture.circles), "links": len(picture.lines)})
    else:
        print_line(f"{output}: {told(picture)}")
    return 0


def _form_of(path: Path) -> Form:
    if path.suffix.lower() in (".html", ".htm"):
        return Form.HTML
    if path.suffix.lower() == ".svg":
        return Form.SVG
    raise LocalProtocolError("invalid_params", f"{path} is no .svg and no .html: say --format", field="format")
