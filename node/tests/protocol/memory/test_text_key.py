from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csbond.protocol.memory.text_key import KEY_BYTES, text_key


@pytest.mark.parametrize(
    "one, other",
    [
        ("The price is high.", "the  price is high"),
        ("价格太高了。", "价格 太高了！"),
        ("ＡＢＣ", "abc"),
        ("cafe\u0301", "CAFÉ"),
        ("a\u200bb", "a b\n"),
    ],
)
def test_case_width_white_space_and_punctuation_make_no_other_text(one, other):
    assert text_key(one) == text_key(other)


@pytest.mark.parametrize(
    "one, other", [("价格太高", "价格太低"), ("1.5 h", "16 h"), ("a+b", "a-b"), ("...", "!!!"), ("a", "á")]
)
def test_other_letters_digits_and_signs_do(one, other):
    assert text_key(one) != text_key(other)


@given(st.text(min_size=1))
def test_a_key_has_one_length_and_does_not_depend_on_composition(text):
    assert len(text_key(text)) == KEY_BYTES
    assert text_key(unicodedata.normalize("NFD", text)) == text_key(unicodedata.normalize("NFC", text))
