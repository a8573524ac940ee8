from __future__ import annotations

from datetime import datetime
from itertools import cycle, islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csbond.protocol.continuity.extract import SOURCE_MAX
from csbond.protocol.continuity.summary import (
    RATIO_MAX,
    TOKENS_MAX,
    SummaryOptions,
    context_summary,
    summary_options_from_json,
)
from csbond.protocol.continuity.window import Window, window_of
from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.memory.sentences import split_sentences
from csbond.protocol.memory.words import token_count
from csbond_tests.conversations import conversation, said
from csbond_tests.requirements import requirement

NOW = 1_700_000_000_000

PROJECT = conversation(
    ("Alice", "Good morning. The old ledger loses rows when the power fails. I looked at it all weekend."),
    ("Luna", "That is a pity. A ledger that loses rows cannot be trusted with anything."),
    ("Alice", "We decided to use SQLite for the ledger. The weather was fine, by the way."),
    ("Luna", "Noted. SQLite keeps every row of the ledger when it is set to full synchronous."),
    ("Alice", "Who will write the migration? The deadline is Friday, and Bob has a cold."),
    ("Luna", "I do not know who will write the migration."),
    ("Alice", "Where do we keep the backups? I looked at three places and all were full."),
    ("Luna", "Keep the backups on the second disk. It has room for a year of them."),
)
PROJECT_IN_CHINESE = conversation(
    ("小明", "早上好。旧的账本断电就丢数据。我整个周末都在看这个问题。"),
    ("小明", "我们决定账本改用 SQLite。顺便说一句，今天天气不错。"),
    ("小明", "迁移脚本由谁来写？截止日期是星期五。小红今天感冒了，没有来上班。"),
    ("小明", "备份放在哪里？我看了三个地方，都满了。"),
    ("Luna", "备份放在第二块硬盘上。那里还有一年的空间。"),
)


def beyond(messages):
    return Window(tuple(messages), ())


def summary_of(messages, options=None):
    summary = context_summary(beyond(messages), NOW, options=options)
    assert summary is not None
    return summary


def texts_of(summary):
    return [summary["summary"], *summary["key_decisions"], *summary["open_questions"]]


def tokens_of(summary):
    return sum(token_count(text) for text in texts_of(summary))


def source_tokens(messages):
    return sum(token_count(message.message.text) for message in messages)


@requirement("A2A-004-4.5-fields")
def test_the_summary_has_the_fields_of_the_draft():
    summary = summary_of(PROJECT)
    assert set(summary) >= {"thread_id", "summary", "key_decisions", "open_questions", "generated_at", "generator"}
    assert summary["thread_id"] == "t-1"
    assert summary["generator"] == "sender"
    assert datetime.fromisoformat(summary["generated_at"]).timestamp() * 1000 == NOW


@requirement("CSB-1.2.4-ratio")
@pytest.mark.parametrize("hint", ["compact", "standard", "full"])
@pytest.mark.parametrize("source", [PROJECT, PROJECT_IN_CHINESE])
def test_the_ratio_is_reported_and_at_most_seventy_percent(source, hint):
    summary = summary_of(source, SummaryOptions(hint))
    assert summary["ratio"] == pytest.approx(tokens_of(summary) / source_tokens(source), abs=1e-4)
    assert 0 < summary["ratio"] <= RATIO_MAX


@requirement("A2A-024-24.1-length")
def test_a_longer_hint_tells_more():
    compact, standard, full = (summary_of(PROJECT, SummaryOptions(hint)) for hint in ("compact", "standard", "full"))
    assert compact["ratio"] < standard["ratio"] < full["ratio"]


@requirement("A2A-004-4.3-decisions")
def test_key_decisions_are_kept_whole_in_the_order_they_were_made():
    assert summary_of(PROJECT)["key_decisions"] == [
        "We decided to use SQLite for the ledger.",
        "The deadline is Friday, and Bob has a cold.",
    ]
    assert summary_of(PROJECT_IN_CHINESE)["key_decisions"] == ["我们决定账本改用 SQLite。", "截止日期是星期五。"]


def test_questions_that_nobody_answered_are_open():
    assert summary_of(PROJECT)["open_questions"] == ["Who will write the migration?"]
    assert summary_of(PROJECT_IN_CHINESE, SummaryOptions("standard"))["open_questions"] == ["迁移脚本由谁来写？"]


