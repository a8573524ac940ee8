"""The blocks of a memory file, and what is left when some of them go."""

from __future__ import annotations

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.blocks import Block
from memory_custodian.rules.parse_blocks import APART, INBOX_SENTINEL, field_of, groups, label_of, parse
from memory_custodian.rules.removing import without

ENTRY = """\
## MC-CON-20260302-00000001 — Work offline

Status: active
Scope: project
Evidence:
- user-confirmed

Constraint:
Maps are printed without a network.

Reason:
The hut has none.

"""


def shape(text: str) -> list[tuple[str, str]]:
    """Kind and text of every block; joined they are the text."""
    blocks = parse(text)
    assert "".join(block.text for block in blocks) == text
    line = 1
    for block in blocks:
        assert block.line == line
        line += block.text.count("\n")
    assert sorted({block.group for block in blocks}) == list(range(len(groups(blocks))))
    return [(block.kind, block.text) for block in blocks]


def place_of(text: str, start: str) -> int:
    """Where the block stands whose text begins so."""
    return next(at for at, block in enumerate(parse(text)) if block.text.startswith(start))


def test_a_file_without_headings_and_bullets_is_title_and_body() -> None:
    assert shape("# Project Brief\n\nLantern prints maps.\n\nIn colour.\n") == [
        ("title", "# Project Brief\n\n"),
        ("body", "Lantern prints maps.\n\nIn colour.\n"),
    ]
    assert shape("") == []
    assert shape("text") == [("body", "text")]
    assert shape("# T") == [("title", "# T")]


def test_bare_bullets_are_pieces_of_their_own_behind_the_preamble() -> None:
    text = "# Constraints\n\nWhat must hold.\n\n- one\n  more of one\nlazy\n* two\n\n  more of two\n+ three\n"
    assert shape(text) == [
        ("title", "# Constraints\n\n"),
        ("preamble", "What must hold.\n\n"),
        ("bullet", "- one\n  more of one\nlazy\n"),
        ("bullet", "* two\n\n  more of two\n"),
        ("bullet", "+ three\n"),
    ]
    assert [block.label for block in parse(text)] == ["Constraints", "", "one", "two", "three"]
    assert len({block.group for block in parse(text)}) == 5


def test_text_between_bullets_belongs_to_neither() -> None:
    assert shape("- one\n\nBelow: old ones.\n- two\n") == [
        ("bullet", "- one\n\n"),
        ("lead", "Below: old ones.\n"),
        ("bullet", "- two\n"),
    ]


@requirement("CUST-P-08")
@pytest.mark.parametrize("below", [" - b\n", "-\tb\n", "-\n", "*\tb\n  more\n", " + b\n\n   more\n"])
def test_a_bullet_that_only_looks_nested_is_a_piece_of_its_own(below: str) -> None:
    assert shape(f"- a\n{below}- c\n") == [("bullet", "- a\n"), ("bullet", below), ("bullet", "- c\n")]
    assert parse(f"- a\n{below}")[1].label == ("b" if "b" in below else "")


@requirement("CUST-P-08")
@pytest.mark.parametrize(
    "below",
    [
        "1. b\n",
        "2) b\n",
        "---\n",
        "- - -\n",
        " * * *\n",
        "| a | b |\n|---|---|\n",
        "<!-- keep me -->\n",
        "<table>\n",
        "### Evening\n",
        "  ###\n"[1:],
        "> said\n",
        "```\n",
        "\n b\n",
    ],
)
def test_what_is_no_part_of_a_bullet_belongs_to_none(below: str) -> None:
    blank = below[: -len(below.lstrip("\n"))] if below.startswith("\n") else ""
    rest = below.removeprefix(blank)
    assert shape(f"- a\n{below}- c\n") == [("bullet", f"- a\n{blank}"), ("lead", rest), ("bullet", "- c\n")]


@pytest.mark.parametrize(
    "bullet",
    [
        "- a\nlazy\nand lazy\n",
        "- a\n  - b\nlazy\n  1. c\n  ### d\n  ---\n",
        "-   a\n    - b\n",
        "- a\n\n  more\n",
        "-\ta\n\n    more\n",
        "- > said\nlazy\n",
        "- a\n===\n",
        "- a\n#5 and -1, 2.5 <3\n",
    ],
)
def test_what_is_indented_far_enough_and_lazy_text_belong_to_the_bullet_above(bullet: str) -> None:
    assert shape(f"- first\n{bullet}- last\n") == [
        ("bullet", "- first\n"),
        ("bullet", bullet),
        ("bullet", "- last\n"),
    ]


