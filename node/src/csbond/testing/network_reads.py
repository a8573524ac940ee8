"""All memories of the in-memory ledger at once: how they are linked, and how many there are of what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from csbond.protocol.memory.entry import Level, MemoryEntry, Visibility
from csbond.protocol.memory.link import is_foreign
from csbond.protocol.memory.network import Edge, Linked, Member, Node, most_linked, strongest, title_of
from csbond.protocol.memory.stats import Counted, MemoryStats, Upkeep, day_of
from csbond.protocol.memory.visibility import Audience, may_hear
from csbond.testing.open_rows import OpenRows


class NetworkReads(OpenRows):
    """The side of the ledger that tells of links and numbers."""

    async def all_edges(self, space: str, audience: Audience, nodes: int, links: int) -> Linked:
        """The most linked memories, so many at most, and so many of the strongest links between them."""
        heard = {entry.id: Member(entry.type, entry.tags) for entry in self._heard(space, audience)}
        return most_linked(heard, list(self._edges(heard)), nodes, links)

    async def network_edges(
        self, space: str, ids: Collection[str], audience: Audience, limit: int, *, within: bool = False
    ) -> tuple[Edge, ...]:
        """The strongest links of which an end is one of the ids, or both are `within` them."""
        heard = {entry.id for entry in self._heard(space, audience)}
        wanted = heard & set(ids)
        among = wanted if within else heard
        found = (edge for edge in self._edges(among) if edge.source in wanted or edge.target in wanted)
        return tuple(strongest(found)[: max(0, limit)])

    async def network_nodes(self, space: str, ids: Collection[str], audience: Audience) -> dict[str, Node]:
        """Those of the ids whose memories live and may be told, without what is computed of them."""
        return {
            entry.id: Node(entry.id, entry.level, entry.type, title_of(entry.content), entry.tags)
            for entry in self._heard(space, audience)
            if entry.id in ids
        }

    async def memory_stats(self, space: str, audience: Audience, since_day: int) -> MemoryStats:
        """The living memories in numbers, and how many were kept on each day from one on."""
        entries = self._heard(space, audience)
        kinds = Counter((entry.level.value, entry.type, entry.source) for entry in entries)
        seen = Counter(entry.visibility for entry in entries)
        edges = list(self._edges({entry.id for entry in entries}))
        return MemoryStats(
            tuple(Counted(*kind, count) for kind, count in sorted(kinds.items())),
            {each.value: seen[each] for each in Visibility if seen[each]},
            dict(Counter(day for entry in entries if (day := day_of(entry.kept_at)) >= since_day)),
            len({end for edge in edges for end in (edge.source, edge.target)}),
            len(edges),
        )

    async def upkeep(self, space: str, since_day: int, pinned_tags: Collection[str]) -> Upkeep:
        """How full the tiers are, what was removed from a day on, and what waits; there is no file."""
        rows = self._open()
        texts = [entry for entry in rows.entries.values() if entry.space == space and not entry.piece]
        living = [entry for entry in texts if not entry.deleted_at]
        warm = Counter(entry.project for entry in living if entry.level is Level.WARM)
        return Upkeep(
            held={level.value: sum(entry.level is level for entry in living) for level in Level},
            pinned=sum(entry.level is Level.HOT and not set(entry.tags).isdisjoint(pinned_tags) for entry in living),
            fullest=min(warm.items(), key=lambda item: (-item[1], item[0]), default=("", 0)),
            removed={
                removal: count
                for (of_space, removal), count in rows.evictions.items()
                if of_space == space and removal.day >= since_day
            },
            deleted=len(texts) - len(living),
            archived=sum(record.space == space for record in rows.archive.values()),
            reviews=sum(of == space and not review.decided_at for of, review in rows.reviews.values()),
        )

    def _heard(self, space: str, audience: Audience) -> list[MemoryEntry]:
        return [
            entry
            for entry in self._open().entries.values()
            if entry.space == space and not entry.deleted_at and may_hear(audience, entry)
        ]

    def _edges(self, among: Collection[str]) -> Iterator[Edge]:
        for (source_id, *_), link in self._open().links.items():
            if source_id in among and link.target_id in among and not is_foreign(link.target_id):
                yield Edge(source_id, link.target_id, link.relation, link.weight)
