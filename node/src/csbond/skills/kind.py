"""A kind of skill: its name, its settings and how it is made. What an entry point of the group names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from csbond.flows.turn import Skill
from csbond.skills.settings import SkillSettings, settings_from

S = TypeVar("S", bound=SkillSettings)


@dataclass(frozen=True, slots=True)
class Kind(Generic[S]):
    """Makes skills from the table `[skill]`, without its key `kind`."""

    name: str
    settings: type[S]
    make: Callable[[S, Path], Skill]

    def __call__(self, table: Mapping[str, object], home: Path) -> Skill:
        """The skill; `setting_invalid` for a key or value that is not accepted."""
        return self.make(settings_from(self.settings, table, self.name), home)
