"""A home of its own for an AI agent: it talks A2A, remembers, and keeps an audit."""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.1.0"
