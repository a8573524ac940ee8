"""What the table `[skill]` may hold: a frozen dataclass a kind of skill, read strictly."""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from itertools import pairwise
from typing import Annotated, ClassVar, TypeVar

from annotated_types import Ge, Gt, Le
from pydantic import ConfigDict, TypeAdapter, ValidationError

from csbond.flows.turn import SkillCard
from csbond.protocol.errors import LocalProtocolError

Count = Annotated[int, Ge(1)]
Seconds = Annotated[float, Gt(0), Le(86_400)]


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillSettings:
    """What every kind of skill may be told."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    window: Annotated[int, Ge(0), Le(500)] = 20
    """Messages of the thread that are in mind (A2A-004 history_length); a request may ask for fewer. Earlier ones
    are summarised: each message in mind costs time and, for a model, money."""
    timeout_s: Seconds = 120.0
    """Seconds after which a message without an end of its answer fails, so that no caller waits for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedSettings(SkillSettings):
    """What a kind that does not know its own name may be told: how the agent card shows it."""

    id: str = ""
    """Identifier in the agent card; empty: the kind."""
    name: str = ""
    """Name in the agent card; empty: the kind."""
    description: str = ""
    """What it does, for readers of the agent card; empty: a sentence about the kind."""
    tags: tuple[str, ...] = ()
    """Words by which cards are searched; empty: the kind."""
    examples: tuple[str, ...] = ()
    """Messages that show what it is for, in the agent card."""

    def card(self, kind: str, description: str) -> SkillCard:
        """The card of a skill of that kind."""
        return SkillCard(
            id=self.id or kind,
            name=self.name or kind.capitalize(),
            description=self.description or description,
            tags=self.tags or (kind,),
            examples=self.examples,
            window=self.window,
            timeout_s=self.timeout_s,
        )


S = TypeVar("S", bound=SkillSettings)


def settings_from(kind: type[S], table: Mapping[str, object], name: str) -> S:
    """The settings of a skill of that name; `setting_invalid` for an unknown key or a value out of its bounds."""
    try:
        return TypeAdapter(kind).validate_json(json.dumps(table, default=_not_json), strict=True)
    except ValidationError as fault:
        error = fault.errors(include_url=False, include_input=False)[0]
        raise _refused(kind, name, error["type"], [str(place) for place in error["loc"]], error["msg"]) from None


def invalid(key: str, reason: str, next_step: str = "") -> LocalProtocolError:
    """The error for one key of the table."""
    return LocalProtocolError("setting_invalid", f"[skill] {key}: {reason}", next_step=next_step, field=f"skill.{key}")


def documented(kind: type[SkillSettings]) -> Iterator[tuple[str, object, str]]:
    """(key, default, sentence) of each setting, the sentence being the text under its field."""
    sentences: dict[str, str] = {}
    for each in reversed(kind.__mro__[:-1]):
        body = ast.parse(inspect.getsource(each)).body[0]
        statements = body.body if isinstance(body, ast.ClassDef) else []
        for statement, text in pairwise(statements):
            match statement, text:
                case ast.AnnAssign(target=ast.Name(id=key)), ast.Expr(value=ast.Constant(value=str(sentence))):
                    sentences[key] = " ".join(sentence.split())
    defaults = kind()
    for each_field in fields(kind):
        yield each_field.name, getattr(defaults, each_field.name), sentences[each_field.name]


def _not_json(value: object) -> object:
    return {"not a value of this setting": type(value).__name__}


def _refused(kind: type[SkillSettings], name: str, fault: str, place: list[str], message: str) -> LocalProtocolError:
    key = ".".join(place) or "table"
    if fault != "unexpected_keyword_argument":
        return invalid(key, message[:1].lower() + message[1:])
    known = [each.name for each in fields(kind)]
    near = get_close_matches(key, known, n=1)
    step = f"did you mean {near[0]}?" if near else f"it has: {', '.join(known)}"
    return invalid(key, f"a skill of kind {name!r} has no such setting", step)
