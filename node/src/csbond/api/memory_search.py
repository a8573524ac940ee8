"""`POST /v1/memory/search`: memories by words and by meaning (MEM-002 §2.2, MEM-003 §3.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import Request
from starlette.responses import Response

from csbond.api.memory_shown import fitting, shown
from csbond.api.operation import Operation
from csbond.api.problems import Json
from csbond.api.served import caller_of, json_body, served
from csbond.flows.search_memory import LIMIT_DEFAULT, LIMIT_MAX, MemorySearch, search_memory
from csbond.protocol.memory.entry import refused
from csbond.protocol.memory.entry_fields import checked_name, whole_object
from csbond.protocol.memory.filter import checked_filter
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.rights import may_read, may_write
from csbond.protocol.memory.visibility import audience_of

QUERY_MAX = 4096
"""Code points of a query: twice a whole memory."""
_OWN = frozenset({"query", "limit", "threshold", "explain"})
"""Parts of a search that are no filter."""


async def search(request: Request) -> Response:
    """The best memories, each with its score; `semantic` says whether meaning took part, `semantic_through` how far."""
    raw = whole_object(await json_body(request))
    here = served(request)
    caller = caller_of(request)
    may_read(caller)
    wanted = search_request(raw, here.names, here.world.clock.now())
    answer = await search_memory(here.world, wanted, audience_of(caller), counts=may_write(caller))
    results = fitting(
        {
            **shown(request, found.entry, with_embedding=False),
            "score": round(found.score, 6),
            **({} if found.why is None else {"why": found.why}),
        }
        for found in answer.results
    )
    told: dict[str, Any] = {
        "query": wanted.text,
        "results": results,
        "total": len(answer.results),
        "semantic": answer.semantic,
        "semantic_through": answer.semantic_through,
        "left_off": len(answer.results) - len(results),
    }
    if answer.model:
        told["model"] = answer.model
    if answer.reason:
        told["reason"] = answer.reason
    return Json(told)


def search_request(raw: Mapping[str, Any], names: LevelNames, now: int) -> MemorySearch:
    """The search of a body: query, every filter of a list, limit, threshold, explain.

    `invalid_params` for what cannot be read, and for a part it does not know, since it may have been meant to narrow.
    """
    if "deleted" in raw:
        raise refused("deleted", "is no part of a search: what was deleted is found by nobody; the owner lists it")
    parts = {name: value for name, value in raw.items() if name not in _OWN}
    return MemorySearch(
        text=checked_name("query", raw.get("query"), QUERY_MAX),
        filter=checked_filter(parts, names, now),
        limit=_limit(raw.get("limit")),
        threshold=_threshold(raw.get("threshold")),
        explain=_explain(raw.get("explain")),
    )


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


def _explain(value: Any) -> bool:
    if value is None:
        return False
    if not isinstance(value, bool):
        raise refused("explain", "must be true or false")
    return value


OPERATIONS = (Operation("POST", "/v1/memory/search", search, body="MemorySearch", answer="MemorySearchResult"),)
