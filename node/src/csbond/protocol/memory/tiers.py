"""The three tiers one above the other, and every way from one to another (MEM-001 §1.1, MEM-004 §4.2, MEM-005 §5.1)."""

from __future__ import annotations

from dataclasses import dataclass

from csbond.protocol.memory.entry import Level, refused
from csbond.protocol.memory.eviction import Place, Trigger

_FROM_THE_TOP = tuple(Level)


@dataclass(frozen=True, slots=True)
class Transition:
    """One way a memory can go."""

    source: Place
    target: Place
    step: str
    """The step of tending that does it; empty for what somebody does by name."""
    trigger: Trigger
    when: str


TRANSITIONS: tuple[Transition, ...] = (
    Transition("deleted", "erased", "clear", "system", "softly deleted 30 days ago"),
    Transition(Level.HOT, "deleted", "rules", "rule", "a rule says soft_delete"),
    Transition(Level.WARM, "deleted", "rules", "rule", "a rule says soft_delete"),
    Transition(Level.COLD, "deleted", "rules", "rule", "a rule says soft_delete"),
    Transition(Level.HOT, Level.COLD, "rules", "rule", "a rule says archive"),
    Transition(Level.WARM, Level.COLD, "rules", "rule", "a rule says archive"),
    Transition(Level.COLD, "deleted", "cold_ttl", "ttl", "its time to live has passed"),
    Transition(Level.WARM, Level.COLD, "warm_ttl", "ttl", "its time to live has passed, or 90 days without a use"),
    Transition(Level.HOT, Level.WARM, "hot_idle", "system", "30 days without a use"),
    Transition(Level.COLD, Level.WARM, "rise", "system", "found by meaning, where the home lets it"),
    Transition(Level.WARM, Level.HOT, "hot_cap", "system", "three uses within seven days"),
    Transition(Level.HOT, Level.WARM, "hot_cap", "lru", "hot is beyond its cap, and this was used least recently"),
    Transition(Level.WARM, Level.COLD, "warm_cap", "lru", "its project is beyond its cap in warm"),
    Transition(Level.COLD, Level.WARM, "", "manual", "somebody raises it"),
    Transition(Level.WARM, Level.HOT, "", "manual", "somebody raises it"),
    Transition(Level.COLD, Level.HOT, "", "manual", "somebody raises it"),
    Transition(Level.HOT, Level.WARM, "", "manual", "somebody lowers it"),
    Transition(Level.WARM, Level.COLD, "", "manual", "somebody lowers it"),
    Transition(Level.HOT, Level.COLD, "", "manual", "somebody lowers it"),
    Transition(Level.HOT, "deleted", "", "manual", "somebody deletes it"),
    Transition(Level.WARM, "deleted", "", "manual", "somebody deletes it"),
    Transition(Level.COLD, "deleted", "", "manual", "somebody deletes it"),
    Transition("deleted", Level.HOT, "", "manual", "somebody restores it within 30 days"),
    Transition("deleted", Level.WARM, "", "manual", "somebody restores it within 30 days"),
    Transition("deleted", Level.COLD, "", "manual", "somebody restores it within 30 days"),
    Transition(Level.HOT, "erased", "", "manual", "the owner erases it"),
    Transition(Level.WARM, "erased", "", "manual", "the owner erases it"),
    Transition(Level.COLD, "erased", "", "manual", "the owner erases it"),
    Transition("deleted", "erased", "", "manual", "the owner erases it"),
)
"""Every way there is, with the default thresholds; steps in the order in which tending takes them."""


def raised(level: Level, to: Level | None = None) -> Level:
    """The next higher tier, or the one named; what is there already stays. `invalid_params` names a lower one."""
    if to is None:
        return _FROM_THE_TOP[max(0, _place(level) - 1)]
    if _place(to) > _place(level):
        raise refused("to", f"is {to}, which is below {level}: lower the memory instead")
    return to


def lowered(level: Level, to: Level | None = None) -> Level:
    """The next lower tier, or the one named; what is there already stays. `invalid_params` names a higher one."""
    if to is None:
        return _FROM_THE_TOP[min(len(_FROM_THE_TOP) - 1, _place(level) + 1)]
    if _place(to) < _place(level):
        raise refused("to", f"is {to}, which is above {level}: raise the memory instead")
    return to


def _place(level: Level) -> int:
    return _FROM_THE_TOP.index(level)
