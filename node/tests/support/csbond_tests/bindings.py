"""The bindings and dialects in which a node is asked, and how they name what it refuses."""

from __future__ import annotations

import importlib.util

import pytest

from csbond.protocol.errors import REGISTRY
from csbond.transport.faults import grpc_status

__all__ = ["BINDINGS", "HAS_GRPC", "LISTING", "as_said"]

HAS_GRPC = importlib.util.find_spec("grpc") is not None
_needs_grpc = pytest.mark.skipif(not HAS_GRPC, reason="the extra `grpc` is not installed; `make setup` installs it")

LISTING = ("json-rpc 1.0", "json-rpc 0.3", "http+json 1.0", pytest.param("grpc 1.0", marks=_needs_grpc))
"""Where tasks can be listed: v0.3 had no listing in its other bindings."""
BINDINGS = (*LISTING, "http+json 0.3", pytest.param("grpc 0.3", marks=_needs_grpc))


def as_said(binding: str, code: str) -> str:
    """How a binding names a refusal: by its code, but gRPC of v0.3 by a status alone, and gRPC no code of CSB's own."""
    if binding == "grpc 0.3":
        return grpc_status(REGISTRY[code]).lower()
    csb = -32100 < REGISTRY[code].rpc <= -32050
    return "invalid_params" if csb and binding == "grpc 1.0" else code
