"""A project with memory in a temporary folder, and memory-custodian run in it.

For the tests of memory-custodian on every Python they run on: standard library and pytest only, as in Python 3.10.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

__all__ = ["PROJECT_ID", "Done", "FixedDraws", "Project", "plan_id_in", "project"]

PROJECT_ID = "3f2b8c1e-6a4d-4c55-9b1a-0d7e5a2f9c34"
TODAY = "2026-03-02"

_ROUTES = """\
## Always load
- brief.md

## Load by task

### Planning / architecture / refactoring
Load:
- decisions.md
- constraints.md
- do-not-use.md

### Implementation / execution / debugging
Load:
- decisions.md
- constraints.md
- do-not-use.md
Load if present:
- preferences.md

### User-facing artifact / output
Load:
- do-not-use.md
Load if present:
- rules/output.md
- preferences.md

### Preferences
Load if present:
- preferences.md

### Change history / recap
Load:
- decisions.md
Load if present:
- changelog.md

### Memory maintenance
Load:
- inbox.md
- do-not-use.md
Load if present:
- changelog.md

## Optional module index

### Enabled rules
- None enabled.

### Enabled profiles
- None enabled.

### Enabled areas
- None enabled.

## Explicit only
- archive/

## Optional rules and profiles
Task rules lie in rules/, workflow profiles in profiles/.
"""

_PROTOCOL_0_6 = f"""\
- protocol_version: 0.6
- entry_schema_version: 1
- subject_schema_version: 1
- subject_registry: subjects.md
- initialized_with: memory-custodian 0.10.0
- last_migrated_with: memory-custodian 0.10.0
- project_id: {PROJECT_ID}
- admission_policy: evidence-required
- conflict_identity_policy: scope-subject-facet
"""
_PROTOCOL_0_5 = """\
- protocol_version: 0.5
- initialized_with: memory-custodian 0.9.1
- last_migrated_with: memory-custodian 0.9.1
"""

_TEXTS = {
    "brief.md": "# Project Brief\n\nLantern turns field notes into printed maps.\n",
    "decisions.md": "# Decisions\n\nEntries are newest first.\n",
    "constraints.md": "# Constraints\n",
    "do-not-use.md": "# Do Not Use / Tombstones\n\nTombstones are newest first.\n",
    "inbox.md": "# Memory Inbox\n\nEntries are newest first.\n\nNo unprocessed memory candidates.\n",
}
_SUBJECTS = "# Subjects\n\nEntries are newest first.\n"


class Done(NamedTuple):
    """What a command left."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """The answer of a command that was asked for JSON."""
        return json.loads(self.out)


class Project:
    """A project folder and the private state of its user, both below one temporary folder."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.memory = self.root / "docs" / "memory"
        self.state = folder / "state"
        self.root.mkdir(parents=True, exist_ok=True)

    @property
    def environment(self) -> dict[str, str]:
        """The variables a command runs with: its private state lies beside the project."""
        return {**os.environ, "XDG_STATE_HOME": str(self.state), "HOME": str(self.state.parent / "home")}

    def run(self, *arguments: str) -> Done:
        """Run a command in this process; `--project-root` is added."""
        from memory_custodian.cli import main

        out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
        with (
            mock.patch.dict(os.environ, self.environment, clear=True),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            try:
                code = main(self.spelled(arguments))
            except SystemExit as ended:
                code = ended.code if isinstance(ended.code, int) else 1
        return Done(code, _text_of(out), _text_of(err))

    def done(self, *arguments: str) -> str:
        """Run a command that must succeed; return what it printed."""
        done = self.run(*arguments)
        assert (done.code, done.err) == (0, ""), done
        return done.out

    def confirmed(self, *arguments: str) -> Done:
        """Preview a command, then apply the plan that it showed."""
        preview = self.run(*arguments)
        assert preview.code == 0, preview
        return self.run(*arguments, "--apply", "--confirm-plan", plan_id_in(preview.out))

    def spawn(self, *arguments: str, **changes: str) -> subprocess.Popen[str]:
        """Start a command as a process of its own, with changed environment variables."""
        return subprocess.Popen(
            [sys.executable, "-m", "memory_custodian", *self.spelled(arguments)],
            env={**self.environment, **changes},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def spelled(self, arguments: tuple[str, ...]) -> list[str]:
        """The words of a command about this project."""
        place = ["--project-root", str(self.root)]
        after = 2 if arguments and arguments[0] == "subject" else 1
        return [*arguments[:after], *place, *arguments[after:]] if arguments else []

    def text(self, file: str) -> str:
        """The text of a memory file, byte for byte."""
        return (self.memory / file).read_bytes().decode("utf-8")

    def write(self, file: str, text: str) -> None:
        """Write a memory file byte for byte, with the folders it lies in."""
        path = self.memory / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8"))

    def files(self) -> dict[str, bytes]:
        """Every file of the project by its path: what must not differ after a refusal."""
        found = (path for path in sorted(self.root.rglob("*")) if path.is_file())
        return {path.relative_to(self.root).as_posix(): path.read_bytes() for path in found}


def project(folder: Path, protocol: str = "0.6", **texts: str) -> Project:
    """A project with the core files of a protocol, `0.6` or `0.5`, or `none` at all; texts by stem replace a file's."""
    made = Project(folder)
    if protocol == "none":
        return made
    metadata = _PROTOCOL_0_6 if protocol == "0.6" else _PROTOCOL_0_5
    made.write("manifest.md", f"# Memory Manifest\n\n## MemoryCustodian Protocol\n{metadata}\n{_ROUTES}")
    if protocol == "0.6":
        made.write("subjects.md", _SUBJECTS)
    for file, text in _TEXTS.items():
        made.write(file, text)
    for stem, text in texts.items():
        made.write(f"{stem.replace('_', '-')}.md", text)
    return made


def plan_id_in(text: str) -> str:
    """The Plan ID that a preview shows, as text or JSON."""
    found = re.search(r'(?:Plan ID: |"plan_id": ")([0-9a-f]{16})\b', text)
    assert found, text
    return found[1]


class FixedDraws:
    """The draws of a plan, given: counted suffixes, one date, one nonce, one project id."""

    def __init__(self, today: str = TODAY, nonce: str = "00" * 16, project_id: str = PROJECT_ID) -> None:
        self._today, self._nonce, self._project_id = today, nonce, project_id
        self._suffixes: Iterator[int] = iter(range(1, 2**32))

    @property
    def today(self) -> str:
        """The date that was given."""
        return self._today

    @property
    def nonce(self) -> str:
        """The nonce that was given."""
        return self._nonce

    def suffix(self) -> str:
        """00000001, 00000002 and so on."""
        return f"{next(self._suffixes):08x}"

    def project_id(self) -> str:
        """The project id that was given."""
        return self._project_id


def _text_of(stream: io.TextIOWrapper) -> str:
    stream.flush()
    raw = stream.buffer
    assert isinstance(raw, io.BytesIO)
    return raw.getvalue().decode("utf-8")
