"""The ladder that every new entry climbs."""

from __future__ import annotations

import pytest

from csbond_tests.custodian_world import FixedDraws
from csbond_tests.marks import requirement
from memory_custodian.rules.admission import MANAGED_TYPES, AddRequest, admit_entry, check_request
from memory_custodian.rules.entry import Draft, EntryType, Evidence
from memory_custodian.rules.memory_index import MemoryIndex, index_of
from memory_custodian.rules.problems import Refused
from memory_custodian.rules.snapshot import Snapshot

SUBJECT = "MC-SUBJ-20260301-aa11bb22"
RETIRED = "MC-SUBJ-20260301-cc33dd44"
FOREIGN = "MC-SUBJ-20260301-ee55ff66"
OLD = "MC-DEC-20260101-00000001"
MIDDLE = "MC-DEC-20260102-00000002"
NEW = "MC-DEC-20260103-00000003"
CONFIRMED = (Evidence("user-confirmed"),)

SUBJECTS = f"""\
# Subjects

## {SUBJECT} — Map printing

Status: active
Kind: concept
Evidence:
- user-confirmed

## {RETIRED} — Fax

Status: retired
Kind: concept
Evidence:
- user-confirmed
"""
DECISIONS = f"""\
# Decisions

## {OLD} — Print in colour

Status: active
Scope: project
Subject: {SUBJECT}
Facet: behavior
Evidence:
- user-confirmed

Decision:
Print in colour.

## {FOREIGN} — A Subject in the wrong file

Status: active
Kind: concept
"""
REQUEST = AddRequest("Print in grey.", "decision", evidence=CONFIRMED, subject=SUBJECT, facet="security")


def index(decisions: str = DECISIONS, **more: str) -> MemoryIndex:
    """The index of decisions, registry, and other files by stem."""
    texts = {"decisions.md": decisions, "subjects.md": SUBJECTS}
    return index_of(Snapshot("docs/memory", {**texts, **{f"{stem}.md": text for stem, text in more.items()}}))


def admitted(request: AddRequest, found: MemoryIndex | None = None) -> Draft:
    """The draft of a request that is admitted."""
    return admit_entry(request, found or index(), "2026-03-02", FixedDraws())


def refusal(request: AddRequest, found: MemoryIndex | None = None) -> str:
    """Why a request is refused."""
    with pytest.raises(Refused) as refused:
        admitted(request, found)
    return refused.value.message


@requirement("CUST-05.2-01", "CUST-01-04", "CUST-04.1-09")
def test_what_is_admitted_is_active_and_has_an_id() -> None:
    draft = admitted(REQUEST)
    assert (draft.id, draft.status, draft.scope) == ("MC-DEC-20260302-00000001", "active", "project")
    assert (draft.subject, draft.facet, draft.evidence) == (SUBJECT, "security", CONFIRMED)


@requirement("CUST-04.1-06", "CUST-04.1-07", "CUST-05.2-11")
def test_an_id_that_any_heading_has_is_not_given_again() -> None:
    found = index(notes="### MC-DEC-20260302-00000001 — old\n", brief="```\n## mc-dec-20260302-00000002 — x\n```\n")
    assert admitted(REQUEST, found).id == "MC-DEC-20260302-00000003"


@requirement("CUST-04.1-02", "CUST-04.2-02", "CUST-04.2-03", "CUST-04.2-04", "CUST-04.2-05")
@pytest.mark.parametrize(
    "request_, code, scope",
    [
        (REQUEST._replace(area="sync"), "AREA", "area:sync"),
        (REQUEST._replace(type="constraint"), "CON", "project"),
        (REQUEST._replace(type="constraint", area="sync"), "CON", "area:sync"),
        (REQUEST._replace(type="preference", facet="workflow", area="sync"), "PREF", "area:sync"),
        (REQUEST._replace(type="tombstone", area="sync"), "DNU", "area:sync"),
        (REQUEST._replace(type="do-not-use"), "DNU", "project"),
        (REQUEST._replace(type="area", name="sync"), "AREA", "area:sync"),
        (REQUEST._replace(type="rule", name="output"), "AREA", "project"),
        (REQUEST._replace(type="profile", name="review", facet="workflow"), "AREA", "project"),
    ],
)
def test_code_and_scope_follow_from_type_and_area(request_: AddRequest, code: str, scope: str) -> None:
    draft = admitted(request_)
    assert (draft.id, draft.scope) == (f"MC-{code}-20260302-00000001", scope)


