"""A model's summary is taken where it is short enough and holds what was decided; else the extract stands."""

from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.protocol.continuity.model_summary import SummaryWish, accepted, summary_wish, with_text
from csbond.protocol.continuity.summary import RATIO_MAX, LengthHint, SummaryOptions, context_summary
from csbond.protocol.continuity.window import Window
from csbond.protocol.memory.words import token_count
from csbond_tests.conversations import conversation
from csbond_tests.requirements import requirement

NOW = 1_700_000_000_000
DECISION = "We decided to use SQLite for the ledger."
TALK = conversation(
    ("Alice", "Good morning. The old ledger loses rows when the power fails, and I looked at it all weekend."),
    ("Luna", "That is a pity. A ledger that loses rows cannot be trusted with anything at all, I think."),
    ("Alice", f"{DECISION} The weather was fine, by the way, and the river was warm enough to swim."),
    ("Alice", "Where do we keep the backups? I looked at three places in the house and all of them were full."),
)
TEXT = f"The old ledger lost rows. {DECISION}"
SECRET = "The code of the safe is four one nine."


def wished(talk=TALK, hint: LengthHint = "compact"):
    window = Window(tuple(talk), ())
    extract = context_summary(window, NOW, options=SummaryOptions(hint))
    assert extract is not None
    wish = summary_wish(window, extract)
    assert wish is not None
    return extract, wish


@requirement("MEM-003-interop-summary")
def test_a_text_with_every_decision_takes_the_place_of_the_extract_and_says_whose_it_is():
    extract, wish = wished()
    told = with_text(extract, wish, f" {TEXT}\n")
    assert (told["summary"], told["by_model"]) == (TEXT, True)
    assert told["key_decisions"] == [DECISION]
    assert {name: value for name, value in told.items() if name not in ("summary", "by_model", "ratio")} == {
        name: value for name, value in extract.items() if name not in ("summary", "ratio")
    }
    tokens = sum(map(token_count, (TEXT, *told["key_decisions"], *told["open_questions"])))
    assert told["ratio"] == round(tokens / wish.source_tokens, 4) <= RATIO_MAX


@requirement("MEM-003-interop-summary")
@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "...",
        "The old ledger lost rows.",
        "We decided to use PostgreSQL for the ledger.",
        "We decided not to use SQLite for the ledger.",
        "They chose SQLite to be their ledger.",
        f"{TEXT} {'And the river was warm enough to swim. ' * 9}",
    ],
)
def test_a_text_that_is_too_long_or_lacks_a_decision_gives_way_to_the_extract(text):
    extract, wish = wished()
    assert with_text(extract, wish, text) == extract


@requirement("MEM-003-interop-summary")
def test_seventy_of_a_hundred_tokens_are_taken_and_not_one_more():
    decision = "Tea is at four."
    rest = "word " * 66
    assert accepted(f"{rest}{decision}", 100, [decision])
    assert not accepted(f"more {rest}{decision}", 100, [decision])
    assert not accepted(f"{rest}{decision}", 100, [decision], beside=1)


@pytest.mark.parametrize("written", ["we decided:  to use ＳＱＬＩＴＥ for the ledger!", DECISION.upper()])
def test_a_decision_may_change_its_case_width_spaces_and_punctuation(written):
    assert accepted(written, 100, [DECISION])


def test_a_decision_in_chinese_has_to_be_there_too():
    assert accepted("旧账本丢数据。我们决定账本改用SQLite", 40, ["我们决定账本改用 SQLite。"])
    assert not accepted("旧账本丢数据。我们决定账本不改用SQLite", 40, ["我们决定账本改用 SQLite。"])


def test_a_model_is_given_what_was_said_by_whom_and_nothing_private():
    private = replace(conversation(("Alice", SECRET))[0], private=True)
    _, wish = wished((*TALK, private))
    lines = wish.source.split("\n")
    assert [line.partition(":")[0] for line in lines] == ["Alice", "Luna", "Alice", "Alice"]
    assert lines[0].startswith("Alice: Good morning. The old ledger loses rows")
    assert SECRET not in wish.source
    assert (wish.decisions, wish.language) == ((DECISION,), "en-US")


def test_how_long_a_text_shall_be_goes_by_the_wish_and_never_beyond_what_is_taken():
    asked = {hint: wished(hint=hint)[1].tokens for hint in ("compact", "standard", "full")}
    assert asked["compact"] < asked["standard"] <= asked["full"]
    extract, wish = wished(hint="full")
    beside = sum(map(token_count, (*extract["key_decisions"], *extract["open_questions"])))
    assert wish.tokens + beside <= RATIO_MAX * wish.source_tokens


def test_where_decisions_are_nearly_all_that_was_said_no_model_is_asked():
    window = Window(conversation(("Alice", DECISION), ("Alice", "We agreed on Friday for it.")), ())
    extract = context_summary(window, NOW)
    assert extract is not None
    assert extract["key_decisions"]
    assert summary_wish(window, extract) is None


def test_wishes_that_are_equal_are_one():
    assert len({wished()[1], wished()[1]}) == 1
    assert isinstance(wished()[1], SummaryWish)
