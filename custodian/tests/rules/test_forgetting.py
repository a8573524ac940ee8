"""What each mode of forgetting takes out of the memory, and what it leaves (§10.3)."""

from __future__ import annotations

import pytest

from csbond_tests.custodian_entries import SUBJECT, entry, memory, subject, subjects
from csbond_tests.custodian_world import FixedDraws
from csbond_tests.marks import requirement
from memory_custodian.rules.erasure import ErasureScope, ForgetMode
from memory_custodian.rules.forgetting import BROAD_MATCH, plan_forget
from memory_custodian.rules.memory_index import index_of
from memory_custodian.rules.parse_blocks import parse
from memory_custodian.rules.plan import Plan
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.snapshot import Snapshot

KAFKA = entry("DEC", 1, "Send events through Kafka.", Facet="architecture")
RIVERS = entry("DEC", 2, "Draw rivers first.")
DECISIONS = f"# Decisions\n\nEntries are newest first.\n\n{KAFKA}\n{RIVERS}"
GUARDS = "# Do Not Use / Tombstones\n\nTombstones are newest first.\n"
MODES: tuple[ForgetMode, ...] = ("soft", "hard", "purge")


def forget(snapshot: Snapshot, topic: str = "kafka", mode: ForgetMode = "soft") -> Plan:
    return plan_forget(snapshot, topic, mode, FixedDraws())


def after(snapshot: Snapshot, plan: Plan) -> dict[str, str]:
    changed = {change.path.removeprefix("docs/memory/"): change.after for change in plan.changes}
    return {**snapshot.texts, **changed}


def made(snapshot: Snapshot, plan: Plan) -> Snapshot:
    return snapshot._replace(texts=after(snapshot, plan))


def headline(plan: Plan, start: str) -> str:
    return next(line for line in plan.headline if line.startswith(start))


@requirement("CUST-10.3-03", "CUST-13.1-17")
def test_soft_takes_the_topic_out_of_active_memory_and_keeps_it_in_a_tombstone() -> None:
    before = memory({"decisions.md": DECISIONS, "archive/old-2026-01-01.md": "# Archive\n\n- kafka once\n"})
    plan = forget(before)
    texts = after(before, plan)
    assert texts["decisions.md"] == f"# Decisions\n\nEntries are newest first.\n\n{RIVERS}"
    assert texts["archive/old-2026-01-01.md"] == before.texts["archive/old-2026-01-01.md"]
    assert "Tombstone: kafka" in texts["do-not-use.md"]
    assert plan.erasure == ErasureScope(
        active_memory=True, managed_archive=False, topic_retained_in_new_records=True, git_worktree_modified="on-apply"
    )
    assert plan.created == ("MC-TOMB-20260302-00000001",)


@requirement("CUST-10.3-04", "CUST-13.1-17", "CUST-13.1-20")
def test_hard_keeps_the_topic_in_no_new_record_and_leaves_the_archive() -> None:
    changelog = "# Memory Changelog\n\nEntries are newest first.\n\n## 2026-03-01\n- Added kafka.\n- Added rivers.\n"
    archive = "# Archive\n\n- kafka once\n"
    before = memory({"decisions.md": DECISIONS, "archive/old.md": archive, "changelog.md": changelog})
    plan = forget(before, mode="hard")
    texts = after(before, plan)
    assert [file for file, text in texts.items() if "kafka" in text.casefold()] == ["archive/old.md"]
    assert "Tombstone: Redacted user-requested removal" in texts["do-not-use.md"]
    assert "- Completed hard forget operation." in texts["changelog.md"]
    assert "- Added rivers." in texts["changelog.md"]
    assert plan.erasure is not None
    assert plan.erasure[:3] == (True, False, False)
    said = " ".join((*plan.headline, *plan.warnings, *(change.summary for change in plan.changes)))
    assert "kafka" not in said.casefold()


@requirement("CUST-10.3-05", "CUST-13.1-17", "CUST-13.1-19")
def test_purge_reaches_the_archive_and_leaves_no_guard() -> None:
    archive = f"# Archive of decisions.md\n\nMoved.\n\n{entry('DEC', 9, 'Kafka was tried.')}\n{entry('DEC', 8)}"
    before = memory({"decisions.md": DECISIONS, "archive/decisions-2026-01-01.md": archive})
    plan = forget(before, mode="purge")
    texts = after(before, plan)
    assert [file for file, text in texts.items() if "kafka" in text.casefold()] == []
    assert entry("DEC", 8) in texts["archive/decisions-2026-01-01.md"]
    assert texts["do-not-use.md"] == before.texts["do-not-use.md"]
    assert plan.erasure is not None
    assert plan.erasure[:3] == (True, True, False)
    assert plan.erasure.git_history_modified is plan.erasure.distributed_copies_revoked is False


