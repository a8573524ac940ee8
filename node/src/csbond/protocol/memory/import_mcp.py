"""The JSONL of the official MCP memory server: entities with observations, and relations between entities."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from csbond.protocol.errors import CsbError
from csbond.protocol.memory.entry import checked_text, refused
from csbond.protocol.memory.foreign_lines import json_lines
from csbond.protocol.memory.foreign_record import (
    SOURCE,
    ForeignLink,
    ForeignName,
    ForeignRecord,
    ForeignRelation,
    Read,
    Unread,
    fitting_tags,
    named_relation,
)
from csbond.protocol.memory.project import PROJECT_MAX, folded_name

AGENT = "mcp"
"""From whom these come, where nobody else is named."""


def records(source: bytes, agent: str = AGENT) -> Iterator[Read]:
    """A memory for each observation, as `<entity>: <observation>`, and one of its name for an entity without any.

    The entity's name is a tag, its type the project. A relation is a link from the first memory of an entity to that
    of the other, by the relation's own name where a link may have it; relations come last, whatever their place.
    """
    firsts: dict[str, ForeignRecord] = {}
    relations: dict[tuple[str, str, str], tuple[str, ForeignLink]] = {}
    for place, value in json_lines(source):
        try:
            if isinstance(value, CsbError):
                raise value
            item = _item(value)
            if item["type"] == "relation":
                _relate(relations, item, place)
                continue
            for found in _memories(item, place, agent):
                firsts.setdefault(item["name"], found)
                yield found
        except CsbError as fault:
            yield Unread(place, fault)
    yield from _linked(firsts, relations)


def _item(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or value.get("type") not in ("entity", "relation"):
        raise refused("type", "must be entity or relation")
    names = ("name", "entityType") if value["type"] == "entity" else ("from", "to", "relationType")
    for name in names:
        if not isinstance(value.get(name), str) or not value[name].strip():
            raise refused(name, "must be a text that is not empty")
        checked_text(name, value[name])
    return value


def _memories(entity: Mapping[str, Any], place: str, agent: str) -> Iterator[ForeignRecord]:
    name, observations = entity["name"], entity.get("observations", [])
    if not isinstance(observations, list) or not all(isinstance(each, str) for each in observations):
        raise refused("observations", "must be a list of texts")
    if not observations:
        yield _memory(entity, place, agent, f"{name} ({entity['entityType']})", "")
    for number, observation in enumerate(observations, 1):
        content = f"{name}: {observation}"
        yield _memory(entity, f"{place}, observation {number}", agent, content, observation)


def _memory(entity: Mapping[str, Any], place: str, agent: str, content: str, observation: str) -> ForeignRecord:
    project = entity["entityType"]
    fits = len(project) <= PROJECT_MAX and folded_name(project)
    memory = {
        "type": "other",
        "source": SOURCE,
        "content": content,
        "tags": fitting_tags([entity["name"]]).tags,
        "metadata": {"project": project} if fits else {},
        "mcp": {"entity": entity["name"], "entityType": project},
    }
    key = f"mcp:{_short(entity['name'])}:{_short(observation)}"
    return ForeignRecord(place, memory, ForeignName(agent, key=key))


def _relate(
    relations: dict[tuple[str, str, str], tuple[str, ForeignLink]], item: Mapping[str, Any], place: str
) -> None:
    relation, beside = named_relation(item["relationType"])
    pair = item["from"], item["to"], relation
    if beside and pair in relations:
        known = relations[pair][1].beside.get("declared", [])
        told = known if isinstance(known, list) else [known]
        beside = {"declared": list(dict.fromkeys((*told, item["relationType"])))}
    relations[pair] = place, ForeignLink("", relation, beside=beside)


def _linked(
    firsts: Mapping[str, ForeignRecord],
    relations: Mapping[tuple[str, str, str], tuple[str, ForeignLink]],
) -> Iterator[Read]:
    for (start, end, relation), (place, link) in relations.items():
        missing = next((name for name in (start, end) if name not in firsts), None)
        if missing is not None:
            yield Unread(place, refused("from" if missing == start else "to", "names an entity that is not there"))
        elif start == end:
            yield Unread(place, refused("to", "is the entity itself; a link leads to another one"))
        else:
            target = firsts[end].name.key
            yield ForeignRelation(place, firsts[start].name, ForeignLink(target, relation, link.weight, link.beside))


def _short(text: str) -> str:
    """What tells two texts apart, without a word of theirs: it is kept beside the memory."""
    return hashlib.sha256(text.encode()).hexdigest()[:24]
