"""The words of a command line that give a request again, for the command that a preview prints."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

__all__ = ["option_words", "positional_words"]


def option_words(options: argparse.Namespace, names: Sequence[str]) -> list[str]:
    """Return the words that give these options again; those that were not given are left out."""
    words: list[str] = []
    for name in names:
        value = getattr(options, name)
        flag = f"--{name.replace('_', '-')}"
        if value is True:
            words.append(flag)
        for one in value if isinstance(value, list) else [value] if isinstance(value, str) and value else []:
            words += [f"{flag}={one}"] if one.startswith("-") else [flag, one]
    return words


def positional_words(*words: str) -> list[str]:
    """Return the words behind the options; what begins like an option stands behind `--`."""
    return ["--", *words] if any(word.startswith("-") for word in words) else [*words]
