"""`/v1/memory/export`, `/import`, `/vector-maps`: the owner sends memories out and takes some in (CSB v1.0 §1.2.4)."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Annotated, Any, Literal

import orjson
from fastapi import Query, Request
from starlette.responses import Response, StreamingResponse

from csbond.api.body_parts import choice_in, filter_in, parts_of, truth_in
from csbond.api.operation import Operation
from csbond.api.problems import Json
from csbond.api.served import caller_of, intent_of, json_body, json_body_or_none, served
from csbond.flows.export_memory import ExportFormat, ExportRequest, ExportSum, export_memory
from csbond.flows.fit_vector_map import fit_vector_map, show_vector_maps
from csbond.flows.import_memory import ImportSum, import_memory
from csbond.protocol.errors import CsbError, LocalProtocolError, RemoteProtocolError, as_body
from csbond.protocol.memory import import_custodian, import_json, import_markdown, import_mcp, published
from csbond.protocol.memory.entry import CONTENT_MAX, refused
from csbond.protocol.memory.filter import EntryFilter
from csbond.protocol.memory.foreign_files import SourceFile, files_of
from csbond.protocol.memory.foreign_lines import json_document
from csbond.protocol.memory.foreign_record import AGENT_MAX, Read, checked_agent
from csbond.protocol.memory.importing import Importing, RecordOutcome
from csbond.protocol.memory.interop import MODEL_MAX, interop_records
from csbond.protocol.memory.pieces import TEXT_MAX
from csbond.protocol.memory.vector_map import VectorMap
from csbond.transport.body import JSON_TYPES, read_body

NDJSON = "application/x-ndjson"
"""One JSON value a line."""
IMPORT_TYPES = ("application/json", NDJSON, "application/jsonl", "text/plain")
"""The media types of a source."""
FORMATS = ("interop", "mcp", "markdown", "custodian", "json", "published")
EXPORT_PARTS = ("format", "filter", "embeddings")
"""What the body of an export may hold."""
_EXPORTS: dict[str, ExportFormat] = {"interop": "interop", "published": "published"}
_BODY_TIMEOUT_S = 300.0
"""Seconds for a whole source to arrive: 64 MiB over a line of 2 Mbit a second."""
_MAP_MAX = 1024
_LINES_TOLD = 64
"""Lines that are sent together: a stream of one a packet would take longer to send than to write."""

Format = Annotated[
    Literal["interop", "mcp", "markdown", "custodian", "json", "published"], Query(description="What the source is.")
]
Agent = Annotated[str | None, Query(max_length=AGENT_MAX, description="Whose memories they are.")]
ContentMax = Annotated[
    int, Query(ge=CONTENT_MAX, le=TEXT_MAX, description="Characters of a memory that are taken, in pieces if need be.")
]
Fields = Annotated[
    str | None,
    Query(alias="map", max_length=_MAP_MAX, description="Of json: <field>=<member>, several with commas between."),
]


Matrix = Annotated[
    str | None, Query(max_length=MODEL_MAX, description="The fingerprint of the model whose map is told whole.")
]


async def export(request: Request) -> Response:
    """The memories that fit the filter, one document a line; the last line says how many, and what they leave out."""
    body = parts_of(await json_body_or_none(request), EXPORT_PARTS)
    wishes = ExportRequest(
        wanted=filter_in(body, "filter", served(request)) if "filter" in body else EntryFilter(),
        format=_EXPORTS[choice_in(body, "format", _EXPORTS, "interop")],
        embeddings=truth_in(body, "embeddings", preset=False),
    )
    intent = intent_of(request, "export memories")
    told = export_memory(served(request).world, wishes, caller_of(request), intent)
    return await _stream(request, "export_memory", (_exported(each) async for each in told))


async def import_source(
    request: Request, format: Format, agent: Agent = None, content_max: ContentMax = TEXT_MAX, fields: Fields = None
) -> Response:
    """What becomes of each record of the body, one a line, as soon as it is on disk; the last line is the sum.

    A folder comes as `{"files": [{"path", "text"}]}`, every other source as it is. What ends it early is the last line.
    """
    source = await _source(request)
    told = import_json.checked_fields(fields.split(",")) if fields else {}
    named = checked_agent(agent) if agent is not None else ""
    reads = await asyncio.to_thread(_begun, format, source, named, told, served(request).world.agent.name)
    importing = Importing(served(request).names, content_max)
    intent = intent_of(request, f"import memories ({format})")
    outcomes = import_memory(served(request).world, reads, importing, format, caller_of(request), intent)
    return await _stream(request, "import_memory", (_imported(each) async for each in outcomes))


async def show_maps(request: Request, matrix: Matrix = None) -> Response:
    """The models of which vectors are kept apart, and the maps from their spaces to that of this node's model."""
    shown = await show_vector_maps(served(request).world, caller_of(request))
    models = [
        {"fingerprint": each.fingerprint, "model": each.model, "dimension": each.dimension, "vectors": each.vectors}
        for each in shown.models
    ]
    return Json({"models": models, "maps": [_map(each, whole=each.from_fingerprint == matrix) for each in shown.maps]})


