"""Scopes, and the names of areas, rules and profiles."""

from __future__ import annotations

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.scope import area_of, is_scope, safe_name, scope_of


@requirement("CUST-05.2-06")
def test_a_scope_is_the_project_or_one_area() -> None:
    assert (scope_of(None), scope_of(""), scope_of("sync")) == ("project", "project", "area:sync")
    assert (area_of("project"), area_of("area:sync"), area_of("area:Sync-2.x")) == (None, "sync", "Sync-2.x")
    assert is_scope("project")
    assert is_scope("area:sync")


@requirement("CUST-05.2-06")
@pytest.mark.parametrize(
    "scope", ["", "Project", "area:", "area:../x", "area:a b", "global", "areas:sync", "project:x"]
)
def test_anything_else_is_no_scope(scope: str) -> None:
    assert not is_scope(scope)
    assert area_of(scope) is None


@pytest.mark.parametrize("name", ["sync", "Sync", "a", "9", "code-style", "v1.2_x"])
def test_a_name_of_letters_digits_and_marks_is_safe(name: str) -> None:
    assert safe_name("area", name) == name


@requirement("CUST-B2.5-01")
@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "a/b", "a\\b", "-x", "a b", "\u5730\u56fe", "a\n", "README", "readme"]
)
def test_any_other_name_is_refused_with_what_is_accepted(name: str) -> None:
    with pytest.raises(Refused, match=r"^Invalid area name: .*; accepted: letters") as refused:
        safe_name("area", name)
    assert "\n" not in refused.value.message
    with pytest.raises(Refused, match=r"^Invalid profile name: "):
        safe_name("profile", name)


@requirement("CUST-10.1-13")
def test_a_secret_in_a_refused_name_is_not_shown() -> None:
    with pytest.raises(Refused, match=r"^Invalid area name: password=\[redacted\]; accepted") as refused:
        safe_name("area", "password=" + "hunter77")
    assert "hunter77" not in refused.value.message
