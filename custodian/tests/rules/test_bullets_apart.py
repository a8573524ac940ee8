"""Random lists: whichever bullet goes, every line of everything else stays, in its order (§§10.3, 11.3)."""

from __future__ import annotations

import random
from typing import NamedTuple

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.parse_blocks import parse, without

SEEDS = range(60)


class Piece(NamedTuple):
    """One thing of a list: a bullet with all that is its own, or what stands between bullets."""

    text: str
    is_bullet: bool
    column: int = 0
    """Where the text of a bullet begins."""


def bullet(draws: random.Random, name: str, above: int) -> Piece:
    """A bullet that is indented less than the text of the one above it, so it is no child of that."""
    indent = draws.randrange(min(above, 4)) if above else 0
    gap = draws.choice((" ", " ", "  ", "   ", "\t"))
    start = f"{' ' * indent}{draws.choice('-*+')}{gap}"
    column = len(start.expandtabs(4))
    lines = [f"{start}{name} begins"]
    for number in range(draws.randrange(4)):
        lines += own_lines(draws, f"{name}.{number}", " " * column, lazy=number == 0)
    return Piece("".join(f"{line}\n" for line in lines), is_bullet=True, column=column)


def own_lines(draws: random.Random, name: str, inner: str, *, lazy: bool) -> list[str]:
    """Lines that belong to the bullet above."""
    ways = [
        [f"{inner}{name} goes on"],
        [f"{inner}- {name} is nested"],
        [f"{inner}1. {name} is counted"],
        [f"{inner}```", f"{inner}- {name} is code", "", f"{inner}```"],
        ["", f"{inner}{name} is a paragraph"],
        [f"{inner}### {name} is a heading"],
        [f"{inner}~~~", f"{inner}## {name} is code"],
    ]
    lazily = [[f"{name} is lazy"], [f"{name} is lazy", f"{inner}```", f"{inner}{name} is code"]]
    return draws.choice([*ways, *lazily] if lazy else ways)


def other(draws: random.Random, name: str) -> Piece:
    """Something between two bullets that belongs to neither."""
    text = draws.choice(
        (
            f"### {name} is a heading\n",
            "---\n",
            f"1. {name} is counted\n2. {name} again\n",
            f"| {name} | is a table |\n|---|---|\n",
            f"<!-- {name} is kept -->\n",
            f"> {name} was said\n",
            f"```\n- {name} is code\n```\n",
            f"\n{name} is a paragraph\n",
        )
    )
    return Piece(text, is_bullet=False)


def listed(draws: random.Random) -> list[Piece]:
    """A list that begins with a bullet."""
    found: list[Piece] = []
    for number in range(draws.randrange(2, 9)):
        above = found[-1] if found else None
        if above and above.is_bullet and draws.random() < 0.35:
            found.append(other(draws, f"n{number}"))
        else:
            found.append(bullet(draws, f"n{number}", above.column if above and above.is_bullet else 0))
    return found


