"""A Python function that answers messages, plain or async, at once or bit by bit."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, overload

from csbond.flows.turn import Answer, SkillCard, Turn
from csbond.protocol.errors import LocalProtocolError
from csbond.protocol.messages.part import Part
from csbond.skills.kind import Kind
from csbond.skills.settings import Count, SkillSettings, invalid
from csbond.skills.speech import Speech
from csbond.skills.threads import SkillThreads

THREADS = 8
"""Plain functions that run at once; more wait. Enough for functions that wait for a disk or a network."""

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionSettings(SkillSettings):
    """Which function, and where it is."""

    function: str = ""
    """The function as "module:name"."""
    path: str = ""
    """Folder that is searched for the module first; a relative one starts at the home."""
    threads: Count = THREADS
    """Plain (not async) functions that run at once; further messages wait their turn."""


class FunctionSkill:
    """Answers with what a function returns or yields: str, Part, an Answer, or nothing.

    The function takes the text of the message, or the whole `Turn` when its one parameter is named `turn` or
    annotated so. Functions that are not async run in a thread, which cannot be stopped: when the message is
    cancelled or out of time, the function runs on and its answer is dropped.
    """

    def __init__(self, function: Function, card: SkillCard | None = None, threads: int = THREADS) -> None:
        self.card = card or card_of(function)
        self._function = function
        self._threads = threads
        self._running: SkillThreads | None = None
        self._takes_turn = _takes_turn(function)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call the function itself."""
        return self._function(*arguments, **named)

    def with_settings(self, settings: SkillSettings, threads: int = THREADS) -> FunctionSkill:
        """The same skill with the window and time of the settings."""
        card = replace(self.card, window=settings.window, timeout_s=settings.timeout_s)
        return FunctionSkill(self._function, card, threads)

    async def answer(self, turn: Turn) -> AsyncIterator[Answer]:
        """What the function says; `invalid_agent_response` when that is nothing a skill may say."""
        speech = Speech()
        async with aclosing(self._results(turn if self._takes_turn else turn.message.text)) as results:
            async for result in results:
                answer = _answer_of(result, speech)
                if answer is not None:
                    yield answer

    async def close(self) -> None:
        """It holds nothing."""

    async def _results(self, given: str | Turn) -> AsyncGenerator[Any]:
        if inspect.iscoroutinefunction(self._function) or inspect.isasyncgenfunction(self._function):
            result = self._function(given)
        else:
            result = await self._in_thread(self._function, given)
        if inspect.isawaitable(result):
            result = await result
        if inspect.isasyncgen(result):
            async with aclosing(result) as stream:
                async for each in stream:
                    yield each
        elif inspect.isgenerator(result):
            async with aclosing(self._drawn(result)) as stream:
                async for each in stream:
                    yield each
        else:
            yield result

    async def _drawn(self, results: Iterator[Any]) -> AsyncGenerator[Any]:
        """The values of a plain generator, each computed in a thread."""
        end = object()
        while (each := await self._in_thread(next, results, end)) is not end:
            yield each

    async def _in_thread(self, function: Function, *arguments: Any) -> Any:
        self._running = self._running or SkillThreads(self._threads)
        return await self._running.run(function, *arguments)


F = TypeVar("F", bound=Function)


@overload
def skill(function: Function, /) -> FunctionSkill: ...


@overload
def skill(
    *,
    id: str = "",
    name: str = "",
    description: str = "",
    tags: tuple[str, ...] = (),
    examples: tuple[str, ...] = (),
    may_reply: bool = False,
) -> Callable[[Function], FunctionSkill]: ...


def skill(function: Function | None = None, /, **card: Any) -> FunctionSkill | Callable[[Function], FunctionSkill]:
    """Make a skill of a function; what the agent card shows and is not given comes from its name and docstring."""
    if function is not None:
        return FunctionSkill(function)
    return lambda given: FunctionSkill(given, card_of(given, **card))


def card_of(function: Function, **given: Any) -> SkillCard:
    """The card of a function, by its name and docstring where nothing is given."""
    name = getattr(function, "__name__", type(function).__name__)
    said = {key: value for key, value in given.items() if value}
    known: dict[str, Any] = {
        "id": name,
        "name": name.replace("_", " ").strip().capitalize(),
        "description": (inspect.getdoc(function) or f"The function {name}.").partition("\n\n")[0],
        "tags": ("function",),
    }
    return SkillCard(**(known | said))


def _make(settings: FunctionSettings, home: Path) -> FunctionSkill:
    """The function the settings name; `setting_invalid` when it is not there or takes no message."""
    module_name, _, name = settings.function.partition(":")
    if not module_name or not name:
        raise invalid("function", f'is not "module:name": {settings.function!r}')
    if settings.path:
        folder = str((home / settings.path).resolve())
        if folder not in sys.path:
            sys.path.insert(0, folder)
    try:
        found = getattr(importlib.import_module(module_name), name)
    except (ImportError, AttributeError) as fault:
        raise invalid("function", f"cannot be found: {fault}", "set path to the folder of its module") from fault
    made = found if isinstance(found, FunctionSkill) else FunctionSkill(found)
    return made.with_settings(settings, settings.threads)


def _takes_turn(function: Function) -> bool:
    """Whether the one parameter of a function is a turn; `setting_invalid` when it takes not exactly one."""
    if not callable(function):
        raise invalid("function", f"is not a function but {type(function).__name__}")
    parameters = list(inspect.signature(function).parameters.values())
    needed = [each for each in parameters if each.default is each.empty and each.kind is not each.VAR_KEYWORD]
    if len(needed) != 1 or needed[0].kind is inspect.Parameter.KEYWORD_ONLY:
        raise invalid("function", "must take exactly one argument, the text or the turn")
    annotation = needed[0].annotation
    named = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    return needed[0].name == "turn" or named.strip("'\"").rpartition(".")[2] == "Turn"


def _answer_of(result: Any, speech: Speech) -> Answer | None:
    if result is None or result == "":
        return None
    if isinstance(result, str | Part):
        return speech.say(result)
    if isinstance(result, Answer):
        return result
    raise LocalProtocolError(
        "invalid_agent_response",
        "The skill answered with something it may not say.",
        next_step=f"its function gave a {type(result).__name__}; it may give str, Part, an Answer, or nothing",
    )


KIND = Kind("function", FunctionSettings, _make)
