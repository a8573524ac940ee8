from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.memory.entry import CONTENT_MAX, Level, Origin, Visibility
from csbond.protocol.memory.formation import formed_entries, join_pieces, remembered_text, starting_level
from csbond.protocol.memory.kinds import asks, greets, guessed_type
from csbond.protocol.memory.pieces import BLANK_MAX
from csbond.protocol.memory.sentences import split_sentences
from csbond.protocol.messages.extensions import MEMORY
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import Part, PartKind
from csbond_tests.conversations import said
from csbond_tests.requirements import requirement

NOW = 1_700_000_000_000


def letters():
    numbers = count()
    return lambda length: f"{next(numbers):0{length}d}"


def formed(text, **changes):
    return formed_entries(said(text, **changes), letters(), NOW)


def test_a_statement_leaves_one_private_entry_with_its_origin():
    (entry,) = formed("The key is under the mat.")
    assert entry.content == "The key is under the mat."
    assert entry.id == f"mem_{NOW}_00000000"
    assert entry.timestamp == NOW
    assert entry.visibility is Visibility.PRIVATE
    assert entry.origin == Origin("owner", "t-1", "m-1", "Alice")
    assert (entry.space, entry.source, entry.extends, entry.piece) == ("home", "session", "", 0)


@requirement("MEM-001-1.1-project")
def test_each_piece_of_what_is_said_is_counted_with_its_thread():
    entries = formed("A sentence of some words. " * 200)
    assert {entry.project for entry in entries} == {"thread:t-1"}
    assert {entry.kept_at for entry in entries} == {NOW}
    assert len(entries) > 1


def test_what_an_agent_says_has_agent_as_its_source():
    assert formed("The key is under the mat.", by="Luna")[0].source == "agent"


@pytest.mark.parametrize(
    "text", ["Where is the key?", "钥匙在哪里？", "钥匙在哪里？谁拿走了？", "Who? And why?", "", " \n "]
)
def test_questions_alone_and_blank_texts_leave_nothing(text):
    assert formed(text) == ()


GREETINGS = ["Hello!", "Hi there.", "你好", "谢谢你！", "Thank you very much."]
REQUESTS = [
    "Tell me about the workshop.",
    "告诉我会议时间。",
    "Please remind me what Bob said.",
    "What do you know about it",
]


@pytest.mark.parametrize("text", [*GREETINGS, *REQUESTS, "Hello! Where is the key?"])
def test_greetings_and_requests_to_tell_leave_nothing(text):
    assert formed(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Hello, I am Bob.",
        "Remind me to call Bob.",
        "Tell me that again and I leave.",
        "谢谢你借我的书。",
        "提醒我明天开会。",
        "Hi-fi is old.",
    ],
)
def test_what_only_begins_like_a_greeting_or_request_is_kept(text):
    assert len(formed(text)) == 1


def test_a_message_without_text_leaves_nothing():
    picture = said("")
    file = Message("m-1", "user", (Part(PartKind.FILE, b"\x00\x01", "image/png", "cat.png"),))
    assert formed_entries(replace(picture, message=file), letters(), NOW) == ()


@requirement("A2A-004-4.4-flag")
@requirement("MEM-001-1.3-unwanted")
@pytest.mark.parametrize(
    "hint, left", [({}, 1), ({"remember": True}, 1), ({"remember": False}, 0), ({"remember": "yes"}, 0), ("never", 0)]
)
def test_a_sender_who_wants_nothing_kept_leaves_nothing_and_so_does_one_who_is_not_understood(hint, left):
    message = Message("m-1", "user", (Part(PartKind.TEXT, "The key is under the mat."),), metadata={MEMORY: hint})
    assert len(formed("", message=message)) == left


def test_a_statement_with_a_question_beside_it_is_kept_whole():
    (entry,) = formed("I moved to the second floor. Do you know the way?")
    assert entry.content == "I moved to the second floor. Do you know the way?"


@pytest.mark.parametrize(
    "importance, level",
    [(1.0, Level.HOT), (0.8, Level.HOT), (0.79, Level.WARM), (0.5, Level.WARM), (0.2, Level.WARM), (0.19, Level.COLD)],
)
def test_importance_decides_the_tier(importance, level):
    assert starting_level(importance) is level
    assert formed("It is so.", importance=importance)[0].level is level


@requirement("MEM-001-1.1-hot-cap")
@pytest.mark.parametrize(
    "importance, level", [(1.0, Level.WARM), (0.8, Level.WARM), (0.5, Level.WARM), (0.1, Level.COLD)]
)
def test_what_a_stranger_says_begins_no_higher_than_warm(importance, level):
    said_by_one = said("It is so.", importance=importance)
    (entry,) = formed_entries(said_by_one, letters(), NOW, by_stranger=True)
    assert (entry.level, starting_level(importance, by_stranger=True)) == (level, level)


