from __future__ import annotations

import pytest

from csbond.flows.turn import Done, Found, Say
from csbond.protocol.memory.entry import Origin
from csbond.protocol.messages.extensions import SENDER
from csbond.protocol.messages.part import Part, PartKind, text_part
from csbond.skills.memory import EXTRACT_MAX, MemorySettings, MemorySkill
from csbond_tests.conversations import said
from csbond_tests.turns import answers_of, memory, spoken, turn_of


async def reply_to(message, remembered=(), **changes):
    return spoken(await answers_of(MemorySkill(), turn_of(message, remembered, **changes)))


async def test_a_statement_is_acknowledged_in_its_own_words():
    reply = await reply_to("The workshop is on the second floor.")
    assert reply == "Thank you. I will remember: “The workshop is on the second floor.”"


async def test_a_chinese_statement_is_acknowledged_in_chinese():
    assert await reply_to("会议改到星期五下午三点。") == "谢谢。我会记住：“会议改到星期五下午三点。”"


async def test_who_said_it_is_thanked_by_name():
    reply = await reply_to("The door is open.", message_metadata={SENDER: {"name": "Bob"}})
    assert reply.startswith("Thank you, Bob.")


async def test_a_long_statement_is_quoted_in_part():
    reply = await reply_to("It rains all day. " * 100)
    assert len(reply) < EXTRACT_MAX + 100
    assert "…" in reply


async def test_a_question_is_answered_by_quoting_memory_with_its_date():
    reply = await reply_to("Where is the workshop?", [memory("The workshop is on the second floor.")])
    assert reply == "I remember:\nOn 2026-05-10, Alice told me: “The workshop is on the second floor.”"


async def test_a_chinese_question_is_answered_in_chinese():
    reply = await reply_to("会议是什么时候？", [memory("会议改到星期五下午三点。", by="小明")])
    assert reply == "我记得：\n2026-05-10，小明告诉我：“会议改到星期五下午三点。”"


async def test_a_memory_in_the_other_language_is_called_the_closest_not_the_answer():
    reply = await reply_to("Where is the workshop?", [memory("工作坊在二楼。", by="小明")])
    assert reply.startswith("Nothing I was told says that in these words.")
    assert "工作坊在二楼。" in reply


async def test_what_is_far_in_meaning_is_no_answer():
    far, near = Found(memory("My cat is called Tom."), 1.0, 0.15), Found(memory("工作坊在二楼。", number=2), 0.9, 0.31)
    assert (await reply_to("Where is the workshop?", [far])).startswith("I have been told nothing")
    reply = await reply_to("Where is the workshop?", [far, near])
    assert "工作坊在二楼。" in reply
    assert "Tom" not in reply


async def test_a_memory_that_shares_a_word_is_quoted_however_near_it_is():
    low = Found(memory("The workshop is on the second floor."), 1.0, 0.05)
    assert (await reply_to("Where is the workshop?", [low])).startswith("I remember:")


async def test_finding_nothing_is_said_and_nothing_is_invented():
    reply = await reply_to("What is the capital of France?")
    assert reply == "I have been told nothing about that. I am no language model: I know only what I was told."
    assert "我不是语言模型" in await reply_to("法国的首都是哪里？")


@pytest.mark.parametrize("question", ["Are you an AI?", "Who are you?", "what are you", "Are you a language model?"])
async def test_it_says_that_it_is_no_language_model(question):
    reply = await reply_to(question, [memory("AI is a broad field.")])
    assert reply.startswith("I am Luna, a memory and no language model")


@pytest.mark.parametrize("question", ["你是谁？", "你是语言模型吗？", "你是不是人工智能？", "你能做什么？"])
async def test_it_says_so_in_chinese_too(question):
    assert "不是语言模型" in await reply_to(question)


async def test_a_greeting_is_returned_with_what_it_can_do():
    assert (await reply_to("Hello!")).startswith("Hello, I am Luna.")
    assert (await reply_to("你好")).startswith("你好，我是Luna。")


async def test_a_request_to_tell_is_a_question_not_a_memory():
    reply = await reply_to("Tell me about the workshop.", [memory("The workshop is on the second floor.")])
    assert reply.startswith("I remember:")
    reply = await reply_to("告诉我会议的时间。", [memory("会议时间是三点。", by="小明")])
    assert reply.startswith("我记得：")


