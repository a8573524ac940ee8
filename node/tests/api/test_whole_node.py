"""The routes of a whole node, A2A's too, as a caller from outside finds them."""

from __future__ import annotations

import re

import httpx
import pytest
from starlette.routing import Route

from csbond.api.guard import Guarded
from csbond.asgi import build_application, operations_of
from csbond.config.home import create_home
from csbond.config.memory_settings import MemorySettings
from csbond.config.settings import Settings
from csbond.node import open_node
from csbond.protocol.trust.access import Access
from csbond.testing import CountedIdentifiers, InMemoryLedger, SetClock
from csbond.transport.routes import JSON_RPC_PATHS


@pytest.fixture
async def node(tmp_path):
    clock, identifiers = SetClock(), CountedIdentifiers()
    home = create_home(tmp_path / "luna", "Luna", "", "", clock, identifiers)
    settings = Settings(memory=MemorySettings(semantic="off"))
    ledger = InMemoryLedger()
    opened = await open_node(home, settings, clock=clock, identifiers=identifiers, ledger=ledger)
    yield opened
    await opened.close()


@pytest.fixture
def application(node):
    return build_application(node, operations_of(node, "http://node"))


@pytest.fixture
def owner_token(node):
    return (node.home.path / "owner.token").read_text().strip()


def client_of(application, token=None):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    transport = httpx.ASGITransport(application, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://node", headers=headers)


@pytest.fixture
async def callers(application, owner_token):
    async with client_of(application, owner_token) as owner, client_of(application) as anybody:
        named = await owner.post("/v1/principals", json={"name": "ann", "role": "editor"})
        async with client_of(application, named.json()["token"]) as ann:
            yield {"owner": owner, "anybody": anybody, "a principal": ann}


async def operations(client):
    document = (await client.get("/openapi.json")).json()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), re.sub(r"\{[^}]*\}", "x", path), Access(operation["x-access"])


def test_every_route_is_guarded_those_below_a_tenant_too(application):
    routes = application.app.router.routes
    assert any(route.path.startswith("/{tenant}/") for route in routes)
    for route in routes:
        assert isinstance(route, Route)
        assert isinstance(route.app, Guarded), route.path


def test_the_way_past_the_router_leads_to_the_guarded_json_rpc_routes_and_nowhere_else(application):
    assert set(application.direct) == {("POST", path) for path in JSON_RPC_PATHS}
    assert all(isinstance(handler, Guarded) for handler in application.direct.values())


async def test_no_route_of_the_document_answers_a_caller_below_its_class(callers):
    refused = 0
    async for method, path, access in operations(callers["anybody"]):
        below = {
            Access.PUBLIC: {},
            Access.PRINCIPAL: {"anybody": 401},
            Access.OWNER: {"anybody": 401, "a principal": 403},
        }
        for who, status in below[access].items():
            for place in (path, f"/some-tenant{path}") if path == "/extendedAgentCard" else (path,):
                answer = await callers[who].request(method, place, json={} if method in ("POST", "PUT") else None)
                assert answer.status_code == status, f"{who}: {method} {place}"
                refused += 1
    assert refused > 20


async def test_no_route_of_the_document_answers_a_wrong_token(callers):
    async for method, path, _ in operations(callers["anybody"]):
        answer = await callers["anybody"].request(method, path, headers={"Authorization": "Bearer wrong"})
        assert answer.status_code == 401, f"{method} {path}"


async def test_what_is_told_to_the_node_is_found_in_its_memory_and_its_threads(callers):
    params = {"message": {"messageId": "m-1", "role": "user", "parts": [{"text": "The key is under the mat."}]}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": params}
    assert "result" in (await callers["anybody"].post("/", json=call)).json()
    found = (await callers["owner"].post("/v1/memory/search", json={"query": "key"})).json()
    assert [result["content"] for result in found["results"]] == ["The key is under the mat."]
    threads = (await callers["a principal"].get("/v1/continuity/search?q=key+mat")).json()
    assert threads["results"][0]["text"] == "The key is under the mat."
