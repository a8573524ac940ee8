"""The one place that wires: a home and its settings become a world of ports, and workers that keep it going."""

from __future__ import annotations

import asyncio
import base64
from dataclasses import dataclass, field
from typing import Any

from csbond.config.home import Home
from csbond.config.identity import Identity, as_served, card_facts, health_document
from csbond.config.journal import LogJournal
from csbond.config.memory_settings import (
    MemorySettings,
    deletion_policy,
    near_policy,
    review_again_ms,
    tier_policy,
    whitespace_policy,
)
from csbond.config.node_key import NodeKey
from csbond.config.settings import Settings
from csbond.config.settings_rules import database_file
from csbond.config.system import SystemClock, SystemIdentifiers
from csbond.engines.embedder_choice import EmbedderSettings, LoadedEmbedder, load_embedder
from csbond.engines.endpoint import EndpointAddress
from csbond.engines.endpoint_embedder import EndpointSettings
from csbond.engines.endpoint_summariser import EndpointSummariser
from csbond.engines.indexed_nearest import IndexedNearest
from csbond.flows.deliver_notifications import deliver_for_ever
from csbond.flows.index_vectors import index_vectors
from csbond.flows.limits import Limits
from csbond.flows.link_duplicates import link_duplicates_for_ever
from csbond.flows.note_use import keep_uses, keep_uses_for_ever
from csbond.flows.ports import Clock, Identifiers, Ledger, MapFitter, Summariser, VectorIndex
from csbond.flows.reconcile_tasks import reconcile_tasks
from csbond.flows.tend_memory import tend_when_hot
from csbond.flows.turn import Skill
from csbond.flows.world import Agent, World
from csbond.protocol.identifiers import token_digest
from csbond.schedule.jobs import jobs_at
from csbond.schedule.runner import run_schedule
from csbond.skills.load import load_skill
from csbond.store.sqlite import open_ledger
from csbond.transport.cards import CardFacts, Cards
from csbond.transport.limits import TransportLimits
from csbond.transport.outgoing import outgoing_tls
from csbond.transport.peers import A2aPeers
from csbond.transport.webhooks import HttpWebhooks


@dataclass
class Node:
    """A running agent: its world, who it is, and its workers; it knows nothing of HTTP servers."""

    home: Home
    settings: Settings
    identity: Identity
    key: NodeKey
    owner_digest: str
    world: World
    started_at: int
    workers: list[asyncio.Task[None]] = field(default_factory=list)

    async def start(self) -> None:
        """End what the last process left unfinished, then start the workers."""
        await reconcile_tasks(self.world)
        self.workers = [
            asyncio.create_task(deliver_for_ever(self.world), name="deliver notifications"),
            asyncio.create_task(index_vectors(self.world), name="index vectors"),
            asyncio.create_task(link_duplicates_for_ever(self.world), name="link duplicates"),
            asyncio.create_task(run_schedule(self.world, jobs_at(self.settings.tiers.tend_every_s)), name="schedule"),
            asyncio.create_task(keep_uses_for_ever(self.world, self.settings.memory.uses_flush_s), name="keep uses"),
            asyncio.create_task(tend_when_hot(self.world), name="tend when hot"),
        ]

    async def close(self) -> None:
        """Let running turns end, stop the workers, and let go of everything."""
        await self.world.live.drain(self.settings.limits.drain_s)
        for worker in self.workers:
            worker.cancel()
        for worker, end in zip(self.workers, await asyncio.gather(*self.workers, return_exceptions=True), strict=True):
            if isinstance(end, Exception):
                self.world.journal.failed(worker.get_name(), end)
        await self._keep_uses()
        await self.world.skill.close()
        await self.world.webhooks.close()
        await self.world.peers.close()
        if self.world.embedder:
            await self.world.embedder.close()
        if self.world.summariser:
            await self.world.summariser.close()
        await self.world.ledger.close()

    async def _keep_uses(self) -> None:
        """Write down the last uses; a disk that takes none keeps the node from nothing."""
        try:
            await keep_uses(self.world)
        except Exception as fault:
            self.world.journal.failed("keep_uses", fault)

    def cards(self) -> Cards:
        """The cards of this node."""
        settings = self.settings
        facts = CardFacts(
            name=self.identity.name,
            version=self.identity.version,
            description=settings.node.description or f"{self.identity.name}: an agent with a home of its own.",
            identity=card_facts(self.identity),
            skill=self.world.skill.card,
            push=settings.push.enabled,
            extended=settings.a2a.extended_card,
            merged=settings.a2a.merged_card,
            grpc_port=settings.a2a.grpc_port,
            grpc_tls=bool(settings.tls.cert),
            required_extensions=settings.a2a.required_extensions,
            node={"semantic": self.world.embedder is not None, "storage": self.identity.memory_storage},
        )
        return Cards(facts, self.key.private_pem, self.identity.did, self.started_at)

    def public_key_b64url(self) -> str:
        """The public key as JWKs write it."""
        return base64.urlsafe_b64encode(self.key.public_key).rstrip(b"=").decode("ascii")

    async def health(self) -> dict[str, Any]:
        """`/health`."""
        now = self.world.clock.now()
        return health_document(
            self.identity,
            uptime_s=(now - self.started_at) / 1000,
            semantic=self.world.embedder is not None,
            figures={"draining": self.world.live.draining},
        )


