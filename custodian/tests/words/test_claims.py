"""What the release notes claim is there, and what they must not claim is nowhere but among what is denied (§15)."""

from __future__ import annotations

import re

import pytest

from csbond_tests.custodian_texts import CUSTODIAN, documents, flat, named_commands, options_of, section
from csbond_tests.marks import requirement
from memory_custodian.cli import VERBS

NOTES = (CUSTODIAN / "RELEASE-NOTES.md").read_text(encoding="utf-8")
DENIED = section(NOTES, "What it does not claim")
CLAIMED = flat(NOTES.replace(DENIED, ""))
ALL = documents()
OF_THE_PARSER = {"--help", "--version"}

TWELVE = {
    "semantic truth verification": r"semantic truth|verif\w+ (?:that )?(?:entries|an entry|memory|it) (?:is|are) true",
    "complete semantic contradiction detection": r"contradictions? (?:detect|are found)|detects? (?:all )?contradict",
    "automatic alias equivalence": r"alias equivalence|(?:joins?|merges?) Subjects",
    "automatic merge conflict resolution": r"resolv\w+ (?:merge )?conflicts|conflict resolution",
    "complete secret detection": r"(?:all|every|any) secrets?\b|complete secret",
    "cryptographic authorization": r"cryptographic",
    "transactional database semantics": r"transaction|\bACID\b",
    "live cross-agent benchmark": r"benchmark",
    "complete erasure": r"(?:complete|full|entire|total)(?:ly)? (?:eras|remov|delet|forgot)|permanent|for good\b|"
    r"everywhere|no trace|leaves? nothing|nothing (?:is left|remains)",
    "repository-wide erasure": r"repository-wide",
    "removal from Git history": r"(?:remov|eras|delet)\w+ (?:\w+ )?from (?:Git )?history|rewrites? history",
    "revocation from clones, forks or backups": r"revocation|revok\w+ [^.]*(?:clones|forks|backups|copies)",
}


@requirement("CUST-15-17")
@pytest.mark.parametrize("claim", TWELVE)
def test_the_release_notes_claim_none_of_the_twelve(claim: str) -> None:
    assert not re.findall(TWELVE[claim], CLAIMED, re.IGNORECASE)


@requirement("CUST-15-17")
@pytest.mark.parametrize("claim", TWELVE)
def test_the_release_notes_deny_each_of_the_twelve(claim: str) -> None:
    assert re.search(rf"\bno {re.escape(claim)}", flat(DENIED), re.IGNORECASE), claim


def test_a_claim_would_be_noticed() -> None:
    made_up = "It detects contradictions, finds every secret and rewrites history with transactions, permanently."
    found = [claim for claim, form in TWELVE.items() if re.search(form, made_up, re.IGNORECASE)]
    assert found == [
        "complete semantic contradiction detection",
        "complete secret detection",
        "transactional database semantics",
        "complete erasure",
        "removal from Git history",
    ]


DENIAL = re.compile(r"\b(?:no|not|nor|never|neither|nothing|cannot|without|forbidden)\b", re.IGNORECASE)
ASKED_FOR = ("for good", "*Purge it, everywhere.*", "Purge that client from everywhere, completely.")
"""What users ask for in examples and scenarios."""


def promises_in(text: str) -> list[str]:
    """The sentences that claim one of the twelve and deny nothing."""
    for asked in ASKED_FOR:
        text = text.replace(asked, "")
    found = []
    for sentence in re.split(r"(?<=[.!?|])\s", flat(text)):
        forms = [form for form in TWELVE.values() if re.search(form, sentence, re.IGNORECASE)]
        rests = [re.sub(form, "", sentence, flags=re.IGNORECASE) for form in forms]
        found += [sentence] if not all(map(DENIAL.search, rests)) else []
    return found


@requirement("CUST-15-17", "CUST-16-27")
@pytest.mark.parametrize("name", ALL)
def test_no_text_promises_any_of_the_twelve(name: str) -> None:
    assert promises_in(ALL[name]) == []


def test_a_promise_would_be_noticed() -> None:
    made_up = (
        "| `purge` | the same | no trace in memory |\nIt leaves nothing. Never say: erased everywhere. It is ACID."
    )
    assert promises_in(made_up) == ["no trace in memory |", "It leaves nothing.", "It is ACID."]


def every_option() -> set[str]:
    return {
        option
        for verb in VERBS
        for actions in options_of(verb).values()
        for action in actions
        for option in action.option_strings
    }


def unknown_in(text: str) -> list[str]:
    """The commands and options of a text that the program does not have."""
    unknown = []
    for named in named_commands(text, VERBS):
        verb = named.words[0]
        if verb in OF_THE_PARSER or verb.startswith("<"):
            continue
        if verb not in VERBS:
            unknown.append(" ".join(named.words))
            continue
        below = options_of(verb)
        word = " ".join(named.words[:2])
        at = {word: below[word]} if word in below else below
        known = {option for actions in at.values() for action in actions for option in action.option_strings}
        unknown += [f"{verb}: {option}" for option in named.options if option not in known | OF_THE_PARSER]
    return unknown


@requirement("CUST-15-18")
@pytest.mark.parametrize("name", ALL)
def test_every_command_that_a_text_names_exists(name: str) -> None:
    assert unknown_in(ALL[name]) == []


@requirement("CUST-15-18")
def test_every_verb_and_option_of_the_release_notes_exists_and_every_verb_is_told_of() -> None:
    options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", NOTES))
    assert options
    assert options <= every_option()
    spans = {span.split()[0] for span in re.findall(r"`([^`]+)`", NOTES)}
    assert spans >= {"add", "promote", "subject", "forget", "check", "migrate", "read", "status"}


def test_a_command_that_does_not_exist_would_be_noticed() -> None:
    fence = "```sh\nmemory-custodian subject list --all \\\n  --kind x\n```\n"
    text = f"Use `memory-custodian recall x` or `add --quick`.\n\n{fence}"
    assert unknown_in(text) == ["subject: --all", "subject: --kind", "recall x", "add: --quick"]
