"""Values are the named tuples of the standard library, made faster."""

from __future__ import annotations

import pickle
import typing

import pytest

from memory_custodian.rules.value import Value


class Lamp(Value):
    """A lamp."""

    name: str
    light: int
    places: tuple[str, ...] = ()
    """Where it stands."""
    lit: bool = False

    @property
    def label(self) -> str:
        """Its name and light."""
        return f"{self.name} {self.light}"

    def __str__(self) -> str:
        return self.label


class Standard(typing.NamedTuple):
    """The same by the standard library."""

    name: str
    light: int
    places: tuple[str, ...] = ()
    lit: bool = False


@pytest.mark.parametrize(
    "values, named",
    [
        (("desk", 40), {}),
        (("desk", 40, ("hall",), True), {}),
        (("desk",), {"light": 40}),
        ((), {"lit": True, "light": 40, "name": "desk"}),
        (("desk", 40), {"lit": True}),
    ],
)
def test_it_is_made_and_shown_like_one_of_the_standard_library(values: typing.Any, named: typing.Any) -> None:
    lamp: typing.Any = Lamp(*values, **named)
    other: typing.Any = Standard(*values, **named)
    assert lamp == other
    assert hash(lamp) == hash(other)
    assert repr(lamp) == repr(other).replace("Standard", "Lamp")
    assert lamp._asdict() == other._asdict()
    assert lamp._replace(light=60) == other._replace(light=60)
    assert (lamp.name, lamp.light, lamp.places, lamp.lit) == tuple(other)
    assert Lamp._make(other) == other
    assert isinstance(lamp._replace(light=60), Lamp)
    assert pickle.loads(pickle.dumps(lamp)) == lamp
    assert isinstance(lamp, tuple)


def test_its_names_defaults_and_methods_are_those_of_its_class() -> None:
    assert Lamp._fields == Standard._fields == Lamp.__match_args__
    assert Lamp._field_defaults == Standard._field_defaults
    assert (Lamp.__doc__, Lamp.__name__, Lamp.__module__) == ("A lamp.", "Lamp", __name__)
    assert str(Lamp("desk", 40)) == Lamp("desk", 40).label == "desk 40"
    match Lamp("desk", 40):
        case Lamp(name, light=light):
            assert (name, light) == ("desk", 40)
        case _:
            raise AssertionError


@pytest.mark.parametrize(
    "values, named",
    [
        ((), {}),
        (("desk",), {}),
        (("desk", 40, (), True, 1), {}),
        (("desk", 40), {"color": 1}),
        (("desk", 40), {"name": 1}),
    ],
)
def test_what_the_standard_library_does_not_take_is_an_error_too(values: typing.Any, named: typing.Any) -> None:
    with pytest.raises(TypeError):
        Standard(*values, **named)
    with pytest.raises(TypeError):
        Lamp(*values, **named)


def test_a_field_that_does_not_exist_is_neither_set_nor_replaced() -> None:
    lamp = Lamp("desk", 40)
    with pytest.raises(ValueError, match="color"):
        lamp._replace(color=1)  # type: ignore[call-arg]
    for name in ("name", "color"):
        with pytest.raises(AttributeError):
            setattr(lamp, name, 1)
    assert not hasattr(lamp, "__dict__")