@requirement("CUST-05.3-01", "CUST-01-07", "CUST-06.1-11", "CUST-06.1-12", "CUST-06.1-13", "CUST-13.1-04")
@pytest.mark.parametrize("kind", ["decision", "constraint", "preference", "tombstone", "rule", "profile", "inbox"])
def test_a_candidate_keeps_its_type_as_a_field_and_is_never_active(kind: EntryType) -> None:
    request = AddRequest("It may be so.", kind, evidence=(Evidence("agent-observed"),), candidate=True, reason="Ask.")
    draft = admitted(request)
    assert draft.id == "MC-INBOX-20260302-00000001"
    assert (draft.status, draft.type, draft.reason) == ("candidate", "inbox", "Ask.")
    assert draft.candidate_type == ("note" if kind == "inbox" else kind)
    assert admitted(request._replace(type="area", name="sync")).scope == "area:sync"


@requirement("CUST-04.4-31")
def test_a_candidate_may_name_a_provisional_subject_that_exists_and_a_facet_that_fits() -> None:
    request = AddRequest("It may be.", "constraint", evidence=(Evidence("agent-observed"),), candidate=True)
    draft = admitted(request._replace(subject=SUBJECT, facet="behavior"))
    assert (draft.subject, draft.facet) == (SUBJECT, "behavior")
    assert "requires both --subject" in refusal(request._replace(subject=SUBJECT))
    assert "is not active" in refusal(request._replace(subject=RETIRED, facet="behavior"))
    assert "does not fit type constraint" in refusal(request._replace(subject=SUBJECT, facet="lifecycle"))
    assert admitted(request._replace(type="inbox", subject=SUBJECT, facet="lifecycle")).facet == "lifecycle"


@requirement("CUST-05.3-05", "CUST-01-06")
def test_a_candidate_owns_nothing_beside_an_owner() -> None:
    request = AddRequest("Print in grey?", "decision", evidence=(Evidence("agent-observed"),), candidate=True)
    assert admitted(request._replace(subject=SUBJECT, facet="behavior")).status == "candidate"


@requirement("CUST-04.4-30", "CUST-06.3-14", "CUST-13.1-26", "CUST-01-15")
@pytest.mark.parametrize("kind", sorted(MANAGED_TYPES))
@pytest.mark.parametrize("subject, facet", [(None, "behavior"), (SUBJECT, None), (None, None), ("", "behavior")])
def test_a_managed_entry_without_subject_or_facet_is_refused(
    kind: EntryType, subject: str | None, facet: str | None
) -> None:
    request = REQUEST._replace(type=kind, subject=subject, facet=facet, name="sync" if kind == "area" else None)
    assert refusal(request).startswith(f"--type {kind} requires both --subject <SUBJECT_ID> and --facet <FACET>")


@requirement("CUST-04.3-03")
@pytest.mark.parametrize("kind, name", [("preference", None), ("rule", "output"), ("profile", "review")])
def test_how_work_is_done_needs_neither_subject_nor_facet_but_never_one_alone(
    kind: EntryType, name: str | None
) -> None:
    request = AddRequest("Be brief.", kind, evidence=CONFIRMED, name=name)
    assert admitted(request).subject == ""
    assert "requires both --subject" in refusal(request._replace(facet="workflow"))


@requirement("CUST-05.2-08", "CUST-06.3-15", "CUST-04.4-09")
@pytest.mark.parametrize(
    "subject, why",
    [
        ("MC-SUBJ-20260301-00000000", "is not defined in subjects.md"),
        (FOREIGN, "is not defined in subjects.md"),
        (RETIRED, "is not active in subjects.md"),
        ("Map printing", "--subject: not a Subject ID"),
        (OLD, "--subject: not a Subject ID"),
    ],
)
def test_only_an_active_subject_of_the_registry_will_do(subject: str, why: str) -> None:
    said = refusal(REQUEST._replace(subject=subject))
    assert why in said
    assert "accepted: " in said


@requirement("CUST-05.2-09", "CUST-04.4-27")
def test_the_facet_exists_and_fits_the_type() -> None:
    assert refusal(REQUEST._replace(facet="made-up")).startswith("Facet 'made-up' is not valid; decision accepts: ")
    assert "does not fit type constraint; it accepts: " in refusal(
        REQUEST._replace(type="constraint", facet="lifecycle")
    )


@requirement("CUST-05.2-10", "CUST-04.4-35", "CUST-06.3-16")
def test_a_second_owner_is_refused() -> None:
    assert "Active structural owner already exists" in refusal(REQUEST._replace(facet="behavior"))


@requirement("CUST-13.1-27", "CUST-06.2-02")
def test_the_owner_may_be_replaced_when_it_is_named_in_any_case() -> None:
    draft = admitted(REQUEST._replace(facet="behavior", supersedes=OLD.lower()))
    assert (draft.supersedes, draft.status) == (OLD, "active")


