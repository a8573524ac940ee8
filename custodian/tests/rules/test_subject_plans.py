"""Which Subjects may be made and named, and what changes then."""

from __future__ import annotations

import re

import pytest

from csbond_tests.custodian_world import PROJECT_ID, FixedDraws
from csbond_tests.marks import requirement
from memory_custodian.rules.entry import Evidence
from memory_custodian.rules.memory_index import index_of
from memory_custodian.rules.plan import Plan
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.snapshot import Snapshot
from memory_custodian.rules.subject_plans import (
    SubjectAdd,
    SubjectAlias,
    SubjectRename,
    plan_subject_add,
    plan_subject_alias,
    plan_subject_rename,
    references,
    subject_named,
)
from memory_custodian.rules.subject_text import parse_subjects

MANIFEST = f"""\
# Memory Manifest

## MemoryCustodian Protocol
- protocol_version: 0.6
- entry_schema_version: 1
- subject_schema_version: 1
- subject_registry: subjects.md
- initialized_with: memory-custodian 0.10.0
- last_migrated_with: memory-custodian 0.10.0
- project_id: {PROJECT_ID}
- admission_policy: evidence-required
- conflict_identity_policy: scope-subject-facet

## Optional module index

### Enabled areas
- `areas/Sync.md`: when the sync engine is touched.
"""
LIBX = "MC-SUBJ-20260301-0000000a"
GONE = "MC-SUBJ-20260301-0000000b"
REGISTRY = f"""\
# Subjects

Entries are newest first.

## {LIBX} — Library X

Status: active
Kind: dependency
Canonical-Ref: dependency:pypi:library-x
Evidence:
- repo:pyproject.toml

Aliases:
- Library X
- libx

## {GONE} — Old Engine

Status: merged
Kind: concept
Canonical-Ref: dependency:npm:engine
Evidence:
- user-confirmed

Aliases:
- Old Engine
- engine
"""
CONFIRMED = (Evidence("user-confirmed"),)


def snapshot(**texts: str) -> Snapshot:
    files = {"manifest.md": MANIFEST, "subjects.md": REGISTRY}
    return Snapshot("docs/memory", {**files, **{f"{stem}.md": text for stem, text in texts.items()}})


def add(title: str, *, kind: str = "concept", ref: str = "", aliases: tuple[str, ...] = ()) -> Plan:
    return plan_subject_add(snapshot(), SubjectAdd(title, kind, ref, aliases, CONFIRMED), FixedDraws())


@requirement("CUST-04.4-07", "CUST-04.4-08", "CUST-13.1-23")
def test_a_new_subject_stands_first_with_an_id_of_its_own() -> None:
    plan = add("Field notes", aliases=("notes",))
    (change,) = plan.changes
    assert change.path == "docs/memory/subjects.md"
    made = parse_subjects(change.after)[0]
    assert re.fullmatch(r"MC-SUBJ-20260302-[0-9a-f]{8}", made.id)
    assert plan.created == (made.id,)
    assert (made.title, made.kind, made.aliases) == ("Field notes", "concept", ("Field notes", "notes"))
    assert change.after.startswith("# Subjects\n\nEntries are newest first.\n\n## MC-SUBJ-20260302-")


@requirement("CUST-04.4-04")
def test_what_stands_in_the_registry_keeps_every_line() -> None:
    before, after = REGISTRY.split("\n"), add("Field notes").changes[0].after.split("\n")
    at = after.index(before[4])
    assert after[:4] == before[:4]
    assert after[at:] == before[4:]


@requirement("CUST-13.1-23")
def test_an_id_that_is_taken_is_drawn_again() -> None:
    taken = "# Decisions\n\n## MC-SUBJ-20260302-00000001 — a heading somewhere\n"
    request = SubjectAdd("Field notes", "concept", evidence=CONFIRMED)
    plan = plan_subject_add(snapshot(decisions=taken), request, FixedDraws())
    assert plan.created == ("MC-SUBJ-20260302-00000002",)


@requirement("CUST-04.4-12", "CUST-04.4-24", "CUST-06.3-05", "CUST-13.1-24", "CUST-16-25")
@pytest.mark.parametrize("title, aliases", [("LIBRARY  x", ()), ("New", ("ＬＩＢＸ",)), ("libx", ())])
def test_a_name_of_an_active_subject_is_refused_with_its_id(title: str, aliases: tuple[str, ...]) -> None:
    with pytest.raises(Refused, match=LIBX):
        add(title, aliases=aliases)


@requirement("CUST-04.4-13", "CUST-04.4-24", "CUST-06.3-05", "CUST-13.1-24", "CUST-16-25")
def test_a_reference_of_an_active_subject_is_refused_with_its_id() -> None:
    with pytest.raises(Refused, match=f"dependency:pypi:library-x belongs to {LIBX}"):
        add("Another name", kind="dependency", ref="dependency:pypi:Library.X")


