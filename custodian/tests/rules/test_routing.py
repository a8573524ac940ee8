"""Which modules a task asks for, and why."""

from __future__ import annotations

import pytest

from csbond_tests.custodian_world import PROJECT_ID
from csbond_tests.marks import requirement
from memory_custodian.rules.manifest import read_manifest
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.route import TASKS, Category, Reason, Route
from memory_custodian.rules.routing import route, route_issues
from memory_custodian.rules.templates import core_template

TEXT = core_template("manifest.md", version="0.10.0", project_id=PROJECT_ID)
MANIFEST = read_manifest(TEXT)


def files(category: Category, *, text: str = TEXT) -> list[str]:
    return [found.file for found in route(read_manifest(text), category, (), (), "docs/memory")]


@requirement("CUST-B3.1-01", "CUST-03.1-02", "CUST-13.1-29")
def test_each_task_name_stands_for_its_category_and_no_other_text_does() -> None:
    names = {
        "general": ["default", "general"],
        "planning": ["planning", "architecture", "refactoring"],
        "implementation": ["implementation", "execution", "debugging"],
        "artifact": ["artifact", "output"],
        "preferences": ["preferences"],
        "history": ["history", "recap", "status"],
        "maintenance": ["maintenance", "compact", "forget"],
    }
    assert {name: category for category, known in names.items() for name in known} == TASKS


@requirement("CUST-B3.2-01")
def test_files_are_always_load_then_task_then_profiles_then_areas() -> None:
    text = TEXT.replace("Load:\n- inbox.md", "Load:\n- areas/sync.md\n- inbox.md")
    found = route(read_manifest(text), "maintenance", ["night", "day"], ["store", "sync"], "docs/memory")
    assert [(one.file, one.required) for one in found] == [
        ("brief.md", True),
        ("areas/sync.md", True),
        ("inbox.md", True),
        ("do-not-use.md", True),
        ("changelog.md", False),
        ("profiles/night.md", False),
        ("profiles/day.md", False),
        ("areas/store.md", False),
    ]


@requirement("CUST-B3.2-01")
def test_a_file_that_is_optional_in_one_route_and_required_in_another_is_required_where_it_first_stands() -> None:
    always = "## Always load\nLoad if present:\n- inbox.md\n"
    found = route(
        read_manifest(TEXT.replace("## Always load\n- brief.md\n", always)), "maintenance", (), (), "docs/memory"
    )
    assert (found[0].file, found[0].required) == ("inbox.md", True)
    assert [reason.source for reason in found[0].reasons] == ["always-load", "canonical-task-route"]
    assert len([one for one in found if one.file == "inbox.md"]) == 1


@requirement("CUST-03.1-05", "CUST-01-14", "CUST-13.1-29", "CUST-16-21")
def test_the_sources_of_a_module_are_told_apart_as_values() -> None:
    found = {one.file: one for one in route(MANIFEST, "history", ["night"], ["sync"], "docs/memory")}
    assert found["brief.md"].reasons == (Reason("always-load", "general"),)
    assert found["decisions.md"].reasons == (Reason("canonical-task-route", "history"),)
    assert found["profiles/night.md"].reasons == (Reason("explicit-profile", "night"),)
    assert found["areas/sync.md"].reasons == (Reason("explicit-area", "sync"),)
    assert found["brief.md"] == Route("brief.md", "docs/memory/brief.md", True, (Reason("always-load", "general"),))


@requirement("CUST-03.1-04", "CUST-16-21")
def test_the_identity_of_a_module_is_its_path_in_the_project() -> None:
    text = TEXT.replace("- inbox.md", "- ./areas//inbox.md")
    found = route(read_manifest(text), "maintenance", (), (), "docs/team/memory")
    assert [one.module for one in found][:2] == ["docs/team/memory/brief.md", "docs/team/memory/areas/inbox.md"]


@requirement("CUST-03.1-01", "CUST-01-13", "CUST-03.1-03")
def test_the_index_loads_nothing_and_the_general_task_loads_only_what_always_is() -> None:
    text = TEXT.replace("### Enabled areas\n- None enabled.", "### Enabled areas\n- `areas/sync.md`: always!")
    assert read_manifest(text).indexed == ("areas/sync.md",)
    assert files("general", text=text) == ["brief.md"]
    assert "areas/sync.md" not in files("implementation", text=text)


@pytest.mark.parametrize(
    "profile, area, said",
    [
        ("../x", "a", "Invalid profile name: ../x"),
        ("a", "-x", "Invalid area name: -x"),
        ("a", "", "Invalid area name: "),
    ],
)
@requirement("CUST-B1.1-03")
def test_an_invalid_name_is_refused(profile: str, area: str, said: str) -> None:
    with pytest.raises(Refused) as refused:
        route(MANIFEST, "general", [profile], [area], "docs/memory")
    assert refused.value.message.startswith(said)


def test_only_a_broken_route_of_the_asked_category_is_refused() -> None:
    text = TEXT.replace("Load:\n- inbox.md", "Load:\n- ../inbox.md")
    assert files("planning", text=text)[0] == "brief.md"
    with pytest.raises(
        Refused, match=r"manifest\.md: maintenance route: unsafe or malformed memory path '\.\./inbox\.md'"
    ):
        files("maintenance", text=text)
    broken = text.replace("## Always load", "## Sometimes load")
    with pytest.raises(Refused, match="general route: expected exactly one 'Always load' section, found 0"):
        files("planning", text=broken)


@requirement("CUST-T-08")
def test_check_is_told_of_faults_and_of_a_budget_that_is_not_the_one_in_force() -> None:
    assert route_issues(MANIFEST) == ()
    text = TEXT.replace("decisions.md: 800", "decisions.md: 900").replace("areas/: 600", "areas/: 60")
    text = text.replace("### Preferences", "### Tastes")
    fault, first, second = route_issues(read_manifest(text))
    assert (fault.severity, fault.code) == ("ERROR", "route-heading")
    assert "route: expected one canonical heading" in fault.message
    assert [first.severity, second.severity] == ["WARNING", "WARNING"]
    assert first.message == "manifest.md: Context budget says 900 for decisions.md; the limit in force is 800"
    assert second.message.endswith("says 60 for areas/; the limit in force is 600")
    assert text.split("\n")[first.line - 1] == "- decisions.md: 900 tokens"
