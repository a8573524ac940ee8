"""What a lock file says, and when it may be broken (§7)."""

from __future__ import annotations

from typing import Final

from memory_custodian.rules.value import Value

__all__ = [
    "MALFORMED_AGE_SECONDS",
    "POLL_MAX_SECONDS",
    "POLL_MIN_SECONDS",
    "SEED_AGE_SECONDS",
    "STALE_AGE_SECONDS",
    "WAIT_SECONDS",
    "LockRecord",
    "Seen",
]

WAIT_SECONDS: Final = 10.0
"""Long enough for a queue of agents, short enough for a person (§7.3)."""
POLL_MIN_SECONDS: Final = 0.10
POLL_MAX_SECONDS: Final = 0.25
STALE_AGE_SECONDS: Final = 60.0
MALFORMED_AGE_SECONDS: Final = 300.0
SEED_AGE_SECONDS: Final = 7 * 24 * 3600.0
"""How long a preview can be applied (§8.1)."""


class LockRecord(Value):
    """The JSON of a lock file (§7.2). Only hostname and pid are needed to judge it."""

    hostname: str
    pid: int
    project_id: str = ""
    project_root: str = ""
    created_at: str = ""
    """UTC, ISO 8601."""
    command: str = ""
    process_start: str = ""
    """Tells a process from a later one with its number; empty where the system does not say."""


class Seen(Value):
    """A lock that is held by somebody, as it was found."""

    record: LockRecord | None
    """None where the file is malformed."""
    age_seconds: float
    """The greater of what its time stamp and its record say."""
    same_host: bool
    process_gone: bool
    private: bool
    """A regular file of this user that nobody else may write, and no symbolic link."""
