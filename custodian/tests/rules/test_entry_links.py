"""Links between entries lead somewhere, and back (§§5.3, 6.2)."""

from __future__ import annotations

import pytest

from csbond_tests.custodian_entries import entry, memory
from csbond_tests.marks import requirement
from memory_custodian.rules.entry_links import link_issues
from memory_custodian.rules.memory_index import index_of

ONE, TWO, THREE = (f"MC-DEC-20260301-{number:08x}" for number in (1, 2, 3))


def said(*texts: str, archive: str = "") -> list[str]:
    files = {"decisions.md": "# Decisions\n\n" + "\n".join(texts)}
    if archive:
        files["archive/decisions-2026-01-01.md"] = f"# Archive\n\n{archive}"
    index = index_of(memory(files))
    live = [entry for entry in index.entries if entry.file == "decisions.md"]
    return [issue.message.split(" ", 2)[2] for entry in live for issue in link_issues(entry, index)]


def test_a_pair_that_names_each_other_is_sound_in_any_case_and_in_the_archive() -> None:
    new = entry("DEC", 1, Supersedes=TWO.lower())
    old = entry("DEC", 2, Status="superseded", Superseded_By=ONE)
    assert said(new, old) == []
    assert said(new, archive=old) == []


@pytest.mark.parametrize("field", ["Supersedes", "Superseded_By"])
def test_removed_stands_for_what_forgetting_took(field: str) -> None:
    status = "superseded" if field == "Superseded_By" else "active"
    assert said(entry("DEC", 1, Status=status, **{field: "removed"})) == []


@requirement("CUST-05.2-12")
@pytest.mark.parametrize(
    "texts, message",
    [
        ((entry("DEC", 1, Status="superseded"),), "is superseded without Superseded-By"),
        ((entry("DEC", 1, Status="promoted"),), "is promoted without Promoted-To"),
        (
            (entry("DEC", 1, Status="superseded", Superseded_By="removed", Promoted_To="removed"),),
            "cannot declare both Superseded-By and Promoted-To",
        ),
        ((entry("DEC", 1, Superseded_By="removed"),), "has Superseded-By and is not superseded"),
        ((entry("DEC", 1, Supersedes=TWO),), "references missing entry in Supersedes"),
        ((entry("DEC", 1, Supersedes="yes"),), "references missing entry in Supersedes"),
        ((entry("DEC", 1, Supersedes=ONE),), "references itself in Supersedes"),
        ((entry("DEC", 1, Supersedes=TWO), entry("DEC", 2)), "has a non-reciprocal Supersedes"),
        (
            (entry("DEC", 1, Status="superseded", Superseded_By=TWO), entry("DEC", 2)),
            "has a non-reciprocal Superseded-By",
        ),
    ],
)
def test_a_link_that_is_amiss_is_named(texts: tuple[str, ...], message: str) -> None:
    assert any(one.startswith(message) for one in said(*texts)), said(*texts)


def test_a_circle_of_successors_is_an_error_of_each() -> None:
    texts = [
        entry("DEC", number, Status="superseded", Supersedes=before, Superseded_By=behind)
        for number, before, behind in ((1, THREE, TWO), (2, ONE, THREE), (3, TWO, ONE))
    ]
    assert said(*texts) == ["supersedes itself through other entries"] * 3
