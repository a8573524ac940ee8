"""Writes the settings for people: as a `csb.toml` in which everything is commented, and as rows for the docs."""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from itertools import pairwise
from typing import Any, Literal, get_args, get_origin, get_type_hints

from csbond.config.setting_kinds import Bounds
from csbond.config.settings import Settings
from csbond.config.settings_file import accepted

_HEAD = """\
# The settings of this home. Each line that begins with # and a name shows a default: take the # away to change it.
# A name or value that is not accepted is refused when the node starts, with what would be.
"""
_SKILL = """\
# memory, echo, function, subprocess, http, model, or a kind that an installed distribution offers.
#kind = "memory"
"""


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting as the documents show it."""

    name: str
    default: str
    """In TOML."""
    accepts: str
    sentence: str


@dataclass(frozen=True, slots=True)
class SectionRow:
    """One section and its settings, in the order of the source."""

    name: str
    sentence: str
    rows: tuple[SettingRow, ...]


def settings_file_text() -> str:
    """A `csb.toml` that changes nothing and shows everything."""
    parts = [_HEAD]
    for section in sections():
        parts.append(f"\n# {section.sentence}\n[{section.name}]\n")
        if section.name == "skill":
            parts.append(_SKILL)
        for row in section.rows:
            parts.append(textwrap.fill(row.sentence, 118, initial_indent="# ", subsequent_indent="# "))
            parts.append(f"\n#{row.name} = {row.default}\n")
    return "".join(parts)


def sections() -> Iterator[SectionRow]:
    """Every section of `csb.toml`."""
    hints = get_type_hints(Settings)
    for each in fields(Settings):
        kind = hints[each.name]
        if is_dataclass(kind):
            yield SectionRow(each.name, _first_line(kind), tuple(_rows(kind)))
        else:
            yield SectionRow(each.name, _sentences(Settings)[each.name], ())


def _rows(section: Any) -> Iterator[SettingRow]:
    hints = get_type_hints(section, include_extras=True)
    defaults = section()
    for each in fields(section):
        default = getattr(defaults, each.name)
        yield SettingRow(each.name, toml(default), _accepts(hints[each.name]), _sentences(section)[each.name])


def _first_line(kind: Any) -> str:
    return (inspect.getdoc(kind) or "").partition("\n")[0]


@cache
def _sentences(section: Any) -> dict[str, str]:
    """The text under each field, read from the source so that there is one place to write it."""
    found: dict[str, str] = {}
    for kind in reversed(section.__mro__[:-1]):
        body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
        statements = body.body if isinstance(body, ast.ClassDef) else []
        for field_node, text_node in pairwise(statements):
            match field_node, text_node:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    found[name] = " ".join(text.split())
    return found


def _accepts(kind: Any) -> str:
    marks = [mark for mark in getattr(kind, "__metadata__", ()) if isinstance(mark, Bounds)]
    kind = getattr(kind, "__origin__", kind) if hasattr(kind, "__metadata__") else kind
    if get_origin(kind) is Literal:
        return ", ".join(toml(choice) for choice in get_args(kind))
    if kind in (int, float):
        bounds = f" {accepted(marks[0])}" if marks else " greater than 0"
        return ("whole number" if kind is int else "number") + bounds
    if get_origin(kind) is tuple:
        return "list of texts"
    return {bool: "true or false", str: "text"}.get(kind, "table of texts")


def toml(value: Any) -> str:
    """A value as csb.toml writes it."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {toml(each)}" for key, each in value.items()) + " }" if value else "{}"
    if isinstance(value, tuple):
        return "[" + ", ".join(toml(each) for each in value) + "]"
    return json.dumps(value, ensure_ascii=False)
