"""Which of the two scans of `check` finds what."""

from __future__ import annotations

from pathlib import Path

import pytest

from csbond_tests.custodian_world import project
from csbond_tests.marks import requirement


@requirement("CUST-10.2-11")
@pytest.mark.parametrize(
    "credential",
    [
        "gh" + "p_" + "a1B2" * 6,
        "AK" + "IA" + "ABCDEFGH12345678",
        "api_" + "key=" + "q9w8e7r6t5z4",
        "https://walker:" + "stones" + "@maps.invalid/tiles",
    ],
    ids=["token", "access key", "setting", "in a URL"],
)
def test_credentials_and_private_identifiers_are_findings_of_the_security_scan(tmp_path: Path, credential: str) -> None:
    world = project(tmp_path, constraints=f"# Constraints\n\n- Use {credential} there.\n")
    data = world.run("check", "--security", "--privacy", "--format", "json").data
    assert [(found["file"], found["line"], found["category"]) for found in data["findings"]] == [
        ("constraints.md", 3, "security")
    ]
    assert data["finding_counts"] == {"security": 1, "privacy": 0}
