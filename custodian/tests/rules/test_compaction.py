"""A file is brought within its budget by what its kind allows, and nothing is judged by machine."""

from __future__ import annotations

import pytest

from csbond_tests.custodian_entries import entry, memory
from csbond_tests.custodian_world import PROJECT_ID, FixedDraws
from csbond_tests.marks import requirement
from memory_custodian.rules.budgets import token_count
from memory_custodian.rules.compaction import ARCHIVE_OLDEST, plan_target
from memory_custodian.rules.plan import Plan
from memory_custodian.rules.problems import Refused, Unavailable
from memory_custodian.rules.snapshot import Snapshot

HEAD = "# Decisions\n\nEntries are newest first.\n\n"


def words(count: int) -> str:
    return " ".join(["word"] * count)


def decision(number: int, tokens: int = 100) -> str:
    return entry("DEC", number, words(tokens), title=f"Number {number}")


def superseded(number: int) -> str:
    texts = {"Status": "superseded", "Superseded_By": "removed"}
    return entry("DEC", number, words(100), title=f"Number {number}", **texts)


def decisions(*texts: str) -> dict[str, str]:
    return {"decisions.md": HEAD + "\n".join(texts)}


def plan(snapshot: Snapshot, target: str = "decisions.md") -> Plan:
    return plan_target(snapshot, target, FixedDraws())


def after(snapshot: Snapshot, target: str = "decisions.md") -> dict[str, str]:
    return {change.path.removeprefix("docs/memory/"): change.after for change in plan(snapshot, target).changes}


@requirement("CUST-B2.10-02")
def test_a_file_within_its_budget_is_ok() -> None:
    before = memory(decisions(decision(1)))
    assert plan(before).changes == ()
    assert plan(before).headline[-1] == "Status: OK"


@requirement("CUST-B5.9-02")
def test_a_file_near_its_limit_says_so_and_keeps_everything() -> None:
    before = memory(decisions(*(decision(number) for number in range(5))))
    assert plan(before).changes == ()
    assert plan(before).headline[-1] == "Status: NEAR LIMIT"


@requirement("CUST-B2.10-02")
def test_long_decisions_within_the_budget_are_for_a_person() -> None:
    before = memory(decisions(decision(1, 121), decision(2, 120)))
    lines = plan(before).headline
    assert "Long decision entries: 1 over 120 tokens" in lines
    assert "- MC-DEC-20260301-00000001 — Number 1: 121 tokens" in lines
    assert lines[-1].startswith("Manual review required: shorten long decisions semantically")


def test_no_more_than_ten_long_decisions_are_listed() -> None:
    def lines(count: int) -> tuple[str, ...]:
        old = (f"## 2026-01-{day:02} - Old\nDecision:\n{words(130)}\n" for day in range(1, count + 1))
        return plan(memory({"decisions.md": HEAD + "\n".join(old)})).headline

    assert "Long decision entries: 12 over 120 tokens" in lines(12)
    assert "- 2026-01-01 - Old: 130 tokens" in lines(12)
    assert "- and 2 more" in lines(12)
    assert not any("more" in line for line in lines(10))


@requirement("CUST-B2.10-02", "CUST-B1.5-01")
def test_the_oldest_decisions_over_the_budget_go_to_the_archive_when_that_is_agreed_to() -> None:
    texts = [decision(number) for number in range(9)]
    before = memory({**decisions(*texts), "changelog.md": "# Memory Changelog\n"})
    made = after(before)
    assert list(made) == ["archive/README.md", "archive/decisions-2026-03-02.md", "decisions.md", "changelog.md"]
    kept = made["decisions.md"]
    assert kept == HEAD + "\n".join(texts[:5])
    assert token_count(kept) <= 800 < token_count(HEAD + "\n".join(texts[:6]))
    assert made["archive/decisions-2026-03-02.md"].endswith("\n".join(texts[5:]))
    lines = plan(before).headline
    assert "Keep entries: 5" in lines
    assert "Archive entries: 4" in lines
    assert "Archive path: archive/decisions-2026-03-02.md" in lines
    assert f"Projected tokens: {token_count(kept)}/800 max" in lines
    assert lines[-1].startswith("Semantic review required")
    assert [gate.flag for gate in plan(before).gates] == [ARCHIVE_OLDEST]
    assert "decisions.md: 4 archived" in made["changelog.md"]


