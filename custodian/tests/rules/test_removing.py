"""Random files: whichever units go, what belongs to what stays for all others (§§4.2, 10.3, 11.3)."""

from __future__ import annotations

import random
from typing import NamedTuple

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.parse_blocks import APART, parse
from memory_custodian.rules.removing import without

HEAD = "# Constraints\n\n"
OLD = "## MC-CON-20260302-0000000a — A\n\nStatus: superseded\n\nConstraint:\nA.\n\n"
MET = "## MC-CON-20260302-0000000b — B\n\nStatus: active\n\nConstraint:\nB.\n\n"


class Unit(NamedTuple):
    """One unit of a file, with what it belongs to and the Status that it says."""

    kind: str
    owner: str
    text: str
    status: str


def units(text: str) -> list[Unit]:
    """The entries, sections and bullets of a file, without the lines that set apart."""
    blocks = parse(text)
    owners = {block.group: block.text.strip() for block in blocks if block.kind == "heading"}
    return [unit(block.kind, owners.get(block.group, ""), block.text) for block in blocks if block.removable]


def unit(kind: str, owner: str, text: str) -> Unit:
    lines = [line for line in text.split("\n") if line.strip() and line != APART]
    status = next((line for line in lines if line.startswith("Status:")), "")
    return Unit(kind, owner, "\n".join(lines), status)


def place_of(text: str, start: str) -> int:
    return next(at for at, block in enumerate(parse(text)) if block.text.startswith(start))


@requirement("CUST-P-08")
@pytest.mark.parametrize(
    "above",
    [
        OLD,
        MET.replace("0b", "0c").replace("B.", "Mind these:"),
        MET.replace("0b", "0c").replace("B.\n", "B.\n\nReason:\n"),
        MET.replace("0b", "0c").replace("Constraint:\nB.\n", ""),
        "## 2026-03-01 - Ship\nDecision:\nShip.\n\n",
        "## Tombstone: x\nNever.\n\n",
        "## Notes\nProse.\n\n",
        "## 2026-03-01\n- old\n\n",
        "## 2026-03-01\n\ntext\n\n- old\n\n",
        "# Part\n\n- old\n\n",
    ],
)
@pytest.mark.parametrize("below", ["- x\n- y\n", "  - x\n", "text\n\n- x\n", "- x\n\nReason:\nold\n"])
def test_what_stands_below_an_entry_that_goes_belongs_to_no_other(above: str, below: str) -> None:
    middle = MET + (f"{APART}\n\n" if below[0] == " " else "- z\n\n" if below[0] == "t" else "")
    text = f"{HEAD}{above}{middle}{below}"
    doomed = {at for at, block in enumerate(parse(text)) if block.text in {MET, "- z\n\n"}}
    wanted = [one for one in units(text) if one.text not in {unit("", "", MET).text, "- z"}]
    left = without(text, doomed)
    assert units(left) == wanted
    assert left.count(APART) <= 2
    for at, block in enumerate(parse(left)):
        if block.removable:
            assert units(without(left, {at})) == staying(left, {at})


@requirement("CUST-P-08")
def test_a_line_is_written_only_where_something_would_change_hands() -> None:
    active = MET.replace("0b", "0c").replace("B", "C")
    text = f"{HEAD}{active}{MET}- x\n"
    assert without(text, {place_of(text, MET[:30])}) == f"{HEAD}{active}- x\n"
    text = f"{HEAD}{OLD}{MET}- x\n- y\n"
    left = without(text, {place_of(text, MET[:30])})
    assert left == f"{HEAD}{OLD}{APART}\n\n- x\n- y\n"
    assert without(left, {place_of(left, OLD[:30])}) == f"{HEAD}- x\n- y\n"
    assert without(left, {place_of(left, "- x")}) == f"{HEAD}{OLD}{APART}\n\n- y\n"
    text = "# T\n\n## Day\n\n- x\n\nReason:\nr\n-    y\n\n  - z\n"
    left = without(text, {place_of(text, "- x"), place_of(text, "-    y")})
    assert left == f"# T\n\n## Day\n\nReason:\nr\n\n{APART}\n\n  - z\n"


def random_text(draws: random.Random) -> str:
    pieces = [draws.choice(("", "# T\n\n", "# Memory Inbox\n\n", "# T\n\nProse.\n\n", "Prose.\n\n1. one\n\n"))]
    pieces += [random_piece(draws, f"w{number}", f"{number:08x}") for number in range(draws.randrange(1, 12))]
    return "".join(pieces)


def random_piece(draws: random.Random, word: str, digits: str) -> str:
    status = draws.choice(("active", "superseded", "candidate", ""))
    said = draws.choice((f"{word}.", f"{word}:", f"{word}.\n\n- {word}\n- {word}", f"{word}.\n\nReason:\n{word}", ""))
    label = draws.choice(("Constraint:\n", "Decision:\n", "Constraint:\n", ""))
    entry = f"## MC-CON-20260302-{digits} — {word}\n\nStatus: {status}\n\n{label}{said}\n"
    bullet = f"{draws.choice('-*+')}{draws.choice(('', ' ', '   '))} {word}\n"
    ways = (
        entry,
        entry,
        f"## {word}\n",
        f"## {word}\n{word}\n",
        f"## Tombstone: {word}\n{word}\n",
        f"## {word}\nDecision:\n{word}\n",
        bullet,
        bullet,
        f"{bullet}  {word} goes on\n",
        f" - {word}\n",
        f"  - {word}\n",
        f"{word} is text\n",
        f"Reason:\n{word}\n",
        f"Mind {word}:\n",
        f"  {word} is indented\n",
        f"```\n- {word}\n## {word}\n```\n",
        f"{APART}\n",
        f"# {word}\n",
    )
    return draws.choice(ways) + draws.choice(("", "\n", "\n", "\n"))


@requirement("CUST-P-08")
@pytest.mark.parametrize("seed", range(60))
def test_whatever_goes_every_unit_that_stays_keeps_owner_status_and_bytes(seed: int) -> None:
    draws = random.Random(f"removing {seed}")
    for _ in range(6):
        text = random_text(draws)
        while True:
            blocks = parse(text)
            places = [at for at, block in enumerate(blocks) if block.removable]
            if not places:
                break
            doomed = set(draws.sample(places, draws.randrange(1, min(3, len(places)) + 1)))
            left = without(text, doomed)
            assert units(left) == staying(text, doomed), f"{text!r} without {sorted(doomed)} is {left!r}"
            text = left


def staying(text: str, doomed: set[int]) -> list[Unit]:
    """What has to stay: a heading that keeps text and no bullet is a section from then on."""
    blocks = parse(text)
    found: list[Unit] = []
    for place, block in enumerate(blocks):
        group = [(at, one) for at, one in enumerate(blocks) if one.group == block.group and at not in doomed]
        if block.kind == "heading" and not any(one.kind == "bullet" for _, one in group):
            own = [one.text for _, one in group]
            if any(one.strip() and one.strip() != APART for one in own[1:]):
                found.append(unit("section", "", "\n".join(own)))
        elif block.removable and place not in doomed:
            owner = next((one.text.strip() for _, one in group if one.kind == "heading"), "")
            found.append(unit(block.kind, owner, block.text))
    return found
