"""The whole application of a node on a free loopback port, in the loop of the test, with a skill it plays."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import httpx

from csbond.api.app import recogniser
from csbond.asgi import _served, _server_settings, build_application, operations_of
from csbond.config.home import create_home
from csbond.config.memory_settings import MemorySettings
from csbond.config.settings import A2aSettings, NodeLimits, NodeSettings, PushSettings, Settings
from csbond.config.system import SystemClock, SystemIdentifiers
from csbond.flows.changes import SavePrincipal
from csbond.flows.turn import SkillCard
from csbond.node import Node, open_node
from csbond.protocol.identifiers import token_digest
from csbond.protocol.messages.caller import Role
from csbond.testing import InMemoryLedger, KeptJournal
from csbond.transport.grpc_port import open_grpc
from csbond.transport.http_server import ServerEvents, http_server, listening_socket
from csbond.transport.operations import Operations
from csbond_tests.ledger_samples import home as home_space
from csbond_tests.stories import CARD, PlayedSkill, Script, echo

__all__ = ["ServedNode", "free_port", "served"]

ANN_TOKEN = "token-of-ann-which-nobody-guesses"
_SECTIONS = {"a2a": A2aSettings, "limits": NodeLimits, "push": PushSettings, "node": NodeSettings}


@dataclass
class ServedNode:
    """A node that answers at an address."""

    url: str
    node: Node
    operations: Operations
    token: str
    grpc: str = ""
    """`host:port`, where it is served."""
    ann: str = ANN_TOKEN
    """The token of a named principal."""

    @property
    def world(self) -> Any:
        return self.node.world

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def client(self, token: str = "", **headers: str) -> httpx.AsyncClient:
        """A client of somebody, or of the bearer of a token."""
        if token:
            headers["Authorization"] = f"Bearer {token}"
        return httpx.AsyncClient(base_url=self.url, headers=headers, timeout=60, trust_env=False)

    def play(self, script: Script, **card: Any) -> None:
        """Let the skill follow another script from now on; keywords are facts of its card."""
        self.world.skill.script = script
        self.world.skill.card = replace(CARD, **card)

    async def somebody(self) -> str:
        """The token of a named principal whom nobody knew before."""
        name = self.world.identifiers.letters(12)
        await self.world.ledger.commit(home_space(principal(name, f"token-of-{name}")))
        return f"token-of-{name}"

    async def counts(self) -> dict[str, int]:
        """How much is kept."""
        counts: dict[str, int] = await self.world.ledger.counts()
        return counts


def settings_of(**facts: Any) -> Settings:
    """Settings from facts whose names tell their section."""
    settings = Settings(memory=MemorySettings(semantic="off"))
    for section, kind in _SECTIONS.items():
        names = {each.name for each in fields(kind)}
        found = {name: facts.pop(name) for name in list(facts) if name in names}
        settings = replace(settings, **{section: replace(getattr(settings, section), **found)})
    assert not facts, f"no settings: {facts}"
    return settings


@asynccontextmanager
async def served(place: Path, script: Script = echo, ledger: Any = None, **facts: Any) -> AsyncIterator[ServedNode]:
    """A node at an address, its ledger in memory unless `durable`; facts are settings, or of the skill's card."""
    ledger = None if facts.pop("durable", False) else ledger or InMemoryLedger()
    grpc_port = free_port() if facts.pop("grpc", False) else 0
    of_card = {name: facts.pop(name) for name in list(facts) if name in SkillCard.__dataclass_fields__}
    settings = settings_of(grpc_port=grpc_port, **facts)
    home = create_home(place / "home", "Luna", "🌙", "", SystemClock(), SystemIdentifiers())
    skill = PlayedSkill(script, replace(CARD, **of_card))
    node = await open_node(home, settings, skill=skill, ledger=ledger)
    node.world = replace(node.world, journal=KeptJournal())
    await node.world.ledger.commit(home_space(principal("ann", ANN_TOKEN)))
    server_settings = replace(_server_settings(settings), host="127.0.0.1", port=0)
    listener = listening_socket(server_settings)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    operations = operations_of(node, url)
    application = build_application(node, operations)
    await node.start()
    port = await open_grpc(operations, server_settings, grpc_port, recogniser(_served(node)))
    ready = asyncio.Event()

    async def drain() -> None:
        await node.world.live.drain(settings.limits.drain_s)

    server = http_server(application, server_settings, ServerEvents(ready.set, drain, lambda: None, lambda: None))
    server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign, assignment]
    serving = asyncio.create_task(server.serve([listener]))
    await ready.wait()
    grpc = f"127.0.0.1:{grpc_port}" if grpc_port else ""
    try:
        yield ServedNode(url, node, operations, home.owner_token(), grpc)
    finally:
        server.should_exit = True
        await serving
        if port:
            await port.close()
        listener.close()
        await node.close()


def principal(name: str, token: str) -> SavePrincipal:
    """What makes somebody a named principal."""
    return SavePrincipal(name, Role.VIEWER, ("home",), token_digest(token), 1)


def free_port() -> int:
    """A loopback port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
