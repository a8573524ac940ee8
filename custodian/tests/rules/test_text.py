"""Lines, code fences and titles."""

from __future__ import annotations

import time

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.text import (
    fence_spans,
    fenced,
    lines_of,
    one_line,
    require_unicode,
    title_of,
    unclosed_fence,
)


def inside(text: str) -> str:
    """The fenced lines of a text as a row of marks, x inside and . outside."""
    return "".join("x" if mark else "." for mark in fenced(lines_of(text)))


def test_lines_end_at_a_line_feed_and_nowhere_else() -> None:
    text = "a\u2028b\x0bc\x0cd\x85e\rf\n\ng"
    assert lines_of(text) == ["a\u2028b\x0bc\x0cd\x85e\rf\n", "\n", "g"]
    assert lines_of("") == []


@requirement("CUST-T-03")
@pytest.mark.parametrize(
    "text, marks",
    [
        ("```\na\n```\nb", "xxx."),
        ("~~~\na\n~~~\nb", "xxx."),
        ("```python\na\n```\n", "xxx"),
        ("   ```\na\n  ```   \nb", "xxx."),
        ("    ```\na\n    ```\n", "..."),
        ("````\n```\n````\nb", "xxx."),
        ("```\n~~~\n```\nb", "xxx."),
        ("```\na\n`````\nb", "xxx."),
        ("``\na\n``\n", "..."),
        ("```\na\n``` b\n```\nc", "xxxx."),
        ("```a`b\nx\n```\ny\n", "...."),
        ("~~~a`b\nx\n~~~\ny\n", "xxx."),
        ("```\r\na\r\n```\r\nb", "xxx."),
    ],
)
def test_fences_open_and_close_as_in_commonmark(text: str, marks: str) -> None:
    assert inside(text) == marks


@requirement("CUST-T-03")
def test_a_fence_that_never_closes_hides_nothing_and_is_named_by_its_line() -> None:
    text = "# T\n````\n## a\n```\nx\n```\n"
    assert inside(text) == "...xxx"
    assert unclosed_fence(lines_of(text)) == 2
    assert unclosed_fence(lines_of("```\nx\n```\n")) is None
    assert fence_spans(lines_of(text)) == [(3, 5)]


@pytest.mark.alone
def test_many_fences_that_never_close_take_no_quadratic_time() -> None:
    lines = [f"{'`' * (3 + at % 40)}a\n" for at in range(20000)]
    start = time.perf_counter()
    assert not any(fenced(lines))
    assert time.perf_counter() - start < 5


@requirement("CUST-B1.3-03")
@pytest.mark.parametrize(
    "message, title",
    [
        ("Ship one binary", "Ship one binary"),
        ("  Ship\n\tone   binary \u00a0", "Ship one binary"),
        ("x" * 80, "x" * 72),
        ("x" * 71 + " yz", "x" * 71),
        ("\u5730\u56fe" * 40, "\u5730\u56fe" * 36),
        ("", "Untitled"),
        (" \n ", "Untitled"),
    ],
)
def test_a_title_is_the_message_on_one_line_cut_at_72_characters(message: str, title: str) -> None:
    assert title_of(message) == title


def test_white_space_of_any_kind_becomes_one_space() -> None:
    assert one_line(" a\u2003\r\n b\x1fc ") == "a b c"


def test_text_that_utf_8_cannot_hold_is_refused_by_its_place() -> None:
    require_unicode("MESSAGE", "\u5730\u56fe \U0001f5fa")
    with pytest.raises(Refused, match=r"^MESSAGE is not valid UTF-8 at character 3;") as refused:
        require_unicode("MESSAGE", "ab\udc80")
    assert "\udc80" not in refused.value.message
