"""`POST /v1/memory/search`: memories by words and by meaning (MEM-002 §2.2, MEM-003 §3.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import Request
from starlette.responses import Response

from csbond.api.memory import entry_filter
from csbond.api.operation import Operation
from csbond.api.problems import Json
from csbond.api.served import caller_of, json_body, served
from csbond.flows.search_memory import LIMIT_DEFAULT, LIMIT_MAX, MemorySearch, search_memory
from csbond.protocol.memory.entry import refused
from csbond.protocol.memory.entry_fields import TYPE, checked_name, whole_object
from csbond.protocol.memory.entry_shown import entry_to_json
from csbond.protocol.memory.visibility import audience_of

QUERY_MAX = 4096
"""Code points of a query: twice a whole memory."""


async def search(request: Request) -> Response:
    """The best memories, each with its score; `semantic` says whether meaning took part, `semantic_through` how far."""
    raw = whole_object(await json_body(request))
    here = served(request)
    query = checked_name("query", raw.get("query"), QUERY_MAX)
    wanted = MemorySearch(
        text=query,
        filter=entry_filter(request, raw.get("level"), _type(raw), raw.get("tag"), raw.get("source")),
        limit=_limit(raw.get("limit")),
        threshold=_threshold(raw.get("threshold")),
    )
    answer = await search_memory(here.world, wanted, audience_of(caller_of(request)))
    shown: dict[str, Any] = {
        "query": query,
        "results": [
            {**entry_to_json(found.entry, here.names, with_embedding=False), "score": round(found.score, 6)}
            for found in answer.results
        ],
        "total": len(answer.results),
        "semantic": answer.semantic,
        "semantic_through": answer.semantic_through,
    }
    if answer.reason:
        shown["reason"] = answer.reason
    return Json(shown)


def _type(raw: Mapping[str, Any]) -> Any:
    return None if raw.get("type") is None else TYPE.exact("type", raw["type"])


def _limit(value: Any) -> int:
    if value is None:
        return LIMIT_DEFAULT
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= LIMIT_MAX:
        raise refused("limit", f"must be a whole number from 1 to {LIMIT_MAX}")
    return value


def _threshold(value: Any) -> float:
    if value is None:
        return 0.0
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise refused("threshold", "must be a number from 0 to 1")
    return float(value)


OPERATIONS = (Operation("POST", "/v1/memory/search", search, body="MemorySearch", answer="MemorySearchResult"),)
