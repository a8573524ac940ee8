"""Every setting is written down for people, with its default and a sentence."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

from csbond.config.reference import settings_markdown
from csbond.config.settings import Settings
from csbond.config.settings_text import sections, settings_file_text
from csbond.skills.conformance import KIND as CONFORMANCE
from csbond.skills.load import BUILT_IN
from csbond.skills.settings_doc import SKILL_SETTINGS_DOC


def test_every_setting_has_a_sentence_and_says_what_it_accepts() -> None:
    for section in sections():
        assert section.sentence.endswith("."), section.name
        for row in section.rows:
            assert row.sentence.endswith("."), f"{section.name}.{row.name}"
            assert row.accepts
            assert row.default


def test_no_setting_is_left_out() -> None:
    shown = {f"{section.name}.{row.name}" for section in sections() for row in section.rows}
    known = {
        f"{section.name}.{each.name}"
        for section in fields(Settings)
        if is_dataclass(kind := getattr(Settings(), section.name))
        for each in fields(kind)
    }
    assert shown == known
    assert all(f"#{name.split('.')[1]} = " in settings_file_text() for name in known)


def test_every_setting_and_every_kind_of_skill_is_in_the_reference() -> None:
    page = settings_markdown()
    assert all(f"| `{row.name}` |" in page for section in sections() for row in section.rows)
    shown = {name for name in BUILT_IN if f'### kind = "{name}"' in page}
    assert shown == set(BUILT_IN) - {CONFORMANCE.name}
    assert all(f"| `{key}` |" in page for kind, key, *_ in SKILL_SETTINGS_DOC if kind in shown)


def test_the_commented_file_names_every_kind_a_person_may_want() -> None:
    (line,) = [line for line in settings_file_text().splitlines() if line.startswith("# memory, ")]
    assert all(f"{name}," in line for name in BUILT_IN if name != CONFORMANCE.name)