@pytest.mark.parametrize(
    "text, kind",
    [
        ("我们决定用 SQLite。", "decision"),
        ("We decided to use SQLite.", "decision"),
        ("We'll use the second room.", "decision"),
        ("We haven't decided anything yet.", "event"),
        ("我们还没有决定。", "event"),
        ("记得把报告发给小红。", "todo"),
        ("The report is due on Friday.", "todo"),
        ("Bob needs to sign it.", "todo"),
        ("我喜欢喝乌龙茶。", "preference"),
        ("I really like green tea.", "preference"),
        ("It looks like rain.", "event"),
        ("我叫小明。", "identity"),
        ("My name is Alice.", "identity"),
        ("这次的教训是先备份。", "lesson"),
        ("It turned out that the fuse was broken.", "lesson"),
        ("今天下雨了。", "event"),
        ("The train was late.", "event"),
    ],
)
def test_the_type_is_guessed_from_plain_words(text, kind):
    assert formed(text)[0].type == kind


def test_a_question_does_not_decide_the_type():
    assert formed("The train was late. Did you decide?")[0].type == "event"


def test_a_decision_names_the_type_before_any_other_word():
    assert guessed_type(("I like tea.", "We agreed to meet.")) == "decision"


def test_the_name_of_the_speaker_is_the_tag_when_it_fits():
    assert formed("It is so.")[0].tags == ("Alice",)
    assert formed("It is so.", by="n" * 32)[0].tags == ("n" * 32,)
    assert formed("It is so.", by="n" * 33)[0].tags == ()
    assert formed("It is so.", by="")[0].tags == ()


def test_a_text_of_2048_characters_is_one_entry():
    assert len(formed("a" * CONTENT_MAX)) == 1
    assert len(formed("a" * (CONTENT_MAX + 1))) == 2


def test_a_text_is_counted_after_composing_it():
    decomposed = "e\u0301" * 1500
    (entry,) = formed(decomposed)
    assert entry.content == "\u00e9" * 1500


@requirement("MEM-001-1.3-long")
def test_a_long_text_leaves_entries_that_go_on_from_each_other():
    text = "这是一个句子，说了一件事。" * 400
    entries = formed(text)
    assert len(entries) == 3
    assert [entry.piece for entry in entries] == [0, 1, 2]
    assert [entry.extends for entry in entries] == ["", entries[0].id, entries[1].id]
    assert all(entry.content.endswith("。") for entry in entries)
    assert len({entry.id for entry in entries}) == 3
    assert join_pieces(reversed(entries)) == text


def test_a_nul_character_is_left_out():
    assert formed("one\x00two is three.")[0].content == "onetwo is three."


def test_half_of_a_surrogate_pair_is_refused():
    with pytest.raises(RemoteProtocolError, match="surrogate") as refusal:
        formed("half \ud800 of it.")
    assert refusal.value.code.name == "invalid_params"


def test_an_overlong_blank_is_shortened():
    assert remembered_text("a" + " " * 5000 + "b") == "a" + " " * BLANK_MAX + "b"


@pytest.mark.parametrize("lead", range(1000, 2100, 150))
def test_no_entry_is_blank_wherever_a_long_blank_falls(lead):
    text = "a" * lead + " " * 1000 + "b" * 3000 + "\n" * 1024 + "c"
    entries = formed(text)
    assert all(entry.content.strip() for entry in entries)
    assert join_pieces(entries) == text


WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=40)
ENDS_AND_RUNS = st.sampled_from(["。", ". ", "？", "\n", " " * 700, "e\u0301", "字" * 900, "y" * 3000])
LONG = st.lists(WORDS | ENDS_AND_RUNS, max_size=12)


@requirement("MEM-001-1.3-long")
@settings(max_examples=150, deadline=None)
@given(LONG.map("".join))
def test_the_pieces_joined_are_the_text_in_nfc(text):
    entries = formed(text)
    if not entries:
        assert all(asks(sentence) or greets(sentence) for sentence in split_sentences(remembered_text(text)))
        return
    assert join_pieces(entries) == remembered_text(text)
    if not re.search(rf"\s{{{BLANK_MAX + 1}}}", text):
        assert join_pieces(entries) == unicodedata.normalize("NFC", text).strip()
    for entry in entries:
        assert 0 < len(entry.content) <= CONTENT_MAX
        assert entry.content.strip()
        assert unicodedata.is_normalized("NFC", entry.content)
