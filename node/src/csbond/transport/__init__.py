"""Bytes to and from other agents, on the official `a2a-sdk`."""

from __future__ import annotations

import os

# The SDK wraps every call in dozens of spans that nobody reads; it looks at this once, when it is first imported.
os.environ.setdefault("OTEL_INSTRUMENTATION_A2A_SDK_ENABLED", "false")
