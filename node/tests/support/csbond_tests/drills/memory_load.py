"""Eight clients that write memories in every way there is until the node dies, and note what it acknowledges."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from csbond_tests.drills.memory_held import DELETED, ERASED, Held, HeldState, Repeat, State, Written, ids_in, send
from csbond_tests.drills.wire import Gone, Wire
from csbond_tests.snapshots import file_of, memory

__all__ = ["MemoryLoad", "secret_of"]

_NO_LINKS: frozenset[str] = frozenset()
_BATCH = 8
_FORGOTTEN = 4
_LOADED = 3
_LOADED_AT = 1_700_000_000_000


@dataclass
class MemoryLoad:
    """The clients of one life of a node; `name` makes their ids and texts their own."""

    name: str
    port: int
    token: str
    held: Held = field(default_factory=Held)

    async def until_it_dies(self) -> None:
        """Run the clients until the node hangs up on each of them."""
        plays = (
            *(self._create, self._batch, self._link, self._remove),
            *(self._forget, self._tend, self._snapshot, self._import),
        )
        async with asyncio.TaskGroup() as clients:
            for play in plays:
                clients.create_task(self._client(play))

    async def _client(self, play: Callable[[Wire, str, int], Awaitable[None]]) -> None:
        try:
            wire = await Wire.open(self.port, self.token)
        except Gone:
            return
        try:
            for number in count():
                await play(wire, f"{self.name}-{play.__name__.strip('_')}", number)
        except Gone:
            return
        finally:
            wire.vanish()

    async def _create(self, wire: Wire, me: str, number: int) -> None:
        """A memory is written and edited; every third is deleted."""
        held = await self._written(wire, me, f"{me}-{number}")
        assert isinstance(held.state, tuple)
        content = f"{held.state[0]} Not any more."
        held.underway = content, _NO_LINKS
        await wire.good("PUT", f"/v1/memory/{held.id}", {"content": content})
        held.state = held.underway
        if number % 3 == 0:
            await self._becomes(held, DELETED, wire.good("DELETE", f"/v1/memory/{held.id}"))

    async def _batch(self, wire: Wire, me: str, number: int) -> None:
        contents = tuple(_text(f"{me}-{number}-{place}") for place in range(_BATCH))
        body = {"memories": [{"content": content, "tags": [me]} for content in contents]}
        await self._kept(wire, Written(me, "/v1/memory/batch", body, contents, f"{me}-{number}"))

    async def _link(self, wire: Wire, me: str, number: int) -> None:
        """A memory is linked to another; every second link is taken away again."""
        one = await self._written(wire, me, f"{me}-{number}-a")
        other = await self._written(wire, me, f"{me}-{number}-b")
        assert isinstance(one.state, tuple)
        before, linked = one.state, (one.state[0], frozenset([other.id]))
        asked = {"source_id": one.id, "target_id": other.id, "relation": "extends"}
        await self._becomes(one, linked, wire.good("POST", "/v1/memory/link", asked))
        if number % 2:
            gone = {"remove": [{"target_id": other.id}]}
            await self._becomes(one, before, wire.good("PATCH", f"/v1/memory/{one.id}/link", gone))

    async def _remove(self, wire: Wire, me: str, number: int) -> None:
        """Memories are deleted and restored, and every second one is erased."""
        held = await self._written(wire, me, f"{me}-{number}")
        before = held.state
        await self._becomes(held, DELETED, wire.good("DELETE", f"/v1/memory/{held.id}"))
        await self._becomes(held, before, wire.good("PATCH", f"/v1/memory/{held.id}/restore", {}))
        if number % 2:
            held.underway = ERASED
            answer = await wire.good("DELETE", f"/v1/memory/{held.id}/hard")
            self._erased([held], erased=answer["erased"])

    async def _forget(self, wire: Wire, me: str, number: int) -> None:
        """Memories of a tag are forgotten at once, softly and for good in turn."""
        tag, to = f"{me}-{number}", ERASED if number % 2 else DELETED
        contents = tuple(_text(f"{tag}-{place}") for place in range(_FORGOTTEN))
        body = {"memories": [{"content": content, "tags": [tag]} for content in contents]}
        for held in (going := await self._kept(wire, Written(me, "/v1/memory/batch", body, contents, tag))):
            held.underway = to
        asked = {"filter": {"tag": tag}, "mode": "hard" if to == ERASED else "soft"}
        wanted = {**asked, "dry_run": False, "expected": _FORGOTTEN}
        answer = await wire.good("POST", "/v1/memory/forget", wanted)
        assert answer["count"] == _FORGOTTEN, answer
        if to == ERASED:
            self._erased(going, erased=answer["erased"])
        for held in going:
            held.state = to

    async def _tend(self, wire: Wire, me: str, number: int) -> None:
        """A memory is raised and lowered, and what is due is done: with small caps others sink."""
        held = await self._written(wire, me, f"{me}-{number}")
        await wire.good("PATCH", f"/v1/memory/{held.id}/promote", {"to": "hot"})
        await wire.good("POST", "/v1/memory/tend", {})
        await wire.good("PATCH", f"/v1/memory/{held.id}/demote", {"to": "cold"})

    async def _snapshot(self, wire: Wire, me: str, number: int) -> None:
        """Snapshots are made, shown and let go; in turn one of another home is loaded."""
        ids = [f"mem_{_LOADED_AT}_{secret_of(f'{me}-{number}-{place}')}" for place in range(_LOADED)]
        contents = tuple(_text(f"{me}-{number}-{place}") for place in range(_LOADED))
        memories = [
            memory(id_, content, tags=[me], timestamp=_LOADED_AT) for id_, content in zip(ids, contents, strict=True)
        ]
        file = json.loads(file_of(*memories))
        await self._kept(wire, Written(me, "/v1/memory/snapshot/load", file, contents), ids)
        head = await wire.good("POST", "/v1/memory/snapshot", {"description": me, "filter": {"tag": me}})
        whole = await wire.ask("GET", f"/v1/memory/snapshot/{head['id']}")
        assert whole.status == 200, whole
        if number % 2:
            await wire.good("DELETE", f"/v1/memory/snapshot/{head['id']}")

    async def _import(self, wire: Wire, me: str, number: int) -> None:
        contents = tuple(_text(f"{me}-{number}-{place}") for place in range(_LOADED))
        records = [{"id": f"{me}-{number}-{place}", "content": content} for place, content in enumerate(contents)]
        await self._kept(wire, Written(me, "/v1/memory/import?format=json", records, contents))

    async def _written(self, wire: Wire, me: str, key: str) -> HeldState:
        """A memory of one request, named by its key."""
        content = _text(key)
        (held,) = await self._kept(wire, Written(me, "/v1/memory", {"content": content, "tags": [me]}, (content,), key))
        return held

    async def _kept(self, wire: Wire, written: Written, ids: list[str] | None = None) -> list[HeldState]:
        """What a request wrote, once it is acknowledged; until then it may be there or not."""
        repeat = Repeat(written)
        self.held.repeats.append(repeat)
        told = ids_in(await send(wire, written)) or tuple(ids or ())
        repeat.ids = told
        kept = []
        for id_, content in zip(told, written.contents, strict=True):
            state = content, _NO_LINKS
            kept.append(self.held.memories.setdefault(id_, HeldState(id_, state, state, content.split(" ")[1])))
        return kept

    async def _becomes(self, held: HeldState, state: State, asked: Awaitable[Any]) -> None:
        held.underway = state
        await asked
        held.state = state

    def _erased(self, going: list[HeldState], *, erased: bool) -> None:
        for held in going:
            held.state = ERASED
            if erased:
                self.held.secrets[held.secret] = held.id


def secret_of(name: str) -> str:
    """A word that is said once, of letters no digest has."""
    return "".join(chr(ord("g") + byte % 20) for byte in hashlib.sha256(name.encode()).digest()[:20])


def _text(name: str) -> str:
    return f"The {secret_of(name)} of {name} hangs by the door."