def test_text_below_what_ends_a_paragraph_is_not_lazy() -> None:
    for inner in ("  ```\n  x\n  ```\n", "  ### b\n", "  ---\n", "  | b |\n", "  <!-- b -->\n"):
        assert shape(f"- a\n{inner}text\n") == [("bullet", f"- a\n{inner}"), ("lead", "text\n")]
    assert shape("- a\n-\ntext\n")[1:] == [("bullet", "-\n"), ("lead", "text\n")]


def test_bullets_before_the_first_heading_are_pieces_too() -> None:
    assert [kind for kind, _ in shape("- one\n- two\n\n## Later\n- three\n")] == [
        "bullet",
        "bullet",
        "heading",
        "bullet",
    ]


def test_a_heading_that_groups_bullets_is_one_group_with_them() -> None:
    text = "# Memory Inbox\n\n## 2026-03-02\nFrom the walk.\n\n- one\n- two\n\n## 2026-03-01\n\n- three\n"
    assert shape(text) == [
        ("title", "# Memory Inbox\n\n"),
        ("heading", "## 2026-03-02\n"),
        ("lead", "From the walk.\n\n"),
        ("bullet", "- one\n"),
        ("bullet", "- two\n\n"),
        ("heading", "## 2026-03-01\n\n"),
        ("bullet", "- three\n"),
    ]
    assert [len(group) for group in groups(parse(text))] == [1, 4, 2]


@pytest.mark.parametrize(
    "section",
    [
        "## 2026-03-02 - Ship one binary\nDecision:\nShip one.\n\n- for each platform\n",
        "## Tombstone: boats\nSoft.\n- and rafts\n",
        "## TOMBSTONE: boats\n- and rafts\n",
        "## Notes\nProse only.\n  - an indented bullet\n",
        "## Alone\n",
        "## Fenced\n```\n- no bullet\n```\n",
    ],
)
def test_a_heading_that_is_one_piece_is_a_section_that_can_be_removed(section: str) -> None:
    assert shape(f"{section}\n## Next\n\n- one\n")[0] == ("section", f"{section}\n")
    assert parse(section)[0].removable


def test_an_entry_is_one_block_with_its_id_in_the_usual_form() -> None:
    text = ENTRY.replace("MC-CON-20260302-00000001", "mc-con-20260302-0000000A")
    assert shape(f"# Constraints\n\n{text}## Old\n- one\n")[1] == ("entry", text)
    assert parse(text)[0].entry_id == "MC-CON-20260302-0000000a"
    subject = "## MC-SUBJ-20260302-00000001 — Library X\n\nStatus: active\n\nAliases:\n- Library X\n\n- libx\n"
    assert shape(subject) == [("entry", subject)]


@requirement("CUST-P-08")
@pytest.mark.parametrize("marker", ["- ", "* ", "+ "])
def test_an_entry_ends_where_the_bullets_begin_that_it_was_put_in_front_of(marker: str) -> None:
    tail = f"{marker}old one\n  more\n\n{marker}old two\n\nBelow them.\n"
    assert shape(ENTRY + tail) == [
        ("entry", ENTRY),
        ("bullet", f"{marker}old one\n  more\n\n"),
        ("bullet", f"{marker}old two\n\n"),
        ("lead", "Below them.\n"),
    ]
    assert len({block.group for block in parse(ENTRY + tail)}) == 4


@pytest.mark.parametrize(
    "entry",
    [
        ENTRY.replace("Maps are printed without a network.", "This holds:\n\n- no calls\n- no sockets"),
        ENTRY.replace("Maps are printed without a network.", "This holds:\n- no calls"),
        ENTRY.replace("Reason:\nThe hut has none.\n", "Reason:\n\n- It is far.\n\n- It is high.\n"),
        ENTRY.replace("The hut has none.", "```\n\n- It is far.\n```"),
    ],
)
def test_bullets_that_a_person_wrote_into_a_text_stay_in_the_entry(entry: str) -> None:
    assert shape(f"{entry}## Old\n- one\n")[0] == ("entry", entry)


