"""Who is calling: the owner, a named principal, or anybody."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class CallerKind(StrEnum):
    """How a caller was recognised; a verified peer comes with signed requests."""

    ANONYMOUS = "anonymous"
    PRINCIPAL = "principal"
    OWNER = "owner"


class Role(StrEnum):
    """What a named principal may do in its Spaces."""

    VIEWER = "viewer"
    EDITOR = "editor"


@dataclass(frozen=True, slots=True)
class Caller:
    """The proof of who is calling, made only from a token, never from what a message says."""

    kind: CallerKind
    name: str = ""
    role: Role | None = None
    spaces: frozenset[str] = frozenset()

    @property
    def key(self) -> str:
        """The owner of tasks, threads and push settings: `owner`, `principal:<name>` or `anonymous`."""
        return f"principal:{self.name}" if self.kind is CallerKind.PRINCIPAL else self.kind.value

    def may_read(self, space: str) -> bool:
        """Whether the caller may read records of a Space."""
        return self.kind is CallerKind.OWNER or space in self.spaces


ANONYMOUS = Caller(CallerKind.ANONYMOUS)
OWNER = Caller(CallerKind.OWNER, "owner")
