"""What hosts of agents take from the plugin: its hook, its manifests, its adapters and its templates."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from csbond_tests.custodian_texts import CUSTODIAN, PLUGIN, flat
from csbond_tests.custodian_world import Project, project
from csbond_tests.marks import requirement
from memory_custodian import __version__
from memory_custodian.rules.templates import EXTENDED_FILES, core_template, module_template
from memory_custodian.rules.trust import TRUST_BOUNDARY

TEMPLATES = PLUGIN / "templates"
PLACE_OF_ID = "<UUIDv4, made by init>"
HOSTS = ("CURSOR_PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT", "COPILOT_CLI", "CLAUDE_PROJECT_DIR")


def session_start(folder: Path, **host: str) -> str:
    """What the hook prints, run as its hooks.json says."""
    hooks = json.loads((PLUGIN / "hooks" / "hooks.json").read_text(encoding="utf-8"))
    (entry,) = hooks["hooks"]["SessionStart"]
    command = entry["hooks"][0]["command"].replace("${CLAUDE_PLUGIN_ROOT}", str(PLUGIN))
    rest = {name: value for name, value in os.environ.items() if name not in HOSTS}
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env={**rest, **host}, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stderr == ""
    return done.stdout


@pytest.fixture
def with_memory(tmp_path: Path) -> Path:
    (tmp_path / "docs" / "memory").mkdir(parents=True)
    (tmp_path / "docs" / "memory" / "manifest.md").write_text("# Memory Manifest\n", encoding="utf-8")
    return tmp_path


@requirement("CUST-B4-01")
@pytest.mark.parametrize(
    "host, keys",
    [
        ({"CURSOR_PLUGIN_ROOT": "/p"}, ["additional_context"]),
        ({"CURSOR_PLUGIN_ROOT": "/p", "CLAUDE_PLUGIN_ROOT": "/p"}, ["additional_context"]),
        ({"CLAUDE_PLUGIN_ROOT": "/p"}, ["hookSpecificOutput", "additionalContext"]),
        ({"CLAUDE_PLUGIN_ROOT": "/p", "COPILOT_CLI": "1"}, ["additionalContext"]),
        ({}, ["additionalContext"]),
    ],
    ids=["Cursor", "Cursor and Claude", "Claude", "Copilot", "other"],
)
def test_the_hook_prints_json_under_the_key_of_its_host(
    with_memory: Path, host: dict[str, str], keys: list[str]
) -> None:
    said = json.loads(session_start(with_memory, **host))
    assert list(said) == keys[:1]
    if len(keys) == 2:
        said = said[keys[0]]
        assert sorted(said) == ["additionalContext", "hookEventName"]
        assert said["hookEventName"] == "SessionStart"
    text = said[keys[-1]]
    assert flat(TRUST_BOUNDARY) in text
    assert "`memory-custodian read --task <task>`" in text


def test_the_hook_looks_upwards_and_at_the_project_its_host_names(with_memory: Path, tmp_path: Path) -> None:
    below = with_memory / "src" / "deep"
    below.mkdir(parents=True)
    assert json.loads(session_start(below))["additionalContext"]
    assert json.loads(session_start(Path("/"), CLAUDE_PROJECT_DIR=str(with_memory)))["additionalContext"]


def test_the_hook_adds_nothing_where_there_is_no_memory(tmp_path: Path) -> None:
    assert json.loads(session_start(tmp_path)) == {}


def test_the_hook_is_asked_for_at_the_start_and_not_when_a_session_goes_on() -> None:
    (entry,) = json.loads((PLUGIN / "hooks" / "hooks.json").read_text(encoding="utf-8"))["hooks"]["SessionStart"]
    assert entry["matcher"] == "startup|clear|compact"


@pytest.mark.parametrize("name", ["session-start", "run-hook.cmd"])
def test_the_hook_can_be_executed(name: str) -> None:
    assert os.access(PLUGIN / "hooks" / name, os.X_OK)


@requirement("CUST-B4-02")
@pytest.mark.parametrize("name", [".claude-plugin/plugin.json", ".codex-plugin/plugin.json"])
def test_plugin_manifests_name_the_version_of_the_package_and_paths_that_exist(name: str) -> None:
    manifest = json.loads((PLUGIN / name).read_text(encoding="utf-8"))
    assert (manifest["name"], manifest["version"]) == ("memory-custodian", __version__)
    assert all((PLUGIN / manifest[part]).exists() for part in ("skills", "hooks") if part in manifest)


@requirement("CUST-B4-02")
def test_the_marketplace_offers_the_plugin_of_this_version() -> None:
    market = json.loads((PLUGIN / ".claude-plugin" / "marketplace.json").read_text(encoding="utf-8"))
    assert market["name"] == "memory-custodian-dev"
    (offer,) = market["plugins"]
    assert (offer["name"], offer["source"], offer["version"]) == ("memory-custodian", "./", __version__)


@requirement("CUST-12-05")
def test_there_is_a_thin_adapter_for_each_host() -> None:
    adapters = {path.parent.name: path.read_text(encoding="utf-8") for path in PLUGIN.glob("adapters/*/README.md")}
    assert sorted(adapters) == ["claude-code", "codex", "gemini", "generic"]
    assert all(len(text.splitlines()) <= 50 for text in adapters.values())


@requirement("CUST-09-03")
@pytest.mark.parametrize(
    "adapter, agent, file",
    [("claude-code", "claude", "CLAUDE.md"), ("codex", "codex", "AGENTS.md"), ("gemini", "gemini", "GEMINI.md")],
)
def test_the_block_an_adapter_shows_is_the_block_that_init_writes(
    tmp_path: Path, adapter: str, agent: str, file: str
) -> None:
    text = (PLUGIN / "adapters" / adapter / "README.md").read_text(encoding="utf-8")
    generic = (PLUGIN / "adapters" / "generic" / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```markdown\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    world = project(tmp_path, protocol="none")
    world.done("init", "--agent", agent)
    written = (world.root / file).read_text(encoding="utf-8")
    assert shown in written
    assert written.replace(shown, "").strip() in ("", "# Agent Instructions")
    assert shown in generic
    assert flat(TRUST_BOUNDARY) in flat(written)


def as_template(text: str) -> str:
    return re.sub(r"(?m)^- project_id: .*$", f"- project_id: {PLACE_OF_ID}", text)


@requirement("CUST-12-02")
@pytest.mark.parametrize("kind, options", [("minimal", ()), ("extended", ("--extended",))])
def test_templates_on_disk_are_what_init_writes(tmp_path: Path, kind: str, options: tuple[str, ...]) -> None:
    world: Project = project(tmp_path, protocol="none")
    world.done("init", *options)
    written = {
        path.relative_to(world.memory).as_posix(): as_template(path.read_text(encoding="utf-8"))
        for path in world.memory.rglob("*.md")
    }
    on_disk = {
        path.relative_to(TEMPLATES / kind).as_posix(): path.read_text(encoding="utf-8")
        for path in (TEMPLATES / kind).rglob("*.md")
    }
    if "changelog.md" in written:
        assert written["changelog.md"].startswith(on_disk["changelog.md"].rstrip("\n"))
        written["changelog.md"] = on_disk["changelog.md"]
    assert on_disk == written


@requirement("CUST-12-02")
@pytest.mark.parametrize("path", sorted(TEMPLATES.glob("extended/**/*.md")), ids=lambda path: path.stem)
def test_each_template_on_disk_is_the_built_in_one(path: Path) -> None:
    file = path.relative_to(TEMPLATES / "extended").as_posix()
    built_in = (
        module_template(file)
        if file in EXTENDED_FILES
        else core_template(file, version=__version__, project_id=PLACE_OF_ID)
    )
    assert path.read_text(encoding="utf-8") == built_in


def test_the_folder_of_the_plugin_has_nothing_that_is_not_described() -> None:
    assert sorted(path.name for path in PLUGIN.iterdir() if not path.name.startswith(".")) == [
        "adapters",
        "hooks",
        "skills",
        "templates",
    ]
    assert (CUSTODIAN / "README.md").is_file()