@pytest.mark.parametrize("colon", [":", ":  ", "\uff1a"])
@pytest.mark.parametrize("status", ["active", "superseded"])
def test_bullets_that_the_last_line_of_a_text_speaks_of_stay_in_the_entry(status: str, colon: str) -> None:
    own = ENTRY.replace("active", status).replace("The hut has none.", f"These need none{colon}\n\n- the map\n\n- ink")
    assert shape(f"{own}## Old\n- one\n")[0] == ("entry", own)
    fenced = ENTRY.replace("The hut has none.", "```\nThese need none:\n```")
    assert shape(f"{fenced}- old\n") == [("entry", fenced), ("bullet", "- old\n")]


@requirement("CUST-P-08")
@pytest.mark.parametrize("status", ["superseded", "Superseded"])
def test_bullets_below_a_superseded_entry_are_its_own_unless_a_line_or_a_heading_sets_them_apart(status: str) -> None:
    old = ENTRY.replace("active", status)
    own = f"{old}- no calls\n\n- no sockets\n\n"
    assert shape(f"{own}## Old\n- one\n")[0] == ("entry", own)
    assert shape(f"{ENTRY}- no calls\n") == [("entry", ENTRY), ("bullet", "- no calls\n")]
    for blank in ("", "\n"):
        apart = f"{APART}\n{blank}"
        assert shape(f"{old}{apart}- one\n\nBelow.\n") == [
            ("entry", old),
            ("preamble", apart),
            ("bullet", "- one\n\n"),
            ("lead", "Below.\n"),
        ]
    assert shape(f"{old}{APART}\n") == [("entry", old), ("preamble", f"{APART}\n")]
    assert shape(f"{old}```\n{APART}\n```\n\n- a\n")[1:] == []


def test_without_a_typed_text_an_entry_has_no_tail() -> None:
    broken = "## MC-CON-20260302-00000001 — x\n\nStatus: active\nEvidence:\n- user-confirmed\n\n- what is this\n"
    assert shape(broken) == [("entry", broken)]


def test_a_later_heading_of_the_first_level_ends_what_stands_above() -> None:
    assert shape(f"# T\n\n{ENTRY}# Part two\n\n- one\n") == [
        ("title", "# T\n\n"),
        ("entry", ENTRY),
        ("heading", "# Part two\n\n"),
        ("bullet", "- one\n"),
    ]


@requirement("CUST-T-03")
@pytest.mark.parametrize("fence", ["```", "~~~", "`````"])
def test_nothing_in_a_code_fence_splits_a_file(fence: str) -> None:
    inner = (
        f"{fence}markdown\n## MC-DEC-20260302-00000009 — no entry\n- no bullet\nStatus: no field\n\nand on\n{fence}\n"
    )
    preamble = shape(f"# T\n\n{inner}\n## Old\n- one\n")
    assert preamble[1] == ("preamble", f"{inner}\n")
    assert [kind for kind, _ in preamble] == ["title", "preamble", "heading", "bullet"]
    assert shape(f"- one\n{inner}- two\n") == [("bullet", "- one\n"), ("lead", inner), ("bullet", "- two\n")]
    own = "".join(f"  {line}\n" for line in inner.splitlines())
    assert shape(f"- one\n{own}- two\n") == [("bullet", f"- one\n{own}"), ("bullet", "- two\n")]
    assert shape(f"- one\n\n{inner}- two\n")[1] == ("lead", inner)
    entry = ENTRY.replace("Maps are printed without a network.\n", inner)
    assert shape(f"{entry}- old\n") == [("entry", entry), ("bullet", "- old\n")]


@requirement("CUST-T-03")
def test_one_stray_fence_does_not_hide_the_entries_below() -> None:
    text = f"# T\n\n```\n\n{ENTRY}## Old\n- one\n"
    assert [kind for kind, _ in shape(text)] == ["title", "preamble", "entry", "heading", "bullet"]


def test_line_ends_of_other_systems_stay_in_a_mixed_file() -> None:
    text = "# T\r\n\r\n## Old\r\n- one\r\n- two\n"
    assert [kind for kind, _ in shape(text)] == ["title", "heading", "bullet", "bullet"]
    assert parse(text)[1].label == "Old"


def test_the_kinds_have_the_words_that_previews_print() -> None:
    shown = {block.kind: block.shown_kind for block in parse("# T\n\nText\n- a\n\n## H\nlead\n- b\n\n## S\nx\n")}
    assert shown == {
        "title": "preamble",
        "preamble": "preamble",
        "bullet": "bullet",
        "heading": "h2",
        "lead": "body",
        "section": "h2",
    }
    assert not Block("lead", "x", 1, 0).removable


