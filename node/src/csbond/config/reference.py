"""The page of the reference that is made from the settings, and from those of the built-in kinds of skill."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from csbond.config.settings_text import sections, toml
from csbond.skills.conformance import KIND as CONFORMANCE
from csbond.skills.load import DEFAULT_KIND
from csbond.skills.settings_doc import SKILL_SETTINGS_DOC

_HEAD = """\
# Settings

Every setting of a home's `csb.toml`, made from `csbond.config.settings` and the built-in kinds of skill. `csb init`
writes the file with each setting commented; a name or value that is not accepted is refused when the node starts, with
what would be accepted. The only variable of the environment that csbond itself reads is `CSB_HOME`, the home to use.
`csb serve` takes `--host`, `--port`, `--database`, `--tls-cert` and `--tls-key` instead of the settings of that name.
"""
_SKILL_HEAD = """\

`kind` says which skill answers, `"{default}"` unless it is given. The settings of each kind stand beside it.
"""


def settings_markdown() -> str:
    """`docs/reference/settings.md`."""
    return _HEAD + "".join(_parts())


def _parts() -> Iterator[str]:
    for section in sections():
        yield f"\n## [{section.name}]\n\n{section.sentence}\n"
        if section.rows:
            rows = ([f"`{row.name}`", f"`{row.default}`", row.accepts, row.sentence] for row in section.rows)
            yield _table(["Setting", "Default", "Accepts", "Meaning"], rows)
        if section.name == "skill":
            yield _SKILL_HEAD.format(default=DEFAULT_KIND)
            yield from _kinds()


def _kinds() -> Iterator[str]:
    """The kinds but the one that only conformance tests use."""
    for kind in dict.fromkeys(name for name, *_ in SKILL_SETTINGS_DOC if name != CONFORMANCE.name):
        rows = (
            [f"`{key}`", f"`{toml(default)}`", sentence]
            for name, key, default, sentence in SKILL_SETTINGS_DOC
            if name == kind
        )
        yield f'\n### kind = "{kind}"\n'
        yield _table(["Setting", "Default", "Meaning"], rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n" + "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)
