"""The texts that memory-custodian comes with, as its tests see them. Standard library only, as in Python 3.10."""

from __future__ import annotations

import argparse
import re
from collections.abc import Container, Iterator
from importlib import import_module
from typing import NamedTuple

from csbond_tests.repository import REPOSITORY

__all__ = ["CUSTODIAN", "PLUGIN", "REFERENCES", "Named", "documents", "flat", "named_commands", "options_of", "section"]

CUSTODIAN = REPOSITORY / "custodian"
PLUGIN = CUSTODIAN / "plugin"
REFERENCES = PLUGIN / "skills" / "memory-custodian" / "references"

_ABOUT_IT = ("custodian/**/*.md", "docs/guide/project-memory.md", "docs/reference/memory-custodian.md")
_NOT_TEXTS = ("custodian/tests/", "custodian/plugin/templates/")
_FENCE = re.compile(r"^ *```[^\n`]*\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")


class Named(NamedTuple):
    """A command that a document names."""

    words: tuple[str, ...]
    """Without `memory-custodian`."""

    @property
    def options(self) -> tuple[str, ...]:
        """Its options, without values."""
        return tuple(word.partition("=")[0] for word in self.words if re.match(r"--[a-z]", word))


def documents() -> dict[str, str]:
    """Every document about memory-custodian, by its path in the repository; memory files of examples are some."""
    paths = (path for place in _ABOUT_IT for path in sorted(REPOSITORY.glob(place)))
    named = ((path.relative_to(REPOSITORY).as_posix(), path) for path in paths)
    return {name: path.read_text(encoding="utf-8") for name, path in named if not name.startswith(_NOT_TEXTS)}


def flat(text: str) -> str:
    """The words of a text on one line, without the marks of quotations, list items and table cells."""
    return " ".join(re.sub(r"^(?:[>*|-] )+", "", text, flags=re.MULTILINE).split())


def section(text: str, heading: str) -> str:
    """What stands under a heading, down to the next of its level or above; empty where there is none."""
    found = re.search(rf"^(#+) {re.escape(heading)}$", text, re.MULTILINE)
    if not found:
        return ""
    rest = text[found.end() :]
    end = re.search(rf"^#{{1,{len(found[1])}}} ", _without_fences(rest), re.MULTILINE)
    return rest[: end.start()] if end else rest


def named_commands(text: str, verbs: Container[str]) -> Iterator[Named]:
    """Every command in fences and code spans: what begins with memory-custodian, and a span that begins with a verb."""
    for fence in _FENCE.findall(text):
        joined = re.sub(r"\\\n *(?:> *)?", "", fence)
        for line in joined.splitlines():
            words = line.strip().removeprefix("$ ").split()
            if words[:1] == ["memory-custodian"]:
                yield Named(tuple(words[1:]))
    for span in _SPAN.findall(_FENCE.sub("", text)):
        words = span.split()
        if words[0] == "memory-custodian" and len(words) > 1:
            yield Named(tuple(words[1:]))
        elif words[0] in verbs and len(words) > 1:
            yield Named(tuple(words))


def options_of(verb: str) -> dict[str, list[argparse.Action]]:
    """The options and operands of a verb, or of each of its sub-verbs, by the words that name it."""
    parser = argparse.ArgumentParser()
    import_module(f"memory_custodian.commands.{verb}").declare(parser)
    return dict(_below(verb, parser))


def _below(name: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, list[argparse.Action]]]:
    below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not below:
        yield name, [action for action in parser._actions if not _is_hidden(action)]
    for action in below:
        for word, inner in action.choices.items():
            yield from _below(f"{name} {word}", inner)


def _is_hidden(action: argparse.Action) -> bool:
    return isinstance(action, argparse._HelpAction) or action.help == argparse.SUPPRESS


def _without_fences(text: str) -> str:
    """The text with its fences blanked, of the same length."""
    return _FENCE.sub(lambda fence: re.sub(r"[^\n]", " ", fence[0]), text)
