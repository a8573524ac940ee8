from __future__ import annotations

import pytest

from csbond.protocol.continuity.language import language_of


@pytest.mark.parametrize(
    "text, language",
    [
        ("我们决定使用 SQLite。", "zh-CN"),
        ("你好", "zh-CN"),
        ("We met at the 火锅 place yesterday evening", "en-US"),
        ("Where is it?", "en-US"),
        ("3 + 4 = 7", "en-US"),
        ("", "en-US"),
    ],
)
def test_the_language_is_that_of_most_words(text, language):
    assert language_of(text) == language
