"""Secrets and private data are found by form, and shown nowhere (§10)."""

from __future__ import annotations

import re

import pytest

from csbond_tests.custodian_scan_samples import DASHES, HARMLESS, LETTERS, SAMPLES, Sample, sample
from csbond_tests.marks import requirement
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.scan import PREVIEW_CHARACTERS, redact, refuse_secrets, scan, scan_warnings
from memory_custodian.rules.scan_privacy import PRIVACY_PATTERNS
from memory_custodian.rules.scan_security import SECURITY_PATTERNS

HITS = [(row, text, private) for row in SAMPLES for text, private in row.hits]
MISSES = [(row, text) for row in SAMPLES for text in row.misses]


def kinds(text: str) -> list[str]:
    return [finding.kind for finding in scan("decisions.md", text)]


def assert_found_and_near_misses_left(row: Sample) -> None:
    for text, _ in row.hits:
        assert kinds(text) == [row.kind], text
    for text in row.misses:
        assert row.kind not in kinds(text), text


def test_every_kind_of_finding_has_samples() -> None:
    tables = {(row.category, row.kind, row.severity) for row in (*SECURITY_PATTERNS, *PRIVACY_PATTERNS)}
    assert tables == {(row.category, row.kind, row.severity) for row in SAMPLES}


@pytest.mark.parametrize("pattern", [*SECURITY_PATTERNS, *PRIVACY_PATTERNS], ids=lambda row: row.kind)
def test_every_row_finds_a_sample_that_holds_one_of_its_hints(pattern) -> None:
    texts = [text for text, _ in sample(pattern.kind).hits if re.search(pattern.regex, text)]
    assert texts
    assert all(not pattern.hints or any(hint in text.lower() for hint in pattern.hints) for text in texts)


@requirement("CUST-10.1-01")
def test_a_private_key_header_is_found_and_public_ones_are_not() -> None:
    assert_found_and_near_misses_left(sample("private-key"))


@requirement("CUST-10.1-02")
def test_github_tokens_are_found_and_shorter_words_are_not() -> None:
    assert_found_and_near_misses_left(sample("github-token"))


@requirement("CUST-10.1-03")
def test_aws_access_keys_are_found_and_other_capitals_are_not() -> None:
    assert_found_and_near_misses_left(sample("aws-access-key"))


@requirement("CUST-10.1-03")
def test_aws_secret_keys_are_found_and_other_runs_of_forty_are_not() -> None:
    assert_found_and_near_misses_left(sample("aws-secret-key"))


@requirement("CUST-10.1-04")
def test_openai_like_keys_are_found_and_words_with_hyphens_are_not() -> None:
    assert_found_and_near_misses_left(sample("openai-key"))


@requirement("CUST-10.1-05", "CUST-T-16")
def test_anthropic_like_keys_are_found_once_each() -> None:
    assert_found_and_near_misses_left(sample("anthropic-key"))


@requirement("CUST-10.1-02")
@pytest.mark.parametrize("kind", ["gitlab-token", "npm-token", "slack-token", "google-key", "json-web-token"])
def test_tokens_of_other_services_are_found_and_what_only_begins_like_one_is_not(kind: str) -> None:
    assert_found_and_near_misses_left(sample(kind))


@requirement("CUST-10.1-06")
def test_a_basic_login_is_found_and_another_word_behind_basic_is_not() -> None:
    assert_found_and_near_misses_left(sample("basic-login"))


@requirement("CUST-10.1-06")
def test_bearer_tokens_are_found_and_the_words_are_not() -> None:
    assert_found_and_near_misses_left(sample("bearer-token"))


@requirement("CUST-10.1-07", "CUST-10.1-08", "CUST-10.1-09", "CUST-T-16")
def test_assigned_secrets_are_found_and_placeholders_are_not() -> None:
    assert_found_and_near_misses_left(sample("assigned-secret"))


@requirement("CUST-10.1-10")
def test_credential_lines_are_found_and_ordinary_settings_are_not() -> None:
    assert_found_and_near_misses_left(sample("env-credential"))


@requirement("CUST-10.1-11")
def test_credentials_in_a_url_are_found_and_a_port_or_a_user_alone_is_not() -> None:
    assert_found_and_near_misses_left(sample("url-credentials"))


@requirement("CUST-10.2-01", "CUST-10.2-02", "CUST-10.2-03", "CUST-T-15", "CUST-13.1-16")
def test_paths_of_a_machine_are_found_and_placeholders_urls_and_relative_paths_are_not() -> None:
    assert_found_and_near_misses_left(sample("machine-path"))


