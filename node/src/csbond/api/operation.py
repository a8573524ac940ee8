"""One route of the REST interface: its handler, and the names of the schemas it takes and gives."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from starlette.responses import Response

from csbond.api.schema_parts import Schema

UNCHANGED = {"description": "What the client has (If-None-Match) is what there is."}
"""The response 304 in the OpenAPI document."""


@dataclass(frozen=True, slots=True)
class Operation:
    """A handler at a method of a path; what it is for and who gets in is in `api/access.py`."""

    method: str
    path: str
    """Parameters in braces; `{name:path}` takes slashes too."""
    handler: Callable[..., Awaitable[Response]]
    body: str = ""
    """The component schema of the request body, if there is one."""
    answer: str = ""
    """The component schema of a good answer."""
    status: int = 200
    query: Mapping[str, Schema] = field(default_factory=dict)
    """Parameters of the query that the handler reads by itself; those of its signature are known anyway."""
    body_needed: bool = True
    """Whether a request without a body is refused."""
    body_types: tuple[str, ...] = ("application/json",)
    """The media types a body may have."""
    answer_type: str = "application/json"
    """The media type of a good answer."""
    statuses: tuple[int, ...] = ()
    """Further statuses of a good answer: with the same body, but for 304, which has none."""
