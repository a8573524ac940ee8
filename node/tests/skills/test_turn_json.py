from __future__ import annotations

import json

import pytest

from csbond.flows.turn import Ask, Done, Fail, Reject, Reply, Say, Working
from csbond.protocol.errors import LocalProtocolError
from csbond.protocol.messages.part import Part, PartKind, text_part
from csbond.skills.turn_json import answer_from_json, answers_from_text, memories_of, turn_to_json
from csbond_tests.conversations import said
from csbond_tests.turns import memory, turn_of


async def test_a_turn_is_shown_as_json():
    turn = turn_of("hi", [memory("Tea is ready.")], [said("Before.")], summary={"summary": "s"}, metadata={"k": 1})
    shown = json.loads(json.dumps(turn_to_json(turn, await memories_of(turn, 5))))
    assert shown["text"] == "hi"
    assert shown["message"] == {
        "messageId": "m-1",
        "role": "ROLE_USER",
        "parts": [{"text": "hi"}],
        "contextId": "c-1",
        "taskId": "task-1",
    }
    assert (shown["agent"], shown["task_id"], shown["thread_id"]) == ("Luna", "task-1", "t-1")
    assert shown["caller"] == {"kind": "anonymous", "name": ""}
    assert shown["window"] == [{"role": "user", "name": "Alice", "said_at": "1970-01-01T00:00:00Z", "text": "Before."}]
    assert shown["summary"] == {"summary": "s"}
    assert shown["metadata"] == {"k": 1}
    told = {"content": "Tea is ready.", "type": "event", "told_by": "Alice", "told_at": "2026-05-10T08:00:00Z"}
    assert shown["memories"] == [told | {"score": 1.0}]


async def test_no_memory_is_looked_up_unless_wanted():
    asked: list[str] = []
    assert await memories_of(turn_of("hi", [memory("x")], asked=asked), 0) == ()
    assert await memories_of(turn_of("  ", [memory("x")], asked=asked), 3) == ()
    assert asked == []


@pytest.mark.parametrize(
    "raw, answer",
    [
        ({"say": "hi"}, Say((text_part("hi"),))),
        (
            {"say": "x", "artifact_id": "a", "name": "n", "append": True, "last_chunk": True, "metadata": {"k": 1}},
            Say((text_part("x"),), "a", "n", append=True, last_chunk=True, metadata={"k": 1}),
        ),
        (
            {
                "say": [
                    {"raw": "AAE=", "filename": "f", "mediaType": "m/n"},
                    {"data": None},
                    {"url": "https://u.example"},
                ]
            },
            Say(
                (
                    Part(PartKind.FILE, b"\x00\x01", "m/n", "f"),
                    Part(PartKind.DATA, None),
                    Part(PartKind.URL, "https://u.example"),
                )
            ),
        ),
        ({"working": "reading"}, Working("reading")),
        ({"done": None}, Done()),
        ({"done": True}, Done()),
        ({"done": "bye"}, Done((text_part("bye"),))),
        ({"ask": "which?"}, Ask((text_part("which?"),))),
        ({"ask": "token?", "auth": True}, Ask((text_part("token?"),), auth=True)),
        ({"reject": "no"}, Reject("no")),
        ({"fail": "broke"}, Fail("broke")),
        ({"reply": "hi"}, Reply((text_part("hi"),))),
    ],
)
def test_every_answer_has_a_json_form(raw, answer):
    assert answer_from_json(raw) == answer
    assert answers_from_text(json.dumps(raw)) == (answer,)


def test_a_list_holds_several_answers():
    assert answers_from_text('[{"say": "hi"}, {"done": null}]') == (Say((text_part("hi"),)), Done())


@pytest.mark.parametrize(
    "text",
    [
        "not json",
        "[" * 100_000,
        "7",
        "{}",
        '{"say": "a", "done": null}',
        '{"shout": "a"}',
        '{"say": 7}',
        '{"say": []}',
        '{"say": [7]}',
        '{"say": [{}]}',
        '{"say": [{"text": "a", "url": "b"}]}',
        '{"say": [{"raw": "A"}]}',
        '{"say": "a", "append": 1}',
        '{"say": "a", "metadata": 1}',
        '{"say": "a", "name": null}',
        '{"working": null}',
        '{"fail": ["x"]}',
        '{"ask": "x", "auth": "yes"}',
    ],
)
def test_an_answer_outside_the_contract_is_refused(text):
    with pytest.raises(LocalProtocolError) as fault:
        answers_from_text(text)
    assert fault.value.code.name == "invalid_agent_response"
    assert fault.value.reason == "The skill answered outside its contract."