def test_an_answer_inside_the_window_closes_a_question_beyond_it():
    answered = conversation(
        *[("Alice", message.message.text) for message in PROJECT], ("Bob", "I write the migration.")
    )
    summary = context_summary(window_of(answered, 1), NOW)
    assert summary is not None
    assert "Who will write the migration?" not in summary["open_questions"]


def test_a_reply_closes_the_question_it_answers_in_other_words():
    asked = said("Who is on call tonight? Somebody has to be, it is a holiday.", number=1)
    reply = said("Bob, as always.", by="Luna", number=2, parent_id="m-1")
    filler = said("The heating was repaired this morning. It is warm again in all of the rooms.", number=3)
    assert summary_of([asked, reply, filler], SummaryOptions("full"))["open_questions"] == []
    assert summary_of([asked, filler], SummaryOptions("full"))["open_questions"] == ["Who is on call tonight?"]


def test_every_sentence_of_a_summary_was_said():
    for source in (PROJECT, PROJECT_IN_CHINESE):
        originals = {sentence for message in source for sentence in split_sentences(message.message.text)}
        summary = summary_of(source, SummaryOptions("full"))
        spoken = [line.partition(": ")[2] for line in summary["summary"].splitlines()]
        assert {sentence for line in spoken for sentence in split_sentences(line)} <= originals
        assert {*summary["key_decisions"], *summary["open_questions"]} <= originals


def test_the_summary_names_who_said_what_in_order():
    summary = summary_of(PROJECT, SummaryOptions("full"))["summary"]
    lines = summary.splitlines()
    assert {line.partition(":")[0] for line in lines} == {"Alice", "Luna"}
    said_order = [message.message.text for message in PROJECT]
    places = [next(i for i, text in enumerate(said_order) if line.partition(": ")[2][:20] in text) for line in lines]
    assert places == sorted(places)


@requirement("A2A-004-4.4-private")
def test_a_private_message_never_enters():
    secret = said("We decided that the password is swordfish. Who told the password?", number=9, private=True)
    summary = summary_of([*PROJECT[:4], secret, *PROJECT[4:]], SummaryOptions("full"))
    assert "swordfish" not in " ".join(texts_of(summary))
    assert "Who told the password?" not in summary["open_questions"]
    assert summary == summary_of(PROJECT, SummaryOptions("full"))


def test_a_thread_of_private_messages_has_no_summary():
    assert context_summary(beyond([said("We decided it.", private=True)]), NOW) is None


def test_nothing_beyond_the_window_is_no_summary():
    assert context_summary(window_of(PROJECT, 20), NOW) is None


@requirement("A2A-004-4.3-decisions")
def test_decisions_without_room_are_counted_and_the_latest_stay():
    decided = conversation(*[("Alice", f"We decided to buy house number {number} today.") for number in range(10)])
    summary = summary_of(decided)
    assert summary["decisions_left_out"] == 3
    assert summary["key_decisions"] == [f"We decided to buy house number {number} today." for number in range(3, 10)]


@pytest.mark.parametrize(
    "sentence",
    ["We have not decided yet.", "The date is unconfirmed.", "我们还没决定。", "时间待定。", "Did we agree on it?"],
)
def test_what_is_not_settled_is_no_decision(sentence):
    summary = summary_of([*PROJECT, said(sentence, number=20)], SummaryOptions("full"))
    assert sentence not in summary["key_decisions"]


@pytest.mark.parametrize(
    "sentence",
    [
        "我同意这个方案。",
        "已经确认时间。",
        "报告必须今天交。",
        "端口改为 3100。",
        "截止时间是五点。",
        "All agreed.",
        "We will use Ed25519.",
        "You must sign it.",
        "It is due on Monday.",
    ],
)
def test_plain_words_of_deciding_mark_a_key_decision(sentence):
    assert sentence in summary_of([*PROJECT, said(sentence, number=20)])["key_decisions"]


@requirement("A2A-024-24.1-language")
def test_the_language_is_that_of_the_source_unless_one_is_wished():
    assert summary_of(PROJECT)["language"] == "en-US"
    assert summary_of(PROJECT_IN_CHINESE)["language"] == "zh-CN"
    assert summary_of(PROJECT, SummaryOptions(language="zh-CN"))["language"] == "zh-CN"


