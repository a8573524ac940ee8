"""How forgiving a field is read: `fault_tolerance` and its rules (MEM-001 §1.4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.memory.entry import refused

Value = TypeVar("Value")

MAJOR = 1
"""The major version of the entries this node knows whole."""

_TRUTH = {"true": True, "1": True, "false": False, "0": False}
_MAJORS = re.compile(r"(?<![\w.])v?(\d{1,9})(?:\.[\dx]+)*(?![\w.])", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FieldReader(Generic[Value]):
    """Two ways to read a field: as the schema has it, and what else can be converted to it.

    Both take the name of the field and what it holds, and raise `invalid_params` with the name.
    """

    exact: Callable[[str, Any], Value]
    loose: Callable[[str, Any], Value]
    type: tuple[type, ...] = ()
    """A value of this type that is not accepted breaks a limit: no fallback value may hide that."""
    longest: int = 0
    """So does a text of more code points than this, where other texts may only be no such value; 0 for no limit."""

    def breaks_limit(self, value: Any) -> bool:
        """Whether a value that is not accepted is of the right type, and only too much of it."""
        too_long = isinstance(value, str) and 0 < self.longest < len(value.strip())
        return too_long or (isinstance(value, self.type) and not isinstance(value, bool))


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The declarations of one entry; `fallback` is None when it names none."""

    strict: bool = False
    """A missing field refuses the write instead of being filled in."""
    strict_schema: bool = False
    """A value of another type refuses the write instead of being converted."""
    fallback: Any = None

    @property
    def exact(self) -> bool:
        """Whether what is there must be as the schema has it: either declaration asks for that."""
        return self.strict or self.strict_schema

    @property
    def optional(self) -> Tolerance:
        """How a field is read that even a strict entry may lack; what is there is read no less strictly."""
        return replace(self, strict=False, strict_schema=self.exact)

    def read(
        self, raw: Mapping[str, Any], name: str, reader: FieldReader[Value], default: Value | None, label: str = ""
    ) -> Value:
        """The value of a field.

        1. what is there and of the right type; 2. what can be converted to it, unless the entry is strict; 3. the
        fallback value, when it is of the right type; 4. for a field that is missing, the default. Otherwise
        `invalid_params` names the field by its label. A null is a missing field, and in a strict entry no value.
        """
        label, value = label or name, raw.get(name)
        if value is None and self.exact and name in raw:
            raise refused(label, "is null, and the entry is declared strict: leave out what it does not have")
        if value is None:
            return self._filled(label, reader, default)
        try:
            return reader.exact(label, value)
        except RemoteProtocolError as fault:
            if self.exact:
                raise
            return self._converted(label, value, reader, fault)

    def _filled(self, label: str, reader: FieldReader[Value], default: Value | None) -> Value:
        if self.strict:
            raise refused(label, "is missing, and the entry is declared strict")
        filled = self._fallback(label, reader)
        filled = default if filled is None else filled
        if filled is None:
            raise refused(label, "is missing")
        return filled

    def _converted(self, label: str, value: Any, reader: FieldReader[Value], fault: RemoteProtocolError) -> Value:
        try:
            return reader.loose(label, value)
        except RemoteProtocolError:
            filled = None if reader.breaks_limit(value) else self._fallback(label, reader)
            if filled is None:
                raise fault from None
            return filled

    def _fallback(self, label: str, reader: FieldReader[Value]) -> Value | None:
        if self.fallback is None:
            return None
        try:
            return reader.exact(label, self.fallback)
        except RemoteProtocolError:
            return None


def tolerance_of(raw: Mapping[str, Any]) -> Tolerance:
    """The tolerance an entry declares; `invalid_params` when the block cannot be understood."""
    block = raw.get("fault_tolerance")
    if block is None:
        return Tolerance()
    if not isinstance(block, Mapping):
        raise refused("fault_tolerance", "must be an object")
    tolerance = Tolerance(
        strict=_declared(block, "strict"),
        strict_schema=_declared(block, "strict_schema"),
        fallback=block.get("fallback_value"),
    )
    if tolerance.exact and not isinstance(block.get("compatibility", ""), str):
        raise refused("fault_tolerance.compatibility", "must be a text such as v1")
    return tolerance


def understood(block: object) -> bool:
    """Whether this node knows all that an entry may hold, by the `fault_tolerance.compatibility` it declares.

    That names the lowest version that understands the entry, or several of which one is enough; what names none
    asks for none.
    """
    compatibility = block.get("compatibility") if isinstance(block, Mapping) else None
    majors = [int(major) for major in _MAJORS.findall(str(compatibility))]
    return not majors or min(majors) <= MAJOR


def truth(name: str, value: Any) -> bool:
    """True or false; loosely, also as a text or as 1 and 0 in one."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in _TRUTH:
        return _TRUTH[value.strip().lower()]
    raise refused(name, "must be true or false")


def whole_number(name: str, value: Any, most: int) -> int:
    """A number without a fraction, from 0 to a most."""
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not whole or not 0 <= value <= most:
        raise refused(name, f"must be a whole number from 0 to {most}")
    return int(value)


def _declared(block: Mapping[str, Any], name: str) -> bool:
    value = block.get(name)
    return value is not None and truth(f"fault_tolerance.{name}", value)
