"""`csb memory map`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from csbond.cli.node_client import LONG_S, node_of
from csbond.cli.options import HomeOption, JsonOption, chosen_home
from csbond.cli.output import moment, print_fields, print_json, print_line, print_table
from csbond.cli.written_file import write_text
from csbond.protocol.errors import Refused

_PLACE = "/v1/memory/vector-maps"


def list_maps(home: HomeOption = None, as_json: JsonOption = False) -> int:
    """List the models whose vectors are kept apart, and the maps from them."""
    with node_of(chosen_home(home)) as node:
        shown = node.get(_PLACE)
    if as_json:
        print_json(shown)
        return 0
    maps = {each["fingerprint"]: each for each in shown["maps"]}
    rows = [
        [
            str(each["vectors"]),
            str(each["dimension"]),
            f"{maps[each['fingerprint']]['error']:.3f}" if each["fingerprint"] in maps else "",
            each["model"],
            each["fingerprint"],
        ]
        for each in shown["models"]
    ]
    print_table(["vectors", "dimension", "error", "model", "fingerprint"], rows, "No vectors of other models are here.")
    return 0


def get(
    fingerprint: Annotated[str, typer.Argument(metavar="FINGERPRINT", help="Of the other model.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write it.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Write a map to a file as JSON: its matrix is base64 of little-endian 32-bit floats, a row an input number."""
    with node_of(chosen_home(home)) as node:
        maps = node.get(_PLACE, matrix=fingerprint)["maps"]
    found = next((each for each in maps if each["fingerprint"] == fingerprint), None)
    if found is None:
        reason = f"there is no map from {fingerprint}"
        raise Refused("vector_map_refused", reason, next_step=f"csb memory map fit {fingerprint}")
    write_text(output, json.dumps(found) + "\n")
    if as_json:
        print_json({"file": str(output), "from_dimension": found["from_dimension"], "to": found["to_model"]})
    else:
        print_line(f"{output} holds the map to {found['to_model']}")
    return 0


def fit(
    fingerprint: Annotated[str, typer.Argument(metavar="FINGERPRINT", help="Of the other model.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Fit a map from another model's vectors to this node's, from memories that both have embedded."""
    with node_of(chosen_home(home), answer_s=LONG_S) as node:
        fitted = node.post(_PLACE, {"fingerprint": fingerprint})
    if as_json:
        print_json(fitted)
        return 0
    print_fields(
        {
            "texts": str(fitted["pairs"]),
            "error": f"{fitted['error']:.3f} on those it was not fitted to",
            "to": fitted["to_model"],
            "made": moment(fitted["made_at"]),
        }
    )
    print_line("It is kept in place of the one before.")
    return 0
