"""Where code fences begin and end: as a slow and plain reading says, and in time that grows with the text alone."""

from __future__ import annotations

import random
import sys
from types import FrameType
from typing import Any, NamedTuple

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.fences import fences_of
from memory_custodian.rules.text import fence_spans, lines_of, unclosed_fence

FENCE = ("```", "~~~")
OWN = ("- ", "> ", "# ", "```", "~~~", "    ")
"""What a line of these random texts begins with where it does not merely go on with a paragraph."""


class Reading(NamedTuple):
    """What a plain reading finds in the lines of a text or of one item."""

    spans: list[tuple[int, int]]
    is_paragraph: bool
    """Whether a paragraph is open at the end."""


def plain_reading(lines: list[tuple[int, str]], *, whole: bool = True) -> Reading:
    """Read lines, each with its number, and every list item in them by itself."""
    spans: list[tuple[int, int]] = []
    paragraph = False
    at = 0
    while at < len(lines):
        number, line = lines[at]
        at += 1
        if line.lstrip().startswith(FENCE) and not line.startswith("    "):
            mark = line.strip()[:3]
            ends = (to for to in range(at, len(lines)) if lines[to][1].strip() == mark and indent(lines[to][1]) < 4)
            to = next(ends, None)
            paragraph = False
            if to is None and whole:
                continue
            stop = at_last_text(lines, at) if to is None else to
            spans.append((number, lines[stop][0]))
            at = len(lines) if to is None else to + 1
        elif line.lstrip().startswith("- ") and indent(line) < 4:
            width = indent(line) + 2
            item = [(number, line[width:])]
            while at < len(lines) and (belongs := in_item(item, lines[at][1], width)) is not None:
                item.append((lines[at][0], belongs))
                at += 1
            inner = plain_reading(item, whole=False)
            spans += [(first + (first == number), last) for first, last in inner.spans if last > number]
            paragraph = inner.is_paragraph
        elif line.startswith("    "):
            continue
        else:
            paragraph = bool(line) and not line.startswith("# ")
    return Reading(spans, paragraph)


def in_item(item: list[tuple[int, str]], line: str, width: int) -> str | None:
    """What a line is in the item above it, whose text begins in a column; None where it is no part of that."""
    if not line or indent(line) >= width:
        return line[width:]
    is_lazy = not line.lstrip().startswith(OWN) and plain_reading(item, whole=False).is_paragraph
    return line if is_lazy else None


def at_last_text(lines: list[tuple[int, str]], at: int) -> int:
    return max([at - 1, *(to for to in range(at, len(lines)) if lines[to][1])])


def indent(line: str) -> int:
    return len(line) - len(line.lstrip())


@requirement("CUST-T-03")
@pytest.mark.parametrize("seed", range(300))
def test_fences_are_those_of_a_plain_reading(seed: int) -> None:
    draws = random.Random(seed)
    starts = ("- ", "- ", "  - ", "- - ", "", "", "  ", "    ", "# ", "> ", "- > ", "- ```", "  # ")
    lines = []
    for number in range(draws.randrange(2, 16)):
        fence = f"{' ' * draws.choice((0, 2, 2, 3, 4))}{draws.choice(FENCE)}"
        word = f"{draws.choice(starts)}w{number}"
        lines.append(draws.choice((fence, fence, word, word, word, "")))
    text = "".join(f"{line}\n" for line in lines)
    assert fence_spans(lines_of(text)) == plain_reading([*enumerate(lines)]).spans, text


@requirement("CUST-T-03")
@pytest.mark.parametrize(
    "text, spans, unclosed",
    [
        ("- a\nlazy\n  ```\n  x\n- b\n", [(2, 3)], 3),
        ("- a\n\nb\n  ```\n- x\n  ```\n", [(3, 5)], None),
        ("- # a\nb\n  ```\n- x\n  ```\n", [(2, 4)], None),
        ("- a\n===\n  ```\n- x\n", [(2, 2)], 3),
        ("- a\n  ===\nb\n  ```\n- x\n  ```\n", [(3, 5)], None),
        ("- a\n  > b\nc\n  ```\n- x\n", [(3, 3)], 4),
        ("> - a\n  ```\n- x\n  ```\n", [(1, 3)], None),
        ("- ```\n  x\n  ```\n- b\n", [(1, 2)], None),
        ("- ```\n- b\n", [], 1),
        ("- 1. ~~~\n     x\n\n- b\n", [(1, 1)], 1),
        ("-\n  ```\n  x\n- ```\n", [(1, 2)], 2),
        ("-\n\n  ```\n- x\n  ```\n", [(2, 4)], None),
        ("a\n7. b\n   ```\n- x\n   ```\n", [(2, 4)], None),
        ("a\n1. b\n   ```\n- x\n   ```\n", [(2, 2), (4, 4)], 3),
        ("-     ```\n  ```\n  x\n", [(1, 2)], 2),
        ("-\ta\n\n    ```\n\tx\n  ```\n- b\n", [(2, 3)], 3),
        ("---\n  ```\n- x\n  ```\n", [(1, 3)], None),
        ("- a\r\nlazy\r\n  ```\r\n  x\r\n  ```\r\n- b\r\n", [(2, 4)], None),
        ("- a\n\n      ```\n- x\n  ```\n", [(4, 4)], 5),
        ("- a\n  ````\n  ```\n  ~~~~\n   `````\n- b\n", [(1, 4)], None),
    ],
)
def test_a_fence_belongs_to_the_item_whose_text_it_is(
    text: str, spans: list[tuple[int, int]], unclosed: int | None
) -> None:
    assert fence_spans(lines_of(text)) == spans
    assert unclosed_fence(lines_of(text)) == unclosed


def steps(lines: list[str]) -> int:
    """The lines of Python that a reading of fences runs through."""
    count = 0

    def traced(_frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        fences_of(lines)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize(
    "once",
    [
        "## A\n\nDecision:\n```text\na: b\n```\n\nReason:\n```text\n# c\n```\n\n",
        "  ```\n  ```\n",
        "  ```\n",
        "- a\nlazy\n  ```\n  x\n",
        "- a\n\n  ```\n\n\n",
        "````\n```\n",
        "~~~~~ a\n~~~\n````b`\n",
        "1. - - a\n       ```\n> b\nc\n",
        "lazy\n",
        "-\n\n",
    ],
)
@pytest.mark.parametrize("head", ["", "- a\n", "- - - - - - - - - a\n", "``````\n"])
def test_a_text_of_twice_the_length_takes_twice_the_steps(head: str, once: str) -> None:
    few, many = (steps(lines_of(head + once * count)) for count in (100, 200))
    assert many < 2.1 * few


def test_an_item_below_every_other_and_markers_without_end_take_no_more_steps_than_lines() -> None:
    nested = [f"{'  ' * depth}- a\n" for depth in range(200)]
    assert steps([*nested, *["lazy\n"] * 400]) < 1.1 * (steps([*nested, "lazy\n"]) + steps(["lazy\n"] * 400))
    assert steps([f"{'- ' * 4000}a\n"]) == steps([f"{'- ' * 400}a\n"])