def lines_in(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


@requirement("CUST-P-08", "CUST-T-03")
@pytest.mark.parametrize("head", ["# Constraints\n\n", "# Memory Inbox\n\n## 2026-03-02\n", "", "# T\n\nText.\n\n"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_bullet_is_cut_out_with_its_own_lines_alone(seed: int, head: str) -> None:
    draws = random.Random(seed)
    pieces = listed(draws)
    text = head + "".join(piece.text for piece in pieces)
    blocks = parse(text)
    assert "".join(block.text for block in blocks) == text
    cut = [(place, block) for place, block in enumerate(blocks) if block.kind == "bullet"]
    wanted = [piece for piece in pieces if piece.is_bullet]
    assert [lines_in(block.text) for _, block in cut] == [lines_in(piece.text) for piece in wanted]
    for (place, _), gone in zip(cut, wanted, strict=True):
        left = without(text, {place})
        staying = "".join(piece.text for piece in pieces if piece is not gone)
        if staying or not head.rstrip().endswith("2026-03-02"):
            assert [line for line in lines_in(left) if "No unprocessed" not in line] == lines_in(head + staying)


@requirement("CUST-P-08")
@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_goes_from_any_lines_the_others_keep_theirs(seed: int) -> None:
    draws = random.Random(seed)
    marks = ("- ", " - ", "  - ", "-\t", "1. ", "### ", "> ", "| ", "<!-- ", "```", "---", "    ", "  ", "", "", "* ")
    text = "# T\n\n" + "".join(f"{draws.choice(marks)}w{number}\n" for number in range(draws.randrange(1, 25)))
    blocks = parse(text)
    for place, block in enumerate(blocks):
        if block.removable:
            kept = "".join(other.text for other in blocks if other is not block)
            assert lines_in(without(text, {place})) == lines_in(kept)


@requirement("CUST-P-08", "CUST-T-03")
@pytest.mark.parametrize(
    "text, doomed, kept",
    [
        (
            "- run:\n  ```sh\n  make test\n- alpha\n- never\n- build:\n  ```sh\n  make\n  ```\n- last\n",
            "- alpha\n",
            ["- run:\n  ```sh\n  make test\n", "- never\n", "- build:\n  ```sh\n  make\n  ```\n", "- last\n"],
        ),
        ("- keep\n  ```\n  code\n- alpha\n- sib\n  ```\n", "- alpha\n", ["- keep\n  ```\n  code\n", "- sib\n  ```\n"]),
        (
            "- alpha\n  ```\n  code\n- one\n- two\n  ```\n  code\n  ```\n- g\n",
            "- alpha\n  ```\n  code\n",
            ["- one\n", "- two\n  ```\n  code\n  ```\n", "- g\n"],
        ),
        ("- keep\n\n  ```\n- alpha\n  ```\n- g\n", "- alpha\n  ```\n", ["- keep\n\n  ```\n", "- g\n"]),
        ("- a\n  - b\n  ```\n  - alpha\n  ```\n- g\n", "- a\n  - b\n  ```\n  - alpha\n  ```\n", ["- g\n"]),
        (
            "- alpha\nlazy\n  ```\n  code\n- sib\n- other\n  ```\n  more\n  ```\n",
            "- alpha\nlazy\n  ```\n  code\n",
            ["- sib\n", "- other\n  ```\n  more\n  ```\n"],
        ),
        (
            "- alpha\n  1. x\nlazy\n     ```\n     code\n- sib\n  ```\n  more\n",
            "- alpha\n  1. x\nlazy\n     ```\n     code\n",
            ["- sib\n  ```\n  more\n"],
        ),
        (
            "- alpha\nlazy\n  ~~~\n- sib\n\n## Kept\n\n- g\n\n  ~~~\n  code\n  ~~~\n",
            "- alpha\nlazy\n  ~~~\n",
            ["- sib\n", "## Kept\n", "- g\n\n  ~~~\n  code\n  ~~~\n"],
        ),
        ("- alpha\n\n  ```\n  code\nafter\n- g\n", "- alpha\n\n  ```\n  code\n", ["after\n", "- g\n"]),
        ("- ```\n  code\n- alpha\n  ```\n- g\n", "- alpha\n  ```\n", ["- ```\n  code\n", "- g\n"]),
        ("1. a\n  ```\n- alpha\n  ```\n- g\n", "- g\n", ["1. a\n  ```\n- alpha\n  ```\n"]),
        ("- ```\n  code\n  ```\n- alpha\n  ~~~\n- g\n", "- alpha\n  ~~~\n", ["- ```\n  code\n  ```\n", "- g\n"]),
    ],
)
def test_a_fence_ends_with_the_item_it_stands_in(text: str, doomed: str, kept: list[str]) -> None:
    text = f"# Constraints\n\n{text}"
    (place,) = [at for at, block in enumerate(parse(text)) if block.text == doomed]
    left = without(text, [place])
    assert [piece for piece in kept if piece not in left] == []
    assert left.replace("\n", "") == "# Constraints" + "".join(kept).replace("\n", "")