@requirement("CUST-13.1-17", "CUST-01-21")
@pytest.mark.parametrize(
    "mode, reach", [("soft", (True, False, True)), ("hard", (False, False, False)), ("purge", (False, True, False))]
)
def test_the_scope_without_a_match_is_what_the_mode_covers_and_a_guard_that_is_written(
    mode: ForgetMode, reach: tuple[bool, bool, bool]
) -> None:
    plan = forget(memory(), mode=mode)
    assert plan.erasure is not None
    assert plan.erasure[:3] == reach
    assert not plan.erasure.removes_matches
    assert bool(plan.changes) == (mode == "soft")


@requirement("CUST-13.1-17", "CUST-01-21")
@pytest.mark.parametrize("mode, active", [("soft", True), ("hard", False), ("purge", False)])
def test_a_match_in_the_archive_alone_is_no_active_memory(mode: ForgetMode, active: bool) -> None:
    plan = forget(memory({"archive/old.md": "# Archive\n\n- kafka once\n"}), mode=mode)
    assert plan.erasure is not None
    assert plan.erasure[:2] == (active, mode == "purge")
    assert plan.erasure.removes_matches == (mode == "purge")


@pytest.mark.parametrize("mode", MODES)
def test_what_a_person_has_to_rewrite_is_in_the_scope(mode: ForgetMode) -> None:
    plan = forget(memory({"brief.md": "# Project Brief\n\nLantern sends events through Kafka.\n"}), mode=mode)
    assert plan.blockers
    assert plan.erasure is not None
    assert plan.erasure.active_memory


@requirement("CUST-B2.9-01")
def test_a_whole_unit_goes_whatever_part_of_it_holds_the_topic_in_whatever_case() -> None:
    bullets = "# Preferences\n\n- Short sentences.\n- Nested:\n  - about KaFkA\n- Quiet colours.\n"
    before = memory({"preferences.md": bullets})
    plan = forget(before)
    assert after(before, plan)["preferences.md"] == "# Preferences\n\n- Short sentences.\n- Quiet colours.\n"
    assert "- preferences.md: Nested: (lines 4–5); line 5: - about KaFkA" in plan.headline


@requirement("CUST-T-02")
def test_one_bullet_under_a_date_goes_without_its_siblings_and_an_emptied_date_goes_too() -> None:
    inbox = (
        "# Memory Inbox\n\nEntries are newest first.\n\n## 2026-03-01\n- maybe kafka\n- maybe tiles\n\n"
        "## 2026-02-28\n- kafka again\n\n## 2026-02-27\n- fonts\n"
    )
    before = memory({"inbox.md": inbox})
    assert after(before, forget(before))["inbox.md"] == (
        "# Memory Inbox\n\nEntries are newest first.\n\n## 2026-03-01\n- maybe tiles\n\n## 2026-02-27\n- fonts\n"
    )


def test_the_last_candidate_that_goes_leaves_an_inbox_that_says_it_is_empty() -> None:
    before = memory({"inbox.md": f"# Memory Inbox\n\nEntries are newest first.\n\n{entry('INBOX', 1, 'Kafka?')}"})
    assert after(before, forget(before))["inbox.md"] == memory().texts["inbox.md"]


@requirement("CUST-B2.9-03")
@pytest.mark.parametrize(
    "topic, files, gated",
    [
        ("kaf", {}, True),
        ("k a f", {}, True),
        ("kafka", {"decisions.md": DECISIONS}, False),
        ("Kafka", {"decisions.md": DECISIONS, "preferences.md": "# Preferences\n\n- kafka\n"}, True),
    ],
)
def test_a_short_topic_and_more_than_one_unit_need_agreement(topic: str, files: dict[str, str], gated: bool) -> None:
    plan = forget(memory(files), topic)
    assert [gate.flag for gate in plan.gates] == ([BROAD_MATCH] if gated else [])
    assert headline(plan, "Broad-match") == f"Broad-match confirmation required: {'yes' if gated else 'no'}"


def test_a_tombstone_that_goes_counts_as_a_unit_of_the_agreement() -> None:
    before = memory({"decisions.md": DECISIONS, "do-not-use.md": f"{GUARDS}\n{entry('DNU', 5, 'No Kafka.')}"})
    assert [gate.flag for gate in forget(before, mode="hard").gates] == [BROAD_MATCH]
    assert forget(before, mode="soft").gates == ()


