"""What a played node answers to the commands of memory, and how it is read on a terminal."""

from __future__ import annotations

import io
from typing import Any

__all__ = ["AT", "ENTRY", "ID", "MOVE", "PLACE", "PLAN", "TENDED", "Terminal", "rows"]

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
