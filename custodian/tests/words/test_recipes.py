"""The README has every recipe of §15. That each runs is shown by node/tests/docs/test_commands.py, which follows it."""

from __future__ import annotations

import re

import pytest

from csbond_tests.custodian_texts import CUSTODIAN, named_commands
from csbond_tests.marks import requirement
from memory_custodian.cli import VERBS

pytestmark = pytest.mark.docs

README = (CUSTODIAN / "README.md").read_text(encoding="utf-8")
RUN = re.findall(r"^```console\n.*?^```$", README, re.MULTILINE | re.DOTALL)
COMMANDS = [" ".join(named.words) for fence in RUN for named in named_commands(fence, VERBS)]


@requirement("CUST-15-16")
@pytest.mark.parametrize(
    "recipe",
    [
        "init",
        r"add .+ --type decision --reason .+ --evidence user-confirmed",
        r"add .+ --type constraint --candidate --evidence agent-observed",
        r"add .+ --type decision --supersedes MC-DEC-\S+ --evidence repo:\S+",
        r"subject add .+",
        r"read --task \w+",
        r"forget .+ --mode soft$",
        r"forget .+ --mode soft --apply --confirm-plan [0-9a-f]{16}$",
        "check --privacy$",
        "check --security$",
        "migrate$",
        r"migrate --apply --confirm-plan [0-9a-f]{16}$",
    ],
)
def test_the_readme_has_the_recipe_among_what_is_run(recipe: str) -> None:
    assert [command for command in COMMANDS if re.match(recipe, command)]
