"""Opens the index that compares the vectors; imports only what the wish needs."""

from __future__ import annotations

from csbond.engines.index_choice import Comparing, IndexWish, faiss_installed
from csbond.flows.ports import VectorIndex


def open_index(wish: IndexWish, switch: int) -> VectorIndex:
    """An empty index for the wish; needs numpy, which every extra with vectors brings."""
    comparing = Comparing(wish, switch, faiss_installed())
    if comparing.faiss_there and wish != "exact":
        from csbond.engines.faiss_index import FaissIndex

        return FaissIndex(comparing=comparing)
    from csbond.engines.exact_index import ExactIndex

    return ExactIndex(comparing=comparing)
