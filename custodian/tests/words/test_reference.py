"""The reference names every verb, option, task, limit and facet, as the code has them."""

from __future__ import annotations

import argparse
import re
from textwrap import fill

import pytest

from csbond_tests.custodian_texts import options_of, section
from csbond_tests.repository import REPOSITORY
from memory_custodian.cli import VERBS
from memory_custodian.commands.arguments import add_confirmation, add_format, add_locking, add_place
from memory_custodian.rules.budgets import DECISION_TOKENS, budget_of
from memory_custodian.rules.route import TASKS

pytestmark = pytest.mark.docs

PAGE = (REPOSITORY / "docs/reference/memory-custodian.md").read_text(encoding="utf-8")


def options_of_several_verbs() -> list[argparse.Action]:
    parser = argparse.ArgumentParser(add_help=False)
    for declare in (add_place, add_format, add_locking, add_confirmation):
        declare(parser)
    return parser._actions


def spelled(action: argparse.Action) -> str:
    """How an option or operand is written: `--type {a,b}`, `--area NAME`, `MESSAGE`."""
    value = action.metavar or (f"{{{','.join(map(str, action.choices))}}}" if action.choices else action.dest.upper())
    if not action.option_strings:
        return str(value)
    return action.option_strings[0] if action.nargs == 0 else f"{action.option_strings[0]} {value}"


def row(action: argparse.Action) -> str:
    """The line of the reference about an option: no vertical bar ends a cell early."""
    return f"| `{spelled(action)}` | {(action.help or '').replace('|', chr(92) + '|')} |"


def verbs() -> dict[str, list[argparse.Action]]:
    return {name: actions for verb in VERBS for name, actions in options_of(verb).items()}


def rendered(name: str, actions: list[argparse.Action]) -> str:
    """The part of the reference about one verb, without its sentences."""
    several = {action.option_strings[0] for action in options_of_several_verbs()}
    own = [action for action in actions if not several & set(action.option_strings)]
    others = [action.option_strings[0] for action in actions if several & set(action.option_strings)]
    table = "".join(f"{row(action)}\n" for action in own)
    head = f"| of {name} | meaning |\n| --- | --- |\n{table}\n" if own else ""
    also = f"Also for `{name}`: " + ", ".join(f"`{option}`" for option in others) + "."
    return head + fill(also, 120, break_on_hyphens=False) + "\n"


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_its_sentence_and_all_its_options(verb: str) -> None:
    part = section(PAGE, f"memory-custodian {verb}")
    sentence = VERBS[verb]
    assert f"\n{sentence[0].upper()}{sentence[1:]}." in part
    for name, actions in options_of(verb).items():
        assert rendered(name, actions) in part, rendered(name, actions)


def test_options_that_several_verbs_have_are_told_once() -> None:
    part = section(PAGE, "Options that several verbs have")
    assert re.findall(r"^\| `-.*$", part, re.MULTILINE) == [row(action) for action in options_of_several_verbs()]


def test_every_task_is_there_with_its_category() -> None:
    rows = re.findall(r"^\| (`.+`) \| ([a-z]+) \|", section(PAGE, "Tasks"), re.MULTILINE)
    assert {task: category for tasks, category in rows for task in re.findall(r"`(\w+)`", tasks)} == TASKS


def test_every_limit_is_there() -> None:
    part = section(PAGE, "Limits")
    rows = dict(re.findall(r"^\| `([\w/.*-]+)` \| (\d+) \|$", part, re.MULTILINE))
    files = (
        "brief",
        "decisions",
        "constraints",
        "do-not-use",
        "preferences",
        "changelog",
        "rules/*",
        "profiles/*",
        "areas/*",
    )
    assert rows == {f"{file}.md": str(budget_of(f"{file}.md")) for file in files}
    assert f"{DECISION_TOKENS} tokens" in part
