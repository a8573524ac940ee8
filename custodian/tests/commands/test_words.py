"""The words that ask for a request again."""

from __future__ import annotations

import argparse

from memory_custodian.commands.words import option_words, positional_words


def test_options_that_were_given_are_given_again_in_the_order_that_is_asked_for() -> None:
    options = argparse.Namespace(type="rule", name=None, reason="", allow_long=True, evidence=["doc:a.md", "-x"])
    assert option_words(options, ("allow_long", "type", "name", "reason", "evidence")) == [
        "--allow-long",
        "--type",
        "rule",
        "--evidence",
        "doc:a.md",
        "--evidence=-x",
    ]


def test_arguments_that_begin_like_options_stand_behind_two_dashes() -> None:
    assert positional_words("a", "b") == ["a", "b"]
    assert positional_words("a", "-b") == ["--", "a", "-b"]
