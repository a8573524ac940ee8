"""A plan's file changes are the bytes before and after."""

from __future__ import annotations

import pytest

from memory_custodian.rules.plan import FileChange, Plan


@pytest.mark.parametrize(
    "change, before, after",
    [
        (FileChange("a.md", None, "new\n", "made"), b"", b"new\n"),
        (FileChange("a.md", None, "new", "made"), b"", b"new\n"),
        (FileChange("a.md", "old\n", "old\nnew\n", "more"), b"old\n", b"old\nnew\n"),
        (FileChange("a.md", "old\n", "旧\nnew\n", "more", crlf=True), b"old\r\n", "旧\r\nnew\r\n".encode()),
    ],
    ids=["a new file", "a text without its line end", "a changed file", "a file with CRLF"],
)
def test_the_bytes_on_disk_end_with_a_line_end_of_the_file_s_own_kind(
    change: FileChange, before: bytes, after: bytes
) -> None:
    assert (change.bytes_before, change.bytes_after) == (before, after)
    assert change.operation == ("create" if not before else "replace")


def test_a_plan_is_sensitive_when_a_topic_must_not_be_shown() -> None:
    plan = Plan("forget", {}, (), "", "0.6")
    assert not plan.sensitive
    assert plan._replace(topic="lamp").sensitive
