"""Which index compares the vectors of a Space, by how many there are and what is installed (MEM-002 §2.2)."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import Literal

from csbond.flows.ports import IndexState

IndexWish = Literal["auto", "exact", "faiss"]
"""What the owner asked for."""
INSTALL = "pip install 'csbond[faiss]'"


@dataclass(frozen=True, slots=True)
class Comparing:
    """What the owner wishes, and what there is."""

    wish: IndexWish = "auto"
    switch: int = 100_000
    """Vectors of a Space from which on comparing all of them takes longer than looking in the right places."""
    faiss_there: bool = False

    def at(self, count: int) -> IndexState:
        """How a Space of so many vectors is searched."""
        return chosen_index(count, self)


def chosen_index(count: int, comparing: Comparing) -> IndexState:
    """Exact up to the switch; beyond it FAISS where it is installed and not declined, else exact with a note.

    A FAISS that was asked for by name and is not there is noted at any count.
    """
    beyond = count > comparing.switch
    if comparing.wish == "exact":
        return IndexState("exact")
    if comparing.faiss_there:
        return IndexState("faiss" if beyond else "exact")
    if comparing.wish == "faiss":
        return IndexState("exact", f"memory.index asks for FAISS, which is not installed: {INSTALL}")
    if beyond:
        return IndexState(
            "exact", f"{count} vectors are compared one by one, which is exact and slow; faster: {INSTALL}"
        )
    return IndexState("exact")


def faiss_installed() -> bool:
    """Whether the extra `faiss` is there."""
    return all(importlib.util.find_spec(name) for name in ("numpy", "faiss"))
