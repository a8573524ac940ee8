"""What was said in a turn, as one message: chunks of one artifact grow together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from csbond.protocol.messages.events import ArtifactGrew
from csbond.protocol.messages.part import Part, PartKind


def answer_parts(chunks: Iterable[ArtifactGrew]) -> tuple[Part, ...]:
    """The parts of all chunks in order; a text that goes on from chunk to chunk becomes one part."""
    parts: list[Part] = []
    texts: list[str] = []
    last_artifact = ""
    for chunk in chunks:
        goes_on = chunk.append and chunk.artifact.id == last_artifact
        for part in chunk.artifact.parts:
            plain = part.kind is PartKind.TEXT and not part.metadata and not part.media_type
            if plain and goes_on and texts:
                texts.append(part.value)
                continue
            _close(parts, texts)
            parts.append(part)
            if plain:
                texts.append(part.value)
            goes_on = False
        last_artifact = chunk.artifact.id
    _close(parts, texts)
    return tuple(parts)


def _close(parts: list[Part], texts: list[str]) -> None:
    if len(texts) > 1:
        parts[-1] = replace(parts[-1], value="".join(texts))
    texts.clear()
