"""`csb memory archive`: what is left of memories that were cleared (MEM-004 §4.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from csbond.cli.entries import EntryArgument
from csbond.cli.node_client import node_of, path_of
from csbond.cli.options import CursorOption, HomeOption, JsonOption, LimitOption, chosen_home
from csbond.cli.output import moment, print_fields, print_json, print_next, print_table

_PLACE = "/v1/memory/archive"


def list_archive(
    limit: LimitOption = 20, after: CursorOption = None, home: HomeOption = None, as_json: JsonOption = False
) -> int:
    """List what is left of cleared memories, the latest first: that they were there, and why they went."""
    with node_of(chosen_home(home)) as node:
        page = node.get(_PLACE, limit=limit, cursor=after)
    if as_json:
        print_json(page)
        return 0
    print_table(
        ["id", "cleared", "type", "tier", "by", "why"], [_row(each) for each in page["archive"]], "Nothing yet."
    )
    print_next(page)
    return 0


def show(entry_id: EntryArgument, home: HomeOption = None, as_json: JsonOption = False) -> int:
    """Show what is left of one cleared memory; its content, tags and vector are gone."""
    with node_of(chosen_home(home)) as node:
        record = node.get(path_of(_PLACE, entry_id, absent="memory_not_found"))
    if as_json:
        print_json(record)
        return 0
    log = record["ethical_log"][0]
    lines = {
        "id": str(record["id"]),
        "type": str(record["type"]),
        "tier": str(record["original_level"]),
        "when": moment(record["timestamp"]),
        "deleted": moment(record["deleted_at"]),
        "cleared": moment(record["cleared_at"]),
        "why": str(log["reason"]),
        "by": str(log["operator"]),
        "trigger": str(log["trigger"]),
        "rule": str(log.get("rule_name", "")),
    }
    print_fields({name: value for name, value in lines.items() if value})
    return 0


def _row(record: Mapping[str, Any]) -> list[str]:
    log = record["ethical_log"][0]
    return [
        str(record["id"]),
        moment(record["cleared_at"]),
        str(record["type"]),
        str(record["original_level"]),
        str(log["operator"]),
        str(log["reason"]),
    ]