@requirement("CUST-04.4-22", "CUST-06.3-04")
def test_a_refusal_shows_the_active_subjects_and_every_exact_match() -> None:
    with pytest.raises(Refused) as refused:
        add("libx", kind="dependency", ref="dependency:pypi:library-x")
    assert refused.value.shown == (
        "Active subjects:",
        f"- {LIBX}: Library X (dependency) [dependency:pypi:library-x]",
        "Exact matches:",
        f"- Canonical-Ref dependency:pypi:library-x: {LIBX}",
        f"- alias 'libx': {LIBX}",
    )


@requirement("CUST-04.4-22", "CUST-06.3-04")
def test_a_preview_shows_them_too_and_an_inactive_subject_gives_its_names_free() -> None:
    plan = add("engine", kind="dependency", ref="dependency:npm:engine")
    assert plan.headline[:5] == (
        "Active subjects:",
        f"- {LIBX}: Library X (dependency) [dependency:pypi:library-x]",
        "Exact matches:",
        f"- Canonical-Ref dependency:npm:engine: {GONE}",
        f"- alias 'engine': {GONE}",
    )


@requirement("CUST-04.4-20", "CUST-04.4-14")
def test_a_concept_lives_by_its_id_and_names() -> None:
    made = parse_subjects(add("Lantern glow").changes[0].after)[0]
    assert (made.canonical_ref, made.aliases) == ("", ("Lantern glow",))


@requirement("CUST-02-10", "CUST-02-11", "CUST-04.4-21", "CUST-06.3-08", "CUST-13.1-28")
@pytest.mark.parametrize("title", ["Library Y", "Libraries X", "LibraryX", "Librari X"])
def test_a_name_that_is_only_alike_makes_a_subject_of_its_own(title: str) -> None:
    plan = add(title)
    assert plan.changes
    assert not plan.blockers
    assert len(parse_subjects(plan.changes[0].after)) == 3
    assert parse_subjects(plan.changes[0].after)[1:] == tuple(
        subject._replace(line=subject.line + 10) for subject in parse_subjects(REGISTRY)
    )


@requirement("CUST-06.3-08")
def test_a_shared_word_gives_a_hint_that_is_no_part_of_the_plan() -> None:
    hint = f"Review hint (spelling only, says nothing about meaning): {LIBX} Library X"
    plan = add("The library of maps")
    assert hint in plan.headline
    assert not plan.warnings
    assert "hint" not in str(plan.context)
    assert not any("Review hint" in line for line in add("Old Engine room").headline)


@pytest.mark.parametrize("kind, ref", [("concept", "api:x"), ("dependency", "repo-path:x"), ("area", "feature:x")])
def test_a_kind_that_does_not_fit_the_reference_is_refused(kind: str, ref: str) -> None:
    with pytest.raises(Refused, match=f"accepted: --kind {ref.partition(':')[0]}"):
        add("Something", kind=kind, ref=ref)


def test_a_kind_that_does_not_exist_is_refused() -> None:
    with pytest.raises(Refused, match="dependency, repo-path"):
        add("Something", kind="thing")


@pytest.mark.parametrize("evidence", [(), (Evidence("agent-observed"),)])
def test_a_subject_rests_on_confirmed_evidence(evidence: tuple[Evidence, ...]) -> None:
    with pytest.raises(Refused):
        plan_subject_add(snapshot(), SubjectAdd("Something", "concept", evidence=evidence), FixedDraws())


def test_a_secret_in_a_name_is_refused_and_not_repeated() -> None:
    secret = "ghp_" + "a1" * 18
    with pytest.raises(Refused) as refused:
        add("Something", aliases=(secret,))
    assert secret not in refused.value.message


def test_an_area_that_is_not_indexed_is_a_warning() -> None:
    assert add("Sync", kind="area", ref="area:sync").warnings == ()
    (warning,) = add("Maps", kind="area", ref="area:maps").warnings
    assert "areas/maps.md" in warning


@requirement("CUST-01-17", "CUST-04.4-10", "CUST-06.3-06", "CUST-13.1-23", "CUST-16-22")
def test_another_title_keeps_the_id_and_the_old_title_as_an_alias() -> None:
    plan = plan_subject_rename(snapshot(), SubjectRename(LIBX.lower(), "Library X Runtime"), FixedDraws())
    renamed = parse_subjects(plan.changes[0].after)[0]
    assert (renamed.id, renamed.title) == (LIBX, "Library X Runtime")
    assert renamed.aliases == ("Library X Runtime", "Library X", "libx")


