"""The limits that stories keep, each with its unit and its reason; settings may change them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Named numbers of the stories; unknown settings are refused."""

    repeat_window_s: int = 600
    """Seconds in which the same message id of the same caller gets the same answer: longer than any client retries."""
    text_length: int = 262_144
    """Characters of all texts of one message: a short book; whatever is longer is better sent as a file."""
    file_bytes: int = 8 * 1024 * 1024
    """Bytes of all file parts of one message: what a chat attachment needs, small enough to keep in a row."""
    answer_bytes: int = 64 * 1024 * 1024
    """Bytes of all chunks of one answer: a run-away skill must not fill the disk."""
    interrupted_ttl_s: int = 7 * 24 * 3600
    """Seconds a task may wait for its caller before it is ended: one week of holidays."""
    push_configs: int = 16
    """Webhooks of one task: more would make one message many calls."""
    push_attempts: int = 7
    """Tries of one notification (A2A-008)."""
    push_first_delay_s: float = 1.0
    """Seconds before the second try; doubled each time (A2A-015)."""
    push_delay_max_s: float = 600.0
    """The longest wait between two tries: ten minutes (A2A-015)."""
    index_lag: int = 100_000
    """Entries that may wait for their vector before writes are refused with `too_busy`."""
    import_bytes: int = 64 * 1024 * 1024
    """Bytes of one source of an import: half a million short memories; a larger one is sent in parts."""
    snapshot_memories: int = 20_000
    """Memories of one snapshot: more are made and loaded part by part."""
    snapshot_bytes: int = 64 * 1024 * 1024
    """Bytes of the file of one snapshot: all of it is held while its checksums are looked at."""
