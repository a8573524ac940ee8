"""Every command of the READMEs and the guides is executed, in order, and prints what the page says."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from csbond_tests.documents import Page, page
from csbond_tests.loaded_csb import loaded_csb
from csbond_tests.marks import requirement
from csbond_tests.repository import REPOSITORY
from csbond_tests.terminal import Terminal, alike, named_by, steps_of

PAGES = (
    "README.md",
    "docs/guide/first-agent.md",
    "docs/guide/memory.md",
    "docs/guide/running-a-node.md",
    "docs/guide/talking-a2a.md",
    "docs/guide/testing-agents.md",
)
BY_MEANING = ("README.md", "docs/guide/memory.md")
"""Pages that search by meaning; on all others nodes start without the embedder, which takes seconds to load."""
OF_MEMORY_CUSTODIAN = (
    "custodian/README.md",
    "custodian/examples/lanternfish/README.md",
    "docs/guide/project-memory.md",
)
ELSEWHERE = {
    "README.zh-CN.md": "its commands are those of README.md, which test_documents.py checks",
    "docs/guide/skills.md": "node/tests/skills/test_guide.py follows it",
    "node/README.md": "followed below with the installed command",
}
NOT_RUN = {
    ("README.md", "make demo\nmake test\n"): "this is a part of `make test`; test_demo.py runs the demonstration",
    ("README.md", ". .venv/bin/activate\n"): "the tests run inside the environment that it makes",
    (
        "custodian/README.md",
        "python -m pip install ./custodian\nmemory-custodian --version\n",
    ): "`make setup` has installed it where the tests run",
    ("docs/guide/running-a-node.md", "git pull\nmake setup\n"): "it would change the repository under the tests",
}


@pytest.fixture(scope="module")
def csb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with loaded_csb(tmp_path_factory.mktemp("csb")) as folder:
        yield folder


def follow(what: Page, place: Path, *, by_meaning: bool = False, csb: Path | None = None) -> None:
    needed = {
        tool for tool in ("bash", "curl", "git", "openssl") if any(tool in step.command for step in steps_of(what))
    }
    for tool in sorted(needed | {"bash"}):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed, and {what.name} uses it")
    terminal = Terminal(place, by_meaning=by_meaning, csb=csb)
    try:
        terminal.follow(what)
    finally:
        terminal.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_reader_can_follow_the_page(name: str, tmp_path: Path, csb: Path) -> None:
    follow(page(name), tmp_path, by_meaning=name in BY_MEANING, csb=csb)


@requirement("CUST-P-02", "CUST-12-03", "CUST-15-16")
@pytest.mark.parametrize("name", OF_MEMORY_CUSTODIAN)
def test_a_reader_can_follow_what_is_said_of_memory_custodian(name: str, tmp_path: Path) -> None:
    """`~/older` is a project of protocol 0.5, and `~/memory-custodian` the distribution."""
    custodian = REPOSITORY / "custodian"
    shutil.copytree(custodian / "examples", tmp_path / "memory-custodian" / "examples")
    shutil.copytree(custodian / "tests" / "fixtures" / "protocol_0_5" / "h2_decisions", tmp_path / "older")
    follow(page(name), tmp_path)


def test_the_installed_command_does_what_the_distribution_says(tmp_path: Path) -> None:
    follow(page("node/README.md"), tmp_path)


@pytest.mark.docs
def test_every_page_with_commands_is_followed() -> None:
    guides = [path.relative_to(REPOSITORY).as_posix() for path in REPOSITORY.glob("docs/guide/*.md")]
    readmes = [path.relative_to(REPOSITORY).as_posix() for path in (*REPOSITORY.glob("README*.md"),)]
    beside = [
        path.relative_to(REPOSITORY).as_posix()
        for path in (REPOSITORY / "custodian/README.md", *REPOSITORY.glob("custodian/examples/*/README.md"))
    ]
    followed = [*PAGES, *OF_MEMORY_CUSTODIAN, *ELSEWHERE]
    assert sorted([*guides, *readmes, "node/README.md", *beside]) == sorted(followed)


@pytest.mark.docs
def test_every_block_that_is_not_run_has_its_reason() -> None:
    all_pages = (*PAGES, *OF_MEMORY_CUSTODIAN)
    left_out = {(name, block.text) for name in all_pages for block in page(name).blocks if not block.runs}
    assert left_out == set(NOT_RUN)
    assert all(NOT_RUN.values())


def shown(text: str) -> Page:
    return Page("shown.md", text)


def test_output_that_is_not_what_the_page_shows_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=re.compile(r"shown\.md:4: echo one\nshows\ntwo\n.*but.*\none", re.DOTALL)):
        follow(shown("# A page\n\n```console\n$ echo one\ntwo\n```\n"), tmp_path)


def test_a_command_that_fails_is_named_with_its_status(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"shown\.md:2: ls nothing-here\necho after\nended with 2"):
        follow(shown("```sh\nls nothing-here\necho after\n```\n"), tmp_path)


def test_a_node_that_does_not_come_home_is_named_with_its_reason(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="is not at home:\ncsb: there is no agent home"):
        follow(shown("```sh\ncsb serve --home nowhere\n```\n"), tmp_path)


def test_python_and_settings_of_a_page_are_followed(tmp_path: Path) -> None:
    text = (
        "```sh\nexport CSB_HOME=~/h\nmkdir h && printf '[node]\\n#port = 3100\\n' > h/csb.toml\n```\n"
        "```python\n# named.py\nprint('named')\n```\n```console\n$ python named.py\nnamed\n```\n"
        "```python\nprint('run')\n```\n```text\nrun\n```\n"
        "```toml\n[node]\nport = 1\n```\n```console\n$ cat h/csb.toml\n[node]\nport = 1\n```\n"
    )
    follow(shown(text), tmp_path)
    with pytest.raises(AssertionError, match="shows\nelse"):
        follow(shown("```python\nprint('run')\n```\n```text\nelse\n```\n"), tmp_path)


@pytest.mark.parametrize(
    "expected, printed, fits",
    [
        ("one\ntwo", "one\ntwo\n", True),
        ("one", "one\ntwo", False),
        ("a   b", "a b", True),
        ("one … three", "one two three", True),
        ("first\n…\nlast", "first\n2\n3\nlast", True),
        ("first\n…\nlast", "first\n2\n3\n4", False),
        ("mem_1800000000000_k3x9 at 2027-01-15 08:00:00", "mem_1_abc at 2026-11-30 01:02:03", True),
        ("on 2027-01-15", "on a day", False),
        ("a.c", "abc", False),
    ],
)
def test_what_is_shown_is_compared_but_for_what_varies(expected: str, printed: str, fits: bool) -> None:
    assert alike(expected, printed) is fits


def test_an_id_that_a_page_shows_stands_for_the_printed_one() -> None:
    shown = "MC-DEC-20270101-0000aaaa x … MC-DEC-20270101-0000aaaa\nPlan ID: 0123456789abcdef"
    printed = "MC-DEC-20270203-1111bbbb x y MC-DEC-20270203-1111bbbb\nPlan ID: fedcba9876543210"
    ids = {"MC-DEC-20270101-0000aaaa": "MC-DEC-20270203-1111bbbb", "0123456789abcdef": "fedcba9876543210"}
    assert named_by(shown, printed) == ids
    assert named_by(shown, printed.replace("y MC-DEC-20270203-1111bbbb", "y MC-DEC-20270203-2222bbbb")) is None
    assert named_by(shown, printed.replace("DEC", "CON")) is None
    assert named_by("MC-DEC-20270101-0000aaaa", "MC-DEC-20270203-1111bbbb", ["MC-DEC-20270101-0000aaaa"]) is None


def test_a_plan_that_a_page_shows_stands_for_the_printed_one() -> None:
    shown, printed = f"apply all:{'0' * 64}", f"apply all:{'f' * 64}"
    assert named_by(shown, printed) == {f"all:{'0' * 64}": f"all:{'f' * 64}"}
    assert named_by(shown, printed[:-1]) is None
    assert named_by("0" * 64, "f" * 64) == {}


def test_a_later_command_names_what_was_printed(tmp_path: Path) -> None:
    text = (
        "```console\n$ echo Plan ID: fedcba9876543210\nPlan ID: 0123456789abcdef\n"
        "$ echo --confirm-plan 0123456789abcdef > out\n$ grep -c fedcba9876543210 out\n1\n```\n"
    )
    follow(shown(text), tmp_path)
