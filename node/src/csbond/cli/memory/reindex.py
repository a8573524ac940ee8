"""`csb memory reindex`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from csbond.cli.node_client import NodeClient, node_of
from csbond.cli.options import HomeOption, JsonOption, chosen_home
from csbond.cli.output import print_json, print_line
from csbond.cli.progress import Advance, progress
from csbond.protocol.errors import Unavailable

_LOOK_S = 0.5
"""Seconds between two looks at how far the node is."""


def reindex(home: HomeOption = None, as_json: JsonOption = False) -> int:
    """Embed every memory anew, and wait until it is done.

    For a model that changed behind its name; a model of another name embeds everything by itself. Until it is done,
    searches find by meaning what is embedded again. The node goes on when this command is ended.
    """
    with node_of(chosen_home(home)) as node:
        begun = node.post("/v1/memory/reindex", {})
        with progress(begun["entries"], "Embedding memories", shown=not as_json) as advance:
            memory = _followed(node, begun["entries"], advance)
    if as_json:
        print_json({**begun, "indexed_through": memory["indexed_through"]})
    else:
        print_line(f"{begun['entries']} memories are embedded anew by {begun['model']}.")
    return 0


def _followed(node: NodeClient, entries: int, advance: Advance) -> Mapping[str, Any]:
    """The figures of memory once every vector is made; `embedder_unavailable` when the embedder does not answer."""
    done = 0
    while True:
        memory: Mapping[str, Any] = node.get("/v1/status")["memory"]
        if memory["failure"]:
            raise Unavailable(
                "embedder_unavailable", memory["failure"], next_step="the node goes on by itself when it answers again"
            )
        if not memory["remaking"]:
            return memory
        now = max(done, entries - memory["waiting"] if memory["indexed_through"] else 0)
        advance(now - done)
        done = now
        time.sleep(_LOOK_S)
