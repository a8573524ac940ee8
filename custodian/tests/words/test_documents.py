"""README, references and guide say what §15 and the sections behind it want said, and nothing that does not hold."""

from __future__ import annotations

import re

import pytest

from csbond_tests.custodian_texts import CUSTODIAN, PLUGIN, REFERENCES, documents, flat, section
from csbond_tests.marks import requirement
from csbond_tests.repository import REPOSITORY
from memory_custodian import __version__
from memory_custodian.rules.facets import ALLOWED_FACETS, FACETS
from memory_custodian.rules.protocol import ENTRY_SCHEMA_VERSION, PROTOCOL_VERSION

pytestmark = pytest.mark.docs

README = (CUSTODIAN / "README.md").read_text(encoding="utf-8")
GUIDE = (REPOSITORY / "docs/guide/project-memory.md").read_text(encoding="utf-8")
REFERENCE = (REPOSITORY / "docs/reference/memory-custodian.md").read_text(encoding="utf-8")
ALL = documents()

ROUTING = (
    "The manifest routes a bounded context pack through explicit task categories; routing is deterministic for the "
    "supplied task and scope."
)
FORGETTING = (
    "Forgetting controls what remains available to future agents through MemoryCustodian. It is not a guarantee of "
    "erasure from Git history or previously distributed copies."
)


def policy(name: str) -> str:
    return (REFERENCES / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "heading, said",
    [
        pytest.param(
            "Evidence-backed memory",
            ("`--evidence` says what an entry rests on", "The command judges the form"),
            marks=requirement("CUST-15-01"),
        ),
        pytest.param(
            "Candidates and active memory",
            ("is no memory yet", "It goes to the inbox as a candidate", "`promote` makes an entry of its own"),
            marks=requirement("CUST-15-02"),
        ),
        pytest.param(
            "Stable Entry IDs",
            ("`MC-DEC-20260726-a1b2c3d4`", "It never changes, is unique in the whole memory"),
            marks=requirement("CUST-15-03"),
        ),
        pytest.param(
            "Writing at the same time",
            ("Every write takes a lock of the project, outside the repository", "nothing is overwritten silently"),
            marks=requirement("CUST-15-04"),
        ),
        pytest.param(
            "Plans, confirmed",
            ("`--apply --confirm-plan`", "the plan is stale: nothing is written", "There is no flag to force it."),
            marks=requirement("CUST-15-05"),
        ),
        pytest.param(
            "Principles",
            ("No authority.", "Project memory may constrain project work."),
            marks=requirement("CUST-15-06"),
        ),
        pytest.param(
            "A project of an older protocol",
            ("gives clear decisions an ID and `legacy-unverified` Evidence", "makes up neither Evidence nor Subjects"),
            marks=requirement("CUST-15-07"),
        ),
        pytest.param(
            "Subjects, facets, and one owner",
            (
                "`subjects.md` is the registry",
                "has an ID that stays",
                "a canonical reference: `dependency:pypi:<name>`",
            ),
            marks=requirement("CUST-15-08"),
        ),
        pytest.param(
            "Subjects, facets, and one owner",
            ("A **facet** is the side of the Subject", *(f"`{facet}`" for facet in FACETS)),
            marks=requirement("CUST-15-09"),
        ),
        pytest.param(
            "Subjects, facets, and one owner",
            ("Scope, Subject and facet together are the **structural identity**", "it has one owner"),
            marks=requirement("CUST-15-10"),
        ),
        pytest.param(
            "Subjects, facets, and one owner",
            ("on two branches may register one thing under two names. Nothing here finds that: it needs a review",),
            marks=requirement("CUST-15-11"),
        ),
        pytest.param(
            "Forgetting, and what it reaches",
            (FORGETTING, "Older commits, refs, clones, forks, backups and caches may keep the content"),
            marks=requirement("CUST-15-12"),
        ),
        pytest.param(
            "No secret store",
            ("is no place for secrets, credentials, personal data, contract terms", "Write the abstract constraint"),
            marks=requirement("CUST-15-13", "CUST-16-32"),
        ),
        pytest.param(
            "What is read, and why",
            (ROUTING, "What counts is the canonical task", "does not guarantee that it chose well"),
            marks=requirement("CUST-15-14"),
        ),
        pytest.param(
            "What is read, and why",
            ("it does not explain module by module what was left out",),
            marks=requirement("CUST-15-15"),
        ),
    ],
)
def test_the_readme_tells_of_it(heading: str, said: tuple[str, ...]) -> None:
    text = flat(section(README, heading))
    assert text, heading
    assert not [sentence for sentence in said if sentence not in text]


