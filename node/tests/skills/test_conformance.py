from __future__ import annotations

import pytest

from csbond.flows.turn import Ask, Done, Reject, Reply, Say, Working
from csbond.protocol.messages.part import Part, PartKind, text_part
from csbond.skills.conformance import BEHAVIOURS, ConformanceSettings, ConformanceSkill, Wait, behaviour_of
from csbond_tests.turns import answers_of, turn_of


async def play(message_id):
    """The answers to a message id, and the seconds waited between them."""
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    return await answers_of(ConformanceSkill(ConformanceSettings(), sleep), turn_of("hi", message_id=message_id)), waits


@pytest.mark.parametrize(
    "message_id, kinds",
    [
        ("tck-complete-task-1f", [Done]),
        ("tck-dm-test-001-1f", [Done]),
        ("tck-artifact-text-1f", [Say, Done]),
        ("tck-artifact-file-1f", [Say, Done]),
        ("tck-artifact-file-url-1f", [Say, Done]),
        ("tck-artifact-data-1f", [Say, Done]),
        ("tck-message-response-1f", [Reply]),
        ("tck-input-required-1f", [Ask]),
        ("tck-reject-task-1f", [Reject]),
        ("tck-stream-001-1f", [Working, Say, Done]),
        ("tck-stream-002-1f", [Done]),
        ("tck-stream-003-1f", [Working, Say, Done]),
        ("tck-stream-ordering-001-1f", [Working, Say, Done]),
        ("tck-stream-artifact-text-1f", [Working, Say, Done]),
        ("tck-stream-artifact-file-1f", [Working, Say, Done]),
        ("tck-stream-artifact-chunked-1f", [Working, Say, Say, Done]),
        ("test-resubscribe-message-id-1f", [Working, Done]),
        ("anything-else", [Working, Ask]),
        ("", [Working, Ask]),
    ],
)
async def test_the_prefix_of_the_message_id_decides(message_id, kinds):
    answers, _ = await play(message_id)
    assert [type(answer) for answer in answers] == kinds


def test_the_longest_prefix_wins():
    url = Part(PartKind.URL, "https://example.com/output.txt", "text/plain", "output.txt")
    step = behaviour_of("tck-artifact-file-url-1f")[0]
    assert isinstance(step, Say)
    assert step.parts == (url,)


async def test_a_chunked_artifact_goes_on_and_ends():
    answers, _ = await play("tck-stream-artifact-chunked-1f")
    chunks = [each for each in answers if isinstance(each, Say)]
    assert [(each.parts[0].value, each.append, each.last_chunk) for each in chunks] == [
        ("chunk-1 ", False, False),
        ("chunk-2", True, True),
    ]
    assert len({each.artifact_id for each in chunks}) == 1


async def test_times_pass_as_set():
    assert (await play("test-resubscribe-message-id-1f"))[1] == [5.0]
    assert (await play("other"))[1] == [1.0]


async def test_a_task_is_completed_with_a_message():
    assert (await play("tck-complete-task-1f"))[0] == [Done((text_part("Hello from TCK"),))]


def test_every_wait_names_a_setting():
    for row in BEHAVIOURS.values():
        for step in row:
            assert not isinstance(step, Wait) or getattr(ConformanceSettings(), step.setting) > 0


def test_its_card_says_that_it_may_reply():
    assert ConformanceSkill(ConformanceSettings()).card.may_reply
