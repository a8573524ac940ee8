"""IDs of entries and Subjects."""

from __future__ import annotations

import re

import pytest

from csbond_tests.custodian_world import FixedDraws
from csbond_tests.marks import requirement
from memory_custodian.rules.entry import CODES
from memory_custodian.rules.entry_ids import (
    ENTRY_CODES,
    canonical_id,
    canonical_subject_id,
    heading_id,
    ids_in_headings,
    new_id,
)
from memory_custodian.rules.problems import Refused


@requirement("CUST-04.1-01", "CUST-04.1-02", "CUST-13.1-01")
@pytest.mark.parametrize("code", [*ENTRY_CODES, "SUBJ"])
def test_a_new_id_has_code_date_and_eight_hex_digits(code: str) -> None:
    made = new_id(code, "2026-03-02", FixedDraws(), ())
    assert made == f"MC-{code}-20260302-00000001"
    assert re.fullmatch(r"MC-[A-Z]+-[0-9]{8}-[0-9a-f]{8}", made)


@requirement("CUST-04.1-02")
def test_every_type_has_its_code() -> None:
    assert set(CODES.values()) | {"TOMB"} == set(ENTRY_CODES)
    assert (CODES["decision"], CODES["constraint"], CODES["do-not-use"], CODES["tombstone"]) == (
        "DEC",
        "CON",
        "DNU",
        "DNU",
    )
    assert (CODES["preference"], CODES["area"], CODES["rule"], CODES["profile"], CODES["inbox"]) == (
        "PREF",
        "AREA",
        "AREA",
        "AREA",
        "INBOX",
    )


@requirement("CUST-04.1-07", "CUST-04.1-09", "CUST-13.1-01")
def test_an_id_that_is_taken_is_drawn_again() -> None:
    taken = {"MC-DEC-20260302-00000001", "MC-DEC-20260302-00000002"}
    assert new_id("DEC", "2026-03-02", FixedDraws(), taken) == "MC-DEC-20260302-00000003"


def test_draws_that_never_change_end_with_an_error_and_not_in_a_loop() -> None:
    class Stuck(FixedDraws):
        def suffix(self) -> str:
            return "0000000a"

    with pytest.raises(RuntimeError, match="no free ID"):
        new_id("DEC", "2026-03-02", Stuck(), {"MC-DEC-20260302-0000000a"})


@requirement("CUST-04.1-05")
@pytest.mark.parametrize(
    "given", ["mc-dec-20260302-ABCDEF01", " MC-DEC-20260302-abcdef01 ", "Mc-Dec-20260302-aBcDeF01"]
)
def test_an_id_in_any_case_stands_for_the_one_with_a_large_code_and_small_digits(given: str) -> None:
    assert canonical_id(given) == "MC-DEC-20260302-abcdef01"
    assert heading_id(f"## {given.strip()} — Ship it\n") == ("MC-DEC-20260302-abcdef01", "Ship it")


@requirement("CUST-04.1-01", "CUST-13.1-01")
@pytest.mark.parametrize(
    "given",
    [
        "",
        "DEC-20260302-abcdef01",
        "MC-XXX-20260302-abcdef01",
        "MC-SUBJ-20260302-abcdef01",
        "MC-DEC-2026032-abcdef01",
        "MC-DEC-20260302-abcdef0",
        "MC-DEC-20260302-abcdef012",
        "MC-DEC-20260302-abcdefg1",
        "MC-DEC-２０２６0302-abcdef01",
        "MC-DEC-20260302-abcdef01\nMC-DEC-20260302-abcdef02",
    ],
)
def test_anything_else_is_no_entry_id_and_is_not_repeated(given: str) -> None:
    with pytest.raises(Refused, match="MC-<TYPE>-<YYYYMMDD>-<8 hex digits>") as refused:
        canonical_id(given)
    assert not given or given not in refused.value.message


@requirement("CUST-04.4-09")
@pytest.mark.parametrize(
    "given", ["Library X", "library-x", "dependency:pypi:library-x", "MC-DEC-20260302-abcdef01", ""]
)
def test_a_display_name_is_no_subject_id(given: str) -> None:
    with pytest.raises(Refused, match="no display name"):
        canonical_subject_id(given)
    assert canonical_subject_id("mc-subj-20260302-ABCDEF01") == "MC-SUBJ-20260302-abcdef01"


@pytest.mark.parametrize(
    "line",
    [
        "# MC-DEC-20260302-abcdef01 — x",
        "### MC-DEC-20260302-abcdef01 — x",
        "## MC-DEC-20260302-abcdef01 - x",
        "## MC-DEC-20260302-abcdef01: x",
        " ## MC-DEC-20260302-abcdef01 — x",
        "## About MC-DEC-20260302-abcdef01 — x",
    ],
)
def test_a_line_of_another_form_is_no_heading_of_an_entry(line: str) -> None:
    assert heading_id(line) is None


def test_a_heading_may_have_lost_its_title_or_have_the_separator_in_it() -> None:
    assert heading_id("## MC-DEC-20260302-abcdef01 —\n") == ("MC-DEC-20260302-abcdef01", "")
    assert heading_id("## MC-DEC-20260302-abcdef01  —  a — b\r\n") == ("MC-DEC-20260302-abcdef01", "a — b")


@requirement("CUST-04.1-06")
def test_ids_are_found_in_headings_of_every_level_and_in_fences_but_not_in_text() -> None:
    text = (
        "# T\n## MC-DEC-20260302-0000000A — x\n### mc-con-20260302-0000000b\n"
        "```\n## MC-SUBJ-20260302-0000000c — y\n```\nSupersedes: MC-DEC-20260302-0000000d\n"
        "## XMC-DEC-20260302-0000000e\n"
    )
    assert list(ids_in_headings(text)) == [
        "MC-DEC-20260302-0000000a",
        "MC-CON-20260302-0000000b",
        "MC-SUBJ-20260302-0000000c",
    ]
