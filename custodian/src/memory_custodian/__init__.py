"""Keeps the project memory of coding agents as reviewable Markdown in a repository."""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.10.0"
