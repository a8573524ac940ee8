"""Where a caller wants to be told about a task (A2A v1.0.1 §4.3.1)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PushConfig:
    """A webhook; the token and credentials are given back to it and to nobody else."""

    id: str
    task_id: str
    url: str
    token: str = ""
    scheme: str = ""
    credentials: str = ""
    dialect: str = "1.0"
    """The A2A version its notifications are written in: that of the request that made it."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """One notification waiting in the outbox."""

    id: str
    task_id: str
    config_id: str
    payload: bytes
    attempts: int
    due_at: int
    """Not before this time, in milliseconds since 1970."""
