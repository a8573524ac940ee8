from __future__ import annotations

import httpx
import orjson
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from csbond.api.access import HTTP, RPC
from csbond.api.guard import Guarded, guard
from csbond.api.memory_access import MEMORY
from csbond.api.route_row import READS, RouteRow, shape_of
from csbond.protocol.errors import LocalProtocolError, Refused
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind, Role
from csbond.protocol.trust.access import Access

ANN = Caller(CallerKind.PRINCIPAL, "ann", Role.VIEWER, frozenset({"home"}))
TOKENS = {None: ANONYMOUS, "Bearer owner": OWNER, "Bearer ann": ANN}


async def recognise(authorization: str | None) -> Caller:
    if authorization not in TOKENS:
        raise Refused("unauthenticated", "the token is not one of this node")
    return TOKENS[authorization]


async def who(request: Request) -> Response:
    return Response(request.state.caller.key)


def row(path: str, access: Access, method: str = "GET", tag: str = MEMORY) -> RouteRow:
    return RouteRow(method, path, access, tag, "A route.", READS)


TABLE = (row("/open", Access.PUBLIC), row("/named", Access.PRINCIPAL), row("/mine", Access.OWNER))


@pytest.fixture
def client():
    routes = [Route(each.path, who, methods=["GET"]) for each in TABLE]
    guard(routes, TABLE, recognise)
    return httpx.AsyncClient(transport=httpx.ASGITransport(Starlette(routes=routes)), base_url="http://node")


@pytest.mark.parametrize(
    "path, authorization, status, body",
    [
        ("/open", None, 200, "anonymous"),
        ("/open", "Bearer ann", 200, "principal:ann"),
        ("/open", "Bearer owner", 200, "owner"),
        ("/named", None, 401, "unauthenticated"),
        ("/named", "Bearer ann", 200, "principal:ann"),
        ("/named", "Bearer owner", 200, "owner"),
        ("/mine", None, 401, "unauthenticated"),
        ("/mine", "Bearer ann", 403, "forbidden"),
        ("/mine", "Bearer owner", 200, "owner"),
    ],
)
async def test_each_class_admits_itself_and_the_classes_above(client, path, authorization, status, body):
    headers = {"Authorization": authorization} if authorization else {}
    answer = await client.get(path, headers=headers)
    assert answer.status_code == status
    assert body in answer.text


@pytest.mark.parametrize("path", [each.path for each in TABLE])
async def test_a_wrong_token_is_refused_on_every_route_public_ones_too(client, path):
    answer = await client.get(path, headers={"Authorization": "Bearer other"})
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == 'Bearer realm="csbond", error="invalid_token"'
    assert answer.json()["error"]["code"] == "unauthenticated"


async def test_a_missing_token_is_challenged_without_calling_it_wrong(client):
    assert (await client.get("/mine")).headers["www-authenticate"] == 'Bearer realm="csbond"'


async def test_head_is_guarded_as_get_is(client):
    assert (await client.head("/mine")).status_code == 401
    assert (await client.head("/open")).status_code == 200


@pytest.mark.parametrize("tag, path", [(RPC, ("error", "data")), (HTTP, ("error", "details"))])
async def test_a2a_routes_are_refused_in_the_shape_of_their_binding(tag, path):
    table = (row("/x", Access.OWNER, tag=tag),)
    routes = [Route("/x", who)]
    guard(routes, table, recognise)
    transport = httpx.ASGITransport(Starlette(routes=routes))
    async with httpx.AsyncClient(transport=transport, base_url="http://node") as client:
        answer = await client.get("/x")
    assert answer.status_code == 401
    body = orjson.loads(answer.content)
    assert body[path[0]][path[1]][0]["metadata"]["csb_code"] == "unauthenticated"


@pytest.mark.parametrize(
    "routes, complaint",
    [
        ([Route("/a", who), Route("/b", who)], "GET /b has no row|HEAD /b has no row"),
        ([Route("/a", who, methods=["GET", "POST"])], "POST /a has no row"),
        ([], "rows of the access table without a route: GET /a"),
        ([Route("/a", who), Mount("/c", Starlette())], "only plain routes"),
    ],
)
def test_a_route_without_a_class_and_a_class_without_a_route_do_not_start(routes, complaint):
    with pytest.raises(LocalProtocolError, match=complaint):
        guard(routes, (row("/a", Access.PUBLIC),), recognise)


def test_a_route_below_a_tenant_has_the_class_of_the_route_without_it():
    table = (row("/tasks/{id}", Access.OWNER),)
    routes = [Route("/tasks/{task_id}", who), Route("/{tenant}/tasks/{id:path}", who)]
    guard(routes, table, recognise)
    for route in routes:
        assert isinstance(route.app, Guarded)
        assert route.app.rows["GET"].access is Access.OWNER


def test_names_of_parameters_do_not_matter_to_a_row():
    assert shape_of("/a/{id}:x/{b:path}") == shape_of("/a/{other}:x/{c}") == "/a/{}:x/{}"