@requirement("CUST-B2.10-02")
def test_superseded_decisions_go_first_the_oldest_of_them_first_and_no_more_than_needed() -> None:
    texts = [decision(0), superseded(1), *(decision(number) for number in (2, 3, 4)), superseded(5)]
    made = after(memory(decisions(*texts)))
    assert made["decisions.md"] == HEAD + "\n".join(texts[:5])
    assert plan(memory(decisions(*texts))).gates == ()
    assert "Action: archive superseded entries" in plan(memory(decisions(*texts))).headline
    fuller = [*texts[:5], *(decision(number) for number in (6, 7)), texts[5]]
    made = after(memory(decisions(*fuller)))
    assert made["decisions.md"] == HEAD + "\n".join([fuller[0], *fuller[2:6]])


def filled(*texts: str, over: int) -> dict[str, str]:
    """Decisions of exactly so many tokens above the limit, the first of them the one that is made longer."""
    missing = 800 + over - token_count(HEAD + "\n".join(texts))
    return decisions(texts[0].replace("Decision:\n", f"Decision:\n{words(missing)} "), *texts[1:])


def test_what_fits_exactly_stays_and_one_token_more_does_not() -> None:
    texts = [decision(1, 1), decision(2, 1), superseded(3), superseded(4)]
    assert plan(memory(filled(*texts, over=0))).changes == ()
    size = token_count(texts[3])
    just = memory(filled(*texts, over=size))
    assert after(just)["decisions.md"].count("## MC-") == 3
    assert f"Projected tokens: {800}/800 max" in plan(just).headline
    assert not any(line.startswith("Manual review required: it stays") for line in plan(just).headline)
    more = memory(filled(*texts, over=size + 1))
    assert after(more)["decisions.md"].count("## MC-") == 2
    assert plan(more).gates == ()
    both = memory(filled(*texts, over=token_count(texts[2]) + size))
    assert after(both)["decisions.md"].count("## MC-") == 2
    assert plan(both).gates == ()
    beyond = memory(filled(*texts, over=token_count(texts[2]) + size + 1))
    assert [gate.flag for gate in plan(beyond).gates] == [ARCHIVE_OLDEST]


def test_superseded_decisions_go_whatever_length_the_kept_ones_have() -> None:
    texts = [decision(1, 1), superseded(2)]
    before = memory(filled(*texts, over=1))
    assert any(line.startswith("Long decision entries: 1") for line in plan(before).headline)
    assert plan(before).blockers == ()
    assert after(before)["decisions.md"].count("## MC-") == 1


def test_only_decisions_are_held_to_their_length() -> None:
    notes = f"## Notes\n{words(130)}\n"
    assert plan(memory(decisions(notes))).headline[-1] == "Status: OK"
    before = memory({"constraints.md": f"# Constraints\n\n{entry('CON', 1, words(130), title='x')}"})
    assert plan(before, "constraints.md").headline[-1] == "Status: OK"


def test_a_plan_says_of_which_project_and_file_it_is() -> None:
    made = plan(memory(decisions(*(decision(number) for number in range(9)))), "./decisions.md")
    assert (made.project_id, made.protocol_version) == (PROJECT_ID, "0.6")
    assert made.arguments == {"target": "decisions.md"}
    assert [change.summary for change in made.changes] == [
        "says what the archive is",
        "4 section(s) added",
        "4 archived, 0 repeated bullet(s) out",
    ]


@requirement("CUST-B2.10-02")
def test_a_kept_long_decision_blocks_the_archiving_of_older_ones() -> None:
    before = memory(decisions(decision(0, 130), *(decision(number) for number in range(1, 9))))
    (blocker,) = plan(before).blockers
    assert "shorten the kept long decisions" in blocker
    archived = memory(decisions(*(decision(number) for number in range(8)), decision(8, 130)))
    assert plan(archived).blockers == ()


