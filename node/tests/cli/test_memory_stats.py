"""`csb memory stats`: memory in numbers."""

from __future__ import annotations

import io
import sys

import pytest

from csbond_tests.memory_answers import STATS, rows
from csbond_tests.requirements import requirement


def lines(ended):
    return [line.rstrip() for line in ended.out.splitlines()]


@requirement("MEM-003-3.1-stats", "MEM-003-3.1-commands")
def test_memory_is_shown_in_numbers(csb, home, node) -> None:
    node.answer("GET /v1/memory/stats", STATS)
    ended = csb("memory", "stats", "--days", "3", "--home", home.path)
    assert rows(ended) == [
        "1,200 memories, 7 of them linked by 5 links",
        "",
        "hot ██░░░░░░░░░░░░░░░░░░░░░░ 90 of 100, 2 pinned",
        "warm ████████████████░░░░░░░░ 800, at most 200 a project; north has 150",
        "cold ██████░░░░░░░░░░░░░░░░░░ 300",
        "",
        "types event 1,190, todo 10",
        "from user 1,200",
        "told to private 1,200",
        "growth ·█▁",
        "9 kept since 2027-01-14, a column a day, 8 at most",
        "removed a tier was full: 1,234 moved down a tier",
        "a rule: 1 sent to cold, 2 deleted",
        "waits 2 to answer: csb memory review",
        "3 deleted that can be restored",
        "cleared 5 on record",
        "search by words and meaning, 4 without a vector yet",
        "on disk 12.3 MB",
    ]
    assert node.last.path == "/v1/memory/stats?days=3"
    assert csb("memory", "stats", "--home", home.path, "--json").json == STATS


def test_many_days_share_columns_the_last_of_them_whole(csb, home, node) -> None:
    growth = [{"date": f"day {n}", "kept": int(n > 88) * 4 + int(n == 0)} for n in range(91)]
    node.answer("GET /v1/memory/stats", {**STATS, "growth": growth})
    ended = csb("memory", "stats", "--home", home.path)
    drawn = next(line.split()[1] for line in lines(ended) if line.startswith("growth"))
    assert drawn == "▁" + "·" * 44 + "█"
    assert "9 kept since day 0, a column 2 days, 8 at most" in ended.out


def test_a_memory_that_is_empty_is_shown_too(csb, home, node) -> None:
    nothing = {
        **STATS,
        "total": 0,
        "levels": dict.fromkeys(STATS["levels"], 0),
        "types": {},
        "links": 0,
        "growth": [{"date": "2027-01-16", "kept": 0}],
        "removals": {},
        "caps": {**STATS["caps"], "held": dict.fromkeys(STATS["levels"], 0), "fullest_project": None, "hot_pinned": 0},
        "waiting": dict.fromkeys(STATS["waiting"], 0),
    }
    node.answer("GET /v1/memory/stats", nothing)
    shown = rows(csb("memory", "stats", "--days", "1", "--home", home.path))
    assert shown[0] == "0 memories"
    assert "hot ░░░░░░░░░░░░░░░░░░░░░░░░ 0 of 100" in shown
    assert "growth ·" in shown
    assert "removed nothing in 1 day" in shown
    assert "waits nothing to answer" in shown


@pytest.mark.parametrize(
    "index, told",
    [
        ({"semantic": False}, "by words"),
        ({"semantic": False, "failure": "it does not answer"}, "by words only: it does not answer"),
    ],
)
def test_how_memory_is_searched_is_told(csb, home, node, index, told) -> None:
    node.answer("GET /v1/memory/stats", {**STATS, "index": {**STATS["index"], **index}})
    assert f"search {told}" in rows(csb("memory", "stats", "--home", home.path))


def test_a_terminal_without_blocks_is_drawn_on_with_letters(csb, home, node, monkeypatch) -> None:
    node.answer("GET /v1/memory/stats", STATS)
    screen = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", screen)
    assert csb("memory", "stats", "--home", home.path).status == 0
    screen.flush()
    shown = screen.buffer.getvalue().decode("ascii")
    assert "hot   ##......................" in shown
    assert "\\u" not in shown
