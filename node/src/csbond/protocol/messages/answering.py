"""What was said in a turn, as one message: chunks of one artifact grow together."""

from __future__ import annotations

from collections.abc import Iterable

from csbond.protocol.messages.events import ArtifactGrew
from csbond.protocol.messages.growing import GrowingParts
from csbond.protocol.messages.part import Part


def answer_parts(chunks: Iterable[ArtifactGrew]) -> tuple[Part, ...]:
    """The parts of all chunks in order; a text that goes on from chunk to chunk is one part."""
    parts = GrowingParts()
    last_artifact = ""
    for chunk in chunks:
        if not chunk.append or chunk.artifact.id != last_artifact:
            parts.close()
        parts.grow(chunk.artifact.parts)
        last_artifact = chunk.artifact.id
    return parts.all()
