"""What a played node answers to the commands of memory, and how it is read on a terminal."""

from __future__ import annotations

import io
from typing import Any

__all__ = ["AT", "ENTRY", "ID", "MOVE", "NETWORK", "PLACE", "PLAN", "STATS", "TENDED", "Terminal", "rows"]

ID = "mem_1700000000000_k3x9"
AT = 1_800_000_000_000
ENTRY: dict[str, Any] = {
    "id": ID,
    "type": "event",
    "content": "茶在三点 tea at three",
    "tags": ["tea"],
    "timestamp": 1_700_000_000_000,
    "level": "hot",
    "metadata": {"version": 2},
}
PLACE = f"/v1/memory/{ID}"
MOVE: dict[str, Any] = {"memoryId": ID, "previousLevel": "hot", "newLevel": "warm", "action": "demote"}
TENDED: dict[str, Any] = {
    "as_of": AT,
    "dry_run": False,
    "steps": {"keep_uses": 4, "purge": 2, "rules": 1, "hot_idle": 1},
    "moves": [
        {**MOVE, "timestamp": AT, "trigger": "rule", "rule_name": "old tea", "newLevel": "deleted", "step": "rules"},
        {**MOVE, "timestamp": AT, "trigger": "system", "step": "hot_idle"},
    ],
    "reviews": [{}],
    "left_off": 3,
}
NETWORK: dict[str, Any] = {
    "nodes": [
        {
            "id": ID,
            "level": "hot",
            "type": "event",
            "title": "茶在三点 tea at three",
            "tags": ["tea"],
            "network_id": "net_0123456789ab",
            "centrality": 1.0,
            "clusters": ["tea"],
        },
        {"id": "mem_2", "level": "cold", "type": "lesson", "title": "Alone.", "tags": []},
    ],
    "links": [{"source_id": ID, "target_id": "mem_2", "relation": "contradicts", "weight": 0.5}],
    "left_out": {"nodes": 4, "links": 0},
    "unlinked": 1,
}
STATS: dict[str, Any] = {
    "at": AT,
    "total": 1200,
    "levels": {"hot": 100, "warm": 800, "cold": 300},
    "types": {"event": 1190, "todo": 10},
    "sources": {"user": 1200},
    "visibilities": {"private": 1200},
    "linked": 7,
    "links": 5,
    "growth": [{"date": "2027-01-14", "kept": 0}, {"date": "2027-01-15", "kept": 8}, {"date": "2027-01-16", "kept": 1}],
    "caps": {
        "held": {"hot": 90, "warm": 800, "cold": 300},
        "hot_cap": 100,
        "hot_pinned": 2,
        "warm_cap": 200,
        "fullest_project": {"project": "north", "held": 150},
    },
    "removals": {"lru": {"demote": 1234}, "rule": {"archive": 1, "delete": 2}},
    "waiting": {"restorable": 3, "reviews": 2, "vectors": 4, "archived": 5},
    "file_bytes": 12_345_678,
    "index": {"semantic": True, "model": "use/1", "through": 9, "space_seq": 12, "failure": None},
}
PLAN: dict[str, Any] = {
    "plan": "all:5c",
    "planned": [{**MOVE, "rule_name": "old tea"}],
    "total": 2,
    "next_cursor": "abc",
}


class Terminal(io.StringIO):
    """A terminal, with what a person types."""

    def isatty(self) -> bool:
        return True


def rows(ended: Any) -> list[str]:
    """The lines a command printed, however wide its columns are."""
    return [" ".join(line.split()) for line in ended.out.splitlines()]
