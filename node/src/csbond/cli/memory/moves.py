"""What tending and rules move, as people see it (MEM-005 §5.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from csbond.cli.entries import how_many
from csbond.cli.output import moment, print_line, print_next, print_table

_NO_MOVES = ("keep_uses", "purge")
"""Steps of tending that move no memory."""


def print_tended(tended: Mapping[str, Any]) -> None:
    """A row a move, and how many there are; what waits for a person, too."""
    moves = tended["moves"]
    if moves:
        rows = [[str(move.get("step", "")), *_places(move), _asked_by(move)] for move in moves]
        print_table(["step", "memory", "from", "to", "by"], rows)
    moved = sum(count for step, count in tended["steps"].items() if step not in _NO_MOVES)
    done = "would move" if tended["dry_run"] else "moved"
    print_line(f"As of {moment(tended['as_of'])}: {how_many(moved)} {done}")
    if purged := tended["steps"].get("purge"):
        print_line(f"Records of the archive that are past their time: {purged}")
    if asked := len(tended["reviews"]):
        print_line(f"For your yes or no: {asked}. To see what waits: csb memory review")
    if tended["left_off"]:
        print_line(f"Not shown: {tended['left_off']}")


def print_planned(plan: Mapping[str, Any], following: Sequence[str]) -> None:
    """A row a memory that rules would move, and the commands by which that is done."""
    rows = [[str(move["rule_name"]), *_places(move)] for move in plan["planned"]]
    print_table(["rule", "memory", "from", "to"], rows, "Nothing fits.")
    print_next(plan)
    if not plan["total"]:
        return
    print_line(f"{how_many(plan['total'])} would move." + (" To do it:" if following else ""))
    for command in following:
        print_line(command)


def _places(move: Mapping[str, Any]) -> list[str]:
    return [str(move["memoryId"]), str(move["previousLevel"]), str(move["newLevel"])]


def _asked_by(move: Mapping[str, Any]) -> str:
    return str(move.get("rule_name") or move["trigger"])
