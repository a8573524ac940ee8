"""`csb memory snapshot verify`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from csbond.cli.entries import how_many
from csbond.cli.memory.snapshot.files import PLACE, LenientOption, limits_of, read_snapshot
from csbond.cli.node_client import LONG_S, node_of
from csbond.cli.options import HomeOption, JsonOption, chosen_home
from csbond.cli.output import moment, print_fields, print_json
from csbond.config.system import SystemClock
from csbond.protocol.memory.snapshot import MEDIA_TYPE
from csbond.protocol.memory.snapshot_check import checked_snapshot
from csbond.protocol.memory.snapshot_json import shown_head


def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A snapshot; - is standard input.")],
    lenient: LenientOption = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Tell whether a snapshot is as it was made and can be read; nothing is loaded (MEM-006 §6.3).

    The node of the home looks at it; without a home this command does, and no node is needed.
    """
    limits = limits_of(home)
    raw, answer = read_snapshot(file, limits.bytes), dict[str, Any]()
    if home is None:
        found = checked_snapshot(raw, limits, SystemClock().now(), lenient=lenient)
        answer = {"valid": True, "snapshot": shown_head(found.head), "unknown": list(found.unknown)}
    else:
        with node_of(chosen_home(home), LONG_S) as node:
            answer = node.post_file(f"{PLACE}/verify", raw, MEDIA_TYPE, **({"lenient": "true"} if lenient else {}))
    if as_json:
        print_json(answer)
        return 0
    head = answer["snapshot"]
    lines = {
        "id": str(head["id"]),
        "made by": str(head["source"]),
        "made": moment(head["created"]),
        "for": str(head["description"]),
        "holds": how_many(head["totalCount"]),
        "tiers": ", ".join(f"{count} {level}" for level, count in head["levels"].items() if count),
        "checksum": str(head["checksum"]),
        "let pass": ", ".join(answer["unknown"]),
    }
    print_fields({name: value for name, value in lines.items() if value})
    return 0
