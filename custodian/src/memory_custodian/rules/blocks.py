"""The pieces a memory file consists of. Joined in order, their texts are the file, byte for byte."""

from __future__ import annotations

from typing import Literal

from memory_custodian.rules.value import Value

__all__ = ["Block", "BlockKind"]

BlockKind = Literal["title", "preamble", "entry", "section", "heading", "lead", "bullet", "body"]
"""
title     the H1 on the first line
preamble  whatever stands before the first entry, section, heading or bullet
entry     an H2 with an MC- or MC-SUBJ- ID, with its fields and bodies
section   any other H2 that is one piece: a decision or tombstone of 0.5, or one without bullets
heading   the line of an H2 that only groups bullets, as a date of the inbox, with the blank lines after it
lead      text between such a heading and its first bullet
bullet    one top-level bullet with its continuation lines
body      the whole text behind the title of a file that has none of these
"""


class Block(Value):
    """One piece of a file."""

    kind: BlockKind
    text: str
    line: int
    """The line it begins with, from 1."""
    group: int
    """Blocks of one number are packed together: a heading with its lead and bullets. Numbers rise from 0."""
    label: str = ""
    """The heading without `## `, or the first line of a bullet without its marker."""
    entry_id: str = ""

    @property
    def removable(self) -> bool:
        """Whether forgetting may take it by itself."""
        return self.kind in {"entry", "section", "bullet"}

    @property
    def shown_kind(self) -> str:
        """The word that previews print for it: h2, bullet, preamble or body."""
        shown = {"entry": "h2", "section": "h2", "heading": "h2", "lead": "body", "title": "preamble"}
        return shown.get(self.kind, self.kind)
