"""What `enable` makes."""

from __future__ import annotations

import pytest

from csbond_tests.custodian_world import PROJECT_ID
from csbond_tests.marks import requirement
from memory_custodian.rules.enabling import feature_file, plan_enable
from memory_custodian.rules.manifest import read_manifest
from memory_custodian.rules.plan import Plan
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.templates import core_template, module_template

MANIFEST = core_template("manifest.md", version="0.10.0", project_id=PROJECT_ID)


def planned(feature: str, **texts: str) -> Plan:
    known = {f"{stem}.md": text for stem, text in texts.items()}
    return plan_enable(Snapshot("docs/memory", {"manifest.md": MANIFEST, **known}), feature, "2026-03-02")


def written(plan: Plan) -> dict[str, str]:
    return {change.path: change.after for change in plan.changes}


@requirement("CUST-B2.4-01")
@pytest.mark.parametrize(
    "feature, file",
    [
        ("preferences", "preferences.md"),
        ("changelog", "changelog.md"),
        ("rules", "rules/README.md"),
        ("profiles", "profiles/README.md"),
        ("archive", "archive/README.md"),
        ("rules/output", "rules/output.md"),
        ("profile/night", "profiles/night.md"),
        ("profiles/night", "profiles/night.md"),
        ("area/sync", "areas/sync.md"),
        ("areas/sync", "areas/sync.md"),
    ],
)
def test_each_feature_has_its_file(feature: str, file: str) -> None:
    assert feature_file(feature) == file
    plan = planned(feature)
    assert plan.changes[0].path == f"docs/memory/{file}"
    assert plan.headline[0] == f"{file}: written"
    named = file.partition("/")[0] in {"rules", "profiles", "areas"} and "README" not in file
    assert (f"manifest.md: indexed {file}" in plan.headline) is named


@pytest.mark.parametrize(
    "feature", ["memory", "area", "areas/", "area/../x", "rules/a/b", "archive/x", "area/README", ""]
)
def test_another_feature_is_refused(feature: str) -> None:
    with pytest.raises(Refused, match=r"FEATURE is not known; accepted|Invalid (rule|area) name"):
        planned(feature)


@requirement("CUST-10.1-13")
@pytest.mark.parametrize("feature", ["area/{}", "rules/{}", "profile/{}", "{}"])
def test_an_evident_secret_is_no_name_of_a_module_and_is_not_repeated(feature: str) -> None:
    secret = "gh" + "p_" + "a1B2" * 6
    with pytest.raises(Refused, match="github-token") as refused:
        planned(feature.format(secret))
    assert secret not in refused.value.message


@requirement("CUST-B2.4-01", "CUST-B1.2-04")
def test_a_module_is_written_then_indexed_then_logged() -> None:
    plan = planned("area/sync", changelog=module_template("changelog.md"))
    assert list(written(plan)) == ["docs/memory/areas/sync.md", "docs/memory/manifest.md", "docs/memory/changelog.md"]
    assert read_manifest(written(plan)["docs/memory/manifest.md"]).indexed == ("areas/sync.md",)
    assert "- Enabled optional memory module areas/sync.md.\n" in written(plan)["docs/memory/changelog.md"]


@requirement("CUST-B2.4-01")
def test_what_exists_is_kept_and_only_indexed() -> None:
    known = {"manifest.md": MANIFEST, "areas/sync.md": "# Mine\n"}
    plan = plan_enable(Snapshot("docs/memory", known), "area/sync", "2026-03-02")
    assert list(written(plan)) == ["docs/memory/manifest.md"]
    assert plan.headline == ("areas/sync.md: kept", "manifest.md: indexed areas/sync.md")
    known["manifest.md"] = plan.changes[0].after
    again = plan_enable(Snapshot("docs/memory", known), "area/sync", "2026-03-02")
    assert (again.changes, again.headline) == ((), ("areas/sync.md: already enabled",))


def test_enabling_the_changelog_logs_itself() -> None:
    (change,) = planned("changelog").changes
    assert change.after.endswith("## 2026-03-02\n- Enabled optional memory module changelog.md.\n")


def test_without_a_manifest_nothing_is_enabled() -> None:
    with pytest.raises(Refused, match=r"manifest\.md is missing"):
        plan_enable(Snapshot("docs/memory", {}), "changelog", "2026-03-02")


@requirement("CUST-08.2-08")
def test_an_older_project_gets_a_notice() -> None:
    old = {"manifest.md": MANIFEST.replace("protocol_version: 0.6", "protocol_version: 0.5")}
    plan = plan_enable(Snapshot("docs/memory", old), "area/sync", "2026-03-02")
    assert "memory-custodian migrate" in plan.headline[-1]
