"""The documents are whole: they name all there is, their links lead somewhere, and the two READMEs say the same."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from csbond.api.access import ROUTES
from csbond.cli.reference import command_paths
from csbond.config.settings import Settings
from csbond.config.settings_file import read_settings
from csbond.config.settings_text import sections
from csbond.protocol.errors import REGISTRY
from csbond.protocol.messages.task import TaskState
from csbond.skills.load import BUILT_IN
from csbond_tests.documents import Page, page
from csbond_tests.repository import REPOSITORY

pytestmark = pytest.mark.docs

_PLACES = ("*.md", "docs/**/*.md", "deploy/*.md", "node/*.md", "custodian/**/*.md")
_MEMORY = ("docs/memory/", "custodian/plugin/templates/", "custodian/tests/")
"""Files that a command writes; its own tests look at them."""
_FOUND = (path.relative_to(REPOSITORY).as_posix() for place in _PLACES for path in REPOSITORY.glob(place))
NAMES = sorted(name for name in _FOUND if not name.startswith(_MEMORY))
GUIDES = [name for name in NAMES if name.startswith("docs/guide/")]
TOLD = "\n".join(page(name).text for name in ("README.md", "deploy/README.md", *GUIDES))
INDEX = page("docs/README.md")


def reference(name: str) -> str:
    return page(f"docs/reference/{name}.md").text


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name: str) -> None:
    here = page(name)
    for link in here.links:
        path, _, anchor = link.partition("#")
        if "://" in path or path.startswith("mailto:"):
            continue
        target = (REPOSITORY / name).parent / path if path else REPOSITORY / name
        assert target.exists(), f"{name}: {link}"
        if anchor:
            assert anchor in Page(path, target.read_text(encoding="utf-8")).anchors, f"{name}: {link}"


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("docs/") and name != INDEX.name])
def test_every_page_is_in_the_index(name: str) -> None:
    assert name.removeprefix("docs/") in INDEX.links


def test_every_command_is_in_the_reference_and_told_of() -> None:
    commands = command_paths()
    assert not [path for path in commands if f"\n## {path}\n" not in reference("cli")]
    assert not [path for path in commands if path not in TOLD]


def test_every_setting_is_in_the_reference() -> None:
    page_text = reference("settings")
    for section in sections():
        part = page_text.split(f"\n## [{section.name}]\n", 1)[1].split("\n## [", 1)[0]
        assert not [row.name for row in section.rows if f"| `{row.name}` |" not in part], section.name
    assert {section.name for section in sections()} == {field.name for field in fields(Settings)}


def test_every_route_is_in_the_reference() -> None:
    assert not [
        row for row in ROUTES if f"| `{row.method} {row.path}` | {row.access.value} |" not in reference("routes")
    ]


def test_every_error_code_is_in_the_reference() -> None:
    assert not [code for code in REGISTRY if f"| `{code}` |" not in reference("errors")]


def test_every_state_is_in_the_reference() -> None:
    assert not [state for state in TaskState if f"| `{state}` |" not in reference("life-cycle")]


def test_every_kind_of_skill_is_in_the_reference_and_the_guide() -> None:
    guide = page("docs/guide/skills.md").text
    assert not [kind for kind in BUILT_IN if f"`{kind}`" not in guide]
    kinds = [kind for kind in BUILT_IN if kind != "conformance"]
    assert not [kind for kind in kinds if f'### kind = "{kind}"' not in reference("settings")]


@pytest.mark.parametrize(
    "block",
    [block for name in ("README.md", *GUIDES) for block in page(name).blocks if block.language == "toml"],
    ids=str,
)
def test_settings_that_are_shown_are_accepted(block, tmp_path: Path) -> None:
    if "[project." in block.text:
        return  # of a distribution, not of a home; node/tests/skills/test_guide.py tries it
    file = tmp_path / "csb.toml"
    file.write_text(block.text, encoding="utf-8")
    read_settings(file)


def test_the_two_readmes_have_the_same_parts_and_the_same_commands() -> None:
    english, chinese = page("README.md"), page("README.zh-CN.md")
    assert [level for level, _ in english.headings] == [level for level, _ in chinese.headings]
    shown = [[(block.language, block.flags, block.text) for block in readme.blocks] for readme in (english, chinese)]
    assert shown[0] == shown[1]
    assert len(english.prose.split("\n* ")) == len(chinese.prose.split("\n* "))
    others = ("README.md", "README.zh-CN.md")
    links = [sorted(set(readme.links) - set(others)) for readme in (english, chinese)]
    assert links[0] == links[1]
