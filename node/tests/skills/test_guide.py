"""The guide to skills is true: its examples run, its tables are those of the code."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from csbond.skills.endpoint import EndpointSettings
from csbond.skills.load import BUILT_IN, load_skill
from csbond.skills.settings import NamedSettings, SkillSettings, documented
from csbond.skills.settings_doc import SKILL_SETTINGS_DOC
from csbond.skills.turn_json import answer_from_json
from csbond_tests.repository import REPOSITORY
from csbond_tests.turns import answers_of, spoken, turn_of

GUIDE = (REPOSITORY / "docs" / "guide" / "skills.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language and its text."""

    language: str
    text: str


def blocks_of(heading: str) -> list[Block]:
    """The blocks of the section with a heading."""
    _, _, rest = GUIDE.partition(f"\n## {heading}\n")
    assert rest, heading
    return [Block(*found) for found in _BLOCK.findall(rest.partition("\n## ")[0])]


class Terminal:
    """Runs the blocks of the guide in order, with a home of its own and free ports."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "luna"
        self.names = {"~/luna": str(self.home)}
        self.environment = os.environ | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "CSB_HOME": str(self.home),
        }
        self.node: subprocess.Popen[str] | None = None
        self.others: list[subprocess.Popen[str]] = []

    def begin(self) -> None:
        """Make the home as the guide does; without vectors, which no example needs, the node starts faster."""
        init, serve = _BLOCK.findall(GUIDE)[0][1].splitlines()
        assert serve == "csb serve --home ~/luna"
        self.run(init)
        settings = self.home / "csb.toml"
        settings.write_text(settings.read_text().replace("[memory]\n", '[memory]\nsemantic = "off"\n'))

    def play(self, blocks: Iterable[Block]) -> int:
        """Follow the blocks; how many answers were as the guide says."""
        answer, right = "", 0
        for block in blocks:
            match block.language:
                case "python":
                    self._write(block.text)
                case "toml":
                    self._configure(block.text)
                    self._serve()
                case "sh" if block.text.endswith("&\n"):
                    self._start_other(block.text.removesuffix("&\n"))
                case "sh":
                    self._serve()
                    answer = self.run(block.text)
                case "text":
                    assert answer.strip() == block.text.strip()
                    right += 1
        return right

    def run(self, command: str) -> str:
        """What a command prints."""
        done = subprocess.run(
            self._words(command), env=self.environment, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def end(self) -> None:
        """End what runs."""
        for process in (self.node, *self.others):
            if process:
                process.terminate()
                process.communicate(timeout=60)

    def _write(self, text: str) -> None:
        """A file of the home, named by its first line, that takes a free port where it names one."""
        file = self.home / text.partition("\n")[0].removeprefix("# ")
        file.parent.mkdir(exist_ok=True)
        file.write_text(re.sub(r'\("127\.0\.0\.1", \d+\)', '("127.0.0.1", 0)', text), encoding="utf-8")
        for port in re.findall(r'\("127\.0\.0\.1", (\d+)\)', text):
            self.names[f":{port}/"] = ""

    def _configure(self, table: str) -> None:
        """The table in csb.toml, in place of the one that is there."""
        file = self.home / "csb.toml"
        others = re.sub(r"(?ms)^\[skill\]$.*?(?=^\[|\Z)", "", file.read_text(encoding="utf-8"))
        file.write_text(f"{others}\n{self._named(table)}", encoding="utf-8")
        if self.node:
            self.node.terminate()
            self.node.communicate(timeout=60)
            self.node = None

    def _serve(self) -> None:
        if self.node is None:
            self.node, line = self._started("csb serve --port 0", "http://")
            self.names["http://127.0.0.1:3100"] = re.findall(r"http://[\w.:]+", line)[0]

    def _start_other(self, command: str) -> None:
        process, line = self._started(command, "listening on port")
        self.others.append(process)
        (waiting,) = [name for name, free in self.names.items() if not free]
        self.names[waiting] = f":{line.split()[-1]}/"

    def _started(self, command: str, ready: str) -> tuple[subprocess.Popen[str], str]:
        process = subprocess.Popen(
            self._words(command), env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        said = []
        for line in process.stdout or ():
            said.append(line)
            if ready in line:
                return process, line
        raise AssertionError(f"{command}: {''.join(said)}")

    def _words(self, command: str) -> list[str]:
        return shlex.split(self._named(command))

    def _named(self, text: str) -> str:
        for name, here in self.names.items():
            text = text.replace(name, here)
        return text


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    made = Terminal(tmp_path)
    try:
        made.begin()
        yield made
    finally:
        made.end()


@pytest.mark.parametrize(
    "heading, answers",
    [("Memory", 2), ("A Python function", 2), ("A command", 1), ("An HTTP endpoint", 1), ("A language model", 1)],
)
def test_the_examples_run_and_answer_as_shown(terminal, heading, answers):
    assert terminal.play(blocks_of(heading)) == answers


def test_every_section_with_a_command_is_run():
    headings = re.findall(r"^## (.*)$", GUIDE, re.MULTILINE)
    with_commands = [heading for heading in headings if any(block.language == "sh" for block in blocks_of(heading))]
    assert with_commands == ["Memory", "A Python function", "A command", "An HTTP endpoint", "A language model"]


def test_the_answers_in_json_are_answers():
    (block,) = [block for block in blocks_of("A command") if block.language == "json"]
    assert len([answer_from_json(raw) for raw in json.loads(block.text)]) == 7


async def test_a_package_offers_a_skill_as_shown(tmp_path, monkeypatch):
    (block,) = blocks_of("A skill from a package")
    ((group, offered),) = tomllib.loads(block.text)["project"]["entry-points"].items()
    module = offered["shout"].partition(":")[0]
    example = blocks_of("A Python function")[0].text
    (tmp_path / f"{module}.py").write_text(example, encoding="utf-8")
    information = tmp_path / f"{module}-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(f"[{group}]\nshout = {offered['shout']}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    made = load_skill({"kind": "shout"}, tmp_path)
    assert spoken(await answers_of(made, turn_of("hi"))) == "HI!"


def own_settings(kind: type[SkillSettings], parent: type[SkillSettings]) -> list[str]:
    inherited = {key for key, _, _ in documented(parent)}
    return [_row(*row) for row in documented(kind) if row[0] not in inherited]


def _row(key: str, default: object, sentence: str) -> str:
    shown = (
        json.dumps(default, ensure_ascii=False) if not isinstance(default, int) or default < 10_000 else f"{default:,}"
    )
    return f"| `{key}` | `{shown}` | {sentence} |"


TABLES = {
    "Of every kind:": [_row(*row) for row in documented(SkillSettings)],
    "Of `memory`:": own_settings(BUILT_IN["memory"].settings, SkillSettings),
    "Of `function`:": own_settings(BUILT_IN["function"].settings, SkillSettings),
    "Of `subprocess`, `http` and `model`:": own_settings(NamedSettings, SkillSettings),
    "Of `subprocess`:": own_settings(BUILT_IN["subprocess"].settings, NamedSettings),
    "Of `http` and `model`:": own_settings(EndpointSettings, NamedSettings),
    "Of `http`:": own_settings(BUILT_IN["http"].settings, EndpointSettings),
    "Of `model`:": own_settings(BUILT_IN["model"].settings, EndpointSettings),
    "Of `echo`, which": own_settings(BUILT_IN["echo"].settings, SkillSettings),
    "Of `conformance`, which": own_settings(BUILT_IN["conformance"].settings, SkillSettings),
}


@pytest.mark.docs
@pytest.mark.parametrize("title", TABLES)
def test_the_tables_are_the_settings_of_the_code(title):
    _, _, rest = GUIDE.partition(f"\n{title}")
    table = rest.partition("|---|---|---|\n")[2].partition("\n\n")[0].strip()
    assert table == "\n".join(TABLES[title])


@pytest.mark.docs
def test_every_setting_is_in_a_table():
    rows = {row for rows in TABLES.values() for row in rows}
    assert {_row(*row[1:]) for row in SKILL_SETTINGS_DOC} == rows
