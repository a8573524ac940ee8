"""Which memories need a vector, and which keep the one they have (MEM-002 §2.2)."""

from __future__ import annotations

from csbond.protocol.memory.entry import MemoryEntry


def needs_vector(entry: MemoryEntry, vector_seq: int | None) -> bool:
    """Whether a text has to be embedded: it has no vector of the model, or says something else since it had.

    `vector_seq` is the place of the entry in the order when its vector was made; None for one that has none. Whatever
    else of an entry moves, its tier, tags, links or visibility, moves no vector.
    """
    return vector_seq is None or vector_seq < entry.text_seq
