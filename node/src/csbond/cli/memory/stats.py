"""`csb memory stats`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import typer

from csbond.cli.entries import how_many
from csbond.cli.node_client import node_of
from csbond.cli.options import HomeOption, JsonOption, chosen_home
from csbond.cli.output import print_fields, print_json, print_line
from csbond.protocol.memory.stats import GROWTH_DAYS, GROWTH_DAYS_MAX

_BAR = 24
"""Columns of a bar that stands for all memories."""
_COLUMNS = 60
"""Columns of the growth at most; of more days several share one."""
_STEPS, _PLAIN_STEPS = "▁▂▃▄▅▆▇█", ".:-=+*#@"
_KINDS_TOLD = 6
_DONE = {
    "demote": "moved down a tier",
    "archive": "sent to cold",
    "delete": "deleted",
    "hard_delete": "erased",
}
_WHY = {
    "ttl": "their time had passed",
    "lru": "a tier was full",
    "rule": "a rule",
    "manual": "somebody",
    "system": "not used, or not restored",
}


def stats(
    days: Annotated[
        int, typer.Option("--days", min=1, max=GROWTH_DAYS_MAX, metavar="N", help="Days of growth and removals.")
    ] = GROWTH_DAYS,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show memory in numbers: its tiers and kinds, how it grows, what was removed and why, and what waits."""
    with node_of(chosen_home(home)) as node:
        found = node.get("/v1/memory/stats", days=days)
    if as_json:
        print_json(found)
        return 0
    print_line(_in_all(found))
    print_line("")
    print_fields(dict(_tiers(found)))
    print_line("")
    print_fields(dict(_rest(found, days)))
    return 0


def _in_all(found: Mapping[str, Any]) -> str:
    links = f"{found['links']:,} {'link' if found['links'] == 1 else 'links'}"
    linked = f", {found['linked']:,} of them linked by {links}" if found["links"] else ""
    return f"{found['total']:,} {how_many(found['total']).split()[1]}{linked}"


def _tiers(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """A bar for each tier, and how far it is from its cap."""
    levels, caps = found["levels"], found["caps"]
    project = caps["fullest_project"]
    fullest = f"; {project['project'] or 'those of no project'} has {project['held']:,}" if project else ""
    pinned = f", {caps['hot_pinned']:,} pinned" if caps["hot_pinned"] else ""
    notes = [f" of {caps['hot_cap']:,}{pinned}", f", at most {caps['warm_cap']:,} a project{fullest}", ""]
    for (name, count), note in zip(levels.items(), notes, strict=True):
        yield name, f"{_bar(count, found['total'])} {caps['held'][name]:,}{note}"


def _rest(found: Mapping[str, Any], days: int) -> Iterator[tuple[str, str]]:
    waiting = found["waiting"]
    yield "types", _kinds(found["types"])
    yield "from", _kinds(found["sources"])
    yield "told to", _kinds(found["visibilities"])
    yield "growth", _growth(found["growth"])
    yield "removed", "\n".join(_removals(found["removals"])) or f"nothing in {days} {'day' if days == 1 else 'days'}"
    yield "waits", _waits(waiting)
    yield "cleared", f"{waiting['archived']:,} on record"
    yield "search", _search(found["index"], waiting["vectors"])
    yield "on disk", _size(found["file_bytes"])


def _bar(count: int, total: int) -> str:
    full, empty = ("█", "░") if _draws() else ("#", ".")
    columns = -(-count * _BAR // total) if total else 0
    return full * columns + empty * (_BAR - columns)


def _kinds(counts: Mapping[str, int]) -> str:
    told = [f"{name} {count:,}" for name, count in list(counts.items())[:_KINDS_TOLD]]
    others = sum(list(counts.values())[_KINDS_TOLD:])
    return ", ".join([*told, f"others {others:,}"] if others else told) or "nothing"


def _growth(growth: Sequence[Mapping[str, Any]]) -> str:
    """A column for each day, or for several: how many were kept then."""
    share = -(-len(growth) // _COLUMNS)
    first = len(growth) % share
    kept = [day["kept"] for day in growth]
    columns = ([sum(kept[:first])] if first else []) + [
        sum(kept[at : at + share]) for at in range(first, len(kept), share)
    ]
    each = "a column a day" if share == 1 else f"a column {share} days"
    summed = f"{sum(kept):,} kept since {growth[0]['date']}, {each}, {max(columns):,} at most"
    return f"{_drawn(columns)}\n{summed}"


def _drawn(columns: Sequence[int]) -> str:
    steps, nothing = (_STEPS, "·") if _draws() else (_PLAIN_STEPS, " ")
    most = max(columns)
    return "".join(steps[-(-count * len(steps) // most) - 1] if count else nothing for count in columns)


def _removals(removals: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    for trigger, actions in removals.items():
        done = ", ".join(f"{count:,} {_DONE.get(action, action)}" for action, count in actions.items())
        yield f"{_WHY.get(trigger, trigger)}: {done}"


def _waits(waiting: Mapping[str, int]) -> str:
    asked, deleted = waiting["reviews"], waiting["restorable"]
    questions = f"{asked:,} to answer: csb memory review" if asked else "nothing to answer"
    return f"{questions}\n{deleted:,} deleted that can be restored"


def _search(index: Mapping[str, Any], waiting: int) -> str:
    if index["failure"]:
        return f"by words only: {index['failure']}"
    if not index["semantic"]:
        return "by words"
    return f"by words and meaning, {f'{waiting:,} without a vector yet' if waiting else 'all are indexed'}"


def _size(size: int) -> str:
    return f"{size / 1_000_000:,.1f} MB"


def _draws() -> bool:
    """Whether the terminal can show blocks."""
    return "utf" in (getattr(sys.stdout, "encoding", "") or "").lower()
