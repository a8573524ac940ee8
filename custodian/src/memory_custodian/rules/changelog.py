"""What is noted in changelog.md: one line for each change of the memory, the newest first."""

from __future__ import annotations

from memory_custodian.rules.text import fenced

__all__ = ["logged"]


def logged(text: str, today: str, message: str) -> str:
    """Return a changelog with one more line, under the heading of its day; a heading is never repeated at the top.

    The line stands behind title and preamble, before everything older. Line breaks of the message become spaces.
    """
    lines = text.rstrip("\n").split("\n")
    bullet = "- " + " ".join(message.split())
    inside = fenced(lines)
    first = next((at for at, line in enumerate(lines) if line.startswith("## ") and not inside[at]), None)
    if first is None:
        return "\n".join([*_and_a_blank(lines), f"## {today}", bullet]) + "\n"
    if lines[first][3:].strip() != today:
        return "\n".join([*_and_a_blank(lines[:first]), f"## {today}", bullet, "", *lines[first:]]) + "\n"
    after = first + 1
    while after < len(lines) and not lines[after].strip():
        after += 1
    return "\n".join([*lines[:after], bullet, *_apart(lines[after:])]) + "\n"


def _and_a_blank(lines: list[str]) -> list[str]:
    """Return the lines with one blank line behind them; none where there is nothing."""
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return [*lines, ""] if lines else []


def _apart(rest: list[str]) -> list[str]:
    """Return what follows a new bullet, behind a blank line unless it is the next bullet."""
    return ["", *rest] if rest and not rest[0].startswith("- ") else rest
