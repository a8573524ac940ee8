"""Whether the drills run in their full form (`make drill`) or in the short one of every test run."""

from __future__ import annotations

import os

__all__ = ["FULL"]

FULL = os.environ.get("CSB_DRILL") == "full"
