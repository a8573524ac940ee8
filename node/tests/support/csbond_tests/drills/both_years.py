"""The life of one memory twice: by the stories of a node, and by a second reading that looks at everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any, cast

from csbond.flows.changes import Change
from csbond.flows.delete_memory import delete_memory
from csbond.flows.edit_memory import edit_memory
from csbond.flows.erase_memory import erase_memory
from csbond.flows.move_memory import lower_memory, raise_memory
from csbond.flows.note_use import note_use
from csbond.flows.restore_memory import restore_memory
from csbond.flows.set_forgetting import set_forgetting
from csbond.flows.tend_memory import Tended, tend_memory
from csbond.flows.world import World
from csbond.flows.write_memory import Kept, MemoryRequest, write_memory
from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.messages.caller import OWNER
from csbond.testing import SetClock
from csbond_tests.drills.naive_year import NaiveYear
from csbond_tests.small_world import INTENT, WatchedLedger

__all__ = ["BothYears", "Length", "compare"]

HOUR_MS = DAY_MS // 24
MATCHES = [{"type": "todo"}, {"source": "session"}, {"tags": ["a"]}, {"type": "event", "age_hours": 480}]
ACTIONS = ["soft_delete", "archive", "protect", "ttl_evict"]
PINNED = 60
"""Memories that hold their place whatever happens, in all: so few that the caps still decide."""
STILL_DAYS = 90
WAYS = 12
"""Moves differ by what is done and by what moved them."""


@dataclass(frozen=True)
class Length:
    """How long a life is, and how much it holds."""

    memories: int
    days: int


class BothYears:
    """The same life twice: by the stories of a world, and by the second reading."""

    def __init__(self, world: World, length: Length, seed: int) -> None:
        self.world, self.length, self.dice = world, length, Random(seed)
        self.clock = cast(SetClock, world.clock)
        self.naive = NaiveYear(world.tiers.hot_cap, world.tiers.warm_cap)

    @property
    def now(self) -> int:
        return self.clock.now()

    def some(self) -> str:
        """An id of the latest living ones."""
        living = (id_ for id_, row in reversed(self.naive.memories.items()) if not row["deleted"])
        return self.dice.choice(list(islice(living, 150)))

    async def create(self, ids: Sequence[str]) -> None:
        drafts, pinned = [], PINNED / self.length.memories
        for id_ in ids:
            fields: dict[str, Any] = {
                "level": self.dice.choice(["hot", "warm", "warm", "warm", "cold"]),
                "type": self.dice.choice(["event", "todo", "lesson"]),
                "source": self.dice.choice(["user", "session"]),
                "tags": ["pinned"]
                if self.dice.random() < pinned
                else self.dice.choice([[], [], [], ["a"], ["identity"]]),
            }
            ttl, project = self.dice.choice([0, 0, 3 * DAY_MS, 40 * DAY_MS]), self.dice.choice(["", "p", "q"])
            self.naive.create(id_, self.now, ttl=ttl, project=project, **fields)
            metadata = {"ttl": ttl, **({"project": project} if project else {})}
            raw = {"id": id_, "content": f"content of {id_}", "metadata": metadata, **fields}
            drafts.append(MemoryRequest(draft_from_json(raw, self.now, LevelNames())))
        outcomes = await write_memory(self.world, drafts, OWNER, INTENT)
        assert all(isinstance(outcome, Kept) for outcome in outcomes)

    async def use(self) -> None:
        id_ = self.some()
        entry = await self.world.ledger.entry(id_)
        assert entry is not None
        note_use(self.world, [entry])
        self.naive.use(id_, self.now)

    async def edit(self) -> None:
        id_ = self.some()
        text = {"content": f"edited at {self.now}"}
        await edit_memory(self.world, id_, text, LevelNames(), caller=OWNER, intent=INTENT)
        self.naive.edit(id_, self.now)

    async def shift(self) -> None:
        id_ = self.some()
        level, move = self.dice.choice([(Level.HOT, raise_memory), (Level.COLD, lower_memory)])
        if self.naive.memories[id_]["level"] != level.value:
            await move(self.world, id_, level, caller=OWNER, intent=INTENT)
            self.naive.move(id_, level.value, self.now)

    async def delete(self) -> None:
        id_ = self.some()
        await delete_memory(self.world, id_, OWNER, INTENT)
        self.naive.move(id_, "deleted", self.now)

    async def restore(self) -> None:
        month = self.now - 30 * DAY_MS
        gone = [id_ for id_, row in self.naive.memories.items() if row["deleted"] > month]
        if gone:
            id_ = self.dice.choice(gone)
            await restore_memory(self.world, id_, OWNER, INTENT)
            self.naive.restore(id_, self.now)

    async def erase(self) -> None:
        id_ = self.some()
        await erase_memory(self.world, id_, OWNER, INTENT)
        self.naive.move(id_, "erased", self.now)

    async def rule(self) -> None:
        names = "xyz"[: self.dice.randrange(1, 4)]
        rules = [
            {
                "name": name,
                "match": self.dice.choice(MATCHES),
                "action": self.dice.choice(ACTIONS),
                "priority": self.dice.choice(["low", "medium", "high"]),
            }
            for name in names
        ]
        document = {"rules": rules, "protected_tags": ["identity", "milestone"]}
        await set_forgetting(self.world, document, OWNER, INTENT)
        self.naive.rules = document
        self.naive.records["memory_rules"] += 1

    async def tend(self) -> Tended:
        """A run, and a dry run before it now and then: what that says is what is done."""
        self.naive.tend(self.now)
        told = await tend_memory(self.world, dry_run=True) if self.dice.random() < 0.2 else None
        did = await tend_memory(self.world)
        assert told is None or ways_of(told) == ways_of(did)
        return did

    async def live(self) -> None:
        """Days with memories, uses and changes of mind, then a still time after them."""
        number = 0
        for day in range(self.length.days):
            batch = self.length.memories * (day + 1) // self.length.days - number
            await self.create([f"mem_{day}_{number + place}" for place in range(batch)])
            number += batch
            if day % 15 == 7:
                await self.rule()
            for _ in range(60):
                self.clock.advance(self.dice.randrange(1, DAY_MS // 80))
                await self.use()
            for act in self.dice.choices([self.edit, self.shift, self.delete, self.restore, self.erase], k=5):
                self.clock.advance(1000)
                await act()
            self.clock.advance(HOUR_MS)
            await self.tend()
        for _ in range(STILL_DAYS // 10):
            self.clock.advance(10 * DAY_MS)
            await self.tend()


def ways_of(tended: Tended) -> tuple[Any, ...]:
    assert tended.left_off == 0
    steps = {name: count for name, count in tended.steps.items() if name != "keep_uses"}
    return steps, [(move.entry.id, move.to, move.trigger, move.rule, move.step) for move in tended.moves]


def evictions_told(changes: Sequence[Change]) -> Iterator[tuple[Any, ...]]:
    """When, which, action, trigger, rule, from where, whereto: of every move in the records."""
    for record in (record for change in changes for record in change.audit):
        for told in [record.details] if "memoryId" in record.details else record.details.get("evictions", ()):
            way = told["trigger"], told.get("rule_name", ""), told["previousLevel"], told["newLevel"]
            yield told["timestamp"], told["memoryId"], told["action"], *way


async def compare(both: BothYears) -> None:
    """Tiers, deletions, every move and every record are those of the second reading; a second run finds nothing."""
    naive, ledger = both.naive, cast(WatchedLedger, both.world.ledger)
    assert sorted(evictions_told(ledger.changes)) == sorted(naive.moves)
    entries = await both.world.ledger.entries_by_id(list(naive.memories))
    assert {id_: (entry.level.value, entry.deleted_at) for id_, entry in entries.items()} == {
        id_: (row["level"], row["deleted"]) for id_, row in naive.memories.items()
    }
    assert (await both.world.ledger.archived_by_id(sorted(naive.archived))).keys() == naive.archived
    records = Counter(record.type for change in ledger.changes for record in change.audit)
    del records["memory_write"], naive.records["memory_write"]
    assert records == naive.records
    ways = Counter((move[2], move[3]) for move in naive.moves)
    assert len(naive.moves) > both.length.memories
    assert len(ways) == WAYS, f"some way is not taken: {ways}"
    assert (await both.tend()).moves == (), "a second run at one time finds something"
