"""Writes the small JSON of locks and journals: `json` loads what reads it too, and a writer has no time for that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["as_json"]

_Value = str | int | Sequence[Mapping[str, str]]


def as_json(values: Mapping[str, _Value]) -> bytes:
    """Return an object of texts, whole numbers and lists of objects of texts, one value a line, in ASCII."""
    lines = ",\n".join(f"  {_quoted(name)}: {_written(value)}" for name, value in values.items())
    return f"{{\n{lines}\n}}\n".encode("ascii")


def _written(value: _Value) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, int):
        return str(value)
    objects = (", ".join(f"{_quoted(name)}: {_quoted(text)}" for name, text in one.items()) for one in value)
    return f"[{', '.join(f'{{{one}}}' for one in objects)}]"


def _quoted(text: str) -> str:
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    units = text.encode("utf-16-be", "surrogatepass").hex()
    return '"' + "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)) + '"'
