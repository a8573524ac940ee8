"""The names a home gives its three tiers: `memory_level_map` of its identity (MEM-001 §1.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from csbond.protocol.errors import LocalProtocolError
from csbond.protocol.memory.entry import Level, refused

NAME_MAX = 32
"""Code points of a tier's name."""


@dataclass(frozen=True, slots=True)
class LevelNames:
    """How the tiers are written; what is read may also be hot, warm, cold, in any case."""

    written: Mapping[Level, str] = field(default_factory=lambda: {level: level.value for level in Level})

    def name(self, level: Level) -> str:
        """The name of a tier, as this home declares it."""
        return self.written[level]

    def level(self, value: object) -> Level:
        """The tier of a name; `invalid_params` when it is the name of none."""
        wanted = value.strip().casefold() if isinstance(value, str) else None
        for level, name in self.written.items():
            if wanted in (level.value, name.casefold()):
                return level
        names = dict.fromkeys([level.value for level in Level] + list(self.written.values()))
        raise refused("level", f"must be one of {', '.join(names)}")


def level_names(raw: Mapping[str, str]) -> LevelNames:
    """The names of a `memory_level_map`; tiers it leaves out keep their own.

    `setting_invalid` for a key that is no tier and a name that is empty, too long or could mean two tiers.
    """
    written = {level: level.value for level in Level}
    for key, name in raw.items():
        if key not in written:
            raise _refuse(f"has no tier {key!r}")
        if not name.strip() or len(name) > NAME_MAX:
            raise _refuse(f"needs a name of 1 to {NAME_MAX} characters for {key}")
        written[Level(key)] = name.strip()
    meanings: dict[str, Level] = {level.value: level for level in Level}
    for level, name in written.items():
        if meanings.setdefault(name.casefold(), level) is not level:
            raise _refuse(f"gives the name {name!r} to two tiers")
    return LevelNames(written)


def _refuse(reason: str) -> LocalProtocolError:
    return LocalProtocolError("setting_invalid", f"memory_level_map {reason}", field="memory_level_map")