def test_one_decision_that_alone_is_over_the_budget_is_for_a_person() -> None:
    before = memory(decisions(decision(1, 900)))
    assert plan(before).changes == ()
    assert plan(before).headline[-1].startswith("Manual review required")


@requirement("CUST-B2.10-02")
@pytest.mark.parametrize("file", ["constraints.md", "preferences.md"])
def test_repeated_bullets_of_a_file_over_its_budget_go(file: str) -> None:
    bullets = "- keep it short\n" * 120
    before = memory({file: f"# Title\n\n- first\n{bullets}"})
    assert after(before, file) == {file: "# Title\n\n- first\n- keep it short\n"}
    assert "Action: remove 119 exact duplicate bullet(s)" in plan(before, file).headline
    within = memory({file: "# Title\n\n- a\n- a\n"})
    assert plan(within, file).changes == ()


@requirement("CUST-B2.10-02")
@pytest.mark.parametrize("file", ["brief.md", "do-not-use.md"])
def test_brief_and_guards_are_never_archived(file: str) -> None:
    gone = {"Status": "superseded", "Superseded_By": "removed"}
    units = "\n".join(entry("DNU", number, words(90), **gone) for number in range(9))
    before = memory({file: f"# Title\n\n{units}"})
    assert plan(before, file).changes == ()
    assert plan(before, file).headline[-1].startswith("Manual review required")


@requirement("CUST-B2.10-02")
@pytest.mark.parametrize("file", ["areas/sync.md", "rules/output.md", "profiles/review.md"])
def test_modules_over_their_budget_are_for_a_person_but_for_superseded_entries(file: str) -> None:
    texts = [entry("AREA", number, words(100)) for number in range(7)]
    before = memory({file: "# Title\n\n" + "\n".join(texts)})
    assert plan(before, file).changes == ()
    texts[1] = entry("AREA", 1, words(100), Status="superseded", Superseded_By="removed")
    some = memory({file: "# Title\n\n" + "\n".join(texts)})
    made = after(some, file)
    assert made[file] == "# Title\n\n" + "\n".join([texts[0], *texts[2:]])
    assert plan(some, file).headline[-1].startswith("Manual review required: it stays over its budget")


@requirement("CUST-B2.10-02")
def test_a_changelog_keeps_its_newest_days_and_notes_nothing_of_it_in_itself() -> None:
    days = [f"## 2026-01-{day:02}\n- {words(150)}\n- more\n" for day in range(9, 0, -1)]
    before = memory({"changelog.md": "# Memory Changelog\n\nEntries are newest first.\n\n" + "\n".join(days)})
    made = after(before, "changelog.md")
    assert made["changelog.md"] == "# Memory Changelog\n\nEntries are newest first.\n\n" + "\n".join(days[:4])
    assert made["archive/changelog-2026-03-02.md"].endswith("\n".join(days[4:]))
    assert plan(before, "changelog.md").gates == ()
    assert "Compacted" not in made["changelog.md"]
    assert not any(line.startswith("Semantic review") for line in plan(before, "changelog.md").headline)


def test_a_second_archiving_of_the_day_joins_the_first() -> None:
    before = memory(decisions(*(decision(number) for number in range(9))))
    made = after(before)
    again = before._replace(texts={**before.texts, **made, **decisions(*(decision(n) for n in range(20, 29)))})
    text = after(again)["archive/decisions-2026-03-02.md"]
    assert text.count("## MC-DEC-") == 8
    assert text.index("Number 25") < text.index("Number 5")


@pytest.mark.parametrize(
    "target",
    ["manifest.md", "inbox.md", "archive/decisions-2026-01-01.md", "../decisions.md", "/decisions.md", "notes.txt", ""],
)
def test_a_target_without_a_budget_is_refused(target: str) -> None:
    with pytest.raises(Refused, match="--target"):
        plan(memory(), target)


def test_a_target_that_does_not_exist_is_unavailable() -> None:
    with pytest.raises(Unavailable, match=r"preferences\.md"):
        plan(memory(), "preferences.md")
