from __future__ import annotations

import asyncio

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from csbond.api.access import ROUTES
from csbond.api.app import build_api, recogniser
from csbond.api.guard import guard
from csbond.api.served import Served
from csbond.flows.index_vectors import index_vectors
from csbond.protocol.identifiers import token_digest
from csbond.testing import InMemoryLedger
from csbond.transport.limits import TransportLimits
from csbond_tests.small_world import NOW, WatchedLedger, meaningful_world, small_world

OWNER_TOKEN = "the-token-of-the-owner"


@pytest.fixture
async def ledger():
    opened = InMemoryLedger()
    yield WatchedLedger(opened)
    await opened.close()


@pytest.fixture
def world(ledger):
    return small_world(ledger)


@pytest.fixture
def served(world):
    limits = TransportLimits(body_bytes=64 * 1024, body_timeout_s=0.2)
    return Served(world, token_digest(OWNER_TOKEN), "0.0.0", NOW, limits=limits, facts={"storage": "sqlite"})


async def elsewhere(request: Request) -> Response:
    """A route that another part of the node serves."""
    return Response(request.state.caller.key)


def application(served):
    """The whole table behind the guard; routes of other parts of the node answer with the caller."""
    app = build_api(served)
    there = {
        (method, route.path_format)
        for route in app.routes
        if isinstance(route, Route)
        for method in route.methods or ()
    }
    missing = [row for row in ROUTES if (row.method, row.path) not in there]
    app.router.routes.extend(Route(row.path, elsewhere, methods=[row.method]) for row in missing)
    guard(app.router.routes, ROUTES, recogniser(served))
    return app


def client_of(served, token=None):
    transport = httpx.ASGITransport(application(served), raise_app_exceptions=False)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.AsyncClient(transport=transport, base_url="http://node", headers=headers)


@pytest.fixture
async def owner(served):
    async with client_of(served, OWNER_TOKEN) as client:
        yield client


@pytest.fixture
async def anybody(served):
    async with client_of(served) as client:
        yield client


@pytest.fixture
async def ann(served, owner):
    token = (await owner.post("/v1/principals", json={"name": "ann", "role": "viewer"})).json()["token"]
    async with client_of(served, token) as client:
        yield client


@pytest.fixture
async def editor(served, owner):
    """A principal that writes: bo."""
    token = (await owner.post("/v1/principals", json={"name": "bo", "role": "editor"})).json()["token"]
    async with client_of(served, token) as client:
        yield client


@pytest.fixture
async def elsewhere_only(served, owner):
    """An editor of another Space than the home's."""
    body = {"name": "cy", "role": "editor", "spaces": ["elsewhere"]}
    token = (await owner.post("/v1/principals", json=body)).json()["token"]
    async with client_of(served, token) as client:
        yield client


@pytest.fixture
async def meaningful(ledger):
    """The owner's client of a node with an embedder and its worker."""
    world = meaningful_world(ledger)
    worker = asyncio.create_task(index_vectors(world))
    async with client_of(Served(world, token_digest(OWNER_TOKEN), "0.0.0", NOW), OWNER_TOKEN) as client:
        client.world = world
        yield client
    worker.cancel()
    await asyncio.gather(worker, return_exceptions=True)
