"""The rules of tiers and forgetting, put together in their order, come to what a second reading of the text says."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

from csbond.protocol.memory.deletion import DAY_MS, DeletionPolicy, due_for_clearing
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.eviction import Move, eviction_details, has_just_moved, moved, record_type
from csbond.protocol.memory.forgetting import verdict
from csbond.protocol.memory.forgetting_json import policy_from_json
from csbond.protocol.memory.lifetime import next_down, outlived
from csbond.protocol.memory.promotion import promotes, sinks, token, with_uses
from csbond.protocol.memory.tier_caps import over_cap
from csbond.protocol.memory.tier_policy import TierPolicy
from csbond_tests.aged_memories import NOW, aged
from csbond_tests.drills import naive_year
from csbond_tests.drills.naive_year import NaiveYear
from csbond_tests.requirements import requirement

POLICY = TierPolicy(hot_cap=3, warm_cap=4)


class SecondYear(NaiveYear):
    def set_rules(self, document):
        self.rules = document


class RuledYear:
    """The same life, decided by the rules."""

    def __init__(self):
        self.entries, self.forgetting, self.moves, self.records = {}, policy_from_json({}), [], []

    def set_rules(self, document):
        self.forgetting = policy_from_json(document)

    def create(self, id_, now, **fields):
        self.entries[id_] = aged(id=id_, used_at=now, timestamp=now, access_count=0, **fields)

    def use(self, id_, now):
        entry = self.entries[id_]
        self.entries[id_] = replace(entry, used_at=now, recent=with_uses(entry.recent, [token(now)]))

    def carry_out(self, now, entry, to, trigger, rule=""):
        move = Move(entry, to, trigger, rule)
        told = eviction_details(move, now)
        way = (told["previousLevel"], told["newLevel"])
        self.moves.append((now, entry.id, told["action"], told["trigger"], told.get("rule_name", ""), *way))
        self.records.append(record_type(move))
        if to == "erased":
            del self.entries[entry.id]
        else:
            self.entries[entry.id] = moved(move, now)

    def living(self, level):
        return [entry for entry in self.entries.values() if entry.level is level and not entry.deleted_at]

    def tend(self, now):
        for entry in list(self.entries.values()):
            due = self.due(entry, now)
            if due:
                self.carry_out(now, entry, *due)
        warm = (entry for entry in self.living(Level.WARM) if not has_just_moved(entry, now))
        candidates = [entry for entry in warm if promotes(entry, now, POLICY)]
        evicted, admitted = over_cap(self.living(Level.HOT), candidates, POLICY.hot_cap, POLICY)
        self.evict(now, evicted)
        for entry in admitted:
            self.carry_out(now, entry, Level.HOT, "system")
        for project in {entry.project for entry in self.living(Level.WARM)}:
            members = [entry for entry in self.living(Level.WARM) if entry.project == project]
            self.evict(now, over_cap(members, (), POLICY.warm_cap, POLICY)[0])

    def evict(self, now, entries):
        for entry in entries:
            if not has_just_moved(entry, now):
                self.carry_out(now, entry, next_down(entry.level), "lru")

    def due(self, entry, now):
        if entry.deleted_at:
            return ("erased", "system") if due_for_clearing(entry, now, DeletionPolicy()) else None
        ruling = verdict(self.forgetting, entry, now)
        if ruling.action == "soft_delete":
            return "deleted", "rule", ruling.rule
        if ruling.action == "archive" and entry.level is not Level.COLD:
            return Level.COLD, "rule", ruling.rule
        if has_just_moved(entry, now):
            return None
        over = outlived(entry, now, POLICY)
        if entry.level is Level.COLD:
            return (next_down(entry.level), "ttl") if over and ruling.action == "ttl_evict" else None
        if (over and ruling.action != "protect") or sinks(entry, now, POLICY):
            return next_down(entry.level), "system" if entry.level is Level.HOT else "ttl"
        return None


MATCHES = [{"type": "todo"}, {"source": "session"}, {"tags": ["a"]}, {"type": "event", "age_hours": 480}]
STILL_FROM = 100
ACTIONS = ["soft_delete", "soft_delete", "archive", "protect", "ttl_evict"]


def some_rules(dice):
    rules = [{"name": name, "match": dice.choice(MATCHES), "action": dice.choice(ACTIONS)} for name in "xyz"]
    return {
        "enabled": dice.random() < 0.9,
        "rules": [rule | {"priority": dice.choice(["low", "medium", "high"])} for rule in rules[: dice.randrange(4)]],
        "default_action": dice.choice(["ttl_evict", "ttl_evict", "protect"]),
        "protected_tags": ["identity", "milestone"],
    }


def some_memory(dice):
    return {
        "level": dice.choice(["hot", "warm", "cold"]),
        "type": dice.choice(["event", "todo", "lesson"]),
        "source": dice.choice(["user", "session"]),
        "tags": dice.choice([(), (), ("a",), ("identity",), ("pinned",)]),
        "ttl": dice.choice([0, 0, 3 * DAY_MS, 40 * DAY_MS]),
        "project": dice.choice(["", "p"]),
    }


def live(seed, *years):
    """200 days, some of them tended: memories come, are used and ruled anew; then it is still around them."""
    dice, now = Random(seed), NOW
    for day in range(200):
        now += DAY_MS
        if day % 50 == 10:
            document = some_rules(dice)
            for year in years:
                year.set_rules(document)
        for number in range(dice.randrange(3) if day < STILL_FROM else 0):
            fields = some_memory(dice)
            for year in years:
                year.create(f"mem_{day}_{number}", now + number, **fields)
        living = sorted(entry.id for entry in years[0].entries.values() if not entry.deleted_at)
        for place, id_ in enumerate(dice.choices(living[-8:], k=6) if living and day < STILL_FROM else ()):
            for year in years:
                year.use(id_, now + 1000 + place)
        if dice.random() < 0.3:
            for year in years:
                year.tend(now + 2000)


@requirement("MEM-001-1.1-hot-cap", "MEM-001-1.1-warm-cap", "MEM-005-5.4-every-eviction")
def test_each_move_of_each_memory_is_the_one_of_the_second_reading():
    ways = set()
    for seed in range(12):
        naive, ruled = SecondYear(POLICY.hot_cap, POLICY.warm_cap), RuledYear()
        live(seed, ruled, naive)
        assert sorted(ruled.moves) == sorted(naive.moves)
        assert {id_: entry.level for id_, entry in ruled.entries.items()} == {
            id_: row["level"] for id_, row in naive.memories.items()
        }
        del naive.records["memory_write"]
        assert Counter(ruled.records) == naive.records
        ways |= {(source, target, trigger) for _, _, _, trigger, _, source, target in ruled.moves}
    assert ways == WAYS


TIERS = ("hot", "warm", "cold")
WAYS = {
    *((tier, "deleted", "rule") for tier in TIERS),
    *((tier, "erased", "system") for tier in TIERS),
    ("hot", "cold", "rule"),
    ("warm", "cold", "rule"),
    ("cold", "deleted", "ttl"),
    ("warm", "cold", "ttl"),
    ("warm", "cold", "lru"),
    ("hot", "warm", "lru"),
    ("hot", "warm", "system"),
    ("warm", "hot", "system"),
}


def test_the_second_reading_is_short_and_knows_nothing_of_the_rules():
    text = Path(str(naive_year.__file__)).read_text(encoding="utf-8")
    tree = ast.parse(text)
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported == {"__future__", "collections", "typing"}
    assert len(text.splitlines()) <= 150
