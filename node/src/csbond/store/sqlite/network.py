"""All memories of a database at once: how they are linked, and how many there are of what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from itertools import starmap

from csbond.protocol.memory.entry import Level, Visibility
from csbond.protocol.memory.network import TITLE_FROM, Edge, Linked, Member, Node, title_of
from csbond.protocol.memory.stats import DAY_MS, Counted, MemoryStats, Removal, Upkeep
from csbond.protocol.memory.visibility import Audience
from csbond.store.sqlite.audience import audience_bindings, own_bindings
from csbond.store.sqlite.database import Database
from csbond.store.sqlite.reader import Reader
from csbond.store.writing.json_columns import from_json, to_json


class NetworkReads:
    """The side of the ledger that tells of links and numbers."""

    _database: Database

    async def all_edges(self, space: str, audience: Audience, nodes: int, links: int) -> Linked:
        """The most linked memories, so many at most, and so many of the strongest links between them."""
        return await self._database.scan("entry", _all_edges, space, audience, nodes, links)

    async def network_edges(
        self, space: str, ids: Collection[str], audience: Audience, limit: int, *, within: bool = False
    ) -> tuple[Edge, ...]:
        """The strongest links of which an end is one of the ids, or both are `within` them."""
        asked = {"space": space, "ids": to_json(sorted(ids)), "limit": max(0, limit), "within": within}
        rows = await self._database.scan("entry", Reader.rows, "network_edges", asked | audience_bindings(audience))
        return tuple(starmap(Edge, rows))

    async def network_nodes(self, space: str, ids: Collection[str], audience: Audience) -> dict[str, Node]:
        """Those of the ids whose memories live and may be told, without what is computed of them."""
        asked = {"space": space, "ids": to_json(sorted(ids)), "letters": TITLE_FROM, **audience_bindings(audience)}
        rows = self._database.reader.rows("network_nodes", asked)
        return {
            id_: Node(id_, Level(level), type_, title_of(content), tuple(from_json(tags)))
            for id_, level, type_, content, tags in rows
        }

    async def memory_stats(self, space: str, audience: Audience, since_day: int) -> MemoryStats:
        """The living memories in numbers, and how many were kept on each day from one on."""
        return await self._database.scan("entry", _stats, space, audience, since_day)

    async def upkeep(self, space: str, since_day: int, pinned_tags: Collection[str]) -> Upkeep:
        """How full the tiers are, what was removed from a day on, what waits, and what it takes on disk."""
        size = sum(path.stat().st_size for path in self._database.files())
        return await self._database.scan("entry", _upkeep, space, since_day, pinned_tags, size)


def _all_edges(reader: Reader, space: str, audience: Audience, nodes: int, links: int) -> Linked:
    rows = reader.rows("most_linked", {"space": space, "nodes": nodes, **audience_bindings(audience)})
    if not rows:
        return Linked()
    members = {id_: Member(type_, tuple(from_json(tags))) for _, id_, type_, tags, *_ in rows}
    among = {"rows": to_json([row[0] for row in rows]), "limit": links}
    edges = (Edge(*row) for row in reader.rows("links_among", among))
    inside = tuple(edge for edge in edges if edge.source in members and edge.target in members)
    return Linked(members, inside, rows[0][4], rows[0][5] // 2)


def _stats(reader: Reader, space: str, audience: Audience, since_day: int) -> MemoryStats:
    asked = {"space": space, "since": since_day * DAY_MS, "day": DAY_MS, **audience_bindings(audience)}
    linked, ends = reader.rows("linked_total", asked)[0]
    if not audience.everything:
        return _heard(reader, asked | own_bindings(audience), linked, ends // 2)
    counted = tuple(starmap(Counted, reader.rows("kinds_counted", asked)))
    told: dict[str, int] = dict(reader.rows("visible_counted", asked))
    private = sum(each.count for each in counted) - sum(told.values())
    kept: dict[int, int] = dict(reader.rows("days_counted", asked))
    return MemoryStats(counted, _shown({**told, "private": private}), kept, linked, ends // 2)


def _heard(reader: Reader, asked: dict[str, object], linked: int, links: int) -> MemoryStats:
    kinds: Counter[tuple[str, str, str]] = Counter()
    visibilities: Counter[str] = Counter()
    kept: Counter[int] = Counter()
    for level, type_, source, visibility, day, count in reader.rows("counted_heard", asked):
        kinds[level, type_, source] += count
        visibilities[visibility] += count
        if day >= 0:
            kept[day] += count
    counted = tuple(Counted(*kind, count) for kind, count in sorted(kinds.items()))
    return MemoryStats(counted, _shown(visibilities), dict(kept), linked, links)


def _shown(visibilities: dict[str, int]) -> dict[str, int]:
    """How many there are of each visibility that there is any of."""
    return {each.value: visibilities[each.value] for each in Visibility if visibilities.get(each.value, 0) > 0}


def _upkeep(reader: Reader, space: str, since_day: int, pinned_tags: Collection[str], size: int) -> Upkeep:
    asked = {"space": space, "since_day": since_day, "tags": to_json(sorted(pinned_tags))}
    fullest = reader.row("fullest_project", asked)
    return Upkeep(
        held={level.value: reader.rows("tier_size", {"space": space, "level": level.value})[0][0] for level in Level},
        pinned=reader.rows("pinned_hot", asked)[0][0],
        fullest=(fullest[0], fullest[1]) if fullest else ("", 0),
        removed={Removal(*row): count for *row, count in reader.rows("evictions_counted", asked)},
        deleted=reader.rows("deleted_total", asked)[0][0],
        archived=reader.rows("archive_total", asked)[0][0],
        reviews=reader.rows("waiting_reviews_total", asked)[0][0],
        file_bytes=size,
    )
