from __future__ import annotations

from csbond.flows.turn import Done, Say
from csbond.protocol.messages.part import Part, PartKind, text_part
from csbond.skills.echo import EchoSettings, EchoSkill
from csbond_tests.turns import answers_of, turn_of

PARTS = (
    text_part("你好"),
    Part(PartKind.DATA, {"a": [1, None]}),
    Part(PartKind.FILE, b"\x00\xff", "image/png", "cat.png", {"k": 1}),
    Part(PartKind.URL, "https://files.example/x", "text/plain"),
)


async def test_every_kind_of_part_comes_back_unchanged():
    assert await answers_of(EchoSkill(), turn_of(PARTS)) == [Say(PARTS, last_chunk=True), Done()]


async def test_the_parts_come_back_as_often_as_set():
    said = (text_part("hi"),)
    assert await answers_of(EchoSkill(EchoSettings(repeat=3)), turn_of("hi")) == [
        Say(said),
        Say(said, append=True),
        Say(said, append=True, last_chunk=True),
        Done(),
    ]