@requirement("CUST-T-13")
@pytest.mark.parametrize("mode", ["hard", "purge"])
def test_rejected_approaches_go_like_tombstones(mode: ForgetMode) -> None:
    guards = f"{GUARDS}\n{entry('DNU', 5, 'No Kafka.')}\n{entry('TOMB', 6, 'No kafka.')}\n## Tombstone: kafka\nNo.\n"
    area = f"# Area: Sync\n\n{entry('DNU', 7, 'No Kafka here.', Scope='area:sync')}"
    before = memory({"do-not-use.md": guards, "areas/sync.md": area})
    plan = forget(before, mode=mode)
    assert plan.blockers == ()
    assert "kafka" not in "".join(after(before, plan).values()).casefold()
    assert headline(plan, "Matched tombstones") == "Matched tombstones: 4"


def test_soft_keeps_rejected_approaches_because_they_are_guards_themselves() -> None:
    guards = f"{GUARDS}\n{entry('DNU', 5, 'No Kafka.')}"
    told = forget(memory({"do-not-use.md": guards, "decisions.md": DECISIONS})).changes
    assert [change.summary for change in told] == ["1 matching unit(s) out", "tombstone added"]
    area = f"# Area: Sync\n\n{entry('DNU', 7, 'No Kafka here.', Scope='area:sync')}"
    before = memory({"do-not-use.md": guards, "decisions.md": DECISIONS, "areas/sync.md": area})
    texts = after(before, forget(before))
    assert entry("DNU", 5, "No Kafka.") in texts["do-not-use.md"]
    assert texts["areas/sync.md"] == area


@requirement("CUST-T-01")
def test_a_tombstone_stands_behind_the_preamble_and_goes_without_it() -> None:
    before = memory({"decisions.md": DECISIONS})
    soft = made(before, forget(before))
    kinds = [block.kind for block in parse(soft.texts["do-not-use.md"])]
    assert kinds == ["title", "preamble", "entry"]
    hard = made(soft, forget(soft, mode="purge"))
    assert hard.texts["do-not-use.md"] == GUARDS


@requirement("CUST-T-05")
def test_the_same_soft_forgetting_twice_leaves_one_tombstone() -> None:
    before = memory({"decisions.md": DECISIONS})
    once = made(before, forget(before))
    again = forget(once, "KAFKA")
    assert (again.changes, again.blockers) == ((), ())
    assert again.headline[-1].startswith("Nothing to do")
    late = once._replace(texts={**once.texts, "decisions.md": DECISIONS})
    text = after(late, forget(late))["do-not-use.md"]
    assert text.count("Tombstone: kafka") == 1


@requirement("CUST-T-05")
@pytest.mark.parametrize("protocol", ["0.6", "0.5"])
@pytest.mark.parametrize("topic", ["the old  quarterly   export", "the quarterly export of harbour tables " * 3])
def test_a_topic_that_is_long_or_has_wide_spaces_leaves_one_tombstone_too(topic: str, protocol: str) -> None:
    before = memory({"preferences.md": f"# Preferences\n\n- {topic.strip()}\n"}, protocol=protocol)
    once = made(before, forget(before, topic))
    assert once.texts["do-not-use.md"].count("Tombstone: the ") == 1
    assert (forget(once, topic).changes, forget(once, topic).blockers) == ((), ())
    assert len(forget(made(before, forget(before, f"{topic.strip()} of Heron")), topic).changes) == 2


@requirement("CUST-T-05")
def test_its_own_note_in_the_changelog_is_kept_by_soft_and_taken_by_hard() -> None:
    before = memory({"decisions.md": DECISIONS, "changelog.md": "# Memory Changelog\n"})
    once = made(before, forget(before))
    assert "- Forgot kafka (soft).\n" in once.texts["changelog.md"]
    assert forget(once, "Kafka").changes == ()
    assert "kafka" not in after(once, forget(once, mode="hard"))["changelog.md"]


def test_a_tombstone_that_is_no_longer_in_force_does_not_stand_for_a_new_one() -> None:
    old = entry("TOMB", 5, "Do not bring back: kafka", title="kafka", Status="superseded")
    before = memory({"do-not-use.md": f"{GUARDS}\n{old}"})
    assert after(before, forget(before))["do-not-use.md"].count("Tombstone: kafka") == 2


