"""The pairs of the recall benchmark ask in other words, in both languages, and no two of them are alike."""

from __future__ import annotations

import re
from collections import Counter
from itertools import product

import pytest

from bench.recall.data import HALVES, PAIR_SETS, distractors, pairs
from csbond_tests.repository import REPOSITORY

COUNTS = {
    "development": {"zh": {"paraphrase": 80}, "en": {"paraphrase": 80}, "cross": {"zh_asks_en": 20, "en_asks_zh": 20}},
    "frozen": {"zh": {"paraphrase": 40}, "en": {"paraphrase": 40}, "cross": {"zh_asks_en": 10, "en_asks_zh": 10}},
}
SETS = [pytest.param(half, name, id=f"{half} {name}") for half, name in product(HALVES, PAIR_SETS)]
ALL = [pair for half, name in product(HALVES, PAIR_SETS) for pair in pairs(half, name)]
GRAMMAR = """
a an and are at be by can do does for from has he her his how i in is it it's its of off on our she so than that the
their they to up was we what when where which who why with
"""
ENGLISH_GRAMMAR = frozenset(GRAMMAR.split())


def is_chinese(text):
    """Two characters of it are enough: English sentences have none, Chinese ones may hold English names."""
    return len(re.findall("[\u4e00-\u9fff]", text)) >= 2


def content_words(text):
    """English words that mean something, and Chinese characters two by two."""
    words = set(re.findall(r"[a-z0-9']+", text.lower())) - ENGLISH_GRAMMAR
    return words | {run[at : at + 2] for run in re.findall("[\u4e00-\u9fff]+", text) for at in range(len(run) - 1)}


@pytest.mark.parametrize("half, name", SETS)
def test_each_half_has_as_many_of_a_language_and_half_as_many_across(half, name):
    assert Counter(pair.kind for pair in pairs(half, name)) == COUNTS[half][name]


@pytest.mark.parametrize("half, name", SETS)
def test_memory_and_question_are_in_the_languages_their_kind_says(half, name):
    languages = {"paraphrase": (name == "zh", name == "zh"), "zh_asks_en": (False, True), "en_asks_zh": (True, False)}
    for pair in pairs(half, name):
        assert (is_chinese(pair.memory), is_chinese(pair.question)) == languages[pair.kind], pair


def test_no_memory_and_no_question_comes_twice():
    texts = [pair.memory for pair in ALL] + [pair.question for pair in ALL] + distractors()
    assert not {text: count for text, count in Counter(text.casefold() for text in texts).items() if count > 1}


def test_a_question_shares_few_words_with_its_memory():
    for pair in ALL:
        memory, question = content_words(pair.memory), content_words(pair.question)
        assert len(memory & question) <= len(question) / 3, (pair, memory & question)


def test_the_texts_are_clean():
    for text in [text for pair in ALL for text in (pair.memory, pair.question)] + distractors():
        assert text == text.strip()
        assert 8 <= len(text) <= 200
        assert text[-1] in ".。?？!！", text


def test_about_three_hundred_memories_stand_beside_them_half_of_them_chinese():
    texts = distractors()
    assert 280 <= len(texts) <= 340
    assert 0.45 < sum(map(is_chinese, texts)) / len(texts) < 0.55


def test_none_of_them_is_a_sentence_the_encoder_is_fitted_by():
    files = (REPOSITORY / "tools" / "role_sentences").iterdir()
    lines = [line for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    known = {sentence for line in lines for sentence in line.split("\t")}
    assert known
    assert not known & ({pair.memory for pair in ALL} | {pair.question for pair in ALL} | set(distractors()))
