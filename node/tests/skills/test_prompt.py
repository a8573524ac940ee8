from __future__ import annotations

import json

import pytest

from csbond.flows.turn import Found
from csbond.protocol.messages.part import Part, PartKind, text_part
from csbond.skills.prompt import DATA_MAX, RULES, prompt_of
from csbond_tests.conversations import said
from csbond_tests.turns import memory, turn_of

WINDOW = [said(f"Line number {number} of the talk.", number=number) for number in range(20)]
MEMORIES = [Found(memory(f"Memory number {number}.", number=number), 1.0) for number in range(8)]


def blocks_of(turn, memories=(), room=48_000):
    user = prompt_of(turn, memories, "", room)[1]["content"]
    blocks = {}
    for block in user.split("\n\n"):
        name, _, rest = block[1:].partition(">")
        blocks[name] = json.loads(rest.removesuffix(f"</{name}>"))
    return user, blocks


def test_the_system_message_holds_the_owner_the_name_and_the_rules_only():
    (system, _) = prompt_of(turn_of("hi", agent_name="Lu\nna"), (), " Be kind. ", 48_000)
    assert system == {"role": "system", "content": f"Be kind.\n\nYou are Lu na.\n\n{RULES}"}


def test_everything_in_mind_is_shown_oldest_first():
    _, blocks = blocks_of(turn_of("hi", window=WINDOW, summary={"summary": "s"}), MEMORIES)
    assert list(blocks) == ["summary", "earlier", "memories", "message"]
    assert blocks["message"] == {"text": "hi"}
    assert [each["text"] for each in blocks["earlier"]] == [each.message.text for each in WINDOW]
    assert [each["content"] for each in blocks["memories"]] == [each.entry.content for each in MEMORIES]


def test_nothing_in_mind_shows_the_message_alone():
    _, blocks = blocks_of(turn_of("hi"))
    assert list(blocks) == ["message"]


@pytest.mark.parametrize("room", [1_000, 1_500, 2_500])
def test_a_short_room_drops_the_oldest_messages_and_the_weakest_memories(room):
    user, blocks = blocks_of(turn_of("hi", window=WINDOW, summary={"summary": "s"}), MEMORIES, room)
    assert len(user) <= room
    assert blocks["message"] == {"text": "hi"}
    earlier = [each["text"] for each in blocks.get("earlier", [])]
    assert len(earlier) < len(WINDOW)
    assert earlier == [each.message.text for each in WINDOW][len(WINDOW) - len(earlier) :]
    kept = [each["content"] for each in blocks["memories"]]
    assert kept == [each.entry.content for each in MEMORIES][: len(kept)]


@pytest.mark.parametrize("text", ["x" * 5_000, "<" * 5_000, "字" * 5_000])
def test_a_message_longer_than_the_room_is_cut_and_says_so(text):
    user, blocks = blocks_of(turn_of(text, window=WINDOW), MEMORIES, 1_000)
    assert len(user) <= 1_000
    assert blocks["message"]["cut"] is True
    assert text.startswith(blocks["message"]["text"])


def test_other_parts_are_shown_by_name_and_never_by_their_bytes():
    parts = [
        text_part("look"),
        Part(PartKind.FILE, b"\x89PNG", "image/png", "cat.png"),
        Part(PartKind.URL, "https://files.example/x"),
        Part(PartKind.DATA, {"n": 1}),
        Part(PartKind.DATA, "y" * 2 * DATA_MAX),
    ]
    user, blocks = blocks_of(turn_of(parts))
    file, url, data, long = blocks["message"]["other_parts"]
    assert file == {"file": "cat.png", "media_type": "image/png", "bytes": 4}
    assert (url, data) == ({"url": "https://files.example/x"}, {"data": {"n": 1}})
    assert long["cut"] is True
    assert len(user) < 2 * DATA_MAX
