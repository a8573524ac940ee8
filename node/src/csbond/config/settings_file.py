"""Reads `csb.toml`: every name and value is checked, and what is refused says what would be accepted."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from csbond.config.setting_kinds import Bounds, HomePath
from csbond.config.settings import Settings
from csbond.config.settings_rules import check_settings
from csbond.protocol.errors import LocalProtocolError

_POSITIVE = Bounds(math.ulp(0.0))
_WORDS: dict[object, str] = {str: "a text in quotes", bool: "true or false", int: "a whole number", float: "a number"}


def read_settings(path: Path) -> Settings:
    """The settings of a file; the defaults for a file that is not there.

    `setting_invalid` names the file, the key and what would be accepted.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeDecodeError) as fault:
        raise LocalProtocolError("setting_invalid", f"{path} cannot be read: {fault}") from fault
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise LocalProtocolError("setting_invalid", f"{path} is not valid TOML: {fault}") from fault
    try:
        settings = settings_from(document, path.parent)
        check_settings(settings)
    except LocalProtocolError as fault:
        raise LocalProtocolError(
            "setting_invalid", f"{path}: {fault.reason}", next_step=fault.next_step, field=fault.field
        ) from fault
    return settings


def settings_from(document: Mapping[str, Any], home: Path) -> Settings:
    """The settings in a parsed file whose relative paths start at a home; `setting_invalid` for the first bad one."""
    sections = get_type_hints(Settings)
    _known("", document, sections, "section")
    values: dict[str, Any] = {}
    for name, table in document.items():
        if not isinstance(table, Mapping):
            raise _refuse(name, f"[{name}] must be a section, not {table!r}")
        section = sections[name]
        values[name] = _section(name, section, table, home) if is_dataclass(section) else dict(table)
    return Settings(**values)


def _section(name: str, section: Any, table: Mapping[str, Any], home: Path) -> Any:
    hints = get_type_hints(section, include_extras=True)
    keys = {each.name: hints[each.name] for each in fields(section)}
    _known(f"{name}.", table, keys, f"setting of [{name}]")
    return section(**{key: _value(f"{name}.{key}", keys[key], value, home) for key, value in table.items()})


def _known(prefix: str, given: Mapping[str, Any], known: Mapping[str, Any], what: str) -> None:
    for name in given:
        if name not in known:
            raise LocalProtocolError(
                "setting_invalid",
                f"{name!r} is no {what}",
                next_step=f"known are: {', '.join(known)}",
                field=prefix + name,
            )


def _value(name: str, kind: Any, value: Any, home: Path) -> Any:
    marks: tuple[Any, ...] = ()
    if get_origin(kind) is Annotated:
        kind, *rest = get_args(kind)
        marks = tuple(rest)
    origin = get_origin(kind)
    if origin is Literal:
        return _choice(name, get_args(kind), value)
    if origin is tuple:
        return tuple(_text(name, item, "a list of texts") for item in _list(name, value))
    if origin is Mapping:
        return _table_of_texts(name, value)
    if kind in (int, float):
        return _number(name, kind, value, next((mark for mark in marks if isinstance(mark, Bounds)), _POSITIVE))
    if kind is bool:
        if not isinstance(value, bool):
            raise _refuse(name, f"{name} must be {_WORDS[bool]}, not {value!r}")
        return value
    text = _text(name, value, _WORDS[str])
    return str(home / text) if text and any(isinstance(mark, HomePath) for mark in marks) else text


def _choice(name: str, choices: tuple[Any, ...], value: Any) -> Any:
    if value not in choices or isinstance(value, bool):
        raise _refuse(name, f"{name} must be one of {', '.join(map(repr, choices))}, not {value!r}")
    return value


def _list(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise _refuse(name, f"{name} must be a list of texts, not {value!r}")
    return value


def _text(name: str, value: Any, expected: str) -> str:
    if not isinstance(value, str):
        raise _refuse(name, f"{name} must be {expected}, not {value!r}")
    return value


def _table_of_texts(name: str, value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping) or not all(isinstance(text, str) for text in value.values()):
        raise _refuse(name, f"{name} must be a table of texts, not {value!r}")
    return dict(value)


def _number(name: str, kind: type, value: Any, bounds: Bounds) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float) or (kind is int and not isinstance(value, int)):
        raise _refuse(name, f"{name} must be {_WORDS[kind]}, not {value!r}")
    if not bounds.low <= value <= bounds.high or not math.isfinite(value):
        raise _refuse(name, f"{name} must be {accepted(bounds)}, not {value!r}")
    return kind(value)  # type: ignore[no-any-return]


def accepted(bounds: Bounds) -> str:
    """The bounds in words."""
    if bounds == _POSITIVE:
        return "greater than 0"
    return f"from {bounds.low:g} to {bounds.high:g}" if math.isfinite(bounds.high) else f"at least {bounds.low:g}"


def _refuse(field: str, reason: str) -> LocalProtocolError:
    return LocalProtocolError("setting_invalid", reason, field=field)
