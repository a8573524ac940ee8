"""Every setting is written down for people, with its default and a sentence."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

from csbond.config.settings import Settings
from csbond.config.settings_text import sections, settings_file_text


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
