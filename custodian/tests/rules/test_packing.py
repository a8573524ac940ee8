"""What of each module is loaded."""

from __future__ import annotations

import random

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.budgets import budget_of, budget_state, token_count
from memory_custodian.rules.packing import pack, pack_text
from memory_custodian.rules.parse_blocks import APART, parse
from memory_custodian.rules.route import Category, Module, Reason, Route
from memory_custodian.rules.snapshot import Snapshot

ENTRY = """\
## MC-DEC-20260302-0000000{n} — Title {n}

Status: {status}
Scope: project
Evidence:
- user-confirmed

Decision:
Text {n}.

"""
TITLE = "# Decisions\n\nEntries are newest first.\n\n"


def entries(*statuses: str) -> str:
    return TITLE + "".join(ENTRY.format(n=n, status=status) for n, status in enumerate(statuses))


def packed(file: str, text: str | None, category: Category = "implementation", *, current: bool = True) -> Module:
    route = Route(file, f"docs/memory/{file}", True, (Reason("canonical-task-route", category),))
    texts = {} if text is None else {file: text}
    return pack("task", category, [route], Snapshot("docs/memory", texts), current).modules[0]


@requirement("CUST-B3.3-03", "CUST-11.3-02")
def test_a_pack_is_a_strict_prefix_of_whole_units() -> None:
    text = TITLE + "".join(f"## {n}\n{'word ' * 9}\n\n" for n in range(10))
    assert pack_text(text, 1000) == (text, 0, False)
    cut, omitted, oversized = pack_text(text, 40)
    assert (omitted, oversized) == (8, False)
    assert cut == text[: text.index("## 2")]
    assert pack_text(text, None) == (text, 0, False)


@requirement("CUST-B3.3-03")
def test_one_unit_alone_may_be_over_the_limit_and_nothing_follows_it() -> None:
    text = f"{TITLE}## Long\n{'word ' * 50}\n\n## Short\nword\n"
    cut, omitted, oversized = pack_text(text, 40)
    assert cut == text[: text.index("## Short")]
    assert (omitted, oversized) == (1, True)
    alone = text[: text.index("## Short")]
    assert pack_text(alone, 40) == (alone, 0, True)
    later = f"{TITLE}## Short\nword\n\n## Long\n{'word ' * 50}\n"
    assert pack_text(later, 40) == (later[: later.index("## Long")], 1, False)


@requirement("CUST-11.3-02")
def test_a_heading_and_its_bullets_are_one_unit_and_a_fence_is_never_cut() -> None:
    text = "# T\n\n## Day\n- one two\n- three four\n\n## X\n```\n## no heading\n```\n"
    cut, omitted, _ = pack_text(text, 12)
    assert cut == text[: text.index("## X")]
    assert omitted == 1


@requirement("CUST-B3.3-03")
@pytest.mark.parametrize("seed", range(40))
def test_whatever_the_text_a_pack_is_a_prefix_and_fits_unless_its_first_unit_does_not(seed: int) -> None:
    chance = random.Random(seed)
    words = [
        "# A\n",
        "## B\n",
        "- c d\n",
        "\n",
        "text 好 here\n",
        "```\n",
        "## MC-DEC-20260302-0000000a — T\n",
        "Decision:\n",
    ]
    text = "".join(chance.choice(words) for _ in range(chance.randrange(60)))
    limit = chance.randrange(1, 60)
    cut, omitted, oversized = pack_text(text, limit)
    assert text.startswith(cut)
    assert "".join(block.text for block in parse(text))[: len(cut)] == cut
    assert len(cut) in {sum(len(block.text) for block in parse(text)[:n]) for n in range(len(parse(text)) + 1)}
    assert oversized or token_count(cut) <= max(limit, token_count(text.split("\n")[0]))
    assert omitted or oversized or cut == text


@requirement("CUST-B3.3-02")
def test_budgets_and_the_warning_threshold_are_those_of_0_9_1() -> None:
    limits = {
        "brief.md": 500,
        "decisions.md": 800,
        "constraints.md": 400,
        "do-not-use.md": 400,
        "preferences.md": 300,
        "changelog.md": 800,
        "rules/output.md": 400,
        "profiles/night.md": 500,
        "areas/sync.md": 600,
        "inbox.md": None,
        "manifest.md": None,
        "archive/old.md": None,
    }
    assert {file: budget_of(file) for file in limits} == limits
    assert [budget_state(tokens, 800) for tokens in (639, 640, 800, 801)] == [
        "OK",
        "NEAR LIMIT",
        "NEAR LIMIT",
        "OVER BUDGET",
    ]


