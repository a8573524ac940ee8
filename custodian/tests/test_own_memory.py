"""The memory of this project, as its own check sees it where it lies (§16)."""

from __future__ import annotations

import io
from contextlib import redirect_stdout

from csbond_tests.marks import requirement
from csbond_tests.repository import REPOSITORY
from memory_custodian.cli import main
from memory_custodian.rules.evidence import parse_evidence
from memory_custodian.rules.memory_index import index_of
from memory_custodian.rules.snapshot import Snapshot

MEMORY = REPOSITORY / "docs" / "memory"


def snapshot() -> Snapshot:
    texts = {path.relative_to(MEMORY).as_posix(): path.read_text(encoding="utf-8") for path in MEMORY.rglob("*.md")}
    return Snapshot("docs/memory", dict(sorted(texts.items())))


@requirement("CUST-16-04")
def test_the_check_of_its_own_memory_passes_and_is_one_of_the_checks_of_the_repository() -> None:
    said = io.StringIO()
    with redirect_stdout(said):
        code = main(["check", "--security", "--privacy", "--project-root", str(REPOSITORY)])
    assert (code, said.getvalue().splitlines()[0]) == (0, "MemoryCustodian check: OK")
    assert "memory-custodian check" in (REPOSITORY / "Makefile").read_text(encoding="utf-8")


@requirement("CUST-P-10")
def test_its_entries_and_subjects_rest_on_files_of_the_repository_only() -> None:
    index = index_of(snapshot())
    cited = [text for entry in index.entries for text in entry.evidence]
    cited += [text for subject in index.subjects for text in subject.evidence]
    assert len(index.entries) > 5
    assert {parse_evidence(text).kind for text in cited} <= {"repo", "doc", "test"}
    assert all((REPOSITORY / parse_evidence(text).target).exists() for text in cited)
