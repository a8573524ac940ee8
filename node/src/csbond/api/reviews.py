"""`/v1/memory/reviews`: what waits for a person, and its answer (MEM-004 §4.4, MEM-005 §5.5)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query, Request
from starlette.responses import Response

from csbond.api.body_parts import choice_in, parts_of
from csbond.api.memory import Cursor, Limit
from csbond.api.memory_shown import page_body, shown
from csbond.api.moves_shown import review_to_json
from csbond.api.operation import Operation
from csbond.api.problems import Json
from csbond.api.served import caller_of, intent_of, json_body, no_versions, position, served
from csbond.flows.memory_ledger import ReviewState
from csbond.flows.review_memory import Answer, Asked, decide_review, list_reviews
from csbond.protocol.messages.listing import PAGE_SIZE_DEFAULT

ANSWERS: dict[str, Answer] = {"approved": "approved", "declined": "declined"}
_STATES: dict[str, ReviewState] = {"open": "open", "decided": "decided", "all": ""}

State = Annotated[
    Literal["open", "decided", "all"], Query(description="The questions that wait, those that are answered, or all.")
]


async def list_page(
    request: Request, state: State = "open", limit: Limit = PAGE_SIZE_DEFAULT, cursor: Cursor = None
) -> Response:
    """A page of questions, the latest first, each with the memory it is about."""
    page = await list_reviews(served(request).world, caller_of(request), _STATES[state], position(cursor), limit)
    body = page_body(
        "reviews",
        page,
        lambda asked: _shown(request, asked),
        lambda asked: (asked.review.asked_at, asked.review.id),
    )
    return Json(body)


async def decide(request: Request, id: str) -> Response:
    """The question with its answer, and the memory as it is after it."""
    no_versions(request)
    body = parts_of(await json_body(request), ("verdict",))
    asked = await decide_review(
        served(request).world,
        id,
        ANSWERS[choice_in(body, "verdict", ANSWERS)],
        caller_of(request),
        intent_of(request, "answer a review"),
    )
    return Json(_shown(request, asked))


def _shown(request: Request, asked: Asked) -> dict[str, Any]:
    told = {**review_to_json(asked.review, served(request).names), "stale": asked.is_stale}
    return {**told, "memory": shown(request, asked.entry, with_embedding=False)} if asked.entry else told


OPERATIONS = (
    Operation("GET", "/v1/memory/reviews", list_page, answer="MemoryReviews"),
    Operation("POST", "/v1/memory/reviews/{id}", decide, body="MemoryVerdict", answer="MemoryReview"),
)
