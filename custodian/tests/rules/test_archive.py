"""What lies in the archive, and how more comes to it."""

from __future__ import annotations

from csbond_tests.custodian_entries import entry
from csbond_tests.marks import requirement
from memory_custodian.rules.archive import archive_path, archived, with_archive
from memory_custodian.rules.parse_blocks import APART, parse

TODAY = "2026-03-02"


@requirement("CUST-B1.5-01")
def test_sections_go_verbatim_to_a_file_of_the_place_and_day_and_a_readme_is_made() -> None:
    old = "## 2026-01-01 - Ship\nDecision:\nShip  it.\n\n```text\n## not a heading\n```\n"
    texts = with_archive({}, "areas/sync.md", TODAY, [old])
    assert list(texts) == ["archive/README.md", "archive/areas-sync-2026-03-02.md"]
    assert old in texts["archive/areas-sync-2026-03-02.md"]
    assert texts["archive/areas-sync-2026-03-02.md"].startswith("# Archive of areas/sync.md\n")
    assert list(with_archive({"archive/README.md": "ours\n"}, "decisions.md", TODAY, [old])) == [
        archive_path("decisions.md", TODAY)
    ]


@requirement("CUST-B5.9-04")
def test_archivals_of_one_day_go_into_one_file_the_new_ones_first() -> None:
    first = archived(None, "decisions.md", TODAY, [entry("DEC", 1)])
    second = archived(first, "decisions.md", TODAY, [entry("DEC", 3), entry("DEC", 2)])
    assert [block.entry_id[-1] for block in parse(second) if block.kind == "entry"] == ["3", "2", "1"]
    assert second.count("# Archive of") == 1
    assert all(entry("DEC", number) in f"{second}\n" for number in (1, 2, 3))


def test_the_wrapper_of_an_older_version_goes_and_what_it_wrapped_stays() -> None:
    old = (
        "# Archived decisions.md\n\n## 2026-03-02 - From decisions.md\nReason: budget.\nMoved unchanged.\n\n"
        "## 2026-01-01 - Ship\nDecision:\nShip.\n"
    )
    text = archived(old, "decisions.md", TODAY, [entry("DEC", 1)])
    assert "From decisions.md" not in text
    assert text.startswith("# Archived decisions.md\n")
    assert "## 2026-01-01 - Ship\nDecision:\nShip.\n" in text


def test_a_section_that_only_looks_like_a_wrapper_stays() -> None:
    old = "# Archive\n\n## 2026-03-02 - From decisions.md\nReason: a\nb\nc\nd\n"
    assert "From decisions.md" in archived(old, "decisions.md", TODAY, [entry("DEC", 1)])


@requirement("CUST-B5.9-04")
def test_days_of_a_changelog_keep_one_heading() -> None:
    first = archived(None, "changelog.md", TODAY, ["## 2026-01-01\n- a\n", "## 2025-12-31\n- z\n"])
    second = archived(first, "changelog.md", TODAY, ["## 2026-01-02\n- c\n", "## 2026-01-01\n- b\n"])
    assert second.partition("\n\n## ")[2] == "2026-01-02\n- c\n\n## 2026-01-01\n- b\n- a\n\n## 2025-12-31\n- z\n"


def test_bare_bullets_stand_before_headings_and_stay_pieces_of_their_own() -> None:
    text = archived(None, "decisions.md", TODAY, [entry("DEC", 1), "- bare\n", "## 2026 - Old\nDecision:\nX\n"])
    assert [block.kind for block in parse(text)][2:] == ["bullet", "entry", "section"]


@requirement("CUST-P-08")
def test_a_line_that_set_bullets_apart_goes_as_they_move_above_every_section() -> None:
    older = f"# Archive of a.md\n\nMoved.\n\n## Notes\nx\n\n{APART}\n\n- old\n"
    assert archived(older, "a.md", "2026-03-02", ["## New\ny\n"]) == (
        "# Archive of a.md\n\nMoved.\n\n- old\n\n## New\ny\n\n## Notes\nx\n"
    )
