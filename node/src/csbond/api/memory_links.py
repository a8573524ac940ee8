"""`/v1/memory/link` and `/v1/memory/{id}/link`: memories are linked, and links taken away (MEM-001 §1.5, MEM-003)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from fastapi import Request
from starlette.responses import Response

from csbond.api.memory import MemoryId
from csbond.api.memory_shown import etag, shown
from csbond.api.operation import Operation
from csbond.api.problems import Json
from csbond.api.served import caller_of, expected_versions, intent_of, json_body, served
from csbond.flows.link_memory import LinkChange, Linked, link_memory
from csbond.protocol.errors import CsbError
from csbond.protocol.memory.entry import refused
from csbond.protocol.memory.entry_fields import is_entry_id, whole_object
from csbond.protocol.memory.link import LINKS_MAX, Link
from csbond.protocol.memory.link_extra import LINK_FIELDS, Pair
from csbond.protocol.memory.link_fields import RELATION, TARGET
from csbond.protocol.memory.link_json import link_from_json, link_to_json, unknown_link_fields
from csbond.protocol.memory.tolerance import Tolerance

_PLACE = re.compile(r"links\[([0-9]+)\](\.?)")
_LENIENT = Tolerance()


async def create_link(request: Request) -> Response:
    """Link one memory to another: 201 with the link and the memory it begins at, 200 when it is there already."""
    raw = dict(whole_object(await json_body(request)))
    source_id = raw.pop("source_id", None)
    if not isinstance(source_id, str) or not is_entry_id(source_id):
        raise refused("source_id", "must be the id of the memory where the link begins")
    link = link_from_json(raw, _LENIENT)
    with _told_as(""):
        linked = await _linked(request, source_id, (link,), [raw])
    entry = linked.entry
    kept = next((each for each in entry.links if each.pair == link.pair), link)
    body = {
        "source": shown(request, entry, with_embedding=False),
        "link": link_to_json(kept, entry.extra.get(LINK_FIELDS)),
    }
    return Json(body, 201 if linked.changed else 200, etag(entry))


async def change_links(request: Request, id: MemoryId) -> Response:
    """The memory with links added, and others taken away; the body may be one link to add."""
    raw = whole_object(await json_body(request))
    mixed = [name for name in ("add", "remove") if name in raw]
    if "target_id" in raw and mixed:
        raise refused(mixed[0], "cannot stand beside target_id: the body is one link to add, or holds add and remove")
    if "target_id" in raw:
        with _told_as(""):
            linked = await _linked(request, id, (link_from_json(raw, _LENIENT),), [raw])
    else:
        items, drop = _items(raw, "add"), _dropped(raw)
        if not items and not drop:
            raise refused("add", "must hold links to add, or remove those to take away")
        add = tuple(link_from_json(each, _LENIENT, f"add[{place}].") for place, each in enumerate(items))
        with _told_as("add"):
            linked = await _linked(request, id, add, items, drop)
    return Json(shown(request, linked.entry), headers=etag(linked.entry))


async def _linked(
    request: Request,
    source_id: str,
    add: tuple[Link, ...],
    raw: Sequence[Mapping[str, Any]],
    drop: tuple[Pair, ...] = (),
) -> Linked:
    """What became of the memory by links to add, with what they came as, and those to take away."""
    return await link_memory(
        served(request).world,
        source_id,
        LinkChange(
            add,
            drop,
            unweighed=[link.pair for link, each in zip(add, raw, strict=True) if each.get("weight") is None],
            beside=unknown_link_fields(raw, add),
        ),
        caller=caller_of(request),
        intent=intent_of(request, "link memories"),
        expected=expected_versions(request),
    )


def _dropped(raw: Mapping[str, Any]) -> tuple[Pair, ...]:
    return tuple(_dropped_link(each, f"remove[{place}]") for place, each in enumerate(_items(raw, "remove")))


def _dropped_link(raw: Any, label: str) -> Pair:
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
    Operation(
        "POST",
        "/v1/memory/link",
        create_link,
        body="MemoryLinkWrite",
        answer="MemoryLinked",
        status=201,
        statuses=(200,),
    ),
    Operation("PATCH", "/v1/memory/{id}/link", change_links, body="MemoryLinkChange", answer="Memory"),
)
