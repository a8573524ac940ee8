"""What the drills share: a client of few lines, a node in a process of its own, and what must hold afterwards."""

from __future__ import annotations