@requirement("CUST-B2.9-04")
def test_a_hard_tombstone_is_generic_and_never_doubled() -> None:
    before = memory({"decisions.md": DECISIONS})
    once = made(before, forget(before, mode="hard"))
    twice = made(once, forget(once, "rivers", mode="hard"))
    assert twice.texts["do-not-use.md"] == once.texts["do-not-use.md"]
    assert twice.texts["decisions.md"] == "# Decisions\n\nEntries are newest first.\n"
    assert forget(twice, "redacted", mode="hard").changes == ()


def test_a_hard_forgetting_that_removes_nothing_leaves_no_guard() -> None:
    assert forget(memory(), mode="hard").changes == ()


@requirement("CUST-T-13")
@pytest.mark.parametrize("mode", MODES)
def test_a_subject_goes_with_the_last_entry_that_names_it(mode: ForgetMode) -> None:
    decision = entry("DEC", 1, "Send events through Kafka.", Subject="MC-SUBJ-20260301-00000002")
    registry = subjects(subject(2, "Kafka"), subject())
    before = memory({"subjects.md": registry, "decisions.md": f"# Decisions\n\n{decision}"})
    texts = after(before, forget(before, mode=mode))
    assert texts["subjects.md"] == subjects(subject())
    assert texts["decisions.md"] == "# Decisions\n"


@requirement("CUST-B5.9-01")
@pytest.mark.parametrize("where", ["decisions.md", "archive/decisions-2026-01-01.md", "inbox.md"])
def test_a_subject_that_an_entry_still_names_stays_and_blocks_hard_and_purge(where: str) -> None:
    naming = entry("DEC", 1) if where != "inbox.md" else entry("INBOX", 1, Provisional_Subject=SUBJECT.lower())
    registry = subjects(subject(1, "Kafka streams"))
    before = memory({"subjects.md": registry, where: f"# Somewhere\n\n{naming}"})
    named = naming.split(" ")[1]
    note = f"subjects.md: cannot remove {SUBJECT}: still named by {named}"
    assert forget(before, mode="purge").blockers == (note,)
    soft = forget(before)
    assert (soft.blockers, soft.warnings) == ((), (note,))
    assert after(before, soft)["subjects.md"] == registry


def test_a_rejected_approach_names_its_subject_as_long_as_it_stays() -> None:
    guard = entry("DNU", 5, "No Kafka.", Subject="MC-SUBJ-20260301-00000002")
    before = memory({"subjects.md": subjects(subject(2, "Kafka")), "do-not-use.md": f"{GUARDS}\n{guard}"})
    hard = forget(before, mode="hard")
    assert hard.blockers == ()
    assert "MC-SUBJ" not in after(before, hard)["subjects.md"]
    soft = forget(before)
    assert "cannot remove MC-SUBJ-20260301-00000002" in soft.warnings[0]
    assert after(before, soft)["subjects.md"] == before.texts["subjects.md"]


def test_links_to_entries_that_go_say_removed() -> None:
    new = entry("DEC", 2, "Draw rivers first.", Supersedes="MC-DEC-20260301-00000001")
    old = entry("DEC", 3, "Blue.", Status="superseded", Superseded_By="mc-dec-20260301-00000001")
    before = memory({"decisions.md": f"# Decisions\n\n{KAFKA}\n{new}\n{old}"})
    snapshot = made(before, forget(before))
    second, third = (entry for entry in index_of(snapshot).entries if entry.file == "decisions.md")
    assert (second.field("Supersedes"), third.field("Superseded-By")) == ("removed", "removed")


@pytest.mark.parametrize("mode", MODES)
def test_an_archive_is_relinked_only_where_the_mode_reaches_it(mode: ForgetMode) -> None:
    old = entry("DEC", 3, "Blue.", Status="superseded", Superseded_By="MC-DEC-20260301-00000001")
    before = memory({"decisions.md": DECISIONS, "archive/decisions-2026-01-01.md": f"# Archive\n\n{old}"})
    text = after(before, forget(before, mode=mode))["archive/decisions-2026-01-01.md"]
    assert ("Superseded-By: removed" in text) == (mode == "purge")


@requirement("CUST-13.1-20")
@pytest.mark.parametrize("mode", ["hard", "purge"])
def test_a_sensitive_plan_carries_its_topic_and_nonce_and_shows_neither(mode: ForgetMode) -> None:
    plan = forget(memory({"decisions.md": DECISIONS}), "Kafka", mode)
    assert (plan.topic, plan.nonce, plan.sensitive) == ("Kafka", "00" * 16, True)
    assert "- decisions.md: MC-DEC-20260301-00000001 (lines 5–15)" in plan.headline
    assert not any("kafka" in line.casefold() for line in plan.headline)
    soft = forget(memory({"decisions.md": DECISIONS}), "Kafka")
    assert (soft.topic, soft.nonce) == ("", "")