@requirement("CUST-03.1-05")
def test_an_absent_module_a_missing_one_and_a_cut_one_have_their_reason() -> None:
    missing = packed("decisions.md", None)
    assert (missing.state, missing.reasons[-1].source) == ("missing", "required-file-missing")
    route = Route(
        "preferences.md", "docs/memory/preferences.md", False, (Reason("canonical-task-route", "preferences"),)
    )
    absent = pack("t", "preferences", [route], Snapshot("docs/memory", {}), True).modules[0]
    assert (absent.state, absent.reasons[-1].source) == ("absent", "optional-file-absent")
    text = "# Constraints\n\n" + "".join(f"- {'word ' * 49}\n" for _ in range(9))
    cut = packed("constraints.md", text)
    assert cut.state == "loaded"
    assert cut.reasons[0] == Reason("canonical-task-route", "implementation")
    assert cut.reasons[1] == Reason("budget-omission", str(token_count(text) - 400))
    assert cut.omitted == 2


@pytest.mark.parametrize(
    "category, kept",
    [("implementation", [0, 4]), ("general", [0, 4]), ("history", [0, 1, 4]), ("maintenance", [0, 1, 2, 3, 4])],
)
def test_inactive_entries_are_left_out_by_status_only(category: Category, kept: list[int]) -> None:
    text = entries("active", "superseded", "Candidate", "promoted", "active")
    module = packed("decisions.md", text, category)
    assert [n for n in range(5) if f"Title {n}" in module.text] == kept
    assert module.inactive == 5 - len(kept)
    assert module.text.startswith(TITLE)
    if category == "implementation":
        assert module.inactive_statuses == ("superseded", "candidate", "promoted")


@requirement("CUST-05.3-03", "CUST-11.3-01")
def test_the_bullets_of_a_superseded_text_are_no_memory_and_those_set_apart_from_it_are() -> None:
    old = ENTRY.format(n=1, status="superseded")
    module = packed(
        "decisions.md", f"{TITLE}{old}- its own\n- and more\n\n{ENTRY.format(n=2, status='active')}- held\n"
    )
    assert (module.text, module.inactive) == (f"{TITLE}{ENTRY.format(n=2, status='active')}- held\n", 1)
    module = packed("decisions.md", f"{TITLE}{old}{APART}\n\n- held\n")
    assert (module.text, module.inactive) == (f"{TITLE}{APART}\n\n- held\n", 1)


def test_a_module_of_inactive_entries_alone_is_loaded_with_nothing() -> None:
    module = packed("decisions.md", entries("superseded", "superseded"))
    assert (module.state, module.text, module.inactive, module.inactive_statuses) == ("loaded", "", 2, ("superseded",))


@requirement("CUST-05.3-03")
@pytest.mark.parametrize("category", ["general", "planning", "implementation", "artifact", "preferences", "history"])
def test_the_inbox_is_no_memory_even_where_a_route_names_it(category: Category) -> None:
    inbox = "# Memory Inbox\n\nEntries are newest first.\n\n## 2026-03-01\n- maybe one\n- maybe two\n"
    inbox += ENTRY.format(n=1, status="candidate").replace("DEC", "INBOX")
    module = packed("inbox.md", inbox, category)
    assert (module.text, module.inactive, module.candidates) == ("", 3, False)


@requirement("CUST-05.3-04")
def test_a_maintenance_task_sees_the_inbox_marked_as_candidates() -> None:
    inbox = "# Memory Inbox\n\n## 2026-03-01\n- maybe one\n"
    module = packed("inbox.md", inbox, "maintenance")
    assert (module.text, module.inactive, module.candidates) == (inbox, 0, True)
    empty = "# Memory Inbox\n\nEntries are newest first.\n\nNo unprocessed memory candidates.\n"
    assert not packed("inbox.md", empty, "maintenance").candidates
    assert packed("inbox.md", empty, "general").inactive == 0


@requirement("CUST-11.3-01", "CUST-11.3-03", "CUST-11.3-04", "CUST-13.1-21")
def test_legacy_units_are_loaded_whatever_they_lack() -> None:
    text = "# Decisions\n\n## 2026-01-01 - Old\nDecision:\nOld one.\n\n" + ENTRY.format(n=1, status="active")
    text = text.replace("Evidence:\n- user-confirmed\n", "") + "- a bare bullet\n"
    module = packed("decisions.md", text)
    assert (module.text, module.inactive, module.omitted) == (text, 0, 0)
    without_status = ENTRY.format(n=2, status="x").replace("Status: x\n", "")
    assert packed("decisions.md", TITLE + without_status).text == TITLE + without_status


@requirement("CUST-03-08")
def test_an_older_project_is_read_in_its_old_form() -> None:
    for file, text in (("decisions.md", entries("superseded", "active")), ("inbox.md", "# Memory Inbox\n\n- maybe\n")):
        module = packed(file, text, "implementation", current=False)
        assert (module.text, module.inactive, module.candidates) == (text, 0, False)


def test_what_is_inactive_does_not_use_up_the_budget() -> None:
    long = ENTRY.format(n=1, status="superseded").replace("Text 1.", "word " * 790)
    module = packed("decisions.md", TITLE + long + ENTRY.format(n=2, status="active"))
    assert "Title 2" in module.text
    assert (module.omitted, module.oversized) == (0, False)
