"""A command that answers messages: the message on its standard input, the answer on its standard output."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from annotated_types import Ge

from csbond.flows.turn import Answer, Ask, Done, Fail, Reject, Reply, Turn
from csbond.protocol.errors import LocalProtocolError
from csbond.skills.confinement import Bounds, ConfinedRun, OutputTooLong, start_confined
from csbond.skills.kind import Kind
from csbond.skills.settings import Count, NamedSettings, invalid
from csbond.skills.speech import Speech
from csbond.skills.turn_json import answers_from_text, memories_of, turn_to_json

_log = logging.getLogger(__name__)

_MIB = 1024 * 1024
_LOGGED_LINES = 20
_LOGGED_LENGTH = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class SubprocessSettings(NamedSettings):
    """Which command, what it is given, and what it may use."""

    command: tuple[str, ...] = ()
    """The command and its arguments, run without a shell in a temporary folder of its own."""
    files: tuple[str, ...] = ()
    """Files copied into that folder before each run; a relative one starts at the home, in a folder of it."""
    environment: tuple[str, ...] = ()
    """Names of variables handed on from the node's environment. It has PATH, LANG, HOME and TMPDIR, and no other."""
    output: Literal["text", "json"] = "text"
    """"text": each line is a chunk of the answer; "json": each line is an answer as JSON."""
    memories: Annotated[int, Ge(0)] = 0
    """Memories that bear on the message and are handed over with it; they leave the node's own process."""
    processes: Count = 4
    """Commands that run at once; further messages wait, so that a burst does not take the machine."""
    cpu_s: Count = 30
    """Seconds of processor time of one run: more than an answer needs, too few to keep a core busy for ever."""
    memory_bytes: Count = 1024 * _MIB
    """Bytes of address space of one run; some languages reserve far more than they use and need more."""
    file_bytes: Count = 16 * _MIB
    """Bytes of the greatest file it may write, so that one run does not fill the disk at once."""
    open_files: Annotated[int, Ge(8)] = 256
    """Files and sockets it may hold open."""
    output_bytes: Count = _MIB
    """Bytes of its answer; a command that writes more is ended."""


class SubprocessSkill:
    """Runs the command once for each message."""

    def __init__(self, settings: SubprocessSettings, home: Path) -> None:
        self._settings = settings
        self._files = tuple(_checked_file(name, home) for name in settings.files)
        self._environment = {name: os.environ[name] for name in settings.environment if name in os.environ}
        self._slots = asyncio.Semaphore(settings.processes)
        self.card = settings.card("command", f"Answers by the command {Path(settings.command[0]).name}.")

    async def answer(self, turn: Turn) -> AsyncIterator[Answer]:
        """What the command says; its failing is said without a word of its own on standard error."""
        memories = await memories_of(turn, self._settings.memories)
        given = json.dumps(turn_to_json(turn, memories), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        async with self._slots, self._running(given) as run, aclosing(self._said(run)) as answers:
            async for answer in answers:
                yield answer

    async def close(self) -> None:
        """It holds nothing: each run ends with its answer."""

    async def _said(self, run: ConfinedRun) -> AsyncGenerator[Answer]:
        try:
            async with aclosing(self._answers(run)) as answers:
                async for answer in answers:
                    yield answer
                    if isinstance(answer, Done | Ask | Reject | Fail | Reply):
                        return
            status = await run.status()
        except TimeoutError:
            yield Fail(f"The command gave no answer within {self._settings.timeout_s:g} seconds.")
        except OutputTooLong:
            yield Fail(f"The command answered with more than {self._settings.output_bytes} bytes.")
        except LocalProtocolError as fault:
            _log.warning("the command of the skill answered outside its contract: %s", fault.next_step)
            yield Fail(fault.reason)
        else:
            if status:
                _log.warning("the command of the skill ended with status %d", status)
                yield Fail("The command ended with an error." if status > 0 else "The command was ended by a limit.")

    async def _answers(self, run: ConfinedRun) -> AsyncGenerator[Answer]:
        speech, before = Speech(), ""
        async with aclosing(run.lines()) as lines:
            async for line in lines:
                if self._settings.output == "json":
                    for answer in answers_from_text(line) if line.strip() else ():
                        yield answer
                elif before or line:
                    yield speech.say(before + line)
                    before = "\n"

    @asynccontextmanager
    async def _running(self, given: bytes) -> AsyncGenerator[ConfinedRun]:
        """The command in a folder of its own; both are gone afterwards, whatever happened."""
        settings = self._settings
        folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="skill-"))
        try:
            await asyncio.to_thread(_copy_files, self._files, folder)
            run = await start_confined(
                settings.command, self._surroundings(folder), folder, _bounds(settings), given, settings.timeout_s
            )
            try:
                yield run
            finally:
                await run.end()
                _log_errors(run.errors)
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    def _surroundings(self, folder: Path) -> dict[str, str]:
        own = {
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": "C.UTF-8",
            "HOME": str(folder),
            "TMPDIR": str(folder),
        }
        return self._environment | own


def _make(settings: SubprocessSettings, home: Path) -> SubprocessSkill:
    """The skill of these settings; `setting_invalid` when the command is not there or would be given secrets."""
    if not settings.command:
        raise invalid("command", "is empty", 'give the command and its arguments, such as ["python3", "answer.py"]')
    program = settings.command[0]
    brought = program.startswith("./") and any(Path(name).name == program[2:] for name in settings.files)
    if not brought and shutil.which(program) is None:
        raise invalid("command", f"there is no program {program!r}", "name one on PATH, or its absolute path")
    for name in settings.environment:
        if not name or "=" in name or "\x00" in name or name.upper().startswith("CSB_"):
            raise invalid("environment", f"{name!r} cannot be handed on", "variables of the node (CSB_…) stay with it")
    return SubprocessSkill(settings, home)


def _checked_file(name: str, home: Path) -> Path:
    """The file to copy; the home's own files (key, tokens, database) stand at its top and are refused."""
    path = home / name
    if path.is_symlink() or not path.is_file():
        raise invalid("files", f"{name!r} is no file")
    if path.resolve().parent == home.resolve():
        raise invalid("files", f"{name!r} stands at the top of the home", "put it into a folder, such as skills/")
    return path


def _copy_files(files: tuple[Path, ...], folder: Path) -> None:
    for file in files:
        shutil.copy(file, folder / file.name)


def _bounds(settings: SubprocessSettings) -> Bounds:
    return Bounds(
        settings.cpu_s, settings.memory_bytes, settings.file_bytes, settings.open_files, settings.output_bytes
    )


def _log_errors(errors: str) -> None:
    for line in errors.splitlines()[:_LOGGED_LINES]:
        shown = "".join(character if character.isprintable() else "�" for character in line[:_LOGGED_LENGTH])
        _log.warning("the command of the skill says: %s", shown)


KIND = Kind("subprocess", SubprocessSettings, _make)
