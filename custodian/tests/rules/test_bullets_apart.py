"""Random lists: whichever bullet goes, every line of everything else stays, in its order (§§10.3, 11.3)."""

from __future__ import annotations

import random
from typing import NamedTuple

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.parse_blocks import APART, parse
from memory_custodian.rules.removing import without

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
    """The lines that a person wrote."""
    return [line for line in text.split("\n") if line.strip() and line != APART]


def bullets(text: str) -> list[str]:
    return [block.text.rstrip() for block in parse(text) if block.kind == "bullet"]


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
            assert bullets(left) == [bullet for bullet in bullets(text) if bullet not in gone.text]


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
            left = without(text, {place})
            before = sum(other.kind == "bullet" for other in blocks[:place])
            assert lines_in(left) == lines_in(kept)
            assert bullets(left) == bullets(text)[:before] + bullets(text)[before + 1 :]


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


ENTRY = "## MC-CON-20260302-0a1b2c3d — One binary\n\nStatus: active\n\nConstraint:\nShip one binary.\n"


@requirement("CUST-P-08")
@pytest.mark.parametrize(
    "text, doomed, left",
    [
        (
            "* keep\n-   alpha\n\n  ~~~text\n- code\n~~~\n",
            ["-   alpha\n\n"],
            f"* keep\n\n{APART}\n\n  ~~~text\n- code\n~~~\n",
        ),
        ("* keep\n-    alpha\n  - own\n", ["-    alpha\n"], f"* keep\n\n{APART}\n\n  - own\n"),
        ("* keep\n-    alpha\n\n  text\n", ["-    alpha\n\n"], f"* keep\n\n{APART}\n\n  text\n"),
        ("* keep\n-    alpha\n - own\n", ["-    alpha\n"], "* keep\n - own\n"),
        ("- alpha\n - own\n - g\n", ["- alpha\n"], f"{APART}\n\n - own\n - g\n"),
        (f"{ENTRY}\n- alpha\n\ntext\n\n- g\n", ["- alpha\n\n"], f"{ENTRY}\n{APART}\n\ntext\n\n- g\n"),
        (
            "- keep\n1. one\n   - own\n-   alpha\n\n   ```\n- x\n   ```\n",
            ["-   alpha\n\n"],
            f"- keep\n1. one\n   - own\n\n{APART}\n\n   ```\n- x\n   ```\n",
        ),
        (f"{ENTRY}\n- alpha\n- g\n", ["- alpha\n"], f"{ENTRY}\n- g\n"),
        (f"{ENTRY}\n{APART}\n\n- alpha\n\ntext\n", ["- alpha\n\n"], f"{ENTRY}\n{APART}\n\ntext\n"),
        (f"- keep\n\n{APART}\n\n  - alpha\n  - own\n", ["  - alpha\n"], f"- keep\n\n{APART}\n\n  - own\n"),
        (f"- keep\n\n{APART}\n\n  - alpha\n- own\n", ["  - alpha\n"], "- keep\n\n- own\n"),
        (f"- keep\n- alpha\n\n{APART}\n\n  text\n", ["- alpha\n\n"], f"- keep\n\n{APART}\n\n  text\n"),
        (f"- alpha\n\n{APART}\n\n  - own\n", ["- alpha\n\n", "  - own\n"], ""),
        (f"## Day\n- alpha\n\n{APART}\n\n  - own\n", ["- alpha\n\n", "  - own\n"], ""),
    ],
)
def test_neighbours_that_would_run_together_are_set_apart(text: str, doomed: list[str], left: str) -> None:
    text, left = (f"# Constraints\n\n{one}".rstrip() + "\n" for one in (text, left))
    blocks = parse(text)
    going = [at for at, block in enumerate(blocks) if block.text in doomed]
    assert len(going) == len(doomed)
    assert without(text, going) == left
    staying = [block.text.rstrip() for at, block in enumerate(blocks) if block.removable and at not in going]
    assert [block.text.rstrip() for block in parse(left) if block.removable] == staying


@requirement("CUST-P-08")
@pytest.mark.parametrize("seed", SEEDS)
def test_however_many_go_one_after_another_or_at_once_the_others_stay_what_they_are(seed: int) -> None:
    draws = random.Random(seed)
    text = "# T\n\n" + ENTRY + "\n" + "".join(piece.text for piece in [*listed(draws), *listed(draws), *listed(draws)])
    wanted = bullets(text)
    while wanted:
        places = [at for at, block in enumerate(parse(text)) if block.kind == "bullet"]
        chosen = draws.sample(range(len(wanted)), draws.randrange(1, min(4, len(wanted)) + 1))
        text = without(text, [places[at] for at in chosen])
        wanted = [bullet for at, bullet in enumerate(wanted) if at not in chosen]
        assert bullets(text) == wanted
        assert [block.text.rstrip() for block in parse(text) if block.kind == "entry"] == [ENTRY.rstrip()]
