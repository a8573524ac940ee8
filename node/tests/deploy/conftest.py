"""Leaves out what only systemd can judge where systemd is not: that machine lacks nothing a node needs."""

from __future__ import annotations

import shutil

collect_ignore = [] if shutil.which("systemd-analyze") else ["test_systemd_analyze.py"]
