"""How much of the memory rests on evidence and names its Subject, as figures (§§4.4, 11.3)."""

from __future__ import annotations

from csbond_tests.custodian_entries import entry, memory
from csbond_tests.marks import requirement
from memory_custodian.rules.coverage import Coverage, coverage_data, coverage_lines, coverage_of
from memory_custodian.rules.memory_index import index_of


def coverage(files: dict[str, str]) -> Coverage:
    snapshot = memory({file: f"# Title\n\n{text}" for file, text in files.items()})
    return coverage_of(snapshot, index_of(snapshot))


@requirement("CUST-11.3-06", "CUST-11.3-05", "CUST-04.4-32")
def test_entries_in_force_and_legacy_units_are_counted_with_what_covers_them() -> None:
    found = coverage(
        {
            "decisions.md": "\n".join(
                [
                    entry("DEC", 1),
                    entry("DEC", 2, evidence=["legacy-unverified"], Subject=None, Facet=None),
                    entry("DEC", 3, evidence=["legacy-unverified", "repo:a.py"], Facet="security"),
                    entry("DEC", 4, Status="superseded", Superseded_By="removed"),
                    "## 2026-01-01 - Old\nDecision:\nOld.\n",
                ]
            ),
            "constraints.md": "- one\n- two\n",
            "preferences.md": f"{entry('PREF', 5)}\n- short\n",
            "do-not-use.md": entry("TOMB", 6),
            "areas/sync.md": entry("AREA", 7, Scope="area:sync"),
            "rules/output.md": entry("AREA", 8, label="Rule"),
            "rules/README.md": "- not memory\n",
            "inbox.md": "- not counted\n",
            "archive/decisions-2026-01-01.md": entry("DEC", 9),
        }
    )
    assert found == Coverage(evidence=(6, 11), subject_facet=(3, 7), legacy_unverified=1)


@requirement("CUST-11.3-05", "CUST-11.3-06")
def test_the_figures_are_printed_with_their_percentage_where_there_is_one_and_given_to_programs() -> None:
    assert coverage_lines(Coverage((2, 3), (0, 0), 0)) == [
        "Evidence coverage: 2/3 entries (66%)",
        "Subject and Facet coverage: 0/0 entries (none)",
    ]
    assert coverage_lines(Coverage((199, 200), (200, 200), 4))[0::2] == [
        "Evidence coverage: 199/200 entries (99%)",
        "Resting on legacy-unverified alone: 4",
    ]
    assert coverage_data(Coverage((2, 3), (1, 4), 5)) == {
        "evidence": {"covered": 2, "total": 3},
        "subject_facet": {"covered": 1, "total": 4},
        "legacy_unverified": 5,
    }
