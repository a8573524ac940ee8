"""Models and indexes the node works with, each behind a port; what is not installed is said, not imitated."""

from __future__ import annotations
