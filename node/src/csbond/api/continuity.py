"""`/v1/continuity`: conversations read again, by the owner and by principals in their Spaces (CSB v1.0 §1.2.3)."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from csbond.api.operation import Operation
from csbond.api.problems import Json
from csbond.api.served import caller_of, position, served
from csbond.flows.recall_thread import recall_agent, recall_thread, recall_threads, search_threads
from csbond.protocol.continuity.thread_json import message_to_json, session_to_json, thread_to_json
from csbond.protocol.memory.entry_fields import checked_name
from csbond.protocol.messages.listing import PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, cursor_of

QUERY_MAX = 1024
"""Code points of a search text."""
ID_MAX = 256

Limit = Annotated[int, Query(ge=1, le=PAGE_SIZE_MAX, description="Rows of a page.")]
Cursor = Annotated[str | None, Query(max_length=512, description="`next_cursor` of the page before.")]


async def threads(request: Request, limit: Limit = PAGE_SIZE_DEFAULT, cursor: Cursor = None) -> Response:
    """A page of threads, the latest first; `next_cursor` is empty on the last."""
    page = await recall_threads(served(request).world, caller_of(request), position(cursor), limit)
    shown = [thread_to_json(thread) for thread in page.rows]
    return Json({"threads": shown, "total": page.total, "next_cursor": page.next_cursor})


async def thread(request: Request, thread_id: str, limit: Limit = PAGE_SIZE_DEFAULT, cursor: Cursor = None) -> Response:
    """A thread with its sessions and its latest messages, oldest first; `next_cursor` leads to earlier ones."""
    wanted = checked_name("thread_id", thread_id, ID_MAX)
    found = await recall_thread(served(request).world, wanted, caller_of(request), _before(cursor), limit)
    return Json(
        {
            **thread_to_json(found.thread),
            "sessions": [session_to_json(session) for session in found.sessions],
            "messages": [message_to_json(message, with_parts=True) for message in found.messages],
            "next_cursor": _cursor(found.earlier),
        }
    )


async def agent(request: Request, agent_name: str, limit: Limit = PAGE_SIZE_DEFAULT, cursor: Cursor = None) -> Response:
    """What agents of a name said, latest first, each agent apart by its DID."""
    name = checked_name("agent_name", agent_name, ID_MAX)
    found = await recall_agent(served(request).world, name, caller_of(request), _before(cursor), limit)
    agents: list[dict[str, Any]] = [
        {
            "did": speaker.did or None,
            "messages": [message_to_json(message, with_parts=False) for message in speaker.messages],
        }
        for speaker in found.speakers
    ]
    return Json({"agent_name": name, "agents": agents, "next_cursor": _cursor(found.earlier)})


async def search(
    request: Request,
    q: Annotated[str, Query(max_length=QUERY_MAX, description="Terms, all of which must be said; + is a space.")],
    limit: Limit = PAGE_SIZE_DEFAULT,
) -> Response:
    """Messages that hold every term, best first."""
    found = await search_threads(served(request).world, q, caller_of(request), limit)
    results = [{**message_to_json(message, with_parts=False), "rank": round(rank, 6)} for message, rank in found]
    return Json({"query": q, "results": results, "total": len(results)})


def _before(cursor: str | None) -> int | None:
    place = position(cursor)
    return place[0] if place else None


def _cursor(earlier: int | None) -> str:
    return "" if earlier is None else cursor_of((earlier, ""))


OPERATIONS = (
    Operation("GET", "/v1/continuity/threads", threads, answer="ThreadPage"),
    Operation("GET", "/v1/continuity/thread/{thread_id:path}", thread, answer="Thread"),
    Operation("GET", "/v1/continuity/agent/{agent_name:path}", agent, answer="Speakers"),
    Operation("GET", "/v1/continuity/search", search, answer="MessageSearchResult"),
)
