"""What this agent can do: the skills that answer messages, and what a skill of one's own is made of."""

from __future__ import annotations

from csbond.flows.turn import (
    Answer,
    Ask,
    Done,
    Fail,
    Found,
    Recall,
    Reject,
    Reply,
    Say,
    Skill,
    SkillCard,
    Turn,
    Working,
)
from csbond.protocol.messages.part import Part, PartKind, text_part
from csbond.skills.function import FunctionSkill, skill

__all__ = [
    "Answer",
    "Ask",
    "Done",
    "Fail",
    "Found",
    "FunctionSkill",
    "Part",
    "PartKind",
    "Recall",
    "Reject",
    "Reply",
    "Say",
    "Skill",
    "SkillCard",
    "Turn",
    "Working",
    "skill",
    "text_part",
]
