"""A plan: every file change of one mutation, shown before it is made, applied whole or reported exactly (§8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from memory_custodian.rules.budgets import BudgetResult
from memory_custodian.rules.erasure import ErasureScope
from memory_custodian.rules.value import Value

__all__ = ["Argument", "FileChange", "Gate", "Operation", "Plan", "arguments_of"]

Operation = Literal["create", "replace"]
Argument = str | bool | tuple[str, ...] | None


class FileChange(Value):
    """One file before and after."""

    path: str
    """POSIX path relative to the project."""
    before: str | None
    """None where the file does not exist."""
    after: str
    summary: str
    """What happens to it, for a person."""
    crlf: bool = False

    @property
    def operation(self) -> Operation:
        """Whether the file is new."""
        return "create" if self.before is None else "replace"

    @property
    def bytes_before(self) -> bytes:
        """The file on disk; nothing where it does not exist."""
        return self._encoded(self.before or "")

    @property
    def bytes_after(self) -> bytes:
        """What will be on disk: the text, ended by a line end."""
        return self._encoded(self.after if self.after.endswith("\n") else self.after + "\n")

    def _encoded(self, text: str) -> bytes:
        return (text.replace("\n", "\r\n") if self.crlf else text).encode("utf-8")


class Gate(Value):
    """A flag without which the plan is not applied. It is no part of the identity: the plan is the same without it."""

    flag: str
    """As --allow-broad-match."""
    reason: str


class Plan(Value):
    """One mutation, computed completely and not yet made."""

    command: str
    """As forget or subject add."""
    arguments: Mapping[str, Argument]
    """Normalised; path-like ones relative to the project."""
    changes: tuple[FileChange, ...]
    """In the order of writing; empty when there is nothing to do."""
    project_id: str
    protocol_version: str
    headline: tuple[str, ...] = ()
    """The lines the command itself prints above the plan."""
    warnings: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    """With one of them nothing is applied."""
    gates: tuple[Gate, ...] = ()
    budgets: tuple[BudgetResult, ...] = ()
    context: Mapping[str, Argument] = {}
    """Further facts of the identity: generated IDs, links, hints."""
    erasure: ErasureScope | None = None
    topic: str = ""
    """Set for hard and purge: what must appear nowhere outside the private form."""
    nonce: str = ""
    """Set for hard and purge: what keeps their Plan ID from telling the topic."""
    created: tuple[str, ...] = ()
    """IDs of entries and Subjects that it writes."""

    @property
    def sensitive(self) -> bool:
        """Whether the topic and digests are kept out of everything that is shown."""
        return bool(self.topic)


def arguments_of(values: Mapping[str, Any]) -> dict[str, Argument]:
    """Return what was asked for of an entry or Subject, with its evidence as text; what the disk lacks is no part."""
    given = {**values, "evidence": tuple(map(str, values["evidence"]))}
    given.pop("missing_evidence", None)
    return given
