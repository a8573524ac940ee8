"""The skill says what its scenarios need, and the static checker notices when it does not (§13.4)."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from csbond_tests.custodian_texts import CUSTODIAN, PLUGIN, REFERENCES, flat
from csbond_tests.marks import requirement

EVALS = CUSTODIAN / "evals"
SKILL = PLUGIN / "skills" / "memory-custodian" / "SKILL.md"


def loaded_checker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_skill", EVALS / "check_skill.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CHECKER = loaded_checker()
TEXT = SKILL.read_text(encoding="utf-8")
SENTENCES = [(contract, sentence) for contract, found in CHECKER.REQUIRED.items() for sentence in found]
SCENARIOS = {path.stem: path.read_text(encoding="utf-8") for path in sorted((EVALS / "scenarios").glob("*.md"))}

NOT_WHOLE = f"06-stale-plan.md: needs these parts in this order, none empty: {', '.join(CHECKER.PARTS)}"


def without(sentence: str) -> str:
    """The skill without a sentence, wherever its lines break."""
    words = r"\s+".join(map(re.escape, sentence.split()))
    return re.sub(words, "", TEXT)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("01-inference-stays-candidate", marks=requirement("CUST-13.4-01")),
        pytest.param("02-user-confirmed-becomes-active", marks=requirement("CUST-13.4-02")),
        pytest.param("03-source-backed-becomes-active", marks=requirement("CUST-13.4-03")),
        pytest.param("04-evidence-is-required", marks=requirement("CUST-13.4-04")),
        pytest.param("05-concurrent-writes", marks=requirement("CUST-13.4-05")),
        pytest.param("06-stale-plan", marks=requirement("CUST-13.4-06")),
        pytest.param("07-authority", marks=requirement("CUST-13.4-07")),
        pytest.param("08-secret-flagged", marks=requirement("CUST-13.4-08")),
        pytest.param("09-old-entries-readable", marks=requirement("CUST-13.4-09")),
        pytest.param("10-superseded", marks=requirement("CUST-13.4-10")),
        pytest.param("11-no-hidden-relevance", marks=requirement("CUST-13.4-11")),
        pytest.param("12-traceable-modules", marks=requirement("CUST-13.4-12")),
        pytest.param("13-subject-id-survives", marks=requirement("CUST-13.4-13")),
        pytest.param("14-duplicate-owner", marks=requirement("CUST-13.4-14")),
        pytest.param("15-no-claimed-equivalence", marks=requirement("CUST-13.4-15")),
        pytest.param("16-erasure-boundary", marks=requirement("CUST-13.4-16")),
        pytest.param("17-sensitive-minimised", marks=requirement("CUST-13.4-17")),
    ],
)
def test_the_scenario_is_whole_and_its_contract_is_in_the_skill(name: str) -> None:
    assert name in SCENARIOS
    assert not list(CHECKER.faulty_scenarios(SCENARIOS))
    contract = name.split("-", 1)[1]
    assert CHECKER.REQUIRED[contract]
    assert not [fault for fault in CHECKER.missing_sentences(TEXT) if f": {contract}: " in fault]


def test_there_are_seventeen_scenarios_and_no_more() -> None:
    assert len(SCENARIOS) == len(CHECKER.REQUIRED) == 17


@requirement("CUST-13.4-19")
@pytest.mark.parametrize(
    "contract, sentence", SENTENCES, ids=[f"{contract}-{n}" for n, (contract, _) in enumerate(SENTENCES)]
)
def test_without_a_required_sentence_the_checker_fails(
    contract: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = tmp_path / "SKILL.md"
    changed.write_text(without(sentence), encoding="utf-8")
    assert CHECKER.main(["--skill", str(changed)]) == 1
    assert capsys.readouterr().out == f"SKILL.md: {contract}: missing: {sentence}\n"


@requirement("CUST-13.4-18")
def test_the_checker_says_that_it_ran_no_agent(capsys: pytest.CaptureFixture[str]) -> None:
    assert CHECKER.main([]) == 0
    said = capsys.readouterr().out
    assert said.endswith("Static check of texts; no agent was run.\n")
    assert "no agent is run" in flat(str(CHECKER.__doc__))
    assert "nothing here does" in flat((EVALS / "README.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "change, fault",
    [
        (lambda found: found.pop("06-stale-plan"), "06-stale-plan.md: missing"),
        (lambda found: found.update({"18-more": "text"}), "18-more.md: no contract has this name"),
        (
            lambda found: found.update({"06-stale-plan": found["06-stale-plan"].replace("Contract: ", "")}),
            "06-stale-plan.md: does not name its contract `stale-plan`",
        ),
        (
            lambda found: found.update({"06-stale-plan": found["06-stale-plan"].replace("## Prompt", "## Words")}),
            NOT_WHOLE,
        ),
        (
            lambda found: found.update(
                {"06-stale-plan": found["06-stale-plan"].replace("> Go ahead with that plan.", "")}
            ),
            NOT_WHOLE,
        ),
    ],
    ids=["missing", "unknown", "unnamed", "renamed part", "empty part"],
)
def test_a_scenario_that_is_not_whole_is_named(change, fault: str) -> None:
    changed = dict(SCENARIOS)
    change(changed)
    assert list(CHECKER.faulty_scenarios(changed)) == [fault]


@requirement("CUST-12-01")
def test_the_skill_has_its_references_and_leads_to_each() -> None:
    names = {path.stem for path in REFERENCES.glob("*.md")}
    assert names >= {
        "memory-file-protocol",
        "manifest-policy",
        "quality-audit",
        "compaction-policy",
        "forgetting-policy",
        "examples",
    }
    assert set(re.findall(r"\(references/([\w-]+)\.md\)", TEXT)) == names


@requirement("CUST-10.2-10")
def test_the_skill_asks_to_judge_privacy_by_meaning() -> None:
    assert (
        "Judge by meaning whether a text is private before you write it to shared memory: the scanners know patterns "
        "only." in flat(TEXT)
    )


def test_the_skill_says_when_it_is_to_be_used() -> None:
    head = re.match(r"---\nname: memory-custodian\ndescription: (.+)\n---\n", TEXT)
    assert head
    assert len(head[1]) <= 1024
    assert "docs/memory/manifest.md" in head[1]