@requirement("CUST-11.3-07")
def test_the_readme_says_that_old_forms_are_no_form_for_new_writes() -> None:
    told = flat(section(README, "A project of an older protocol"))
    assert "That is for migration; it is no form for new writes" in told


@requirement("CUST-03.1-09")
@pytest.mark.parametrize(
    "text", [README, GUIDE, policy("manifest-policy"), (PLUGIN / "skills/memory-custodian/SKILL.md").read_text("utf-8")]
)
def test_routing_is_described_as_what_it_is(text: str) -> None:
    assert ROUTING in flat(text)


@requirement("CUST-03.1-09")
@pytest.mark.parametrize("name", ALL)
def test_no_text_says_that_needs_are_understood_by_themselves(name: str) -> None:
    boast = re.compile(
        r"automatically (?:understands|knows|finds|selects|loads)|understands (?:any|your|the) task|"
        r"(?:finds|loads|selects) (?:the |all )?relevant (?:memor|entries|modules)|(?:smart|intelligent)(?:ly)? rout",
        re.IGNORECASE,
    )
    assert not boast.findall(flat(ALL[name]))


@requirement("CUST-03.1-10", "CUST-16-33")
@pytest.mark.parametrize(
    "text, said",
    [
        (README, "The agent chooses the task. This version does not guarantee that it chose well"),
        (GUIDE, "The task is the agent's choice, and nothing checks it."),
        (policy("manifest-policy"), "It does not know whether the task was well chosen. The agent chooses it"),
    ],
    ids=["README", "guide", "manifest policy"],
)
def test_the_choice_of_the_task_is_the_agents_and_not_called_solved(text: str, said: str) -> None:
    assert said in flat(text)


@requirement("CUST-04.4-25", "CUST-16-27")
@pytest.mark.parametrize(
    "text, said",
    [
        (README, "on two branches may register one thing under two names. Nothing here finds that"),
        (policy("memory-file-protocol"), "Two branches may name one thing twice: this version does not find that"),
        (GUIDE, "Subjects of two names that mean one thing are not found"),
    ],
    ids=["README", "protocol", "guide"],
)
def test_two_names_of_one_thing_are_said_not_to_be_found(text: str, said: str) -> None:
    assert said in flat(text)


@requirement("CUST-04.4-39")
def test_the_registry_is_said_to_hold_neither_permissions_nor_instructions() -> None:
    told = flat(section(policy("memory-file-protocol"), "A Subject"))
    assert "It holds no secrets, no statement of what anybody may do, and no instructions to run" in told


@requirement("CUST-04.4-39")
@pytest.mark.parametrize("place", ["docs/memory/subjects.md", "custodian/examples/lanternfish/docs/memory/subjects.md"])
def test_the_registries_that_come_with_it_hold_names_and_evidence_only(place: str) -> None:
    text = (REPOSITORY / place).read_text(encoding="utf-8")
    fields = set(re.findall(r"^([A-Z][A-Za-z-]*):", text, re.MULTILINE))
    assert (
        {"Status", "Kind", "Evidence", "Aliases"}
        <= fields
        <= {"Status", "Kind", "Canonical-Ref", "Evidence", "Aliases"}
    )
    lines = text[text.index("\n## ") :].split("\n")
    assert all(re.match(r"$|## MC-SUBJ-|- |[A-Z][A-Za-z-]*:", line) for line in lines)


@requirement("CUST-04.4-29")
@pytest.mark.parametrize("page", [policy("memory-file-protocol"), REFERENCE], ids=["protocol", "reference"])
def test_the_table_of_types_and_facets_is_that_of_the_code(page: str) -> None:
    rows = re.findall(r"^\| ([a-z-]+) \| (`.+`) \|$", section(page, "Facets"), re.MULTILINE)
    assert {name: tuple(re.findall(r"`([a-z-]+)`", cells)) for name, cells in rows} == ALLOWED_FACETS


