"""What every verb takes, told by its help and by the reference page."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from csbond_tests.marks import requirement
from memory_custodian import cli
from memory_custodian.cli import VERBS

PAGE = Path(__file__).parents[2] / "docs/reference/memory-custodian.md"


def parsers_of(verb: str) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """A verb's parser by its name, or those of its actions."""
    parser = argparse.ArgumentParser()
    cli._verb(verb).declare(parser)
    actions = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not actions:
        yield verb, parser
    for action in actions:
        yield from ((f"{verb} {name}", each) for name, each in action.choices.items())


ALL = [pytest.param(name, parser, id=name) for verb in VERBS for name, parser in parsers_of(verb)]


@requirement("CUST-B2.1-01")
@pytest.mark.parametrize("name, parser", ALL)
def test_every_verb_takes_the_place_it_works_on(name: str, parser: argparse.ArgumentParser) -> None:
    defaults = {"project_root": ".", "memory_dir": "docs/memory"}
    assert {key: parser.get_default(key) for key in defaults} == defaults


@requirement("CUST-P-13")
@pytest.mark.parametrize("name, parser", ALL)
def test_the_help_and_the_reference_name_every_option(name: str, parser: argparse.ArgumentParser) -> None:
    help_text, page = parser.format_help(), PAGE.read_text(encoding="utf-8")
    section = page.split(f"\n## memory-custodian {name.split()[0]}\n", 1)[1].split("\n## ", 1)[0]
    for action in parser._actions:
        if isinstance(action, argparse._HelpAction) or action.help == argparse.SUPPRESS:
            continue
        assert action.help, f"{name}: {action.dest} says nothing"
        spelled = action.option_strings[-1] if action.option_strings else str(action.metavar or action.dest)
        assert re.search(rf"(?<![\w-]){re.escape(spelled)}(?![\w-])", help_text), spelled
        assert re.search(rf"(?<![\w-]){re.escape(spelled)}(?![\w-])", section), f"{name}: {spelled} is not on the page"
