"""What a story is given: the ports of this node, its name, its limits and its running tasks."""

from __future__ import annotations

from dataclasses import dataclass, field

from csbond.flows.held_names import HeldNames
from csbond.flows.limits import Limits
from csbond.flows.live_tasks import LiveTasks
from csbond.flows.ports import (
    Clock,
    Embedder,
    Identifiers,
    Journal,
    Ledger,
    MapFitter,
    Nearest,
    Peers,
    Summariser,
    VectorIndex,
    Webhooks,
)
from csbond.flows.signals import Signals
from csbond.flows.turn import Skill
from csbond.protocol.memory.deletion import DeletionPolicy
from csbond.protocol.memory.entry import HOME_SPACE as HOME_SPACE
from csbond.protocol.memory.near_duplicates import NearPolicy
from csbond.protocol.memory.review import REVIEW_AGAIN_MS
from csbond.protocol.memory.tier_policy import TierPolicy, WhitespacePolicy

NODE_SPACE = "node"
"""The Space of what the node notes for itself, apart from the order of what was told."""


@dataclass(frozen=True, slots=True)
class Agent:
    """Who this node is, as messages and records name it."""

    name: str
    did: str


@dataclass(frozen=True, slots=True)
class World:
    """The ports, wired once by `csbond.node`."""

    agent: Agent
    clock: Clock
    identifiers: Identifiers
    ledger: Ledger
    skill: Skill
    webhooks: Webhooks
    peers: Peers
    journal: Journal
    embedder: Embedder | None = None
    """None: the node searches words only and says `semantic: false`."""
    no_embedder: str = "this node has no sentence embedder"
    """Why there is none."""
    index: VectorIndex | None = None
    """Where the vectors are kept; filled by the worker that embeds."""
    nearest: Nearest | None = None
    """Where they are searched."""
    maps: MapFitter | None = None
    """None where no embedder is, so that there is nothing to map to."""
    summariser: Summariser | None = None
    """What writes summaries of threads; None: they are extracts."""
    limits: Limits = field(default_factory=Limits)
    live: LiveTasks = field(default_factory=LiveTasks)
    signals: Signals = field(default_factory=Signals)
    writing: HeldNames = field(default_factory=HeldNames)
    """The keys, ids and texts of memories that are being written."""
    merges: bool = True
    """Whether a memory that is there already is merged into rather than kept twice."""
    near: NearPolicy = field(default_factory=NearPolicy)
    """What becomes of memories that say nearly the same."""
    tiers: TierPolicy = field(default_factory=TierPolicy)
    deletion: DeletionPolicy = field(default_factory=DeletionPolicy)
    whitespace: WhitespacePolicy = field(default_factory=WhitespacePolicy)
    review_again_ms: int = REVIEW_AGAIN_MS
    """How long what a person declined is not asked again."""
