"""One row of the table of routes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from csbond.protocol.messages.caller import Role
from csbond.protocol.trust.access import Access

READS = "Reads only: repeating it changes nothing."
_NAME = re.compile(r"\{[^}]*\}")


@dataclass(frozen=True, slots=True)
class RouteRow:
    """One method of one path."""

    method: str
    path: str
    access: Access
    tag: str
    summary: str
    repeating: str
    role: Role | None = None
    """What a named principal must be where the class admits it; the story decides (`protocol/memory/rights.py`)."""

    @property
    def shape(self) -> tuple[str, str]:
        """What identifies the row: names of parameters do not matter."""
        return self.method, shape_of(self.path)


def shape_of(path: str) -> str:
    """A path with its parameters unnamed."""
    return _NAME.sub("{}", path)
