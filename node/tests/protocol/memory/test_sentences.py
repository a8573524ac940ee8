from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csbond.protocol.memory.sentences import PIECE_MAX, cut_at_sentences, is_question, split_sentences


@pytest.mark.parametrize(
    "text, sentences",
    [
        ("我到了。你呢？好的；走吧……", ("我到了。", "你呢？", "好的；", "走吧……")),
        ("“行！”她说。\n下一行", ("“行！”", "她说。", "下一行")),
        ("He left. Did she? Yes!", ("He left.", "Did she?", "Yes!")),
        ("Mr. Smith paid 3.14 dollars. He left.", ("Mr. Smith paid 3.14 dollars.", "He left.")),
        ("Trains, e.g. the U.S. ones, are slow.", ("Trains, e.g. the U.S. ones, are slow.",)),
        ("J. Doe wrote v1.0.2 of node.py. Done", ("J. Doe wrote v1.0.2 of node.py.", "Done")),
        ("1. First item.\n2. Second item.", ("1. First item.", "2. Second item.")),
        ("版本是v1.0.然后发布", ("版本是v1.0.", "然后发布")),
        ("No. I am not.", ("No.", "I am not.")),
        ("Wait... what?! (Really.) Fine", ("Wait...", "what?!", "(Really.)", "Fine")),
        ("one line\n\n\nanother", ("one line", "another")),
        (" \n ", ()),
        ("", ()),
    ],
)
def test_a_text_is_split_where_sentences_end(text, sentences):
    assert split_sentences(text) == sentences


@pytest.mark.parametrize(
    "sentence",
    [
        "ok?",
        "真的？",
        "“真的吗？”",
        "wow?!",
        "你好吗",
        "你去过那里吗。",
        "你在做什么呢",
        "谁负责发布",
        "请问门票多少钱",
        "能不能改成 3100",
        "What time is it",
        "Who's there",
        "Which port is it",
        "how many entries are left",
        "do you like tea",
        "Should we deploy now",
        "Isn't it late",
    ],
)
def test_what_asks_is_a_question(sentence):
    assert is_question(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "还早呢",
        "什么都行",
        "哪怕下雨也去",
        "我不知道他去了哪里。",
        "你喜欢什么。",
        "When I was young, I lived there",
        "What matters is speed",
        "Do the dishes",
        "Have the report ready",
        "I wonder what he did",
        "Is it done.",
        "the address is /search?q=tea",
    ],
)
def test_what_only_sounds_like_asking_is_none(sentence):
    assert not is_question(sentence)


def test_a_long_text_is_cut_where_a_sentence_ends():
    pieces = cut_at_sentences("今天很好。" * 1000)
    assert [len(piece) for piece in pieces] == [2045, 2045, 910]
    assert all(piece.endswith("。") for piece in pieces)


def test_a_long_sentence_is_cut_after_a_comma_or_a_space():
    assert cut_at_sentences("one two three", limit=8) == ("one two ", "three")
    assert cut_at_sentences("第一，第二，第三", limit=4) == ("第一，", "第二，", "第三")


def test_a_text_without_any_place_to_cut_is_cut_at_the_limit():
    assert [len(piece) for piece in cut_at_sentences("x" * 5000)] == [2048, 2048, 904]


@pytest.mark.parametrize("joined", ["e\u0301", "👩\u200d🚀", "❤\ufe0f"])
def test_no_cut_parts_what_is_shown_as_one_character(joined):
    pieces = cut_at_sentences("x" * 9 + joined, limit=10)
    assert pieces == ("x" * 9, joined)


def test_a_text_within_the_limit_is_one_piece():
    assert cut_at_sentences("One. Two.") == ("One. Two.",)
    assert cut_at_sentences("x" * PIECE_MAX) == ("x" * PIECE_MAX,)
    assert cut_at_sentences("") == ()


def test_a_limit_below_one_is_refused():
    with pytest.raises(ValueError, match="at least one code point"):
        cut_at_sentences("text", limit=0)


TEXTS = st.text(st.one_of(st.characters(), st.sampled_from("。！？.!? ,，\n3ae\u0301")), max_size=300)


@settings(deadline=None)
@given(TEXTS, st.integers(1, 50))
def test_the_pieces_joined_are_the_text_and_none_is_too_long(text, limit):
    pieces = cut_at_sentences(text, limit)
    assert "".join(pieces) == text
    assert all(1 <= len(piece) <= limit for piece in pieces)


@settings(deadline=None)
@given(TEXTS)
def test_splitting_loses_nothing_but_white_space(text):
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


@settings(deadline=None)
@given(TEXTS)
def test_asking_whether_a_text_asks_never_fails(text):
    assert is_question(text) in (True, False)
