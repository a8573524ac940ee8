"""What a forgetting says of its reach (§10.3)."""

from __future__ import annotations

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.erasure import ErasureScope
from memory_custodian.rules.erasure_text import applied_lines, removal_data, removal_lines

SCOPE = ErasureScope(
    active_memory=True, managed_archive=False, topic_retained_in_new_records=True, git_worktree_modified="on-apply"
)


@requirement("CUST-10.3-12", "CUST-10.3-13", "CUST-10.3-14", "CUST-16-29")
def test_the_model_has_every_boundary_and_those_never_crossed_are_fixed() -> None:
    assert removal_data(SCOPE) == {
        "active_memory": True,
        "managed_archive": False,
        "local_overlay": "not-applicable",
        "git_worktree_modified": "on-apply",
        "git_history_modified": False,
        "distributed_copies_revoked": False,
        "history_check_status": "not-requested",
        "topic_retained_in_new_records": True,
        "removes_matches": True,
    }


@requirement("CUST-10.3-01", "CUST-10.3-15", "CUST-01-19")
def test_active_memory_archive_overlay_worktree_history_and_copies_each_have_a_line() -> None:
    assert removal_lines(SCOPE) == (
        "Removal scope:",
        "- Active managed memory: yes",
        "- Managed archive: no",
        "- New tombstones/logs retain topic: yes",
        "- Local overlay: not applicable",
        "- Git working tree modified: on apply, without index or commit",
        "- Git history modified: no",
        "- Existing clones, forks and backups revoked: no",
        "- History inspection: not requested",
    )


@pytest.mark.parametrize("active", [True, False])
@pytest.mark.parametrize("archive", [True, False])
@pytest.mark.parametrize("retained", [True, False])
def test_each_line_follows_its_own_value(active: bool, archive: bool, retained: bool) -> None:
    lines = removal_lines(
        SCOPE._replace(
            active_memory=active,
            managed_archive=archive,
            topic_retained_in_new_records=retained,
            git_worktree_modified="no",
        )
    )
    words = {True: "yes", False: "no"}
    assert lines[1:4] == (
        f"- Active managed memory: {words[active]}",
        f"- Managed archive: {words[archive]}",
        f"- New tombstones/logs retain topic: {words[retained]}",
    )
    assert lines[5] == "- Git working tree modified: no"


@requirement("CUST-10.3-16", "CUST-01-21")
def test_only_what_was_removed_is_said_to_be_removed() -> None:
    untouched = "Git history and previously distributed copies were not modified."
    assert applied_lines(SCOPE) == ("Removed from the selected managed memory scope.", untouched)
    said, last = applied_lines(SCOPE._replace(removes_matches=False))
    assert (said.startswith("Nothing in the selected managed memory scope matched"), last) == (True, untouched)


@requirement("CUST-10.3-08", "CUST-02-15", "CUST-01-20", "CUST-16-30")
def test_no_sentence_promises_more_than_the_managed_memory() -> None:
    idle = SCOPE._replace(removes_matches=False)
    text = " ".join((*removal_lines(SCOPE), *applied_lines(SCOPE), *applied_lines(idle))).casefold()
    for promise in ("permanent", "everywhere", "fully", "complete", "erased", "withdrawn", "rewritten"):
        assert promise not in text