@requirement("CUST-10.3-02")
@pytest.mark.parametrize(
    "text",
    [README, GUIDE, policy("forgetting-policy"), (PLUGIN / "skills/memory-custodian/SKILL.md").read_text("utf-8")],
    ids=["README", "guide", "policy", "skill"],
)
def test_the_contract_of_forgetting_is_stated(text: str) -> None:
    assert FORGETTING in flat(text)


@requirement("CUST-10.3-07")
@pytest.mark.parametrize("text", [README, GUIDE, policy("forgetting-policy")], ids=["README", "guide", "policy"])
def test_what_may_keep_the_content_is_listed(text: str) -> None:
    assert "lder commits, refs, clones, forks, backups and caches may keep the content" in flat(text)


@requirement("CUST-10.3-10", "CUST-16-32")
@pytest.mark.parametrize(
    "text, said",
    [
        (README, 'Write the abstract constraint ("bound by an external vendor policy")'),
        (policy("forgetting-policy"), '"Bound by an external vendor policy", not the clause'),
        (policy("examples"), "The number stays out."),
    ],
    ids=["README", "policy", "examples"],
)
def test_abstract_constraints_are_asked_for(text: str, said: str) -> None:
    assert said in flat(text)


@requirement("CUST-10.3-11")
@pytest.mark.parametrize(
    "text, said",
    [
        (README, "let Evidence point to the controlled document, whose sensitive text is not copied"),
        (
            policy("forgetting-policy"),
            "Evidence may name a controlled internal document. Do not copy its sensitive text.",
        ),
    ],
    ids=["README", "policy"],
)
def test_evidence_may_point_to_a_controlled_document(text: str, said: str) -> None:
    assert said in flat(text)


@requirement("CUST-02-16")
@pytest.mark.parametrize("name", ALL)
def test_no_text_calls_repository_memory_a_place_for_secrets(name: str) -> None:
    """Every sentence that has memory and secrets or contracts in it also says no."""
    sensitive = re.compile(
        r"\b(?:store|keep|write|put|record|save)\w*\b[^.]*\b(?:secrets?|credentials|contracts?)\b", re.IGNORECASE
    )
    negated = re.compile(r"\b(?:no|not|never|out of|nothing|instead|refused|avoid)\b", re.IGNORECASE)
    sentences = re.split(r"(?<=[.:!?])\s", flat(ALL[name]))
    assert not [found for found in sentences if sensitive.search(found) and not negated.search(found)]


@requirement("CUST-16-01")
@pytest.mark.parametrize("name", ALL)
def test_texts_name_the_version_and_protocol_of_the_code(name: str) -> None:
    versions = set(re.findall(r"(?:memory-custodian`? \(?|[Vv]ersion )(\d+\.\d+\.\d+)", flat(ALL[name])))
    protocols = set(re.findall(r"\b[Pp]rotocol(?:_version:)? (\d+\.\d+)", flat(ALL[name])))
    assert versions <= {__version__, "0.9.1"}
    assert protocols <= {PROTOCOL_VERSION, "0.5"}


@requirement("CUST-16-01")
@pytest.mark.parametrize(
    "place",
    [
        "custodian/README.md",
        "custodian/RELEASE-NOTES.md",
        "custodian/plugin/skills/memory-custodian/SKILL.md",
        "custodian/plugin/skills/memory-custodian/references/memory-file-protocol.md",
        "custodian/plugin/templates/minimal/manifest.md",
        "custodian/plugin/templates/extended/manifest.md",
        "custodian/examples/lanternfish/docs/memory/manifest.md",
        "docs/memory/manifest.md",
        "docs/reference/memory-custodian.md",
    ],
)
def test_each_of_them_says_which_version_and_protocol_it_is_of(place: str) -> None:
    text = (REPOSITORY / place).read_text(encoding="utf-8")
    assert __version__ in text
    assert re.search(rf"[Pp]rotocol(?:_version:)? {re.escape(PROTOCOL_VERSION)}\b", text)
    if place.endswith("manifest.md"):
        assert f"- entry_schema_version: {ENTRY_SCHEMA_VERSION}\n" in text


@requirement("CUST-16-03")
def test_the_product_is_still_local_plain_text_and_in_the_repository() -> None:
    assert (
        "It is local-first, plain-text and repository-native: no network, no database, no background process"
        in flat(README)
    )
    assert "local-first" in (PLUGIN / ".claude-plugin/plugin.json").read_text(encoding="utf-8")
