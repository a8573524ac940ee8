"""The page on conformance shows settings that are accepted and tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from csbond.config.settings_file import read_settings
from csbond_tests.documents import page
from csbond_tests.repository import REPOSITORY
from csbond_tests.requirements import load_manifest

pytestmark = pytest.mark.docs

CONFORMANCE = page("docs/reference/conformance.md")


def test_the_settings_for_the_kits_are_accepted(tmp_path: Path) -> None:
    (block,) = [block for block in CONFORMANCE.blocks if block.language == "toml"]
    file = tmp_path / "csb.toml"
    file.write_text(block.text, encoding="utf-8")
    settings = read_settings(file)
    assert (settings.a2a.merged_card, settings.skill["kind"]) == (False, "conformance")


def test_every_path_of_the_page_exists() -> None:
    named = re.findall(r"`((?:node|spec)/[^`]+)`", CONFORMANCE.text)
    assert named
    assert not [name for name in named if not (REPOSITORY / name).exists()]


def test_every_group_of_requirements_of_the_page_exists() -> None:
    ids = load_manifest(REPOSITORY / "spec" / "requirements")
    for prefix in re.findall(r"`([A-Z0-9]+-)…`", CONFORMANCE.text):
        assert [each for each in ids if each.startswith(prefix)], prefix
