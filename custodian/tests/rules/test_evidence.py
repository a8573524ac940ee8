"""What an entry may rest on."""

from __future__ import annotations

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.entry import Evidence
from memory_custodian.rules.evidence import admit, parse_evidence
from memory_custodian.rules.problems import Refused


@requirement("CUST-05.1-01", "CUST-05.1-02", "CUST-13.1-02")
@pytest.mark.parametrize(
    "text, evidence",
    [
        ("user-confirmed", Evidence("user-confirmed")),
        ("repo:pyproject.toml", Evidence("repo", "pyproject.toml")),
        ("repo:pyproject.toml@293b9e6", Evidence("repo", "pyproject.toml", "293b9e6")),
        ("doc:docs/architecture.md", Evidence("doc", "docs/architecture.md")),
        ("doc:docs/architecture.md@v1.2_a-b", Evidence("doc", "docs/architecture.md", "v1.2_a-b")),
        ("test:tests/test_storage.py", Evidence("test", "tests/test_storage.py")),
        ("repo:docs\\\u5730\u56fe.md", Evidence("repo", "docs/\u5730\u56fe.md")),
        ("repo:.github/workflows/ci.yml", Evidence("repo", ".github/workflows/ci.yml")),
        ("repo:a..b/c...d", Evidence("repo", "a..b/c...d")),
        ("issue:#42", Evidence("issue", "42")),
        ("pr:#108", Evidence("pr", "108")),
        ("agent-observed", Evidence("agent-observed")),
        ("conversation-unconfirmed", Evidence("conversation-unconfirmed")),
        ("legacy-unverified", Evidence("legacy-unverified")),
    ],
)
def test_each_form_is_understood_and_written_as_it_was(text: str, evidence: Evidence) -> None:
    assert parse_evidence(text) == evidence
    assert str(evidence) == text.replace("\\", "/")


@requirement("CUST-05.1-04", "CUST-13.1-02", "CUST-06.1-10")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "somebody said so",
        "User-Confirmed",
        "user-confirmed:x",
        "url:https://maps.invalid",
        "repo",
        "issue:42",
        "issue:#",
        "issue:#4a",
        "issue:#４",
        "pr:#-1",
        "pr:#1 2",
    ],
)
def test_any_other_form_is_refused_with_those_that_are_accepted_and_without_the_value(text: str) -> None:
    with pytest.raises(Refused, match="accepted: ") as refused:
        parse_evidence(text)
    assert not text or f"'{text}'" not in refused.value.message


@requirement("CUST-06.1-05", "CUST-06.1-06", "CUST-06.1-07", "CUST-13.1-02")
@pytest.mark.parametrize("kind", ["repo", "doc", "test"])
@pytest.mark.parametrize(
    "path, why",
    [
        ("/etc/hosts", "no relative path"),
        ("\\\\server\\share\\x", "no relative path"),
        ("C:/maps/x.md", "no relative path"),
        ("c:x.md", "no relative path"),
        ("~/x.md", "no relative path"),
        ("https://maps.invalid/x", "no relative path"),
        ("../x.md", r"'\.\.'"),
        ("docs/../../x.md", r"'\.\.'"),
        ("docs\\..\\x.md", r"'\.\.'"),
        ("docs/..", r"'\.\.'"),
        ("docs/..@v1", r"'\.\.'"),
        ("", "names no file"),
        (".", "names no file"),
        ("./", "names no file"),
        ("@293b9e6", "names no file"),
        ("a b.md", "white space"),
        ("a\nb.md", "white space"),
        ("a\x00b.md", "white space"),
        ("x.md@", "no valid revision"),
        ("x.md@a@b", "no valid revision"),
        ("x.md@a b", "no valid revision"),
        ("@scope/x.md", "no valid revision"),
    ],
)
def test_only_a_safe_path_inside_the_project_is_evidence(kind: str, path: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        parse_evidence(f"{kind}:{path}")


@requirement("CUST-05.2-02", "CUST-06.1-03", "CUST-13.1-03")
@pytest.mark.parametrize("candidate", [True, False])
def test_an_entry_that_rests_on_nothing_is_refused(candidate: bool) -> None:
    with pytest.raises(Refused, match=r"--evidence is missing.*user-confirmed"):
        admit((), candidate=candidate)


@requirement("CUST-05.2-03", "CUST-05.2-04", "CUST-06.1-16", "CUST-13.1-03")
@pytest.mark.parametrize("kind", ["agent-observed", "conversation-unconfirmed"])
def test_unconfirmed_evidence_alone_cannot_make_active_memory(kind: str) -> None:
    with pytest.raises(Refused) as refused:
        admit((parse_evidence(kind),), candidate=False)
    assert refused.value.message == (
        f"{kind} evidence cannot create active memory.\n"
        "Use --candidate or provide user-confirmed/source-backed evidence."
    )


@requirement("CUST-05.2-03", "CUST-05.2-04")
def test_two_kinds_of_unconfirmed_evidence_are_not_enough_either() -> None:
    with pytest.raises(Refused, match="cannot create active memory"):
        admit((Evidence("conversation-unconfirmed"), Evidence("agent-observed")), candidate=False)


@requirement("CUST-05.2-05")
def test_unconfirmed_evidence_beside_confirmed_is_accepted() -> None:
    admit((Evidence("agent-observed"), Evidence("repo", "pyproject.toml")), candidate=False)
    admit((Evidence("agent-observed"), Evidence("conversation-unconfirmed")), candidate=True)


@requirement("CUST-05.1-03")
@pytest.mark.parametrize("candidate", [True, False])
def test_legacy_evidence_is_nothing_a_person_gives(candidate: bool) -> None:
    with pytest.raises(Refused, match="written by migration alone"):
        admit((Evidence("user-confirmed"), Evidence("legacy-unverified")), candidate=candidate)
