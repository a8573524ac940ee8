"""`csb demo` tells its story from the answers of real nodes, breaks off when one differs, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from rich.cells import cell_len

from csbond.cli import main
from csbond.cli.demo import command
from csbond.cli.demo.processes import NodeProcess, new_agent
from csbond.cli.endings import INTERRUPTED

pytestmark = pytest.mark.timeout(170)

GONE_S = 10.0
"""Seconds an embedder may take to see that its node has gone: it looks between two steps of loading."""

CHAPTERS = [
    "1  Two agents move in · 两个智能体，两个家",
    "2  A person talks to Mira · 有人和 Mira 说话",
    "3  Mira talks to 小舟 · Mira 和小舟说话",
    "4  What each of them remembers · 它们各自记住了什么",
    "5  Found again · 重新找到",
    "6  小舟 crashes · 小舟崩溃了",
]


@contextmanager
def demonstration(place: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """The command as a process in a group of its own, with its homes below a place."""
    environment = os.environ | {"TMPDIR": str(place), "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
    running = subprocess.Popen(
        [sys.executable, "-m", "csbond.cli", "demo", *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        start_new_session=True,
    )
    try:
        yield running
    finally:
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGKILL)
        running.communicate(timeout=60)


def told_until(running: subprocess.Popen[str], words: str) -> list[str]:
    """The lines up to one with these words; all of them when none has."""
    lines = []
    for line in running.stdout or ():
        lines.append(line.rstrip("\n"))
        if words in line:
            break
    return lines


def nothing_is_left(running: subprocess.Popen[str], place: Path) -> bool:
    """Whether no home and, within seconds, no running process of the group is there any more."""
    end = time.monotonic() + GONE_S
    while (alive := living(running.pid)) and time.monotonic() < end:
        threading.Event().wait(0.05)
    return not alive and not list(place.iterdir())


def living(group: int) -> list[int]:
    """The processes of a group that run; one that ended and waits for its parent does not."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _parent, its_group = status.read_text().rpartition(")")[2].split()[:3]
            if int(its_group) == group and state not in "ZX":
                found.append(int(status.parent.name))
    return found


def answers(url: str) -> bool:
    parts = urlsplit(url)
    with socket.socket() as caller:
        return caller.connect_ex((parts.hostname, parts.port)) == 0


@pytest.fixture
def changed_agents(monkeypatch, tmp_path: Path):
    """Returns a function: agents of the demonstration get these settings instead of the same lines of csb.toml."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setenv("COLUMNS", "80")

    def change(settings: dict[str, dict[str, str]]) -> None:
        def new_changed_agent(place: Path, name: str, emoji: str) -> NodeProcess:
            node = new_agent(place, name, emoji)
            text = node.home.settings_file.read_text(encoding="utf-8")
            for line, instead in (settings.get(name, {}) | settings["all"]).items():
                assert line in text
                text = text.replace(line, instead)
            node.home.settings_file.write_text(text, encoding="utf-8")
            return node

        monkeypatch.setattr(command, "new_agent", new_changed_agent)

    return change


WORDS_ONLY = {'#semantic = "auto"': 'semantic = "off"'}


def test_the_story_is_told_whole_and_ctrl_c_takes_everything_away(tmp_path: Path) -> None:
    with demonstration(tmp_path, "--stay") as running:
        lines = told_until(running, "Both stay until Ctrl-C")
        story = "\n".join(lines)
        assert [line.split("── ")[1].rsplit(" ─", 1)[0].rstrip("─ ") for line in lines if "── " in line] == [
            *CHAPTERS,
            "Look further · 接着看",
        ], story
        assert story.count("On 20") == 1
        assert story.count("Mira告诉我：“小船的钥匙放在灯塔旁边的木箱里。”") == 2, story
        assert "event, warm, told by Mira" in story
        assert "found by its meaning" in story
        copied = [line.split() for line in lines if line.startswith(("    csb ", "    export "))]
        assert [words[1] for words in copied[1:]] == ["send", "talk", "memory", "card"]
        assert all(cell_len(line) <= 80 for line in lines if line.split() not in copied), story
        assert all(line == line.rstrip() for line in lines)

        urls = [word for word in copied[1] + copied[2] if word.startswith("http")]
        assert [answers(url) for url in urls] == [True, True]
        os.killpg(running.pid, signal.SIGINT)
        rest, _ = running.communicate(timeout=60)
        assert (running.returncode, rest.split()[-4:]) == (0, ["their", "homes", "are", "gone."]), rest
        assert [answers(url) for url in urls] == [False, False]
        assert nothing_is_left(running, tmp_path)


def test_whoever_ends_it_in_the_middle_leaves_nothing_behind(tmp_path: Path) -> None:
    with demonstration(tmp_path) as running:
        told_until(running, CHAPTERS[0])
        running.terminate()
        rest, _ = running.communicate(timeout=60)
        assert running.returncode == INTERRUPTED, rest
        assert "their homes are gone" in rest
        assert nothing_is_left(running, tmp_path)


def test_without_the_extra_semantic_the_story_says_so_and_goes_on(changed_agents, tmp_path: Path, capsys) -> None:
    changed_agents({"all": WORDS_ONLY})
    assert main(["demo", "--no-stay"]) == 0
    story = capsys.readouterr().out
    assert story.count("by words only: the extra `semantic` is not here") == 2
    assert "by its meaning" not in story
    assert "csb demo --stay" in story
    assert all(chapter in story for chapter in CHAPTERS)
    assert list(tmp_path.iterdir()) == []


def test_with_json_the_story_is_one_document(changed_agents, tmp_path: Path, capsys) -> None:
    changed_agents({"all": WORDS_ONLY})
    assert main(["demo", "--json"]) == 0
    told = capsys.readouterr()
    story = json.loads(told.out)
    assert story["ok"] is True
    assert [agent["name"] for agent in story["agents"]] == ["Mira", "小舟"]
    assert all(agent["url"].startswith("http://127.0.0.1:") for agent in story["agents"])
    assert all(agent["did"].startswith("did:key:") for agent in story["agents"])
    assert [chapter["name"] for chapter in story["chapters"]] == [english(each) for each in CHAPTERS]
    *_, question, answer = story["chapters"][-1]["steps"]
    assert (question["who"], answer["who"]) == ("You", "小舟")
    assert "木箱" in answer["said"]
    assert "event, warm, told by Mira" in story["chapters"][3]["steps"][1]["remarks"]
    assert list(tmp_path.iterdir()) == []


def english(heading: str) -> str:
    """The English name of a chapter, without its number."""
    return heading.partition(" · ")[0][3:]


def test_a_node_that_answers_otherwise_breaks_the_story_off(changed_agents, tmp_path: Path, capsys) -> None:
    changed_agents({"all": WORDS_ONLY, "小舟": {'#kind = "memory"': 'kind = "echo"'}})
    assert main(["demo", "--no-stay"]) == 3
    told = capsys.readouterr()
    assert told.err == (
        "csb: the story broke off: expected: 小舟 knows where the key is; a node said: 小船的钥匙在哪里？\n"
    )
    assert CHAPTERS[2] in told.out
    assert CHAPTERS[3] not in told.out
    assert list(tmp_path.iterdir()) == []

    assert main(["demo", "--json"]) == 3
    told = capsys.readouterr()
    assert json.loads(told.err)["error"]["code"] == "peer_broke_protocol"
    story = json.loads(told.out)
    assert story["ok"] is False
    assert [chapter["name"] for chapter in story["chapters"]] == [english(each) for each in CHAPTERS[:3]]
    assert list(tmp_path.iterdir()) == []
