from __future__ import annotations

import asyncio
import sys
import threading
from contextlib import aclosing
from pathlib import Path

import pytest

from csbond.flows.turn import Done, Fail, Say, Working
from csbond.protocol.errors import LocalProtocolError
from csbond.protocol.messages.part import Part, PartKind, text_part
from csbond.skills import FunctionSkill, Turn, skill
from csbond.skills.function import card_of
from csbond.skills.load import load_skill
from csbond_tests.turns import answers_of, spoken, turn_of


async def said_by(function, text="hello"):
    return await answers_of(FunctionSkill(function), turn_of(text))


async def test_a_plain_function_gets_the_text_and_its_string_is_the_answer():
    assert await said_by(lambda text: text.upper()) == [Say((text_part("HELLO"),))]


async def test_a_plain_function_runs_in_another_thread():
    seen: list[threading.Thread] = []

    def answer(text: str) -> None:
        seen.append(threading.current_thread())

    assert await said_by(answer) == []
    assert seen[0] is not threading.main_thread()


async def test_an_async_function_runs_in_the_loop():
    async def answer(text: str) -> str:
        await asyncio.sleep(0)
        return threading.current_thread().name

    assert spoken(await said_by(answer)) == threading.main_thread().name


async def test_an_async_generator_speaks_chunk_by_chunk():
    async def answer(text: str):
        yield "one "
        yield "two"
        yield Done()

    assert await said_by(answer) == [Say((text_part("one "),)), Say((text_part("two"),), append=True), Done()]


async def test_a_plain_generator_is_drawn_in_a_thread():
    threads: list[threading.Thread] = []

    def answer(text: str):
        for word in text.split():
            threads.append(threading.current_thread())
            yield word

    assert spoken(await said_by(answer, "a b c")) == "abc"
    assert threading.main_thread() not in threads


async def test_parts_answers_and_nothing_are_taken():
    picture = Part(PartKind.FILE, b"\x89", "image/png", "cat.png")

    async def answer(text: str):
        yield Working("drawing")
        yield None
        yield ""
        yield picture
        yield Fail("out of ink")

    assert await said_by(answer) == [Working("drawing"), Say((picture,)), Fail("out of ink")]


async def test_a_parameter_named_turn_or_annotated_so_gets_the_whole_turn():
    def by_name(turn):
        return turn.agent_name

    def by_annotation(asked: Turn) -> str:
        return asked.agent_name

    def by_text_annotation(asked: "Turn") -> str:  # noqa: UP037
        return asked.agent_name

    for function in (by_name, by_annotation, by_text_annotation):
        assert spoken(await said_by(function)) == "Luna"


async def test_an_object_with_an_async_call_is_a_function_too():
    class Shout:
        async def __call__(self, text: str) -> str:
            return text.upper()

    assert spoken(await said_by(Shout())) == "HELLO"


async def test_another_result_breaks_the_contract_and_says_which():
    with pytest.raises(LocalProtocolError, match="may not say") as fault:
        await said_by(lambda text: 42)
    assert fault.value.code.name == "invalid_agent_response"
    assert "int" in fault.value.next_step


async def test_closing_the_answer_closes_the_generator_of_the_user():
    closed = asyncio.Event()

    async def answer(text: str):
        try:
            yield "one"
            await asyncio.Event().wait()
        finally:
            closed.set()

    async with aclosing(FunctionSkill(answer).answer(turn_of("hi"))) as stream:  # type: ignore[type-var]
        assert await anext(stream) == Say((text_part("one"),))
    assert closed.is_set()


async def test_a_cancelled_message_does_not_wait_for_its_thread():
    started, release = threading.Event(), threading.Event()

    def answer(text: str) -> str:
        started.set()
        release.wait(10)
        return "too late"

    task = asyncio.create_task(said_by(answer))
    await asyncio.to_thread(started.wait, 10)
    task.cancel()
    try:
        with pytest.raises(asyncio.CancelledError):
            await task
    finally:
        release.set()


async def test_no_more_plain_functions_run_at_once_than_set():
    running, most, lock = 0, 0, threading.Lock()
    pair = threading.Barrier(2, timeout=10)

    def answer(text: str) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        pair.wait()
        with lock:
            running -= 1

    limited = FunctionSkill(answer, threads=2)
    await asyncio.gather(*(answers_of(limited, turn_of("x")) for _ in range(6)))
    assert most == 2


def test_a_decorated_function_is_a_skill_and_still_a_function():
    @skill
    def shout_loud(text: str) -> str:
        """Says it louder.

        And more that the card does not need.
        """
        return text.upper()

    assert isinstance(shout_loud, FunctionSkill)
    assert shout_loud("hi") == "HI"
    assert (shout_loud.card.id, shout_loud.card.name) == ("shout_loud", "Shout loud")
    assert shout_loud.card.description == "Says it louder."


def test_the_decorator_takes_what_the_card_shows():
    @skill(id="loud", name="Loud", description="Louder.", tags=("text",), examples=("hi",), may_reply=True)
    def shout(text: str) -> str:
        return text.upper()

    card = shout.card
    assert (card.id, card.name, card.description, card.tags, card.examples) == (
        "loud",
        "Loud",
        "Louder.",
        ("text",),
        ("hi",),
    )
    assert card.may_reply


def test_a_function_without_a_docstring_has_a_card():
    def plain(text):
        return text

    assert card_of(plain).description == "The function plain."


@pytest.mark.parametrize("function", [lambda: "x", lambda a, b: "x", lambda *, text: "x", "text"])
def test_a_function_that_takes_not_exactly_one_argument_is_refused(function):
    with pytest.raises(LocalProtocolError) as fault:
        FunctionSkill(function)
    assert fault.value.code.name == "setting_invalid"


def write_module(folder: Path, name: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(
        "from csbond.skills import skill\n"
        "def plain(text):\n    return 'plain ' + text\n"
        "@skill(name='Marked')\ndef marked(text):\n    return 'marked ' + text\n"
        "number = 3\n"
    )


@pytest.fixture
def path_kept():
    before = list(sys.path)
    yield
    sys.path[:] = before


@pytest.mark.usefixtures("path_kept")
async def test_a_function_is_loaded_from_a_folder_of_the_home(tmp_path):
    write_module(tmp_path / "skills", "module_of_the_home")
    table = {"kind": "function", "function": "module_of_the_home:plain", "path": "skills", "window": 7, "timeout_s": 3}
    loaded = load_skill(table, tmp_path)
    assert spoken(await answers_of(loaded, turn_of("hi"))) == "plain hi"
    assert (loaded.card.window, loaded.card.timeout_s) == (7, 3.0)


@pytest.mark.usefixtures("path_kept")
async def test_a_decorated_function_keeps_its_card_when_loaded(tmp_path):
    write_module(tmp_path / "skills", "module_with_a_mark")
    table = {"kind": "function", "function": "module_with_a_mark:marked", "path": "skills"}
    loaded = load_skill(table, tmp_path)
    assert loaded.card.name == "Marked"
    assert spoken(await answers_of(loaded, turn_of("hi"))) == "marked hi"


@pytest.mark.usefixtures("path_kept")
@pytest.mark.parametrize(
    "function",
    ["", "no_colon", ":name", "module:", "no_such_module_here:x", "module_refused:absent", "module_refused:number"],
)
def test_a_function_that_is_not_there_is_refused(tmp_path, function):
    write_module(tmp_path / "skills", "module_refused")
    with pytest.raises(LocalProtocolError) as fault:
        load_skill({"kind": "function", "function": function, "path": "skills"}, tmp_path)
    assert fault.value.field == "skill.function"
