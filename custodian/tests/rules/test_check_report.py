"""What check prints and gives to programs (§§10, 11.3)."""

from __future__ import annotations

from csbond_tests.marks import requirement
from memory_custodian.rules.check_report import Report, report_data, report_lines
from memory_custodian.rules.coverage import Coverage
from memory_custodian.rules.finding import Finding, Issue

COVERAGE = Coverage((1, 2), (3, 4), 0)
ERROR = Issue("ERROR", "a", "brief.md", "brief.md: wrong")
WARNING = Issue("WARNING", "b", "brief.md", "brief.md: odd")
SECRET = Finding("security", "ERROR", "github-token", "brief.md", 3, 5, "use [redacted]")
PATH = Finding("privacy", "WARNING", "machine-path", "brief.md", 4, 1, "[redacted]/x")


def test_a_memory_that_is_well_says_so_with_its_figures() -> None:
    assert report_lines(Report((), COVERAGE, (), ())) == [
        "MemoryCustodian check: OK",
        "Evidence coverage: 1/2 entries (50%)",
        "Subject and Facet coverage: 3/4 entries (75%)",
        "Security findings: 0",
        "Privacy findings: 0",
    ]


def test_errors_stand_under_the_verdict_and_warnings_at_the_end() -> None:
    lines = report_lines(Report((WARNING, ERROR), COVERAGE, (), ()))
    assert lines[:2] == ["MemoryCustodian check: FAILED", "- brief.md: wrong"]
    assert lines[-2:] == ["Warnings:", "- brief.md: odd"]
    assert Report((WARNING,), COVERAGE, (), ()).well


@requirement("CUST-10-01", "CUST-10.1-14")
def test_places_are_shown_only_for_the_scan_that_was_asked_for() -> None:
    found = (SECRET, PATH)
    assert report_lines(Report((), COVERAGE, found, ()))[3:] == [
        "Security findings: 1; run `memory-custodian check --security` for the places",
        "Privacy findings: 1; run `memory-custodian check --privacy` for the places",
    ]
    assert report_lines(Report((), COVERAGE, found, ("privacy",)))[3:] == [
        "Security findings: 1; run `memory-custodian check --security` for the places",
        "brief.md:4: machine-path: [redacted]/x",
        "Privacy findings: 1",
    ]
    assert "brief.md:3: github-token: use [redacted]" in report_lines(Report((), COVERAGE, found, ("security",)))


def test_programs_get_issues_coverage_counts_and_the_places_that_were_asked_for() -> None:
    data = report_data(Report((ERROR,), COVERAGE, (SECRET, PATH), ("security",)))
    assert data["ok"] is False
    assert data["issues"] == [ERROR._asdict()]
    assert data["coverage"]["evidence"] == {"covered": 1, "total": 2}
    assert data["finding_counts"] == {"security": 1, "privacy": 1}
    assert data["findings"] == [SECRET._asdict()]
