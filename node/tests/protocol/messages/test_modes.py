from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.protocol.errors import CsbError
from csbond.protocol.messages.incoming import IncomingMessage
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.modes import check_modes
from csbond.protocol.messages.part import Part, PartKind, text_part
from csbond_tests.requirements import requirement

TEXT = ("text/plain",)
ALL = ("text/plain", "application/json", "application/octet-stream")


def asked(*parts: Part, accepted: tuple[str, ...] = ()) -> IncomingMessage:
    return IncomingMessage(Message("m", "user", parts), accepted_output_modes=accepted)


def refusal(incoming: IncomingMessage, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> CsbError:
    with pytest.raises(CsbError) as refused:
        check_modes(incoming, inputs, outputs)
    assert refused.value.code.name == "content_type_not_supported"
    return refused.value


@requirement("A2A-SEND-022")
@pytest.mark.parametrize(
    "part",
    [
        text_part("hi"),
        Part(PartKind.DATA, {"a": 1}),
        Part(PartKind.FILE, b"x"),
        Part(PartKind.URL, "https://x.example/"),
        Part(PartKind.TEXT, "hi", media_type="Text/Plain; charset=utf-8"),
    ],
)
def test_parts_of_the_usual_types_fit_a_skill_that_lists_them(part: Part) -> None:
    check_modes(asked(part), ALL, ALL)


@requirement("A2A-SEND-022")
@pytest.mark.parametrize(
    "part",
    [
        Part(PartKind.DATA, {"a": 1}),
        Part(PartKind.FILE, b"x"),
        Part(PartKind.FILE, b"x", media_type="image/png"),
        Part(PartKind.TEXT, "hi", media_type="text/markdown"),
    ],
)
def test_a_part_that_the_skill_does_not_list_is_refused(part: Part) -> None:
    assert refusal(asked(text_part("hi"), part), TEXT, TEXT).field == "message.parts"


@pytest.mark.parametrize("mode", ["image/*", "*/*", "image/png"])
def test_a_star_stands_for_every_type(mode: str) -> None:
    check_modes(asked(Part(PartKind.FILE, b"x", media_type="image/png")), (mode,), TEXT)


@requirement("A2A-SEND-022")
def test_an_answer_must_be_wanted_in_one_of_the_types_the_skill_gives() -> None:
    incoming = asked(text_part("hi"), accepted=("image/png", "text/plain"))
    check_modes(incoming, ALL, TEXT)
    assert refusal(replace(incoming, accepted_output_modes=("image/png",)), ALL, TEXT).next_step
    check_modes(replace(incoming, accepted_output_modes=("text/*",)), ALL, TEXT)
