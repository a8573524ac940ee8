"""Follows a document as a reader would: types its commands into one shell, in order, and looks at what they print.

What a reader does and a test cannot do word for word:

* `~` is an empty directory, and where the shell begins.
* The ports of `PORTS` stand for ports that are free; homes listen there, because their settings say so.
* A line that begins with `csb serve` is typed into a terminal of its own: the node is waited for until it is at home.
  A second one for the same home means that the first was stopped with Ctrl-C.
* A Python block whose first line is `# NAME.py` is saved under that name; any other is run.
* A TOML block is written into the `csb.toml` of `CSB_HOME`.
* A text block after commands is what they print. `…` stands for anything; ids, dates, keys, digests and process numbers
  are not compared, nor how many blanks are between columns.
* Names of plans and snapshots, and IDs of entries, Subjects and plans of memory-custodian, stand for those that are
  printed in their place, from there on.
* Git has a name to commit by.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import tomllib
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from csbond.config.settings_text import toml
from csbond_tests.documents import Block, Page

__all__ = ["PORTS", "Terminal", "alike", "steps_of"]

PORTS = (3100, 3200)
END = "\x1e"
"""Marks in what the shell prints where a command ended."""
AT_HOME = " is at home at "

_VARYING = {
    r"mem_\d+_\w+": "ID",
    r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b": "ID",
    r"did:key:z\w+": "KEY",
    r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d": "TIME",
    r"\d{4}-\d\d-\d\d": "DAY",
    r"\bprocess +\d+": "PROCESS",
    r"(?<!\ball:)\b[0-9a-f]{64}\b": "DIGEST",
}
_NAMED = re.compile(r"\b(MC-[A-Z]+)-\d{8}-[0-9a-f]{8}\b|\b[0-9a-f]{16}\b|\ball:[0-9a-f]{64}\b|\bsnap_\d{13}_\w{12}\b")
"""IDs that a later command of the page names again."""
_GIT = {
    f"GIT_{who}_{what}": f"reader{at}"
    for who in ("AUTHOR", "COMMITTER")
    for what, at in (("NAME", ""), ("EMAIL", "@localhost"))
}


@dataclass(frozen=True, slots=True)
class Step:
    """One thing a reader does, and what is printed then; None where the document does not say."""

    block: Block
    command: str
    printed: str | None = None


def steps_of(page: Page) -> Iterator[Step]:
    """What a reader of a document does, in order."""
    blocks = [block for block in page.blocks if block.runs]
    following = [*blocks[1:], None]
    for block, after in zip(blocks, following, strict=True):
        printed = after.text if after and after.language == "text" else None
        match block.language:
            case "console":
                yield from _typed(block)
            case "sh":
                *before, last = _split_at_nodes(block.text)
                yield from (Step(block, command) for command in before)
                yield Step(block, last, printed)
            case "python":
                yield Step(block, "", printed)
            case "toml":
                yield Step(block, "")


def alike(expected: str, printed: str) -> bool:
    """Whether a document shows what was printed."""
    return named_by(expected, printed) is not None


def named_by(expected: str, printed: str, known: Collection[str] = ()) -> dict[str, str] | None:
    """The IDs that were printed, by those that a document shows in their place; None when it shows something else.

    Known ones stand for themselves.
    """
    shown = _plain(expected)
    names: list[str] = []
    pattern, end = "", 0
    for found in _NAMED.finditer(shown):
        pattern += re.escape(shown[end : found.start()])
        end = found.end()
        if found[0] in known:
            pattern += re.escape(found[0])
        elif found[0] in names:
            pattern += rf"(?P=id{names.index(found[0])})"
        else:
            pattern += rf"(?P<id{len(names)}>{_like(found)})"
            names.append(found[0])
    pattern = (pattern + re.escape(shown[end:])).replace(re.escape("…"), "(?:.|\n)*")
    match = re.fullmatch(pattern, _plain(printed))
    return match and {name: match[f"id{number}"] for number, name in enumerate(names)}


class Terminal:
    """A shell, the nodes that run beside it, and the place all of them live in."""

    def __init__(self, place: Path, *, by_meaning: bool, csb: Path | None = None) -> None:
        self.place = place
        self.by_meaning = by_meaning
        self._reserved = [_reserved_port() for _ in PORTS]
        self._ports = dict(zip(map(str, PORTS), (str(held.getsockname()[1]) for held in self._reserved), strict=True))
        self._nodes: dict[str, tuple[int, IO[str]]] = {}
        self._named: dict[str, str] = {}
        self._shell = subprocess.Popen(
            ["bash", "--norc", "--noprofile", "-s"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=place,
            env=_environment(place, csb or Path(sys.executable).parent),
            start_new_session=True,
        )
        self._type(f"trap 'printf \"\\n{END}%d\\n\" $?' EXIT; set -euo pipefail\n")

    def follow(self, page: Page) -> None:
        """Do all that a document says; AssertionError names the line that is not true."""
        for step in steps_of(page):
            printed = self._done(step)
            if step.printed is not None:
                expected = self._here(step.printed)
                where = f"{step.block}: {step.command.strip()}"
                named = named_by(expected, printed, self._named.values())
                assert named is not None, f"{where}\nshows\n{expected}\nbut this was printed:\n{printed}"
                self._named |= named

    def close(self) -> None:
        """End the shell and everything that was started in it."""
        with suppress(ProcessLookupError):
            os.killpg(self._shell.pid, signal.SIGTERM)
        for _, said in self._nodes.values():
            said.read()
            said.close()
        self._shell.communicate(timeout=60)
        for held in self._reserved:
            held.close()

    def _done(self, step: Step) -> str:
        match step.block.language:
            case "python":
                return self._python(step.block)
            case "toml":
                self._settle(step.block)
                return ""
        if _is_node(step.command):
            return self._serve(step)
        return self._run(step.block, step.command)

    def _run(self, block: Block, command: str) -> str:
        """What a command prints; AssertionError when it fails."""
        self._type(f"{self._here(command).rstrip()}\nprintf '\\n{END}%d\\n' $?\n")
        printed: list[str] = []
        assert self._shell.stdout
        for line in self._shell.stdout:
            if line.startswith(END):
                assert line == f"{END}0\n", f"{block}: {command.strip()}\nended with {line[1:-1]}:\n{''.join(printed)}"
                self._move_in()
                return "".join(printed)
            printed.append(line)
        raise AssertionError(f"{block}: {command.strip()}\nended the shell:\n{''.join(printed)}")

    def _serve(self, step: Step) -> str:
        """What a node in a terminal of its own says when it is at home."""
        named = re.search(r"--home (\S+)", step.command)
        home = named[1] if named else ""
        if earlier := self._nodes.pop(home, None):
            os.kill(earlier[0], signal.SIGTERM)
            earlier[1].read()
            earlier[1].close()
        pipe = self.place / f".node-{len(self._nodes)}-{step.block.line}"
        os.mkfifo(pipe)
        pid = self._run(step.block, f"{step.command.strip()} > {pipe} 2>&1 &\necho $!")
        said = pipe.open(encoding="utf-8")
        self._nodes[home] = int(pid), said
        heard = []
        for line in said:
            heard.append(line)
            if AT_HOME in line:
                return "".join(heard)
        raise AssertionError(f"{step.block}: {step.command.strip()}\nis not at home:\n{''.join(heard)}")

    def _python(self, block: Block) -> str:
        named = re.match(r"# ([\w/]+\.py)\n", block.text)
        file = self.place / (named[1] if named else f".line-{block.line}.py")
        file.write_text(self._here(block.text), encoding="utf-8")
        return "" if named else self._run(block, f"python {file}")

    def _settle(self, block: Block) -> None:
        home = Path(self._run(block, 'echo "$CSB_HOME"').strip())
        text = (home / "csb.toml").read_text(encoding="utf-8")
        for table, rows in tomllib.loads(self._here(block.text)).items():
            for name, value in rows.items():
                text = re.sub(rf"^#?{name} = .*\n", "", text, flags=re.MULTILINE)
                text = text.replace(f"[{table}]\n", f"[{table}]\n{name} = {toml(value)}\n")
        (home / "csb.toml").write_text(text, encoding="utf-8")

    def _move_in(self) -> None:
        """Let homes that are new listen on a port that is free, and search as this document needs it."""
        for file in self.place.glob("*/csb.toml"):
            text = file.read_text(encoding="utf-8")
            settled = text.replace("#port = 3100", f"port = {self._ports['3100']}")
            if not self.by_meaning:
                settled = settled.replace('#semantic = "auto"', 'semantic = "off"')
            if settled != text:
                file.write_text(settled, encoding="utf-8")

    def _type(self, text: str) -> None:
        assert self._shell.stdin
        with suppress(BrokenPipeError):
            self._shell.stdin.write(text)
            self._shell.stdin.flush()

    def _here(self, text: str) -> str:
        for shown, real in (self._ports | self._named).items():
            text = text.replace(shown, real)
        return text


def _environment(place: Path, csb: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("LD_LIBRARY_PATH", "PYTHONDONTWRITEBYTECODE") if name in os.environ}
    return (
        kept
        | _GIT
        | {
            "PATH": os.pathsep.join([str(csb), str(Path(sys.executable).parent), os.environ["PATH"]]),
            "HOME": str(place),
            "LANG": "C.UTF-8",
            "COLUMNS": "120",
            "TZ": "UTC",
            "no_proxy": "*",
        }
    )


def _reserved_port() -> socket.socket:
    """A free port that nobody else is given while this socket is open; a node may still listen there."""
    held = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    return held


def _typed(block: Block) -> Iterator[Step]:
    """The commands of a console block, each with what follows it."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, *rest = part.splitlines(keepends=True)
        while rest and (command.endswith("\\\n") or rest[0].startswith("> ")):
            command += rest.pop(0).removeprefix("> ")
        yield Step(block, command, "".join(rest))


def _split_at_nodes(text: str) -> list[str]:
    """The lines before and after each `csb serve`, and these."""
    parts = re.split(r"^(csb serve\b.*\n)", text, flags=re.MULTILINE)
    return [part for part in parts if part.strip()]


def _is_node(command: str) -> bool:
    return command.startswith("csb serve") and not command.rstrip().endswith("&")


def _like(named: re.Match[str]) -> str:
    """What any other name of the kind fits."""
    if named[1]:
        return rf"{named[1]}-\d{{8}}-[0-9a-f]{{8}}"
    if named[0].startswith("snap_"):
        return r"snap_\d{13}_\w{12}"
    return "all:[0-9a-f]{64}" if ":" in named[0] else "[0-9a-f]{16}"


def _plain(text: str) -> str:
    for pattern, name in _VARYING.items():
        text = re.sub(pattern, name, text)
    return "\n".join(" ".join(line.split()) for line in text.strip().splitlines())