@requirement("CUST-06.2-01", "CUST-06.2-08")
@pytest.mark.parametrize(
    "decisions, said",
    [
        ("# Decisions\n", f"--supersedes {OLD} does not exist"),
        (DECISIONS + DECISIONS.partition("\n\n")[2], f"--supersedes {OLD} occurs 2 times"),
        (
            DECISIONS.replace(
                "Status: active\nScope", "Status: superseded\nSuperseded-By: MC-DEC-20260201-00000002\nScope"
            ),
            f"--supersedes {OLD} is already superseded by MC-DEC-20260201-00000002",
        ),
        (DECISIONS.replace("Status: active\nScope", "Status: promoted\nScope"), "is promoted; accepted: an active"),
        (DECISIONS.replace("Status: active\nScope", "Scope"), "is without a Status; accepted: an active"),
    ],
)
def test_what_is_superseded_is_one_active_entry(decisions: str, said: str) -> None:
    request = REQUEST._replace(supersedes=OLD, facet="interface")
    assert said in refusal(request, index(decisions))


@requirement("CUST-06.2-08")
@pytest.mark.parametrize("facet", ["behavior", "interface"])
@pytest.mark.parametrize(
    "link, said",
    [
        (NEW, f"by {NEW}; accepted: an active entry, as {NEW}"),
        (NEW.lower(), f"by {NEW.lower()}; accepted: an active entry, as {NEW}"),
        (MIDDLE, f"by {MIDDLE}; accepted: an active entry, as {NEW}"),
        (OLD, f"by {OLD}; accepted: an active entry"),
        ("removed", "by an entry that was removed; accepted: an active entry"),
        ("", "by another entry; accepted: an active entry"),
    ],
)
def test_an_entry_that_is_superseded_names_what_replaced_it_also_where_that_owns_the_identity(
    facet: str, link: str, said: str
) -> None:
    """The replacement has the same Scope, Subject and Facet: that it owns them is not what a person has to hear."""
    title, _, owner = DECISIONS.partition("\n\n")
    replaced = owner.replace("Status: active\nScope", f"Status: superseded\nSuperseded-By: {link}\nScope")
    between = owner.replace("Status: active\nScope", f"Status: superseded\nSuperseded-By: {NEW}\nScope")
    texts = "".join([owner.replace(OLD, NEW), between.replace(OLD, MIDDLE), replaced])
    refused = refusal(REQUEST._replace(supersedes=OLD, facet=facet), index(f"{title}\n\n{texts}"))
    assert refused == f"--supersedes {OLD} is already superseded {said}"


def test_an_archived_entry_is_not_superseded() -> None:
    found = index("# Decisions\n", **{"archive/decisions-2026-03-02": DECISIONS})
    assert "is archived" in refusal(REQUEST._replace(supersedes=OLD), found)


def test_another_text_than_an_id_is_no_entry_to_supersede() -> None:
    assert refusal(REQUEST._replace(supersedes="the colour one")).startswith("--supersedes: not an Entry ID")


@requirement("CUST-06.2-07")
@pytest.mark.parametrize(
    "changes, kept",
    [
        ({"facet": "interface"}, "Facet behavior"),
        ({"facet": "behavior", "area": "sync"}, "Scope project"),
        ({"type": "preference", "subject": None, "facet": None}, f"Subject {SUBJECT}, Facet behavior"),
    ],
)
def test_a_replacement_keeps_scope_subject_and_facet(changes: dict[str, str | None], kept: str) -> None:
    said = refusal(REQUEST._replace(supersedes=OLD, **changes))  # type: ignore[arg-type]
    assert said == f"--supersedes {OLD} keeps the identity of the old entry; accepted: {kept}"


def test_an_entry_of_before_subjects_has_no_identity_to_keep() -> None:
    old = DECISIONS.replace(f"Subject: {SUBJECT}\nFacet: behavior\n", "")
    assert admitted(REQUEST._replace(supersedes=OLD), index(old)).supersedes == OLD


@requirement("CUST-06.1-03", "CUST-01-05", "CUST-03-09", "CUST-05.2-02")
@pytest.mark.parametrize("kind", ["decision", "constraint", "preference", "inbox"])
def test_every_type_rests_on_something(kind: EntryType) -> None:
    request = REQUEST._replace(type=kind, evidence=(), subject=None, facet=None)
    assert refusal(request).startswith("--evidence is missing")


@requirement("CUST-06.1-08")
def test_evidence_that_does_not_exist_is_refused_by_name() -> None:
    said = refusal(REQUEST._replace(evidence=(Evidence("repo", "x.md"),), missing_evidence=("repo:x.md",)))
    assert said.startswith("--evidence repo:x.md: no such file in the project; accepted: ")


