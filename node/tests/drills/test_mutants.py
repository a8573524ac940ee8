"""The drill with removed rules: what it takes out, what it draws, and that it sees a mutant live or die."""

from __future__ import annotations

from textwrap import dedent

import pytest

from csbond_tests.drills.mutation import drawn, mutants_of, tied, tried
from csbond_tests.drills.neutral import neutralised
from csbond_tests.repository import REQUIREMENTS
from csbond_tests.requirements import Requirement, load_manifest

NAMED_AT_LEAST = 60
SOURCE = dedent(
    """
    def checked(value: int) -> int:
        if value > 9:
            raise ValueError("too much")
        return value

    def may(caller: str) -> bool:
        return caller == "owner"

    def up(raw: object, fresh: str) -> dict[str, str]:
        return {"id": fresh, "raw": str(raw)}

    def moved(task: Task, state: str) -> Task:
        return task.to(state)

    def spaces(caller: str) -> Collection[str] | None:
        return caller.spaces

    def parts(count: int) -> tuple[str, ...]:
        return ("a",) * count

    async def forget(world: object) -> None:
        await world.forget()

    def lines(text: str) -> Iterator[str]:
        yield from text.split()

    class Names:
        def name(self, level: str) -> str:
            return self.written[level]
    """
)


def body_of(source: str, name: str) -> str:
    return source.partition(f"def {name}")[2].partition(":\n")[2].partition("\n\n")[0].strip()


@pytest.mark.parametrize(
    "name, bodies",
    [
        ("checked", ["if value > 9:\n        pass\n    return value"]),
        ("may", ["return True", "return False"]),
        ("up", ["return raw"]),
        ("moved", ["return task"]),
        ("spaces", ["return None"]),
        ("parts", ["return ()"]),
        ("forget", ["return None"]),
        ("lines", ["return\n    yield"]),
    ],
)
def test_a_rule_is_taken_out_of_its_function(name: str, bodies: list[str]) -> None:
    assert [body_of(mutant, name) for mutant in neutralised(SOURCE, name)] == bodies


def test_a_rule_is_taken_out_of_a_method_and_nothing_else_changes() -> None:
    (mutant,) = neutralised(SOURCE, "Names.name")
    assert "return level" in mutant
    assert "return caller == 'owner'" in mutant


@pytest.mark.parametrize("name", ["nothing", "Names", "Names.nothing", "checked.value"])
def test_what_is_no_function_is_not_found(name: str) -> None:
    with pytest.raises(LookupError):
        neutralised(SOURCE, name)


def test_every_rule_of_the_manifest_is_a_function_of_this_node() -> None:
    named = [each for each in load_manifest(REQUIREMENTS).values() if each.rule]
    assert len(named) >= NAMED_AT_LEAST
    for each in named:
        for mutant in mutants_of(each.rule)[1]:
            compile(mutant, each.rule, "exec")


def test_the_same_seed_draws_the_same_requirements_which_all_have_a_rule_and_a_test() -> None:
    once, again, other = drawn(20, 1), drawn(20, 1), drawn(20, 2)
    assert once == again != other
    assert len(once) == 20
    tests = tied()
    assert all(each.rule and tests[each.id] for each in once)


def test_a_removed_rule_is_noticed_by_its_tests_and_an_unrelated_one_is_not() -> None:
    manifest = load_manifest(REQUIREMENTS)
    (tags,) = tried(manifest["MEM-002-2.1-tags"])
    assert tags.killed, tags.detail
    unrelated = Requirement("MEM-002-2.1-tags", "", "", "", rule="csbond.protocol.messages.backoff:next_try_at")
    (spared,) = tried(unrelated)
    assert not spared.killed, spared.detail