@requirement("CUST-04.4-12")
def test_a_title_that_differs_in_case_only_is_no_collision_with_itself() -> None:
    plan = plan_subject_rename(snapshot(), SubjectRename(LIBX, "library X"), FixedDraws())
    assert parse_subjects(plan.changes[0].after)[0].aliases == ("library X", "libx")


@requirement("CUST-04.4-12", "CUST-04.4-24")
def test_a_title_or_alias_of_another_active_subject_is_refused() -> None:
    other = "MC-SUBJ-20260301-0000000c"
    registry = f"{REGISTRY}\n## {other} — Maps\n\nStatus: active\nKind: concept\nEvidence:\n- user-confirmed\n"
    with pytest.raises(Refused, match=LIBX):
        plan_subject_rename(snapshot(subjects=registry), SubjectRename(other, "LibX"), FixedDraws())
    with pytest.raises(Refused, match=LIBX):
        plan_subject_alias(snapshot(subjects=registry), SubjectAlias(other, "library x"), FixedDraws())


@requirement("CUST-01-17")
def test_one_more_alias_is_written_last() -> None:
    plan = plan_subject_alias(snapshot(), SubjectAlias(LIBX, "X runtime"), FixedDraws())
    assert plan.changes[0].after == REGISTRY.replace("- libx\n", "- libx\n- X runtime\n")


@pytest.mark.parametrize(
    "plan",
    [
        plan_subject_rename(snapshot(), SubjectRename(LIBX, "Library X"), FixedDraws()),
        plan_subject_alias(snapshot(), SubjectAlias(LIBX, "LIBX"), FixedDraws()),
    ],
)
def test_a_name_that_it_has_already_changes_nothing(plan: Plan) -> None:
    assert plan.changes == ()
    assert "already has" in plan.headline[0]


@pytest.mark.parametrize("subject_id", [GONE, "MC-SUBJ-20260301-0000000f", "Library X", "MC-DEC-20260301-0000000a"])
def test_only_an_active_subject_is_named_and_only_by_its_id(subject_id: str) -> None:
    with pytest.raises(Refused):
        plan_subject_rename(snapshot(), SubjectRename(subject_id, "New"), FixedDraws())
    with pytest.raises(Refused):
        plan_subject_alias(snapshot(), SubjectAlias(subject_id, "New"), FixedDraws())


@requirement("CUST-06.3-12")
def test_with_a_changelog_both_files_are_one_plan() -> None:
    changelog = "# Memory Changelog\n\nEntries are newest first.\n"
    plan = plan_subject_rename(snapshot(changelog=changelog), SubjectRename(LIBX, "Secret name"), FixedDraws())
    assert [change.path for change in plan.changes] == ["docs/memory/subjects.md", "docs/memory/changelog.md"]
    assert f"- Renamed Subject {LIBX} in subjects.md.\n" in plan.changes[1].after
    assert "Secret name" not in plan.changes[1].after
    assert [result.file for result in plan.budgets] == ["changelog.md"]


def test_a_project_of_an_older_protocol_is_asked_to_migrate() -> None:
    older = snapshot(manifest=MANIFEST.replace("protocol_version: 0.6", "protocol_version: 0.5"))
    with pytest.raises(Refused, match="migrate"):
        plan_subject_add(older, SubjectAdd("Something", "concept", evidence=CONFIRMED), FixedDraws())


def test_a_project_without_a_registry_is_told_how_to_get_one() -> None:
    bare = Snapshot("docs/memory", {"manifest.md": MANIFEST})
    with pytest.raises(Refused, match=r"subjects\.md is missing"):
        plan_subject_add(bare, SubjectAdd("Something", "concept", evidence=CONFIRMED), FixedDraws())


@requirement("CUST-06.3-02", "CUST-04.4-01")
def test_references_are_entries_that_name_the_id_provisionally_or_not() -> None:
    decisions = f"# Decisions\n\n## MC-DEC-20260302-00000001 — a\n\nStatus: active\nSubject: {LIBX.lower()}\n"
    inbox = f"# Memory Inbox\n\n## MC-INBOX-20260302-00000002 — b\n\nStatus: candidate\nProvisional-Subject: {LIBX}\n"
    by_name = "# Constraints\n\n## MC-CON-20260302-00000003 — c\n\nStatus: active\nSubject: Library X\n"
    index = index_of(snapshot(decisions=decisions, inbox=inbox, constraints=by_name))
    assert {entry.id for entry in references(LIBX, index.entries)} == {
        "MC-DEC-20260302-00000001",
        "MC-INBOX-20260302-00000002",
    }
    assert subject_named(index, LIBX.lower()).title == "Library X"
