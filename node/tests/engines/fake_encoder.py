"""The embedding process with an encoder that needs no weights and misbehaves when a text tells it to."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from threading import Event

import numpy as np

from csbond.engines import embedding_process
from csbond.engines.embedding_frames import Role
from csbond.engines.embedding_model import EncoderName
from csbond.engines.means import Floats, centred


class FakeEncoder:
    """A vector a text from its hash, or what the text asks for."""

    def __init__(self, name: EncoderName) -> None:
        self._name = name

    def encode(self, texts: list[str], role: Role) -> Floats:
        os.write(1, b"a library writes to standard output")
        vectors = np.stack([self._one(text) for text in texts])[: -1 if texts[-1] == "one less" else None]
        return centred(vectors, role)

    def _one(self, text: str) -> Floats:
        order, _, argument = text.partition(" ")
        if order == "die":
            os._exit(7)
        if order == "die-once" and not Path(argument).exists():
            Path(argument).touch()
            os._exit(7)
        if order == "fail":
            raise ValueError(argument)
        if order == "hang":
            Event().wait()
        if order == "environment":
            text = os.environ[argument]
        if order == "encoder":
            text = self._name
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")
        vector = np.random.default_rng(seed).standard_normal(512).astype(np.float32)
        return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


if __name__ == "__main__":
    embedding_process.load_encoder = FakeEncoder
    raise SystemExit(embedding_process.main())
