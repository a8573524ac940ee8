"""What every value of this package is: a named tuple that is made quickly.

A command lives a tenth of a second, and `typing.NamedTuple` compiles every annotation and a constructor when a class is
made, which for all values of a command takes as long as the command. `Value` does the same without that. A type checker
is told that it is `typing.NamedTuple`, because that is the only class that it knows fields and constructors of.
"""

from __future__ import annotations

from collections import _tuplegetter  # type: ignore[attr-defined,unused-ignore]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple as Value
else:

    def _made(cls: type, *values: object, **named: object) -> tuple:
        fields = cls._fields
        if named or len(values) != len(fields):
            values = (*values, *_rest(cls, len(values), named))
        return tuple.__new__(cls, values)

    def _rest(cls: type, given: int, named: dict) -> list:
        """Return the values that were given by name, or not at all."""
        fields, defaults = cls._fields, cls._field_defaults
        if given > len(fields):
            raise TypeError(f"{cls.__name__} takes {len(fields)} values, not {given}")
        rest = []
        for name in fields[given:]:
            if name in named:
                rest.append(named.pop(name))
            elif name in defaults:
                rest.append(defaults[name])
            else:
                raise TypeError(f"{cls.__name__} lacks a value for {name}")
        if named:
            raise TypeError(f"{cls.__name__} has no use for {', '.join(named)}")
        return rest

    def _replace(self: tuple, **named: object) -> tuple:
        values = tuple(map(named.pop, self._fields, self))
        if named:
            raise ValueError(f"{type(self).__name__} has no field {', '.join(named)}")
        return tuple.__new__(type(self), values)

    def _asdict(self: tuple) -> dict:
        return dict(zip(self._fields, self, strict=True))

    def _repr(self: tuple) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
        return f"{type(self).__name__}({shown})"

    def _newargs(self: tuple) -> tuple:
        return tuple(self)

    class _Meta(type):
        """Makes a tuple with a name for each place: the annotated names, with what is assigned to them as defaults."""

        def __new__(cls: type, name: str, bases: tuple, namespace: dict) -> type:
            if not bases:
                return super().__new__(cls, name, (), namespace)
            fields = tuple(namespace.get("__annotations__", ()))
            defaults = {field: namespace.pop(field) for field in fields if field in namespace}
            for place, field in enumerate(fields):
                namespace[field] = _tuplegetter(place, "")
            namespace.update(
                __slots__=(),
                __new__=_made,
                __repr__=_repr,
                __getnewargs__=_newargs,
                __match_args__=fields,
                _fields=fields,
                _field_defaults=defaults,
                _replace=_replace,
                _asdict=_asdict,
                _make=classmethod(tuple.__new__),
            )
            return type(name, (tuple,), namespace)

    class Value(metaclass=_Meta):
        """What a class of values is made from: its annotated names are the fields, in this order."""


__all__ = ["Value"]
