"""`csb status`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from csbond.cli.node_client import node_of
from csbond.cli.options import HomeOption, JsonOption, chosen_home
from csbond.cli.output import moment, print_fields, print_json, print_line
from csbond.config.lock import running_node
from csbond.protocol.errors import EXIT_STATUS, Exit


def status(home: HomeOption = None, as_json: JsonOption = False) -> int:
    """Say whether the node of a home runs, where, and how it is.

    Ends with 3 when it does not run or does not answer.
    """
    chosen = chosen_home(home)
    record = running_node(chosen)
    if record is None:
        if as_json:
            print_json({"running": False, "home": str(chosen.path), "name": chosen.identity.name})
        else:
            print_line(f"{chosen.identity.name} is not running — csb serve --home {chosen.path}")
        return EXIT_STATUS[Exit.UNAVAILABLE]
    with node_of(chosen) as node:
        health = node.get("/health")
        figures = node.get("/v1/status")
    document = {
        "running": True,
        "home": str(chosen.path),
        "pid": record.pid,
        "url": record.url,
        "started_at": record.started_at,
        "health": health,
        "status": figures,
    }
    if as_json:
        print_json(document)
    else:
        print_fields(dict(_lines(document)))
    return 0


def _lines(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "name", str(document["health"].get("name", ""))
    yield "address", document["url"]
    yield "process", str(document["pid"])
    yield "since", moment(document["started_at"])
    yield from _flat("", document["health"], leave_out=("name", "pka"))
    yield from _flat("", document["status"], leave_out=("agent", "version", "started_at", "draining"))


def _flat(prefix: str, figures: Mapping[str, Any], leave_out: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    for name, value in figures.items():
        if name in leave_out or value is None or value == "":
            continue
        if isinstance(value, Mapping):
            yield from _flat(f"{prefix}{name} ", value)
        elif isinstance(value, bool):
            yield f"{prefix}{name}".replace("_", " "), "yes" if value else "no"
        else:
            yield f"{prefix}{name}".replace("_", " "), str(value)
