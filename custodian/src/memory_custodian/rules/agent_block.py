"""The managed block that sends an agent to the memory, in AGENTS.md, CLAUDE.md and GEMINI.md (§§9, 12)."""

from __future__ import annotations

import re
from typing import Final

from memory_custodian.rules.problems import Refused
from memory_custodian.rules.text import fenced
from memory_custodian.rules.trust import TRUST_BOUNDARY
from memory_custodian.rules.value import Value

__all__ = ["BLOCK_END", "BLOCK_START", "AgentFile", "block_text", "with_block"]

BLOCK_START: Final = "<!-- memory-custodian:start -->"
BLOCK_END: Final = "<!-- memory-custodian:end -->"

_HEADING: Final = "## MemoryCustodian"
_OF_OLD_VERSIONS: Final = ("This project uses MemoryCustodian", "manifest.md")
"""What an unmanaged section must have to be one of ours, so that it may be converted."""

_SECTION = re.compile(r"##\s+MemoryCustodian\s*#*\s*", re.IGNORECASE)


class AgentFile(Value):
    """What becomes of one agent file."""

    text: str
    state: str
    """written, repaired, kept, kept (already current) or kept (unmanaged legacy section)."""


def block_text(memory_dir: str) -> str:
    """Return the managed block with its two markers, for a memory directory relative to the project."""
    return f"""\
{BLOCK_START}
{_HEADING}

This project keeps its memory in `{memory_dir}/`. At the start of a session:

1. Read `{memory_dir}/manifest.md`: it says which files belong to which kind of task.
2. Read `{memory_dir}/brief.md`.
3. Choose the task and load its files with `memory-custodian read --task <task>`; leave the others closed.
4. Open `{memory_dir}/archive/` only when someone asks for what is in it.
5. After meaningful decisions, record them with `memory-custodian add`; use `--candidate` for what is not confirmed.

{TRUST_BOUNDARY}
Keep this block short; what the project knows belongs in its memory.
{BLOCK_END}
"""


def with_block(file: str, text: str | None, memory_dir: str, *, forced: bool) -> AgentFile:
    """Return an agent file with the managed block; what stands around the block is never changed.

    A block or an unmanaged section that is there is kept, unless forced. Refuses markers that do not pair, more than
    one block or section, and to convert a section that is not ours.
    """
    block = block_text(memory_dir)
    if text is None:
        return AgentFile(f"# Agent Instructions\n\n{block}", "written")
    found = _block(file, text)
    if found:
        start, end = found
        if text[start:end] == block.rstrip("\n"):
            return AgentFile(text, "kept (already current)")
        replaced = text[:start] + block.rstrip("\n") + text[end:]
        return AgentFile(replaced, "repaired") if forced else AgentFile(text, "kept")
    section = _section(file, text)
    if section is None:
        joined = f"{text.rstrip()}\n\n{block}" if text.strip() else block
        return AgentFile(joined, "written")
    if not forced:
        return AgentFile(text, "kept (unmanaged legacy section)")
    return AgentFile(_converted(file, text, section, block), "repaired")


def _block(file: str, text: str) -> tuple[int, int] | None:
    """Return where the managed block begins and ends."""
    starts, ends = text.count(BLOCK_START), text.count(BLOCK_END)
    start, end = text.find(BLOCK_START), text.find(BLOCK_END)
    if starts != ends or start > end:
        raise Refused(
            f"{file}: malformed MemoryCustodian managed block ({starts} start and {ends} end markers); "
            "accepted: one start marker with one end marker behind it"
        )
    if starts > 1:
        raise Refused(f"{file}: {starts} MemoryCustodian managed blocks; accepted: one")
    return (start, end + len(BLOCK_END)) if starts else None


def _section(file: str, text: str) -> tuple[int, int] | None:
    """Return the first and the next line of an unmanaged section."""
    lines = text.split("\n")
    inside = fenced(lines)
    heads = [at for at, line in enumerate(lines) if re.match(r"#{1,2}\s", line) and not inside[at]]
    own = [at for at in heads if _SECTION.fullmatch(lines[at])]
    if len(own) > 1:
        raise Refused(f"{file}: {len(own)} sections named MemoryCustodian without markers; accepted: one")
    if not own:
        return None
    return own[0], next((at for at in heads if at > own[0]), len(lines))


def _converted(file: str, text: str, section: tuple[int, int], block: str) -> str:
    lines = text.split("\n")
    start, end = section
    content = "\n".join(lines[start:end])
    if not all(sign in content for sign in _OF_OLD_VERSIONS):
        raise Refused(
            f"{file}: the section MemoryCustodian was not written by memory-custodian; accepted: no such section"
        )
    behind = lines[end:]
    return "\n".join([*lines[:start], *block.rstrip("\n").split("\n"), "", *behind]).rstrip("\n") + "\n"