@requirement("A2A-024-24.1-language")
def test_of_a_thread_in_two_languages_the_wished_one_goes_first():
    mixed = conversation(
        *[("Alice", f"The house number {number} has a garden with old trees.") for number in range(6)],
        *[("小明", f"第{number}号房子有一个很大的花园和树。") for number in range(6)],
    )
    assert "garden" in summary_of(mixed, SummaryOptions(language="en-US"))["summary"]
    assert "花园" not in summary_of(mixed, SummaryOptions(language="en-US"))["summary"]
    assert "花园" in summary_of(mixed, SummaryOptions(language="zh-CN"))["summary"]


def test_an_important_message_is_told_before_an_idle_one():
    idle = [said(f"{name} walked to the lake.", number=n) for n, name in enumerate(["Ada", "Bea", "Cid", "Dan"])]
    last = said("Eve walked to the lake.", number=9)
    assert "Eve" not in summary_of([*idle, last])["summary"]
    assert "Eve" in summary_of([*idle, said("Eve walked to the lake.", number=9, importance=1.0)])["summary"]


def test_a_long_thread_has_a_bounded_summary():
    lines = islice(cycle(message.message.text for message in PROJECT), 1200)
    thread = conversation(*[("Alice", f"{text} That was number {n}.") for n, text in enumerate(lines)])
    assert tokens_of(summary_of(thread, SummaryOptions("full"))) <= TOKENS_MAX


def test_of_an_overlong_source_the_latest_part_is_read():
    old = said("We decided to keep the first plan. " + "It rained all day long. " * 5_000, number=1)
    new = said("We decided to keep the second plan. " + "The sun came out again. " * 2_500, number=2)
    assert len(old.message.text) > SOURCE_MAX < len(new.message.text)
    assert summary_of([old, new])["key_decisions"] == ["We decided to keep the second plan."]


@requirement("A2A-024-24.1-length", "A2A-024-24.1-language")
def test_options_are_read_from_json():
    assert summary_options_from_json({"length_hint": "full", "language": "en-US"}) == SummaryOptions("full", "en-US")
    assert summary_options_from_json({}) == SummaryOptions("compact", "auto")


@requirement("A2A-024-24.1-length", "A2A-024-24.1-language")
@pytest.mark.parametrize(
    "raw, field",
    [
        ("full", "context_summary"),
        ({"length_hint": "long"}, "context_summary.length_hint"),
        ({"length_hint": ["full"]}, "context_summary.length_hint"),
        ({"language": "fr"}, "context_summary.language"),
        ({"language": None}, "context_summary.language"),
    ],
)
def test_an_option_the_draft_does_not_list_is_refused(raw, field):
    with pytest.raises(RemoteProtocolError) as refusal:
        summary_options_from_json(raw)
    assert refusal.value.field == field


SENTENCES = st.sampled_from(
    [
        "We decided to use SQLite.",
        "我们决定用这个方案。",
        "The sky is blue today.",
        "今天天气很好。",
        "Who does it?",
        "谁来做？",
        "Deadline is Friday!",
        "OK.",
        "x" * 50 + ".",
    ]
)
MESSAGES = st.lists(
    st.builds(
        lambda sentences, by, number, private: said(" ".join(sentences), by, number, private=private),
        st.lists(SENTENCES, max_size=5),
        st.sampled_from(["Alice", "Luna", ""]),
        st.integers(1, 99),
        st.booleans(),
    ),
    max_size=12,
)


@requirement("CSB-1.2.4-ratio", "A2A-004-4.3-decisions")
@settings(max_examples=150, deadline=None)
@given(MESSAGES, st.sampled_from(["compact", "standard", "full"]), st.integers(0, 12))
def test_whatever_was_said_the_ratio_holds_and_no_decision_is_lost_uncounted(messages, hint, size):
    window = window_of(messages, size)
    summary = context_summary(window, NOW, options=SummaryOptions(hint))
    public = [message for message in window.beyond if not message.private]
    if summary is None:
        assert source_tokens(public) == 0
        return
    assert tokens_of(summary) <= RATIO_MAX * source_tokens(public)
    sentences = {sentence for message in public for sentence in split_sentences(message.message.text)}
    decisions = sentences & {"We decided to use SQLite.", "我们决定用这个方案。", "Deadline is Friday!"}
    assert len(summary["key_decisions"]) + summary["decisions_left_out"] == len(decisions)
    assert set(summary["key_decisions"]) <= decisions
