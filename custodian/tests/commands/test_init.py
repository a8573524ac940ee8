"""`init`, from the command line."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from csbond_tests.custodian_world import PROJECT_ID, Project, plan_id_in, project
from csbond_tests.marks import requirement
from memory_custodian.rules.agent_block import block_text
from memory_custodian.rules.manifest import project_id_of, read_manifest


@pytest.fixture
def empty(tmp_path: Path) -> Project:
    return project(tmp_path, "none")


def project_id(world: Project) -> str | None:
    return project_id_of(read_manifest(world.text("manifest.md")))


@requirement("CUST-B2.3-01", "CUST-03-01", "CUST-03-02", "CUST-03.1-11", "CUST-01-02", "CUST-16-06")
def test_a_new_project_is_told_file_by_file(empty: Project) -> None:
    said = empty.done("init")
    assert said.startswith(
        f"Initialized MemoryCustodian at {empty.memory}\n- manifest.md: written\n- subjects.md: written\n"
    )
    assert sorted(path.name for path in empty.memory.iterdir()) == [
        "brief.md",
        "constraints.md",
        "decisions.md",
        "do-not-use.md",
        "inbox.md",
        "manifest.md",
        "subjects.md",
    ]
    made = project_id(empty)
    assert made is not None
    assert uuid.UUID(made).version == 4
    before = empty.files()
    assert "- brief.md: kept" in empty.done("init")
    assert empty.files() == before


@requirement("CUST-03-07")
def test_two_projects_at_one_path_get_different_ids(tmp_path: Path, empty: Project) -> None:
    empty.done("init")
    first = project_id(empty)
    empty.root.rename(tmp_path / "moved")
    empty.root.mkdir()
    empty.done("init")
    assert project_id(empty) != first


@requirement("CUST-B2.3-02")
def test_extended_makes_optional_files_too(empty: Project) -> None:
    empty.done("init", "--extended")
    for file in ("preferences.md", "changelog.md", "rules/README.md", "profiles/README.md", "archive/README.md"):
        assert empty.text(file).startswith("# ")


@requirement("CUST-12-06", "CUST-B1.7-01")
@pytest.mark.parametrize(
    "words, files",
    [
        ((), []),
        (("--agent", "none"), []),
        (("--agent", "codex"), ["AGENTS.md"]),
        (("--with-claude",), ["CLAUDE.md"]),
        (("--agent", "gemini", "--with-codex"), ["AGENTS.md", "GEMINI.md"]),
        (("--agent", "all"), ["AGENTS.md", "CLAUDE.md", "GEMINI.md"]),
    ],
)
def test_only_the_named_agent_files_get_the_block(empty: Project, words: tuple[str, ...], files: list[str]) -> None:
    said = empty.done("init", *words)
    assert sorted(path.name for path in empty.root.glob("*.md")) == files
    for file in files:
        assert f"- {file}: written" in said
        assert (empty.root / file).read_text("utf-8") == f"# Agent Instructions\n\n{block_text('docs/memory')}"


@requirement("CUST-12-06")
def test_an_agent_file_keeps_its_own_words_and_its_block_until_forced(empty: Project) -> None:
    mine = empty.root / "CLAUDE.md"
    mine.write_text("# Mine\n", "utf-8")
    empty.done("init", "--with-claude")
    assert mine.read_text("utf-8") == f"# Mine\n\n{block_text('docs/memory')}"
    old = mine.read_text("utf-8").replace("Read `docs/memory/brief.md`", "Do as you like")
    mine.write_text(old, "utf-8")
    assert "- CLAUDE.md: kept" in empty.done("init", "--with-claude")
    assert mine.read_text("utf-8") == old
    for force in ("--force-agent", "--repair"):
        mine.write_text(old, "utf-8")
        assert "- CLAUDE.md: repaired" in empty.done("init", "--with-claude", force)
        assert mine.read_text("utf-8") == f"# Mine\n\n{block_text('docs/memory')}"


@requirement("CUST-B2.3-06")
def test_a_malformed_block_stops_the_whole_init(empty: Project) -> None:
    (empty.root / "AGENTS.md").write_text("<!-- memory-custodian:start -->\n", "utf-8")
    before = empty.files()
    done = empty.run("init", "--with-codex")
    assert (done.code, done.out) == (2, "")
    assert "AGENTS.md: malformed MemoryCustodian managed block" in done.err
    assert empty.files() == before


@requirement("CUST-B2.3-05")
@pytest.mark.parametrize(
    "words, said",
    [
        (("--force",), "init --force was removed"),
        (("--repair", "--replace-existing"), "--repair and --replace-existing"),
        (("--apply",), "--apply and --confirm-plan belong to --replace-existing"),
        (("--repair", "--apply"), "--apply and --confirm-plan belong to --replace-existing"),
        (("--confirm-plan", "0123456789abcdef"), "--apply and --confirm-plan belong to --replace-existing"),
    ],
)
def test_combinations_that_mean_nothing_are_refused(empty: Project, words: tuple[str, ...], said: str) -> None:
    done = empty.run("init", *words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert empty.files() == {}


@requirement("CUST-03-04", "CUST-B2.3-03", "CUST-09-02")
def test_repair_mends_a_manifest_and_keeps_its_project_id(tmp_path: Path) -> None:
    world = project(tmp_path)
    world.write("manifest.md", world.text("manifest.md").replace("- admission_policy: evidence-required\n", ""))
    said = world.done("init", "--repair")
    assert said.startswith("Repaired MemoryCustodian at ")
    assert "- manifest.md: repaired" in said
    assert project_id(world) == PROJECT_ID
    assert "## Trust boundary\n" in world.text("manifest.md")
    before = world.files()
    assert "- manifest.md: kept" in world.done("init", "--repair")
    assert world.files() == before


@requirement("CUST-08-04", "CUST-B2.3-04", "CUST-B5.1-01")
def test_replacing_is_previewed_with_a_plan_id_and_keeps_the_project_id(tmp_path: Path) -> None:
    world = project(tmp_path)
    before = world.files()
    preview = world.done("init", "--replace-existing", "--with-codex")
    assert world.files() == before
    assert preview.startswith("MemoryCustodian replacement plan\n")
    assert "- brief.md: replace planned" in preview
    assert "contain non-template content" in preview
    assert "Dry run only" in preview
    assert "init --with-codex --replace-existing" in preview
    refused = world.run("init", "--replace-existing", "--with-codex", "--apply")
    assert refused.code == 2
    world.write("brief.md", "# Project Brief\n\nSomething newer.\n")
    stale = world.run("init", "--replace-existing", "--with-codex", "--apply", "--confirm-plan", plan_id_in(preview))
    assert stale.code == 2
    assert "Something newer." in world.text("brief.md")
    words = ("init", "--replace-existing", "--with-codex", "--apply", "--confirm-plan", plan_id_in(stale.out))
    assert world.run(*words).code == 0
    assert "TODO: Describe what this project does" in world.text("brief.md")
    assert project_id(world) == PROJECT_ID
    assert (world.root / "AGENTS.md").exists()


@requirement("CUST-B1.1-01")
@pytest.mark.parametrize("path", ["docs", "memory", "docs/../memory", "../docs/memory", "/tmp/docs/memory"])
def test_a_memory_directory_outside_docs_is_refused_and_nothing_made(empty: Project, path: str) -> None:
    for option in ("--path", "--memory-dir"):
        done = empty.run("init", option, path)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith("Error: Memory directory must live under docs/")
        assert empty.files() == {}


@requirement("CUST-B1.1-01")
def test_a_link_out_of_docs_is_followed_before_it_is_judged(tmp_path: Path, empty: Project) -> None:
    (empty.root / "docs").mkdir()
    (tmp_path / "outside").mkdir()
    (empty.root / "docs" / "memory").symlink_to(tmp_path / "outside")
    done = empty.run("init")
    assert done.code == 2
    assert list((tmp_path / "outside").iterdir()) == []


def test_another_directory_below_docs_may_be_named_with_path(empty: Project) -> None:
    empty.done("init", "--path", "docs/team/notes", "--with-codex")
    assert (empty.root / "docs/team/notes/manifest.md").exists()
    assert "`docs/team/notes/manifest.md`" in (empty.root / "AGENTS.md").read_text("utf-8")
    assert "Loaded:\n- brief.md\n" in empty.done("read", "--memory-dir", "docs/team/notes", "--names-only")


@requirement("CUST-08.2-08")
def test_an_older_project_is_kept_old_with_a_notice(tmp_path: Path) -> None:
    world = project(tmp_path, "0.5")
    (world.memory / "inbox.md").unlink()
    said = world.done("init")
    assert "memory-custodian migrate" in said
    assert "- inbox.md: written" in said
    assert not (world.memory / "subjects.md").exists()
    assert world.run("init", "--repair").code == 2


@requirement("CUST-T-08")
def test_a_budget_table_that_differs_from_the_one_in_force_is_reported(empty: Project) -> None:
    empty.done("init")
    assert "Context budget" not in empty.run("check").out
    empty.write("manifest.md", empty.text("manifest.md").replace("decisions.md: 800", "decisions.md: 8000"))
    assert "Context budget says 8000 for decisions.md; the limit in force is 800" in empty.run("check").out
