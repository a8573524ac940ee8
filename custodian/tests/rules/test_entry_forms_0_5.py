"""The entries of protocol 0.5: how they are written, and which of them migration may mark."""

from __future__ import annotations

import pytest

from memory_custodian.rules.entry_forms_0_5 import clear_decision, dated_title, render_0_5
from memory_custodian.rules.parse_blocks import parse

TODAY = "2026-03-02"


@pytest.mark.parametrize(
    "entry_type, text",
    [
        ("decision", "## 2026-03-02 - Ship one binary\nDecision:\nShip one binary\nReason:\nIt is simple.\n"),
        ("constraint", "- Ship one binary\n"),
        ("preference", "- Ship one binary\n"),
        ("rule", "- Ship one binary\n"),
        ("profile", "- Ship one binary\n"),
        ("area", "- Ship one binary\n"),
        ("inbox", "## 2026-03-02\n- Ship one binary\n"),
        ("tombstone", "## Tombstone: Ship one binary\nShip one binary\nReason: It is simple.\nDate: 2026-03-02.\n"),
        ("do-not-use", "## Tombstone: Ship one binary\nShip one binary\nReason: It is simple.\nDate: 2026-03-02.\n"),
    ],
)
def test_each_type_has_the_shape_of_0_5(entry_type: str, text: str) -> None:
    assert render_0_5(entry_type, "Ship one binary", "It is simple.", TODAY) == text


def test_a_decision_without_a_reason_has_no_reason_line() -> None:
    assert render_0_5("decision", "Ship it.", "", TODAY) == "## 2026-03-02 - Ship it.\nDecision:\nShip it.\n"


def test_a_tombstone_without_a_reason_gets_one() -> None:
    assert "\nReason: Rejected;" in render_0_5("tombstone", "SQLite", "", TODAY)


@pytest.mark.parametrize("entry_type", ["decision", "constraint", "inbox", "tombstone"])
def test_a_text_with_headings_and_labels_stays_one_entry(entry_type: str) -> None:
    message = "Keep it.\n\n## Not a heading\nDecision:\n- not a bullet\n```\nnot a fence"
    blocks = parse("# Title\n\n" + render_0_5(entry_type, message, "Why.\n## Not one either", TODAY))
    assert len([block for block in blocks if block.removable]) == 1
    assert "not a bullet" in blocks[-1].text


def clear(text: str) -> bool:
    (block,) = parse(text)
    return clear_decision(block)


@pytest.mark.parametrize(
    "text",
    [
        "## 2026-03-02 - Ship\nDecision:\nShip it.\nReason:\nIt works.\n",
        "## Ship\n\nDecision:\n\nShip it: now.\nNote: also on Sunday.\n\n",
        "## 2026-03-02 - Ship\nDecision:\nShip it.\n```\nReason:\nScope: x\n```\n",
    ],
)
def test_a_decision_with_certain_limits_is_clear(text: str) -> None:
    assert clear(text)


@pytest.mark.parametrize(
    "text",
    [
        "## Ship\nWe say so.\nDecision:\nShip it.\n",
        "## Ship\nDecision:\nShip it.\nDecision:\nAnd again.\n",
        "## Ship\nDecision:\nShip it.\nReason:\nOne.\nReason:\nTwo.\n",
        "## Ship\nReason:\nNone.\nDecision:\nShip it.\n",
        "## Ship\nDecision:\nShip it.\nConstraint:\nOffline.\n",
        "## Ship\nDecision:\nShip it.\nStatus: done\n",
        "## Ship\nDecision:\nReason:\nNone.\n",
        "## Ship\nDecision:\n",
        "## 2026-03-02\nDecision:\nShip it.\n",
        "## Tombstone: Ship\nDecision:\nShip it.\n",
        "## Ship\nIt was decided.\n",
        "## MC-DEC-20260302-0123abcd — Ship\nDecision:\nShip it.\n",
    ],
)
def test_an_h2_with_uncertain_parts_is_not_clear(text: str) -> None:
    assert not clear(text)


@pytest.mark.parametrize(
    "label, date, title",
    [
        ("2026-03-02 - Ship", "2026-03-02", "Ship"),
        ("2026-03-02 — Ship", "2026-03-02", "Ship"),
        ("2026-03-02: Ship - now", "2026-03-02", "Ship - now"),
        ("2026-03-02 Ship", "2026-03-02", "Ship"),
        ("2026-03-02", "2026-03-02", ""),
        ("2026-13-02 - Ship", "", "2026-13-02 - Ship"),
        ("2026-03-021 - Ship", "", "2026-03-021 - Ship"),
        ("Ship on 2026-03-02", "", "Ship on 2026-03-02"),
    ],
)
def test_an_old_heading_is_a_date_and_a_title(label: str, date: str, title: str) -> None:
    assert dated_title(label) == (date, title)