@requirement("CUST-10.2-04")
def test_private_addresses_are_found_and_reserved_domains_are_not() -> None:
    assert_found_and_near_misses_left(sample("email"))


@requirement("CUST-10.2-05")
def test_telephone_numbers_are_found_and_other_runs_of_digits_are_not() -> None:
    assert_found_and_near_misses_left(sample("phone"))


@requirement("CUST-10.2-06")
def test_postal_addresses_are_found_by_evident_pattern_only() -> None:
    assert_found_and_near_misses_left(sample("postal-address"))


@requirement("CUST-T-14")
@pytest.mark.parametrize(
    "text",
    [
        "- project_id: 3f2b8c1e-6a4d-4c55-9b1a-0d7e5a2f9c34",
        "- project_id: 12345678-1234-4234-9234-123456789012",
        "## MC-DEC-20260302-12345678 — Draw rivers first",
        "Subject: MC-SUBJ-20260302-00000001",
        "3.10 3.11 3.12 3.13",
        "## 2026-07-28 - 10 retries",
        "500 800 400 400 300",
        "origin git@git.papermaps.io:lantern/maps.git",
        "repo:src/maps.py@0123456789abcdef0123456789abcdef01234567",
        "2026-03-02T12:30:59.123+01:00",
        "ssh://git@git.papermaps.io:22/lantern/maps.git",
        "npm_config_user_agent, npm-run-all and npm_lifecycle_script_of_the_workspace",
        "gl_FragColor, glVertexAttribPointer, glslang-validator-in-the-build",
        "tests/test_bypass_of_the_second_render_pass.py::test_pwd_is_the_project",
        "memory_custodian.rules.scan_security.SECURITY_PATTERNS",
        "The first pass draws rivers; the basic one, by authorization of the owner, draws roads.",
        "slack between two berths is xox, and pwd tells where you are",
    ],
)
def test_identifiers_and_rows_of_numbers_give_no_finding(text: str) -> None:
    assert kinds(text) == []


@requirement("CUST-10.2-09")
@pytest.mark.parametrize("text", HARMLESS)
def test_delicate_meaning_without_a_pattern_gives_no_finding(text: str) -> None:
    assert kinds(text) == []


@requirement("CUST-10.1-15", "CUST-10.1-16", "CUST-10.2-07")
@pytest.mark.parametrize("row", SAMPLES, ids=lambda row: row.kind)
def test_keys_and_tokens_are_errors_and_vague_patterns_are_warnings(row: Sample) -> None:
    found = [finding for text, _ in row.hits for finding in scan("brief.md", text)]
    assert {(finding.category, finding.severity) for finding in found} == {(row.category, row.severity)}


@requirement("CUST-10.1-13", "CUST-10.1-14", "CUST-13.1-16", "CUST-14-05")
@pytest.mark.parametrize("row, text, private", HITS, ids=[f"{row.kind}: {text[:20]}" for row, text, _ in HITS])
def test_a_finding_shows_its_place_kind_and_redacted_line_and_never_the_value(
    row: Sample, text: str, private: str
) -> None:
    (finding,) = scan("areas/print.md", f"# Area: Print\n\n{text}\n")
    assert (finding.file, finding.line, finding.kind) == ("areas/print.md", 3, row.kind)
    assert private in text
    assert private not in str(finding)
    assert private not in redact(text)
    assert "[redacted]" in finding.preview


@requirement("CUST-10.1-13")
def test_the_preview_of_one_finding_hides_what_others_of_its_line_found() -> None:
    line = "mirabel@" + "papermaps.io has password=" + "hunter77 and AKIA" + "Q7ZK2MX9VB4TR8WL"
    found = scan("inbox.md", line)
    assert [finding.kind for finding in found] == ["email", "assigned-secret", "aws-access-key"]
    assert {finding.preview for finding in found} == {"[redacted] has password=[redacted] and [redacted]"}
    assert [finding.column for finding in found] == [1, line.index("hunter") + 1, line.index("AKIA") + 1]


@requirement("CUST-T-16")
def test_one_key_gives_one_finding_also_where_it_is_assigned() -> None:
    assert kinds("API_KEY=" + "sk-" + "ant-" + LETTERS) == ["anthropic-key"]
    assert kinds("secret: ghp_" + LETTERS) == ["github-token"]