async def test_a_statement_and_a_question_are_both_answered():
    reply = await reply_to(
        "I moved to Lisbon. Where is the workshop?", [memory("The workshop is on the second floor.")]
    )
    assert "I will remember: “I moved to Lisbon.”" in reply
    assert "the second floor" in reply


async def test_the_message_itself_is_no_memory_to_quote():
    own = memory("Where is the workshop?", origin=Origin("owner", "t-1", "m-1", "Alice"))
    assert (await reply_to("Where is the workshop?", [own])).startswith("I have been told nothing")


async def test_weak_finds_are_left_out_when_there_is_a_strong_one():
    strong = Found(memory("The workshop is on the second floor.", number=1), 1.0)
    weak = Found(memory("The workshop of last year was fun.", number=2), 0.2)
    assert "last year" not in await reply_to("Where is the workshop?", [strong, weak])


async def test_the_same_text_is_quoted_once():
    twice = [memory("The workshop is on the second floor.", number=n) for n in (1, 2)]
    assert (await reply_to("Where is the workshop?", twice)).count("second floor") == 1


async def test_at_most_as_many_memories_are_quoted_as_set():
    many = [Found(memory(f"The workshop number {n} is full.", number=n), 1.0) for n in range(9)]
    skill = MemorySkill(MemorySettings(quotes=2))
    assert spoken(await answers_of(skill, turn_of("Which workshop is full?", many))).count("told me") == 2


async def test_no_more_than_three_questions_are_answered():
    asked: list[str] = []
    reply = await reply_to("Who is it? Where is it? When is it? Why is it?", asked=asked)
    assert asked == ["Who is it?", "Where is it?", "When is it?"]
    assert "I answer 3 questions at a time" in reply


async def test_a_long_memory_is_quoted_by_the_sentences_that_bear_on_the_question():
    long = "The garden has roses. " * 40 + "The key of the cellar hangs behind the stove. " + "The roof is new. " * 40
    reply = await reply_to("Where is the key of the cellar?", [memory(long)])
    assert "The key of the cellar hangs behind the stove." in reply
    assert len(reply) < EXTRACT_MAX + 100


async def test_an_entry_written_by_hand_is_called_a_note_and_a_nameless_one_is_told_by_nobody():
    assert "this was noted: “The key is red.”" in await reply_to(
        "Which key?", [memory("The key is red.", source="user")]
    )
    assert "I was told: “The key is red.”" in await reply_to("Which key?", [memory("The key is red.", by="")])


async def test_files_data_and_addresses_are_named_and_left_unopened():
    reply = await reply_to(
        [
            Part(PartKind.FILE, b"12345", "image/png", "cat.png"),
            Part(PartKind.DATA, {"count": 1, "name": "x"}),
            Part(PartKind.URL, "https://files.example/report.pdf"),
        ]
    )
    assert "the file cat.png (image/png, 5 bytes)" in reply
    assert "data (count, name)" in reply
    assert "the address https://files.example/report.pdf, which I did not open" in reply


async def test_a_file_is_named_in_the_language_of_the_conversation():
    reply = await reply_to([Part(PartKind.FILE, b"12345", "image/png", "猫.png")], window=[said("这是我家的猫。")])
    assert reply.startswith("我收到了文件 猫.png（image/png，5 字节）")


async def test_names_from_outside_stay_on_one_line_and_short():
    reply = await reply_to([Part(PartKind.FILE, b"", "text/plain", "a\nb" + "c" * 500)])
    assert "\n" not in reply
    assert "c" * 100 not in reply


@pytest.mark.parametrize("value, shown", [([1, 2, 3], "[3]"), ("text", "text"), ({}, "{}"), (None, "None")])
async def test_data_of_any_shape_is_named(value, shown):
    assert f"data ({shown})" in await reply_to([Part(PartKind.DATA, value)])


async def test_a_blank_message_is_greeted():
    assert (await reply_to([text_part("  ")])).startswith("Hello, I am Luna.")


async def test_the_answer_is_one_artifact_grown_line_by_line():
    answers = await answers_of(MemorySkill(), turn_of("Where is the workshop?", [memory("The workshop is up.")]))
    says = [answer for answer in answers if isinstance(answer, Say)]
    assert [(say.append, say.last_chunk) for say in says] == [(False, False), (True, True)]
    assert answers[-1] == Done()