def test_files_are_written_targets_first_then_subjects_and_the_changelog_last() -> None:
    files = {
        "decisions.md": DECISIONS,
        "subjects.md": subjects(subject(2, "Kafka"), subject()),
        "areas/a.md": "# Area: A\n\n- kafka\n",
        "changelog.md": "# Memory Changelog\n",
    }
    paths = [change.path for change in forget(memory(files)).changes]
    assert [path.removeprefix("docs/memory/") for path in paths] == [
        "areas/a.md",
        "decisions.md",
        "do-not-use.md",
        "subjects.md",
        "changelog.md",
    ]


@requirement("CUST-T-07")
def test_two_forgettings_of_a_day_share_one_heading_of_the_changelog() -> None:
    before = memory({"decisions.md": DECISIONS, "changelog.md": "# Memory Changelog\n\nEntries are newest first.\n"})
    once = made(before, forget(before))
    twice = made(once, forget(once, "rivers", "hard"))
    assert twice.texts["changelog.md"] == (
        "# Memory Changelog\n\nEntries are newest first.\n\n## 2026-03-02\n"
        "- Completed hard forget operation.\n- Forgot kafka (soft).\n"
    )


@pytest.mark.parametrize("mode", ["soft", "hard"])
def test_an_older_project_keeps_its_own_form_of_tombstone(mode: ForgetMode) -> None:
    decision = "## 2026-01-01 - Use Kafka\nDecision:\nUse Kafka.\n"
    before = memory({"decisions.md": f"# Decisions\n\n{decision}"}, protocol="0.5")
    plan = forget(before, mode=mode)
    text = after(before, plan)["do-not-use.md"]
    title = "kafka" if mode == "soft" else "Redacted user-requested removal"
    assert f"\n## Tombstone: {title}\n" in text
    assert "Status:" not in text
    assert "MC-TOMB" not in text
    assert ("2026-03-02" in text) == (mode == "soft")
    assert any("migrate" in line for line in plan.headline)
    again = made(before, plan)
    assert forget(again, mode=mode).changes == ()


@pytest.mark.parametrize("topic", ["", " \t", "two\nlines", "bell\a"])
def test_an_empty_topic_and_one_of_several_lines_are_refused(topic: str) -> None:
    with pytest.raises(Refused, match="TOPIC"):
        forget(memory(), topic)


@pytest.mark.parametrize(
    "secret, kind",
    [("ghp_" + "q7Zk2mX9vB4tR8wL1nJ6pC3s", "github-token"), ("password=" + "hunter77", "assigned-secret")],
)
def test_soft_refuses_a_secret_because_its_tombstone_would_keep_it(secret: str, kind: str) -> None:
    with pytest.raises(Refused) as refused:
        forget(memory(), secret)
    assert kind in refused.value.message
    assert secret not in refused.value.message
    leaking = memory({"preferences.md": f"# Preferences\n\n- use {secret}\n"})
    assert secret not in "".join(after(leaking, forget(leaking, secret, "hard")).values())


def test_a_secret_in_a_unit_that_matches_is_not_shown() -> None:
    secret = "ghp_" + "q7Zk2mX9vB4tR8wL1nJ6pC3s"
    before = memory({"preferences.md": f"# Preferences\n\n- kafka uses {secret}\n"})
    assert "- preferences.md: kafka uses [redacted] (line 3)" in forget(before).headline


@pytest.mark.parametrize("version", ["0.7", "abc"])
def test_a_project_of_a_newer_or_invalid_protocol_is_refused(version: str) -> None:
    with pytest.raises(Refused, match=r"manifest\.md"):
        forget(memory(protocol=version))


@pytest.mark.parametrize("file", ["manifest.md", "do-not-use.md"])
def test_a_project_without_manifest_or_guards_is_refused(file: str) -> None:
    texts = {name: text for name, text in memory().texts.items() if name != file}
    with pytest.raises(Refused, match=file):
        forget(Snapshot("docs/memory", texts))


def test_the_same_plan_is_made_twice_from_the_same_draws() -> None:
    before = memory({"decisions.md": DECISIONS})
    assert forget(before) == forget(before)