def test_all_of_a_value_is_hidden_where_a_token_is_only_a_part_of_it() -> None:
    assert redact("password=ghp_" + LETTERS + "!tail-of-it") == "password=[redacted]"


@requirement("CUST-10.1-13")
def test_the_lines_of_a_private_key_are_part_of_its_finding() -> None:
    header, end = f"{DASHES}BEGIN PRIVATE KEY{DASHES}", f"{DASHES}END PRIVATE KEY{DASHES}"
    text = f"{header}\n{LETTERS}\npassword={LETTERS}\n{end}\npassword=x9"
    assert [(finding.kind, finding.line) for finding in scan("a.md", text)] == [
        ("private-key", 1),
        ("assigned-secret", 5),
    ]


@requirement("CUST-10.1-13")
def test_lines_behind_a_key_that_never_ends_are_searched_and_not_shown() -> None:
    filling = "\n" * 62
    text = f"{DASHES}BEGIN PRIVATE KEY{DASHES}\nabc password=x9 def{filling}\nnear password=x9\nfar password=x9"
    assert [(finding.line, finding.preview) for finding in scan("a.md", text)] == [
        (1, "[redacted]"),
        (2, "[redacted]"),
        (65, "[redacted]"),
        (66, "far password=[redacted]"),
    ]


def test_a_preview_is_one_short_line_without_control_characters() -> None:
    (finding,) = scan("a.md", "\x1b[31m" + "word " * 40 + "password=" + "x9")
    assert len(finding.preview) <= PREVIEW_CHARACTERS
    assert finding.preview.isprintable()


@requirement("CUST-10.1-13")
def test_a_secret_at_the_cut_of_the_preview_is_hidden_before_the_line_is_cut() -> None:
    (finding,) = scan("a.md", "x" * (PREVIEW_CHARACTERS - 10) + " ghp_" + LETTERS)
    assert "ghp_" not in finding.preview


@requirement("CUST-10.3-09")
def test_a_doubtful_secret_is_refused_unless_it_is_allowed_and_what_is_private_is_not() -> None:
    with pytest.raises(Refused, match="--allow-doubtful-secret") as refused:
        refuse_secrets("--reason", "first line\nuse password=" + "hunter77")
    assert "--reason: may hold a secret (assigned-secret)" in refused.value.message
    assert "hunter77" not in refused.value.message
    refuse_secrets("--reason", "password=" + "hunter77", allow_doubtful=True)
    refuse_secrets("--reason", "see /home/" + "mirabel/x")
    with pytest.raises(Refused, match="github-token"):
        refuse_secrets("--reason", "password=" + "hunter77 ghp_" + LETTERS, allow_doubtful=True)


def test_an_evident_secret_is_refused_by_kind_and_a_doubtful_one_is_warned_of() -> None:
    with pytest.raises(Refused) as refused:
        refuse_secrets("--reason", "first line\nuse ghp_" + LETTERS)
    assert "--reason" in refused.value.message
    assert "github-token" in refused.value.message
    assert LETTERS not in refused.value.message
    assert scan_warnings("message", "password=" + "hunter77 in /home/" + "mirabel/x") == (
        "message may hold something that does not belong in shared memory: assigned-secret",
        "message may hold something that does not belong in shared memory: machine-path",
    )
    assert scan_warnings("message", "Draw rivers first.") == ()


@pytest.mark.parametrize(
    "piece",
    [
        "KEY_",
        "a_key:",
        "access_token = ",
        "Bearer ",
        "a://b:c@d.ef ",
        "/home/a ",
        "c:\\users\\a b ",
        'secret="',
        "api_key = ",
        "a.",
        "1 ",
        "x@",
        "a://a:",
        "sk-",
        "mc-",
        "5 Main Road ",
        "密码：x ",
        "token=x ",
        "glpat-",
        "glpat-" + "a" * 21 + ".",
        "npm_",
        "xoxb-",
        "eyJ",
        "eyJaaaaaaaa.",
        "Authorization: Basic ",
        "authorization:",
        "A_PASS=",
        "A_",
        "pwd=",
        "pwd=x1y2z3 ",
        "A_PASS=x1y2z3 ",
        "secret=f( ",
        "secret = a.",
        "secret = await ",
        "KEY=b'\\x00",
        "did:key:z6Mk",
    ],
)
def test_the_time_of_a_scan_grows_with_the_length_of_a_line(piece: str) -> None:
    assert len(scan("a.md", piece * 20000)) <= 20000
