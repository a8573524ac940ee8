"""`/v1/memory/link` and `/v1/memory/{id}/link`: memories are linked, and links taken away (MEM-001 §1.5, MEM-003)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from fastapi import Request
from starlette.responses import Response

from csbond.api.memory import MemoryId
from csbond.api.memory_shown import etag, shown
from csbond.api.operation import Operation
from csbond.api.problems import Json
from csbond.api.served import caller_of, expected_versions, intent_of, json_body, served
from csbond.flows.link_memory import link_memory
from csbond.flows.read_memory import read_memory
from csbond.protocol.errors import CsbError
from csbond.protocol.memory.entry import MemoryEntry, refused
from csbond.protocol.memory.entry_fields import is_entry_id, whole_object
from csbond.protocol.memory.link import LINKS_MAX, Link
from csbond.protocol.memory.link_fields import RELATION, TARGET
from csbond.protocol.memory.link_json import link_from_json, link_to_json
from csbond.protocol.memory.tolerance import Tolerance

Dropped = tuple[str, str]
"""Target and relation of a link that goes; "" for every relation."""

_PLACE = re.compile(r"links\[([0-9]+)\](\.?)")
_LENIENT = Tolerance()


async def create_link(request: Request) -> Response:
    """Link one memory to another: 201 with the link and the memory it begins at, 200 when it is there already."""
    raw = whole_object(await json_body(request))
    source_id = raw.get("source_id")
    if not isinstance(source_id, str) or not is_entry_id(source_id):
        raise refused("source_id", "must be the id of the memory where the link begins")
    link = link_from_json(raw, _LENIENT)
    before = (await read_memory(served(request).world, source_id, caller_of(request))).entry
    with _told_as(""):
        entry = await _linked(request, source_id, (link,), ())
    body = {"source": shown(request, entry, with_embedding=False), "link": link_to_json(link)}
    return Json(body, 200 if entry.version == before.version else 201, etag(entry))


async def change_links(request: Request, id: MemoryId) -> Response:
    """The memory with links added, and others taken away; the body may be one link to add."""
    raw = whole_object(await json_body(request))
    if "target_id" in raw:
        with _told_as(""):
            entry = await _linked(request, id, (link_from_json(raw, _LENIENT),), ())
    else:
        add, drop = _added(raw), _dropped(raw)
        if not add and not drop:
            raise refused("add", "must hold links to add, or remove those to take away")
        with _told_as("add"):
            entry = await _linked(request, id, add, drop)
    return Json(shown(request, entry), headers=etag(entry))


async def _linked(request: Request, source_id: str, add: tuple[Link, ...], drop: tuple[Dropped, ...]) -> MemoryEntry:
    return await link_memory(
        served(request).world,
        source_id,
        add,
        drop,
        caller=caller_of(request),
        intent=intent_of(request, "link memories"),
        expected=expected_versions(request),
    )


def _added(raw: Mapping[str, Any]) -> tuple[Link, ...]:
    links = enumerate(_items(raw, "add"))
    return tuple(link_from_json(each, _LENIENT, f"add[{place}].") for place, each in links)


def _dropped(raw: Mapping[str, Any]) -> tuple[Dropped, ...]:
    return tuple(_dropped_link(each, f"remove[{place}]") for place, each in enumerate(_items(raw, "remove")))


def _dropped_link(raw: Any, label: str) -> Dropped:
    if not isinstance(raw, Mapping):
        raise refused(label, "must be an object with target_id and, where not every relation goes, relation")
    target_id = TARGET.loose(f"{label}.target_id", raw.get("target_id"))
    if raw.get("relation") is None:
        return target_id, ""
    return target_id, RELATION.loose(f"{label}.relation", raw["relation"])


def _items(raw: Mapping[str, Any], name: str) -> list[Any]:
    items = raw.get(name, [])
    if not isinstance(items, list) or len(items) > LINKS_MAX:
        raise refused(name, f"must be a list of at most {LINKS_MAX} links")
    return items


@contextmanager
def _told_as(name: str) -> Iterator[None]:
    """Let a refusal name a link by its place in this body: in the list of that name, or as the body itself."""
    try:
        yield
    except CsbError as fault:
        found = _PLACE.match(fault.field)
        if found:
            here = f"{name}[{found[1]}]{found[2]}" if name else ""
            fault.reason = fault.reason.replace(found[0], here, 1)
            fault.field = here + fault.field[found.end() :]
        raise


OPERATIONS = (
    Operation("POST", "/v1/memory/link", create_link, body="MemoryLinkWrite", answer="MemoryLinked", status=201),
    Operation("PATCH", "/v1/memory/{id}/link", change_links, body="MemoryLinkChange", answer="Memory"),
)