def test_the_first_rung_that_does_not_hold_is_named() -> None:
    ladder: list[tuple[dict[str, object], str]] = [
        ({"name": "x"}, "--name does not go"),
        ({"message": "AKIA" + "ABCDEFGHIJKLMNOP"}, "looks like it holds a secret"),
        ({"evidence": (Evidence("agent-observed"),)}, "cannot create active memory"),
        ({"missing_evidence": ("repo:x.md",)}, "no such file"),
        ({"facet": None}, "requires both"),
        ({"subject": "Map printing", "facet": "made-up"}, "not a Subject ID"),
        ({"facet": "made-up"}, "is not valid"),
        ({"supersedes": "MC-DEC-20260101-00000009"}, "--supersedes MC-DEC-20260101-00000009 does not exist"),
        ({"facet": "behavior"}, "Active structural owner"),
    ]
    wrong: dict[str, object] = {}
    for changes, said in reversed(ladder):
        wrong = {**wrong, **changes}
        assert said in refusal(REQUEST._replace(**wrong)), said  # type: ignore[arg-type]


@requirement("CUST-B2.5-01")
@pytest.mark.parametrize(
    "request_, said",
    [
        (AddRequest("x", "rule"), "--type rule requires --name"),
        (AddRequest("x", "profile"), "--type profile requires --name"),
        (AddRequest("x", "area"), "--type area requires --name"),
        (AddRequest("x", "decision", name="y"), "--name does not go with --type decision"),
        (AddRequest("x", "inbox", area="y"), "--area does not go with --type inbox"),
        (AddRequest("x", "rule", name="y", area="z"), "--area does not go with --type rule"),
        (AddRequest("x", "area", name="y", area="z"), "--area does not go with --type area"),
        (AddRequest("x", "constraint", allow_long=True), "--allow-long goes with --type decision or area only"),
        (AddRequest("x", "decision", allow_long=True, candidate=True), "--allow-long goes with"),
        (AddRequest("x", "rule", name="y", candidate=True), "--name does not go with a candidate for a rule"),
        (AddRequest("x", "decision", candidate=True, supersedes=OLD), "--supersedes does not go with a candidate"),
        (AddRequest("x", "rule", name="../y"), "Invalid rule name: ../y"),
        (AddRequest("x", "decision", area="a/b"), "Invalid area name: a/b"),
        (AddRequest(" \n", "inbox"), "MESSAGE is empty"),
        (AddRequest("x\udc80", "inbox"), "MESSAGE is not valid UTF-8"),
        (AddRequest("x", "decision", reason="\ud800"), "--reason is not valid UTF-8"),
    ],
)
def test_options_that_do_not_fit_together_are_refused(request_: AddRequest, said: str) -> None:
    with pytest.raises(Refused) as refused:
        check_request(request_)
    assert said in refused.value.message


@requirement("CUST-10.3-09")
@pytest.mark.parametrize("field", ["message", "reason", "area", "evidence"])
def test_a_secret_is_refused_wherever_it_stands_and_not_repeated(field: str) -> None:
    secret = "ghp_" + "a1b2c3d4e5" * 3
    value = (Evidence("repo", secret),) if field == "evidence" else secret
    with pytest.raises(Refused, match="secret") as refused:
        check_request(REQUEST._replace(**{field: value}))  # type: ignore[arg-type]
    assert secret not in refused.value.message


@requirement("CUST-10.3-09")
@pytest.mark.parametrize("field", ["message", "reason", "evidence"])
def test_a_doubtful_secret_is_refused_with_the_option_that_allows_it(field: str) -> None:
    value = (Evidence("repo", "password=" + "hunter77"),) if field == "evidence" else "password=" + "hunter77"
    asked = REQUEST._replace(**{field: value})  # type: ignore[arg-type]
    with pytest.raises(Refused, match="--allow-doubtful-secret") as refused:
        check_request(asked)
    assert "hunter77" not in refused.value.message
    check_request(asked._replace(allow_doubtful=True))


def test_a_reason_of_white_space_is_none() -> None:
    assert admitted(REQUEST._replace(reason=" \n")).reason == ""


def test_the_arguments_of_a_request_are_plain_values_without_what_the_disk_says() -> None:
    asked = REQUEST._replace(missing_evidence=("repo:x.md",)).arguments
    assert "missing_evidence" not in asked
    assert asked["evidence"] == ("user-confirmed",)
    assert all(value is None or isinstance(value, (str, bool, tuple)) for value in asked.values())