async def fit_map(request: Request) -> Response:
    """The map that was fitted and is kept; one that would be of no use is refused, and the one before stays."""
    fingerprint = parts_of(await json_body(request), ("fingerprint",)).get("fingerprint")
    if not isinstance(fingerprint, str) or not 0 < len(fingerprint) <= MODEL_MAX:
        raise refused("fingerprint", f"must be a text of 1 to {MODEL_MAX} characters")
    intent = intent_of(request, "fit a map between two models")
    return Json(_map(await fit_vector_map(served(request).world, fingerprint, caller_of(request), intent)), 201)


async def _source(request: Request) -> bytes:
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in JSON_TYPES and media_type not in IMPORT_TYPES:
        raise RemoteProtocolError(
            "content_type_not_supported",
            f"a body of type {media_type[:64]} is not read here",
            next_step=f"send Content-Type: {NDJSON}",
        )
    here = served(request)
    most = max(here.limits.body_bytes, here.world.limits.import_bytes)
    patient = max(here.limits.body_timeout_s, _BODY_TIMEOUT_S)
    return await read_body(request, replace(here.limits, body_bytes=most, body_timeout_s=patient))


def _begun(name: str, source: bytes, agent: str, told: Mapping[str, str], own_agent: str) -> Iterator[Read]:
    """The records of a source, of which the first is read: a source that is none is refused before anything is said."""
    reads = _reads(name, source, agent, told, own_agent)
    first = next(reads, None)
    return reads if first is None else chain((first,), reads)


def _reads(name: str, source: bytes, agent: str, told: Mapping[str, str], own_agent: str) -> Iterator[Read]:
    match name:
        case "interop":
            return interop_records(source, own_agent)
        case "mcp":
            return import_mcp.records(source, agent or import_mcp.AGENT)
        case "json":
            return import_json.records(source, agent or import_json.AGENT, told)
        case "published":
            return published.records(source, agent or published.AGENT, own_agent)
        case "markdown":
            return import_markdown.records(_files(source), agent or import_markdown.AGENT)
        case _:
            return import_custodian.records(_files(source), agent)


def _files(source: bytes) -> tuple[SourceFile, ...]:
    return files_of(json_document(source))


async def _stream(request: Request, story: str, lines: AsyncIterator[dict[str, Any]]) -> Response:
    """The lines, of which the first is there: what is refused before it is answered as any other request."""
    first = await anext(lines)
    return StreamingResponse(_packets(request, story, first, lines), media_type=NDJSON)


async def _packets(
    request: Request, story: str, first: dict[str, Any], lines: AsyncIterator[dict[str, Any]]
) -> AsyncIterator[bytes]:
    packet = [orjson.dumps(first)]
    try:
        async for line in lines:
            packet.append(orjson.dumps(line))
            if len(packet) == _LINES_TOLD:
                yield b"\n".join(packet) + b"\n"
                packet = []
    except CsbError as fault:
        packet.append(orjson.dumps(as_body(fault)))
    except Exception as fault:
        served(request).world.journal.failed(story, fault)
        unexpected = LocalProtocolError("internal_error", "a fault of this node", next_step="its log has the record")
        packet.append(orjson.dumps(as_body(unexpected)))
    if packet:
        yield b"\n".join(packet) + b"\n"


def _exported(each: dict[str, Any] | ExportSum) -> dict[str, Any]:
    if not isinstance(each, ExportSum):
        return each
    return {"export": {"memories": each.memories, "left_out": each.left_out, "lost": dict(each.lost)}}


def _imported(each: RecordOutcome | ImportSum) -> dict[str, Any]:
    if isinstance(each, ImportSum):
        links = {"set": each.links_set, "refused": each.links_refused}
        return {"import": {"records": each.records, "outcomes": dict(each.outcomes), "links": links}}
    line: dict[str, Any] = {"place": each.place, "outcome": each.outcome}
    if each.ids:
        line["ids"] = list(each.ids)
    if each.same_key:
        line["same_key"] = True
    return line | (as_body(each.fault) if each.fault else {})


def _map(kept: VectorMap, *, whole: bool = False) -> dict[str, Any]:
    told: dict[str, Any] = {
        "fingerprint": kept.from_fingerprint,
        "to_model": kept.to_model,
        "from_dimension": kept.from_dimension,
        "to_dimension": kept.to_dimension,
        "pairs": kept.pairs,
        "error": kept.error,
        "made_at": kept.made_at,
    }
    return told | ({"matrix": base64.b64encode(kept.matrix).decode()} if whole else {})


OPERATIONS = (
    Operation(
        "POST",
        "/v1/memory/export",
        export,
        body="MemoryExport",
        answer="MemoryExportLine",
        body_needed=False,
        answer_type=NDJSON,
    ),
    Operation(
        "POST",
        "/v1/memory/import",
        import_source,
        body="MemoryImport",
        answer="MemoryImportLine",
        body_types=IMPORT_TYPES,
        answer_type=NDJSON,
    ),
    Operation("GET", "/v1/memory/vector-maps", show_maps, answer="VectorMaps"),
    Operation("POST", "/v1/memory/vector-maps", fit_map, body="VectorMapWish", answer="VectorMap", status=201),
)
