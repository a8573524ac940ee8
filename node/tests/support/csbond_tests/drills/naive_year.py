"""What tiers and forgetting come to, worked out a second time: slowly, from the text, without the rules of the node.

MEM-001 §1.1, MEM-004 §4.2, MEM-005 §5.1–5.4, with the preset thresholds. Memories are plain dictionaries, and every one
is looked at in every run. Cold memories do not rise by being found, nothing waits for a person, no text has pieces, and
no archived record grows three years old.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

__all__ = ["DAY", "NaiveYear"]

DAY = 24 * 60 * 60 * 1000
_USES, _WITHIN = 3, 7 * DAY
_HOT_IDLE, _WARM_IDLE, _RESTORE, _SPARED = 30 * DAY, 90 * DAY, 30 * DAY, 90 * DAY


class NaiveYear:
    """The memories of one node through a time that the caller tells; all times are milliseconds."""

    def __init__(self, hot_cap: int = 100, warm_cap: int = 200) -> None:
        self.hot_cap, self.warm_cap = hot_cap, warm_cap
        self.rules: dict[str, Any] = {"protected_tags": ["identity", "milestone"]}
        self.memories: dict[str, dict[str, Any]] = {}
        self.archived: set[str] = set()
        self.moves: list[tuple[int, str, str, str, str, str, str]] = []
        """When, which, action, trigger, rule, from where, whereto: of every move, by tending or by hand."""
        self.records: Counter[str] = Counter()
        """Audit records by their type."""

    def create(self, id_: str, now: int, level: str = "warm", timestamp: int = 0, **fields: Any) -> None:
        row = {"type": "event", "source": "user", "tags": [], "ttl": 0, "project": "", "spared": 0, **fields}
        row |= {"level": level, "timestamp": timestamp or now, "used": now, "uses": [], "deleted": 0, "moved": 0}
        self.memories[id_] = row
        self.records["memory_write"] += 1

    def use(self, id_: str, now: int) -> None:
        self.memories[id_] |= {"uses": [*self.memories[id_]["uses"], now][-16:], "used": now}

    def edit(self, id_: str, now: int) -> None:
        self.memories[id_]["used"] = now
        self.records["memory_edit"] += 1

    def restore(self, id_: str, now: int) -> None:
        self.memories[id_] |= {"deleted": 0, "used": now, "spared": now + _SPARED}
        self.records["memory_restore"] += 1

    def move(self, id_: str, to: str, now: int) -> None:  # by hand: to a tier, `deleted` or `erased`
        self._move(id_, to, "manual", "", now)
        if to in ("hot", "warm", "cold"):
            self.memories[id_] |= {"used": now, "uses": []}

    def tend(self, now: int) -> None:
        """One run: what is due by itself first, then the caps; nothing changes its tier twice at one moment."""
        for id_, row in list(self.memories.items()):
            due = self._due(row, now)
            if due:
                self._move(id_, *due, now)
        self._keep_hot_cap(now)
        self._keep_warm_caps(now)

    def verdict(self, row: dict[str, Any], now: int) -> tuple[str, str]:
        """What the rules let become of a memory, and the name of the one that says so."""
        document, order = self.rules, (9, 9)
        if now < row["spared"] or any(tag in document.get("protected_tags", []) for tag in row["tags"]):
            return "protect", ""
        best = document.get("default_action", "ttl_evict"), "default_action"
        for rule in document.get("rules", []) if document.get("enabled", True) else []:
            priority = ["high", "medium", "low"].index(rule.get("priority", "medium"))
            keeps = ["protect", "ttl_evict", "archive", "soft_delete"].index(rule["action"])
            if self._fits(rule.get("match", {}), row, now) and (priority, keeps) < order:
                best, order = (rule["action"], rule["name"]), (priority, keeps)
        return best

    def _fits(self, match: dict[str, Any], row: dict[str, Any], now: int) -> bool:
        old_enough = now - row["timestamp"] >= match.get("age_hours", 0) * 3_600_000
        same = all(match[part] == row[part] for part in ("type", "source") if part in match)
        return same and old_enough and all(tag in row["tags"] for tag in match.get("tags", []))

    def _due(self, row: dict[str, Any], now: int) -> tuple[str, str, str] | None:
        """Whereto, by which trigger and rule; None for what stays as far as it alone is concerned."""
        if row["deleted"]:
            return ("erased", "system", "") if now - row["deleted"] >= _RESTORE else None
        action, rule = self.verdict(row, now)
        if action == "soft_delete":
            return "deleted", "rule", rule
        if action == "archive" and row["level"] != "cold":
            return "cold", "rule", rule
        over = row["ttl"] > 0 and row["timestamp"] + row["ttl"] <= now
        idle = 0 if self._pinned(row) else now - row["used"]
        if row["moved"] == now:
            return None
        if row["level"] == "cold":
            return ("deleted", "ttl", "") if over and action == "ttl_evict" else None
        if row["level"] == "warm" and ((over and action != "protect") or idle >= _WARM_IDLE):
            return "cold", "ttl", ""
        return ("warm", "system", "") if row["level"] == "hot" and idle >= _HOT_IDLE else None

    def _keep_hot_cap(self, now: int) -> None:
        """The cap is for the latest used of those who are in and those who have earned it; the pinned stay."""
        inside = self._living("hot")
        asking = [id_ for id_ in self._living("warm") if self._earned(self.memories[id_], now)]
        pinned = [id_ for id_ in inside if self._pinned(self.memories[id_])]
        ranked = sorted({*inside, *asking} - set(pinned), key=self._latest, reverse=True)
        free = max(0, self.hot_cap - len(pinned))
        for place, id_ in enumerate(ranked):
            hot = self.memories[id_]["level"] == "hot"
            if hot is not (place < free) and self.memories[id_]["moved"] != now:
                self._move(id_, *(("warm", "lru") if hot else ("hot", "system")), "", now)

    def _keep_warm_caps(self, now: int) -> None:
        projects: dict[str, list[str]] = {}
        for id_ in self._living("warm"):
            projects.setdefault(self.memories[id_]["project"], []).append(id_)
        for ids in projects.values():
            loose = sorted((id_ for id_ in ids if not self._pinned(self.memories[id_])), key=self._latest)
            beyond = loose[: max(0, len(ids) - self.warm_cap)]
            for id_ in (id_ for id_ in beyond if self.memories[id_]["moved"] != now):
                self._move(id_, "cold", "lru", "", now)

    def _earned(self, row: dict[str, Any], now: int) -> bool:
        often = sum(at >= now - _WITHIN for at in row["uses"]) >= _USES
        return often and now - row["used"] <= _WITHIN and row["moved"] != now and not self._pinned(row)

    def _move(self, id_: str, to: str, trigger: str, rule: str, now: int) -> None:
        row, tiers = self.memories[id_], ["hot", "warm", "cold"]
        if to in tiers:
            rises = tiers.index(to) < tiers.index(row["level"])
            action = "promote" if rises else "archive" if trigger == "rule" else "demote"
        else:
            action = "delete" if to == "deleted" else "hard_delete"
        self.moves.append((now, id_, action, trigger, rule, row["level"], to))
        kind = "erase" if trigger == "manual" else "clear"
        self.records[f"memory_{kind if to == 'erased' else action}"] += 1
        if to == "erased":
            del self.memories[id_]
            self.archived.add(id_)
        else:
            row |= {"deleted": now} if to == "deleted" else {"level": to, "moved": now}

    def _living(self, level: str) -> list[str]:
        return [id_ for id_, row in self.memories.items() if row["level"] == level and not row["deleted"]]

    def _latest(self, id_: str) -> tuple[int, str]:
        return self.memories[id_]["used"], id_

    def _pinned(self, row: dict[str, Any]) -> bool:
        return "pinned" in row["tags"]
