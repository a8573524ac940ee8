"""Which memories of a snapshot are pieces of one text: those that its own file has before them (MEM-006 §6.3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from csbond.protocol.memory.snapshot import SnapshotMemory

Text = tuple[SnapshotMemory, ...]
"""The pieces of one text, its beginning first; mostly there is one."""


def texts_of(memories: Iterable[SnapshotMemory]) -> tuple[Text, ...]:
    """The memories as texts, those that begin a text first.

    A piece goes on from the one before it in the same file and from nothing else: whoever names a memory of another
    home as what comes before would have his own words, and his time to live, counted as a part of it. What has none
    before it, and what another piece has gone on from already, is a text of its own.
    """
    texts: list[list[SnapshotMemory]] = []
    open_: dict[str, list[SnapshotMemory]] = {}
    for memory in sorted(memories, key=lambda each: each.piece):
        before = open_.get(memory.extends) if memory.extends else None
        if before is not None and before[-1].piece == memory.piece - 1:
            del open_[memory.extends]
            before.append(memory)
            open_[memory.draft.id] = before
        elif memory.extends or memory.piece:
            texts.append([replace(memory, extends="", piece=0)])
        else:
            texts.append([memory])
            open_[memory.draft.id] = texts[-1]
    return tuple(map(tuple, texts))