@requirement("CUST-P-08")
def test_forgetting_an_entry_or_a_bare_bullet_never_takes_the_other() -> None:
    text = f"# Constraints\n\n{ENTRY}- old one\n- old two\n"
    entry, bullet = place_of(text, "## MC-CON"), place_of(text, "- old one")
    assert without(text, {entry}) == "# Constraints\n\n- old one\n- old two\n"
    assert without(text, {bullet}) == f"# Constraints\n\n{ENTRY}- old two\n"
    assert without(text, {bullet, bullet + 1}) == f"# Constraints\n\n{ENTRY}".rstrip() + "\n"


def test_without_anything_doomed_a_text_stays_as_it_is() -> None:
    assert without("# T\n\n\n- a\n\n\n", ()) == "# T\n\n\n- a\n\n\n"


@pytest.mark.parametrize(
    "text, gone, left",
    [
        ("# T\n\n- a\n- b\n- c\n", "- b", "# T\n\n- a\n- c\n"),
        ("# T\n\n- a\n\n- b\n\n- c\n", "- b", "# T\n\n- a\n\n- c\n"),
        ("# T\n\n- a\n- b\n\n- c\n", "- b", "# T\n\n- a\n\n- c\n"),
        ("# T\n\n- a\n\n\n- b\n", "- b", "# T\n\n- a\n"),
        ("# T\n\n- a\n", "- a", "# T\n"),
        ("- a\n", "- a", ""),
        ("## D\n- a\n- b\n", "- a", "## D\n- b\n"),
        ("## D\n- a\n- b\n## E\n- c\n", "- b", "## D\n- a\n\n## E\n- c\n"),
        ("## D\n- a\n## E\n- c\n", "- a", "## E\n- c\n"),
        ("## D\nlead\n- a\n\n## E\n- c\n", "- a", "## D\nlead\n\n## E\n- c\n"),
        ("# T\n## S\nx\n## U\ny\n", "## S", "# T\n\n## U\ny\n"),
        ("# T\n\n## S\nx\n\n\n## U\ny\n", "## S", "# T\n\n## U\ny\n"),
    ],
)
def test_what_is_left_keeps_its_bytes_with_one_blank_line_where_something_went(text: str, gone: str, left: str) -> None:
    assert without(text, {place_of(text, gone)}) == left


def test_a_heading_goes_with_the_last_of_its_bullets() -> None:
    text = "# T\n\n## D\n- a\n- b\n\n## E\n- c\n"
    assert without(text, {place_of(text, "- a"), place_of(text, "- b")}) == "# T\n\n## E\n- c\n"


@requirement("CUST-P-08")
def test_a_heading_below_a_bullet_stays_above_its_own_bullets() -> None:
    text = "# T\n\n## Day\n- a\n### Evening\n- b\n"
    assert without(text, {place_of(text, "- a")}) == "# T\n\n## Day\n\n### Evening\n- b\n"


@requirement("CUST-B1.4-02")
def test_an_inbox_without_items_says_so_again() -> None:
    text = "# Memory Inbox\n\nEntries are newest first.\n\n## 2026-03-02\n- a\n- b\n"
    assert INBOX_SENTINEL not in without(text, {place_of(text, "- a")})
    empty = without(text, {place_of(text, "- a"), place_of(text, "- b")})
    assert empty == f"# Memory Inbox\n\nEntries are newest first.\n\n{INBOX_SENTINEL}\n"
    assert without("# Other\n\n- a\n", {1}) == "# Other\n"


def test_labels_and_fields_are_lines_of_their_own() -> None:
    assert label_of("Decision:  \n") == "Decision"
    assert label_of("Promotion-Requirement:\r\n") == "Promotion-Requirement"
    assert [label_of(line) for line in ("Decision: x", " Decision:", "decision:", "Note:", "")] == [None] * 5
    assert field_of("Superseded-By:  MC-DEC-20260302-00000001 \n") == ("Superseded-By", "MC-DEC-20260302-00000001")
    assert field_of("Provisional-Subject:x") == ("Provisional-Subject", "x")
    assert [field_of(line) for line in ("status: x", " Status: x", "Note: x", "Statusx: y")] == [None] * 4
