"""How many tokens a memory file may hold, and how near to that it is."""

from __future__ import annotations

import re
from typing import Final, Literal

from memory_custodian.rules.value import Value

__all__ = ["DECISION_TOKENS", "INBOX_ITEMS", "BudgetResult", "BudgetState", "budget_of", "budget_state", "token_count"]

BudgetState = Literal["OK", "NEAR LIMIT", "OVER BUDGET"]

DECISION_TOKENS: Final = 120
"""Tokens of the body and reason of one decision: what a person wrote, without the fields."""

INBOX_ITEMS: Final = 30
"""Items of the inbox above which compaction is suggested."""

_FILES: Final = {
    "brief.md": 500,
    "decisions.md": 800,
    "constraints.md": 400,
    "do-not-use.md": 400,
    "preferences.md": 300,
    "changelog.md": 800,
}
_FOLDERS: Final = {"rules": 400, "profiles": 500, "areas": 600}
_TOKEN = re.compile(r"[A-Za-z0-9_]+|[^\sA-Za-z0-9_]")


class BudgetResult(Value):
    """What a plan does to the size of one file with a budget."""

    file: str
    before: int
    after: int
    limit: int
    state: BudgetState


def token_count(text: str) -> int:
    """Estimate: every word of ASCII letters and digits is one token, and so is any other visible character."""
    return len(_TOKEN.findall(text))


def budget_of(file: str) -> int | None:
    """Return the limit of a file, by its path in the memory directory; None where there is none."""
    folder, slash, name = file.partition("/")
    if not slash:
        return _FILES.get(file)
    return _FOLDERS.get(folder) if name != "README.md" else None


def budget_state(tokens: int, limit: int) -> BudgetState:
    """Decide from four fifths of the limit on that it is near, and above it that it is over."""
    if tokens > limit:
        return "OVER BUDGET"
    return "NEAR LIMIT" if tokens * 5 >= limit * 4 else "OK"
