"""Which modules a task loads, and why each (§3.1): values, not sentences."""

from __future__ import annotations

from typing import Final, Literal

from memory_custodian.rules.value import Value

__all__ = ["TASKS", "Category", "Module", "ModuleState", "Pack", "Reason", "Route", "Source"]

Category = Literal["general", "planning", "implementation", "artifact", "preferences", "history", "maintenance"]

TASKS: Final[dict[str, Category]] = {
    "default": "general",
    "general": "general",
    "planning": "planning",
    "architecture": "planning",
    "refactoring": "planning",
    "implementation": "implementation",
    "execution": "implementation",
    "debugging": "implementation",
    "artifact": "artifact",
    "output": "artifact",
    "preferences": "preferences",
    "history": "history",
    "recap": "history",
    "status": "history",
    "maintenance": "maintenance",
    "compact": "maintenance",
    "forget": "maintenance",
}
"""Every name `--task` takes, and the category it stands for. Free text is never looked at."""

Source = Literal[
    "always-load",
    "canonical-task-route",
    "explicit-profile",
    "explicit-area",
    "optional-file-absent",
    "required-file-missing",
    "budget-omission",
]

ModuleState = Literal["loaded", "absent", "missing"]


class Reason(Value):
    """Why a module is where it is in the answer."""

    source: Source
    detail: str
    """The category, or the name given with --profile or --area; tokens over the limit for a budget omission."""


class Route(Value):
    """One module that was asked for."""

    file: str
    """Its path in the memory directory."""
    module: str
    """Its identity: the POSIX path relative to the project."""
    required: bool
    reasons: tuple[Reason, ...]


class Module(Value):
    """One module of the answer, with what of it was loaded."""

    route: Route
    state: ModuleState
    reasons: tuple[Reason, ...]
    """Those of the route, then why it is absent or cut."""
    text: str = ""
    omitted: int = 0
    """Whole units left out because of the budget."""
    oversized: bool = False
    """The first unit alone is over the limit and was loaded whole."""
    inactive: int = 0
    """Units left out because of their Status, or because the inbox is not memory."""
    inactive_statuses: tuple[str, ...] = ()
    """What those are, each once, as superseded."""
    candidates: bool = False
    """Whether what was loaded holds candidates: only a maintenance task gets them, and they are labelled."""
    limit: int | None = None


class Pack(Value):
    """The answer of `read`."""

    task: str
    """As it was typed."""
    category: Category
    modules: tuple[Module, ...]
