"""The project an entry belongs to: the "file" of which warm holds 200 entries (MEM-001 §1.1)."""

from __future__ import annotations

import re

from csbond.protocol.memory.entry import Origin
from csbond.protocol.memory.words import folded

PROJECT_MAX = 128
"""Code points of a project's name."""

THREAD_PROJECT = "thread:"
"""With what the project begins of what names none and comes from a thread."""

_GAP = re.compile(r"[\s_-]+")


def folded_name(name: str) -> str:
    """A name as it is compared: without case, width and composition, and with one `-` for each gap."""
    return _GAP.sub("-", folded(name)).strip("-")


def project_of(project: str, origin: Origin) -> str:
    """The project an entry is counted with: the one it names, else the thread it comes from, else none ("")."""
    named = folded_name(project)
    return named or (f"{THREAD_PROJECT}{origin.thread_id}" if origin.thread_id else "")