async def open_node(
    home: Home,
    settings: Settings,
    *,
    clock: Clock | None = None,
    identifiers: Identifiers | None = None,
    skill: Skill | None = None,
    ledger: Ledger | None = None,
) -> Node:
    """A node for a home, not yet started; what is given takes the place of what the settings name."""
    key = home.node_key()
    identity = as_served(home.identity, settings.memory.memory_level_map)
    clock, identifiers = clock or SystemClock(), identifiers or SystemIdentifiers()
    owner_digest, tls = token_digest(home.owner_token()), outgoing_tls(settings.tls.trust_ca)
    skill = skill or load_skill(settings.skill, home.path)
    tiers = tier_policy(settings.tiers)
    chosen = chosen_embedder(settings.memory)
    index = _index(settings.memory) if chosen.embedder else None
    # Last, so that whatever is wrong with the settings leaves no file open.
    ledger = ledger or await open_ledger(database_file(settings.node.database, home.path), key, identity.name)
    world = World(
        agent=Agent(identity.name, identity.did),
        clock=clock,
        identifiers=identifiers,
        ledger=ledger,
        skill=skill,
        webhooks=HttpWebhooks(settings.push.allow_hosts, tls),
        peers=A2aPeers(tls),
        journal=LogJournal(),
        embedder=chosen.embedder,
        no_embedder=chosen.reason,
        index=index,
        nearest=IndexedNearest(index, ledger) if index else None,
        maps=_maps() if chosen.embedder else None,
        summariser=_summariser(settings.memory),
        limits=story_limits(settings),
        merges=settings.duplicates.same == "merge",
        near=near_policy(settings.duplicates),
        tiers=tiers,
        deletion=deletion_policy(settings.forgetting),
        whitespace=whitespace_policy(settings.forgetting),
        review_again_ms=review_again_ms(settings.forgetting),
    )
    return Node(home, settings, identity, key, owner_digest, world, clock.now())


def chosen_embedder(memory: MemorySettings) -> LoadedEmbedder:
    """The embedder that the settings ask for, or why there is none."""
    endpoint = EndpointSettings(_endpoint(memory), memory.endpoint_model, memory.endpoint_dimension)
    return load_embedder(EmbedderSettings(memory.semantic == "auto", memory.embedder, endpoint))


def _endpoint(memory: MemorySettings) -> EndpointAddress:
    return EndpointAddress(
        memory.endpoint_url, memory.endpoint_token_file, memory.endpoint_token_env, memory.endpoint_ca_file
    )


def _summariser(memory: MemorySettings) -> Summariser | None:
    return EndpointSummariser(_endpoint(memory), memory.summary_model) if memory.summary == "endpoint" else None


def _index(memory: MemorySettings) -> VectorIndex:
    from csbond.engines.vector_index import open_index  # needs numpy, which comes with every embedder

    return open_index(memory.index, memory.index_switch)


def _maps() -> MapFitter:
    from csbond.engines.linear_map import LinearMaps  # needs numpy too

    return LinearMaps()


def story_limits(settings: Settings) -> Limits:
    """The limits of the stories among the settings."""
    return Limits(**{name: getattr(settings.limits, name) for name in Limits.__dataclass_fields__})


def transport_limits(settings: Settings) -> TransportLimits:
    """What the transport needs of the settings."""
    limits, a2a = settings.limits, settings.a2a
    return TransportLimits(
        body_bytes=limits.body_bytes,
        body_timeout_s=limits.body_timeout_s,
        json_depth=limits.max_json_depth,
        json_values=limits.json_values,
        message_parts=limits.message_parts,
        stream_ping_s=limits.stream_ping_s,
        stream_write_timeout_s=limits.stream_write_timeout_s,
        lenient_version=a2a.lenient_version,
        anonymous_lists=a2a.anonymous_lists,
        required_extensions=a2a.required_extensions,
        push=settings.push.enabled,
        extended_card=a2a.extended_card,
        validate_modes=a2a.validate_modes,
    )
