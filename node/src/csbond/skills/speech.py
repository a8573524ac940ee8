"""An answer that is spoken bit by bit: the first chunk starts the artifact, the others go on from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from csbond.flows.turn import Say
from csbond.protocol.messages.part import Part, text_part


class Speech:
    """Makes the chunks of one artifact."""

    def __init__(self, artifact_id: str = "answer", metadata: Mapping[str, Any] | None = None) -> None:
        self._artifact_id = artifact_id
        self._metadata = metadata or {}
        self.begun = False

    def say(self, what: str | Part, *, last: bool = False) -> Say:
        """The next chunk, a text or one part."""
        part = text_part(what) if isinstance(what, str) else what
        metadata = {} if self.begun else self._metadata
        chunk = Say((part,), self._artifact_id, append=self.begun, last_chunk=last, metadata=metadata)
        self.begun = True
        return chunk
