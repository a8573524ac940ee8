"""The manifest and the tests agree, in both directions."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from csbond_tests.repository import NODE_TESTS, REPOSITORY, REQUIREMENTS
from csbond_tests.requirement_summary import summary_of
from csbond_tests.requirements import ManifestError, load_manifest, requirement, uses_in

TEST_FOLDERS = (NODE_TESTS, REPOSITORY / "custodian" / "tests")

MARK = requirement

PLAIN = """
    [[requirement]]
    id = "X-1"
    section = "§1"
    sentence = "It shall be so."
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(dedent(text), encoding="utf-8")
    return path


def test_every_requirement_without_a_gap_has_a_test() -> None:
    manifest = load_manifest(REQUIREMENTS)
    tested = {use.id for use in uses_in(TEST_FOLDERS)}
    untested = [f"{each.file}: {each.id}" for each in manifest.values() if not each.gap and each.id not in tested]
    assert manifest, "spec/requirements holds no requirement"
    assert not untested, "\n".join(untested)


def test_every_id_a_test_names_is_in_the_manifest() -> None:
    manifest = load_manifest(REQUIREMENTS)
    unknown = [f"{use.file}:{use.line}: {use.id}" for use in uses_in(TEST_FOLDERS) if use.id not in manifest]
    assert not unknown, "\n".join(unknown)


def test_no_requirement_is_tested_and_a_gap_at_once() -> None:
    manifest = load_manifest(REQUIREMENTS)
    tested = {use.id for use in uses_in(TEST_FOLDERS)}
    assert not [each.id for each in manifest.values() if each.gap and each.id in tested]


def test_a_requirement_is_read_with_its_gap(tmp_path: Path) -> None:
    write(tmp_path, "a.toml", PLAIN + 'gap = { reason = "paused by its source", note = "A2A-021" }\n')
    found = load_manifest(tmp_path)["X-1"]
    assert (found.section, found.file) == ("§1", "a.toml")
    assert found.gap is not None
    assert found.gap.note == "A2A-021"


def test_the_summary_counts_gaps_by_reason(tmp_path: Path) -> None:
    gap = 'gap = { reason = "impossible offline", note = "" }\n'
    write(tmp_path, "a.toml", dedent(PLAIN) + gap + dedent(PLAIN).replace("X-1", "X-2"))
    assert summary_of(load_manifest(tmp_path)) == "requirements: 2, gaps: 1 (1 impossible offline)"


@pytest.mark.parametrize(
    "text, complaint",
    [
        (PLAIN + PLAIN, "already in"),
        (PLAIN + 'gap = { reason = "no time", note = "" }', "the reason of a gap is one of"),
        (PLAIN + 'gap = { reason = "impossible offline", why = "" }', "a gap is"),
        (PLAIN + 'owner = "me"', "unknown keys"),
        (PLAIN + 'rule = "the function checked_tags"', "a rule is written"),
        (PLAIN.replace("§1", " "), "section is missing"),
        ("title = 'x'" + PLAIN, "unknown top-level keys"),
    ],
)
def test_a_broken_manifest_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    write(tmp_path, "a.toml", text)
    with pytest.raises(ManifestError, match=complaint):
        load_manifest(tmp_path)


def test_uses_are_found_on_functions_classes_modules_and_cases(tmp_path: Path) -> None:
    write(
        tmp_path,
        "test_a.py",
        """
        pytestmark = [requirement("A")]

        @requirement("B", "C")
        async def test_one(): ...

        @requirement("D")
        class TestTwo: ...

        @pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.requirement("E"))])
        def test_three(x): ...
        """,
    )
    uses = {(use.id, use.test) for use in uses_in([tmp_path])}
    assert uses == {("A", ""), ("B", "test_one"), ("C", "test_one"), ("D", "TestTwo"), ("E", "test_three")}


def test_a_use_within_a_class_or_on_a_case_of_a_table_is_found_where_it_stands(tmp_path: Path) -> None:
    write(
        tmp_path,
        "test_a.py",
        """
        CASES = [pytest.param(1, marks=requirement("A"))]

        class TestOne:
            pytestmark = requirement("B")

            @requirement("C")
            def test_two(self): ...
        """,
    )
    assert {(use.id, use.test) for use in uses_in([tmp_path])} == {
        ("A", ""),
        ("B", "TestOne"),
        ("C", "TestOne::test_two"),
    }


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("@requirement(NAME)\ndef test_a(): ...", "not a literal"),
        ("@requirement('A')\ndef helper(): ...", "not on a test"),
        ("requirement('A')", "not on a test"),
    ],
)
def test_a_use_that_shows_nothing_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    write(tmp_path, "test_a.py", text)
    with pytest.raises(ManifestError, match=complaint):
        uses_in([tmp_path])


def test_the_mark_needs_an_id() -> None:
    no_ids: list[str] = []
    with pytest.raises(ValueError, match="at least one id"):
        MARK(*no_ids)
