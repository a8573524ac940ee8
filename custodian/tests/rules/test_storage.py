"""Where entries lie: the matrix both ways."""

from __future__ import annotations

from itertools import product

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.entry import BODY_LABELS, CODES, ENTRY_TYPES, Entry
from memory_custodian.rules.entry_ids import ENTRY_CODES
from memory_custodian.rules.scope import scope_of
from memory_custodian.rules.storage import expected_body, storage_file, storage_issue

FILES = (
    "decisions.md",
    "constraints.md",
    "preferences.md",
    "do-not-use.md",
    "inbox.md",
    "areas/sync.md",
    "rules/output.md",
    "profiles/review.md",
    "brief.md",
    "changelog.md",
    "manifest.md",
    "areas/README.md",
    "areas/a/b.md",
    "notes.md",
)
FITTING = {
    "decisions.md": {("DEC", "project")},
    "constraints.md": {("CON", "project")},
    "preferences.md": {("PREF", "project")},
    "do-not-use.md": {("DNU", "project"), ("TOMB", "project")},
    "inbox.md": {("INBOX", "project"), ("INBOX", "area:sync"), ("INBOX", "area:other"), ("INBOX", "everywhere")},
    "areas/sync.md": {(code, "area:sync") for code in ("AREA", "CON", "PREF", "DNU")},
    "rules/output.md": {("AREA", "project")},
    "profiles/review.md": {("AREA", "project")},
}


def entry(file: str, code: str, scope: str) -> Entry:
    """An entry of which only place, code and Scope are given."""
    return Entry(file, 1, f"MC-{code}-20260302-00000001", "x", (("Scope", scope),), (), ())


@requirement("CUST-05.2-07")
@pytest.mark.parametrize("file", FILES)
def test_exactly_the_fitting_codes_and_scopes_are_accepted_in_each_file(file: str) -> None:
    scopes = ("project", "area:sync", "area:other", "area:Sync", "everywhere")
    accepted = {
        (code, scope) for code, scope in product(ENTRY_CODES, scopes) if storage_issue(entry(file, code, scope)) is None
    }
    assert accepted == (FITTING.get(file, set()) | ({("INBOX", "area:Sync")} if file == "inbox.md" else set()))


@requirement("CUST-05.2-07", "CUST-04.2-02", "CUST-04.2-03", "CUST-04.2-04", "CUST-04.2-05", "CUST-06.1-11")
@pytest.mark.parametrize("entry_type, area, candidate", list(product(ENTRY_TYPES, (None, "sync"), (False, True))))
def test_what_is_written_lies_where_it_is_accepted(entry_type: str, area: str | None, candidate: bool) -> None:
    if entry_type in {"rule", "profile", "area", "inbox"} and area:
        return
    candidate = candidate or entry_type == "inbox"
    name = "sync" if entry_type == "area" else "output"
    file = storage_file(entry_type, name=name, area=area, candidate=candidate)
    code = "INBOX" if candidate else "AREA" if area and entry_type == "decision" else CODES[entry_type]
    scope = scope_of("sync" if entry_type == "area" else area)
    assert storage_issue(entry(file, code, scope)) is None
    assert file == "inbox.md" or not candidate
    if not candidate:
        assert expected_body(entry(file, code, scope)) == BODY_LABELS[entry_type]


def test_the_archive_holds_what_was_moved_there_and_is_not_judged() -> None:
    assert storage_issue(entry("archive/decisions-2026-03-02.md", "INBOX", "everywhere")) is None


@pytest.mark.parametrize(
    "file, code, scope, said",
    [
        ("decisions.md", "INBOX", "project", "must be stored in inbox.md"),
        ("areas/sync.md", "INBOX", "area:sync", "must be stored in inbox.md"),
        ("areas/sync.md", "DEC", "area:sync", "type does not match its storage location"),
        ("areas/sync.md", "CON", "project", "must use Scope: area:sync"),
        ("constraints.md", "CON", "area:sync", "must use Scope: project"),
        ("notes.md", "CON", "project", "type does not match its storage location; notes.md holds no entries"),
    ],
)
def test_what_is_wrong_is_said(file: str, code: str, scope: str, said: str) -> None:
    issue = storage_issue(entry(file, code, scope))
    assert issue is not None
    assert said in issue


def test_the_typed_text_follows_from_code_and_folder() -> None:
    assert expected_body(entry("inbox.md", "INBOX", "project")) == "Statement"
    assert expected_body(entry("rules/output.md", "AREA", "project")) == "Rule"
    assert expected_body(entry("profiles/review.md", "AREA", "project")) == "Profile"
    assert expected_body(entry("decisions.md", "AREA", "project")) is None
