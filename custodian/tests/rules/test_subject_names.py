"""How names of Subjects are normalised and compared."""

from __future__ import annotations

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.subject_names import (
    CANONICAL_REF_FORMS,
    alias_key,
    canonical_ref,
    plain_name,
    words_of,
)


@requirement("CUST-06.3-07")
@pytest.mark.parametrize(
    "text, key",
    [
        ("  LIBRARY   X  ", "library x"),
        ("Straße", "strasse"),
        ("Ｗｉｄｅ　Name", "wide name"),
        ("ﬁle", "file"),
        ("Cafe\N{COMBINING ACUTE ACCENT}", "café"),
        ("tab\tand\N{NO-BREAK SPACE}space", "tab and space"),
        ("libX", "libx"),
    ],
)
def test_an_alias_is_compared_by_nfkc_folded_case_and_single_spaces(text: str, key: str) -> None:
    assert alias_key(text) == key
    assert alias_key(key) == key


@requirement("CUST-04.4-21", "CUST-02-10", "CUST-13.1-28")
@pytest.mark.parametrize(
    "one, other", [("library x", "libraries x"), ("libx", "lib x"), ("sync", "synch"), ("a-b", "a b")]
)
def test_alike_names_stay_different(one: str, other: str) -> None:
    assert alias_key(one) != alias_key(other)


@requirement("CUST-04.4-15", "CUST-13.1-24")
@pytest.mark.parametrize(
    "text",
    [
        "dependency:pypi:Library_X",
        "dependency:pypi:library.x",
        " dependency:pypi:LIBRARY-_.x ",
        "dependency:pypi:ｌibrary-x",
    ],
)
def test_a_pypi_name_has_one_spelling(text: str) -> None:
    assert canonical_ref(text) == "dependency:pypi:library-x"


@requirement("CUST-04.4-16", "CUST-13.1-24")
@pytest.mark.parametrize(
    "text, ref",
    [
        ("dependency:npm:@Acme/UI", "dependency:npm:@acme/ui"),
        ("dependency:npm:Left_Pad.js", "dependency:npm:left_pad.js"),
    ],
)
def test_an_npm_name_is_folded_with_its_scope(text: str, ref: str) -> None:
    assert canonical_ref(text) == ref


@requirement("CUST-04.4-17", "CUST-13.1-24")
@pytest.mark.parametrize(
    "text, ref",
    [
        (r"repo-path:src\storage", "repo-path:src/storage"),
        ("repo-path:./Src//Storage/.", "repo-path:Src/Storage"),
        ("repo-path:src/storage/", "repo-path:src/storage"),
        ("repo-path:src/a:b", "repo-path:src/a:b"),
    ],
)
def test_a_path_is_relative_with_slashes_and_keeps_its_case(text: str, ref: str) -> None:
    assert canonical_ref(text) == ref


@requirement("CUST-04.4-18", "CUST-13.1-24")
@pytest.mark.parametrize("prefix", ["area", "api", "service", "feature"])
def test_a_project_declared_id_has_small_letters(prefix: str) -> None:
    assert canonical_ref(f"{prefix}:Sync.v2_a-b") == f"{prefix}:sync.v2_a-b"


@requirement("CUST-04.4-15", "CUST-04.4-16", "CUST-04.4-17", "CUST-04.4-18", "CUST-04.4-19", "CUST-13.1-24")
@pytest.mark.parametrize(
    "text, accepted",
    [
        ("dependency:pypi:", "dependency:pypi:<name>"),
        ("dependency:pypi:two words", "dependency:pypi:<name>"),
        ("dependency:pypi:-x", "dependency:pypi:<name>"),
        ("dependency:npm:@acme", "[@scope/]"),
        ("dependency:npm:a/b", "[@scope/]"),
        ("dependency:npm:@a/b/c", "[@scope/]"),
        ("dependency:cargo:serde", "dependency:npm:"),
        ("dependency:", "dependency:npm:"),
        ("repo-path:", "relative path"),
        ("repo-path:.", "relative path"),
        ("repo-path:/etc", "relative path"),
        (r"repo-path:\\host\x", "relative path"),
        ("repo-path:C:/x", "relative path"),
        (r"repo-path:src\..\..\x", "relative path"),
        ("repo-path:~/x", "relative path"),
        ("repo-path:a\x00b", "relative path"),
        ("area:", "area:<id>"),
        ("area:-x", "area:<id>"),
        ("api:two words", "api:<id>"),
        ("service:ü", "service:<id>"),
        ("AREA:x", "feature:<id>"),
        ("library-x", "dependency:pypi:<name>"),
        ("url:https://example.org", "repo-path:<relative path>"),
        ("", "feature:<id>"),
    ],
)
def test_any_other_reference_is_refused_with_what_is_accepted(text: str, accepted: str) -> None:
    with pytest.raises(Refused) as refused:
        canonical_ref(text)
    assert accepted in refused.value.message.partition("accepted")[2]
    assert "\n" not in refused.value.message


@requirement("CUST-04.4-19")
def test_every_form_that_is_offered_is_accepted() -> None:
    for form in CANONICAL_REF_FORMS:
        text = (
            form.replace("[@scope/]", "@scope/")
            .replace("<name>", "x")
            .replace("<id>", "x")
            .replace("<relative path>", "x/y")
        )
        assert canonical_ref(text) == text


@pytest.mark.parametrize("text", ["", "  ", "a\nb", "a\rb", "a\x07b", "a\u2028b", "a\u202eb", "x" * 121])
def test_a_name_of_no_or_several_lines_or_too_long_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="accepted"):
        plain_name("title", text)


def test_a_name_is_kept_with_single_spaces() -> None:
    assert plain_name("title", "  Library   X ") == "Library X"
    assert plain_name("title", "家庭 \N{WOMAN}\N{ZERO WIDTH JOINER}\N{PERSONAL COMPUTER}").startswith("家庭")
    assert len(plain_name("title", "x" * 120)) == 120


@requirement("CUST-06.3-08")
def test_words_of_a_hint_have_at_least_four_letters() -> None:
    assert words_of("The sync-Engine of X1") == {"sync", "engine"}
