"""The peer: an echo agent on the A2A library's own server, as its documentation builds one.

Runs in the peer's environment, `.venv-bench`, on the HTTP server and the event loop the node runs on. Tracing is
decided by the environment variable OTEL_INSTRUMENTATION_A2A_SDK_ENABLED, before the library is imported.
"""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from a2a.helpers import new_task_from_user_message
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import DatabaseTaskStore, InMemoryTaskStore, TaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route


class Echo(AgentExecutor):
    """Answers with the parts of the message, as chunks of one artifact."""

    def __init__(self, repeat: int) -> None:
        self._repeat = repeat

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        """The task, the chunks, and the end."""
        assert context.message
        task = context.current_task or new_task_from_user_message(context.message)
        await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        for number in range(self._repeat):
            await updater.add_artifact(
                list(context.message.parts),
                artifact_id="answer",
                append=number > 0,
                last_chunk=number == self._repeat - 1,
            )
        await updater.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Nothing runs long enough."""


def durable_engine(database: str) -> AsyncEngine:
    """SQLite that loses nothing it has acknowledged: the settings the node uses for itself."""
    engine = create_async_engine(f"sqlite+aiosqlite:///{database}")

    def durable(connection: Any, _record: object) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")

    event.listen(engine.sync_engine, "connect", durable)
    return engine


def application(database: str, repeat: int, port: int) -> Starlette:
    """The agent with its tasks in a database file, or in memory for an empty name."""
    card = AgentCard(
        name="Echo",
        description="Gives back the parts of a message unchanged.",
        version="1",
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="echo", name="Echo", description="Gives back.", tags=["echo"])],
        supported_interfaces=[
            AgentInterface(url=f"http://127.0.0.1:{port}/", protocol_binding="JSONRPC", protocol_version="1.0")
        ],
    )
    engine = durable_engine(database) if database else None
    store: TaskStore = DatabaseTaskStore(engine) if engine else InMemoryTaskStore()
    handler = DefaultRequestHandler(agent_executor=Echo(repeat), task_store=store, agent_card=card)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        if isinstance(store, DatabaseTaskStore):
            await store.initialize()
        yield
        await handler.aclose()
        if engine:
            await engine.dispose()

    async def health(_request: Request) -> JSONResponse:
        return JSONResponse({"status": "ok"})

    routes = [*create_agent_card_routes(card), *create_jsonrpc_routes(handler, "/"), Route("/health", health)]
    return Starlette(routes=routes, lifespan=lifespan)


def main() -> None:
    """Serve until told to stop."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--database", default="", help="file of the task store; empty: tasks in memory")
    parser.add_argument("--repeat", type=int, default=1, help="chunks of one answer")
    options = parser.parse_args()
    app = application(options.database, options.repeat, options.port)
    uvicorn.run(app, host="127.0.0.1", port=options.port, log_level="warning", access_log=False, loop="uvloop")


if __name__ == "__main__":
    main()
