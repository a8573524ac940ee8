"""The node of a home over HTTP as `csb serve` runs it, with one more route, which admits its owner and does nothing.

`python -m bench.memory.http_server HOME PORT`; it prints a line when it answers, and ends on SIGTERM.
"""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import uvloop
from fastapi import Depends, FastAPI, Request
from starlette.responses import Response

from csbond.api.app import recogniser
from csbond.api.front_door import FrontDoor
from csbond.api.guard import guard
from csbond.api.problems import Json
from csbond.api.query_parameters import check_query
from csbond.api.route_row import READS, RouteRow
from csbond.asgi import build_application, operations_of
from csbond.config.home import open_home
from csbond.config.settings_file import read_settings
from csbond.node import open_node
from csbond.protocol.trust.access import Access
from csbond.transport.http_server import ServerEvents, ServerSettings, http_server, listening_socket

EMPTY = RouteRow("GET", "/v1/bench/empty", Access.OWNER, "Bench", "Do nothing.", READS)


async def empty(_request: Request) -> Response:
    """An empty object."""
    return Json({})


def add_empty_route(app: FastAPI) -> None:
    """Put it before all others, where finding it costs least: the comparison may not flatter the routes of memory."""
    app.add_api_route(EMPTY.path, empty, methods=[EMPTY.method], dependencies=[Depends(check_query)])
    route = app.router.routes.pop()
    guard((route,), (EMPTY,), recogniser(app.state.served))
    app.router.routes.insert(0, route)


async def serve(path: Path, port: int) -> None:
    """Serve until told to end."""
    home = open_home(path)
    settings = ServerSettings(host="127.0.0.1", port=port)
    listener = listening_socket(settings)
    node = await open_node(home, read_settings(home.settings_file))
    try:
        front = build_application(node, operations_of(node, f"http://127.0.0.1:{port}"))
        assert isinstance(front, FrontDoor)
        assert isinstance(front.app, FastAPI)
        add_empty_route(front.app)
        await node.start()
        gc.freeze()
        events = ServerEvents(
            ready=lambda: print("ready", flush=True), drain=_nothing, hangup=lambda: None, hurry=node.world.live.hurry
        )
        await http_server(front, settings, events).serve([listener])
    finally:
        listener.close()
        await node.close()


async def _nothing() -> None:
    """Nothing runs on when the bench ends."""


if __name__ == "__main__":
    uvloop.run(serve(Path(sys.argv[1]), int(sys.argv[2])))
