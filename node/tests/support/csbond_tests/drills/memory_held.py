"""What a node has acknowledged of its memory, and whether it is so when it is asked again, by id or by key."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

from csbond.store.sqlite.connection import connect
from csbond_tests.drills.wire import Refusal, Wire

__all__ = [
    "DELETED",
    "ERASED",
    "Held",
    "HeldState",
    "Repeat",
    "State",
    "Written",
    "copies_in",
    "ids_in",
    "lost",
    "readable_in",
    "send",
]

State = tuple[str, frozenset[str]] | str
"""The text and the targets of the links; or `DELETED` or `ERASED`."""
DELETED = "deleted"
ERASED = "erased"

_REPEATED = 6
"""Requests of each client that are repeated after a kill, the last ones."""
_CONNECTIONS = 4
_FOUND = 200
_GONE = (404, 409)


@dataclass
class HeldState:
    """A memory whose writing was confirmed."""

    id: str
    state: State
    underway: State
    """What was asked for and is not confirmed yet: after a kill it is one or the other."""
    secret: str = ""
    """A word of its text that is in no other memory."""


@dataclass(frozen=True, slots=True)
class Written:
    """A request that writes memories, as it was sent."""

    client: str
    path: str
    body: Any
    contents: tuple[str, ...]
    """The texts it writes, each of them said nowhere else."""
    key: str = ""
    """The Idempotency-Key; what has none is known again by what it says."""


@dataclass
class Repeat:
    """A request, and the ids that were told for it: none while its answer has not been heard."""

    written: Written
    ids: tuple[str, ...] = ()


@dataclass
class Held:
    """Everything that was acknowledged."""

    memories: dict[str, HeldState] = field(default_factory=dict)
    repeats: list[Repeat] = field(default_factory=list)
    secrets: dict[str, str] = field(default_factory=dict)
    """Of memories of which it was said that no byte is left: a word of them, and the memory."""

    def add(self, other: Held) -> None:
        """Take in what was acknowledged later."""
        self.memories |= other.memories
        self.repeats += other.repeats
        self.secrets |= other.secrets

    def underway(self) -> list[HeldState]:
        """The memories of which an erasing was asked for, and nothing heard."""
        return [each for each in self.memories.values() if each.underway == ERASED and each.secret not in self.secrets]

    def to_repeat(self) -> list[Repeat]:
        """The last requests of each client, among them those that were not answered."""
        by_client: dict[str, list[Repeat]] = {}
        for each in self.repeats:
            by_client.setdefault(each.written.client, []).append(each)
        return [each for repeats in by_client.values() for each in repeats[-_REPEATED:]]


async def lost(held: Held, port: int, token: str) -> list[str]:
    """Sentences on what is not as it was acknowledged; empty when all is well.

    What was underway may be so or so; what it is found to be is held from now on. Then what was to be erased is erased
    again, and the last requests are repeated: they find what they wrote, or write it now.
    """
    found = await _all([(_memory_faults, each) for each in held.memories.values()], port, token)
    found += await _all([(_erasing_faults, (held, each)) for each in held.underway()], port, token)
    return found + await _all([(_repeat_faults, (held, each)) for each in held.to_repeat()], port, token)


def copies_in(file: Path) -> dict[str, int]:
    """How many memories say each text, the deleted ones too."""
    connection: apsw.Connection = connect(file, writes=False)
    try:
        return dict(connection.execute("SELECT content, count(*) FROM entry GROUP BY content"))
    finally:
        connection.close()


def readable_in(place: Path, secrets: dict[str, str]) -> list[str]:
    """The memories of which a word, or most of it, can be read in a file of a folder: an index keeps ends of words."""
    files = {path.name: path.read_bytes() for path in place.iterdir() if path.is_file()}
    parts = {secret[4:].encode(): id_ for secret, id_ in secrets.items()}
    return [f"{id_} is readable in {name}" for name, raw in files.items() for part, id_ in parts.items() if part in raw]


async def send(wire: Wire, written: Written) -> Any:
    """The body of the answer to a request that writes; `Refusal` for another than a good one."""
    answer = await wire.ask("POST", written.path, written.body, {"idempotency-key": written.key} if written.key else {})
    if answer.status >= 400:
        raise Refusal(answer.status, answer.body)
    return answer.body


async def _all(
    looks: Sequence[tuple[Callable[[Wire, Any], AsyncIterator[str]], Any]], port: int, token: str
) -> list[str]:
    waiting = iter(looks)
    found: list[str] = []

    async def look_on() -> None:
        wire = await Wire.open(port, token)
        try:
            for look, about in waiting:
                found.extend([sentence async for sentence in look(wire, about)])
        finally:
            wire.vanish()

    await asyncio.gather(*(look_on() for _ in range(_CONNECTIONS)))
    return found


async def _memory_faults(wire: Wire, held: HeldState) -> AsyncIterator[str]:
    found = await _state(wire, held.id)
    if found not in (held.state, held.underway):
        yield f"the memory {held.id} is {found} and was {held.state}, or {held.underway}"
    if held.underway != ERASED or found == ERASED:
        held.state = held.underway = found


async def _state(wire: Wire, id_: str) -> State:
    answer = await wire.ask("GET", f"/v1/memory/{id_}")
    if answer.status == _FOUND:
        return answer.body["content"], frozenset(link["target_id"] for link in answer.body.get("links", []))
    kept = await wire.ask("GET", f"/v1/memory/archive/{id_}")
    if kept.status == _FOUND:
        return ERASED
    told = str(answer.body)
    return DELETED if "was deleted" in told else told


async def _erasing_faults(wire: Wire, about: tuple[Held, HeldState]) -> AsyncIterator[str]:
    """Whoever did not hear that a memory is erased asks once more, until no byte of it is left."""
    held, memory = about
    answer = await wire.ask("DELETE", f"/v1/memory/{memory.id}/hard")
    if answer.status != _FOUND or not answer.body["erased"]:
        yield f"the memory {memory.id} cannot be erased: {answer.body}"
        return
    memory.state = memory.underway = ERASED
    held.secrets[memory.secret] = memory.id


async def _repeat_faults(wire: Wire, about: tuple[Held, Repeat]) -> AsyncIterator[str]:
    held, repeat = about
    try:
        ids = ids_in(await send(wire, repeat.written))
    except Refusal as refusal:
        ids = ()
        if not repeat.ids or refusal.status not in _GONE:
            yield f"a repeat of {repeat.written.key or repeat.written.path} was refused: {refusal}"
    for before, now in zip(repeat.ids, ids, strict=False):
        state = held.memories[before].state if before in held.memories else DELETED
        if now != before and state not in (DELETED, ERASED):
            yield f"a repeat of {repeat.written.key or repeat.written.path} told {now} and not {before}"


def ids_in(body: Any) -> tuple[str, ...]:
    """The ids of the memories that an answer tells, in the order of the request; none of a snapshot."""
    if isinstance(body, bytes):  # a line for each record
        lines = [json.loads(line) for line in body.splitlines()]
        return tuple(line["ids"][0] for line in lines if "place" in line)
    if "results" in body:
        return tuple(result.get("id", "") for result in body["results"])
    return (body["id"],) if "content" in body else ()
