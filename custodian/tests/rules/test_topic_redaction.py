"""What is kept out of everything that is shown."""

from __future__ import annotations

import unicodedata

import pytest

from csbond_tests.marks import requirement
from memory_custodian.rules.topic_redaction import redacted


@requirement("CUST-08.1-08")
@pytest.mark.parametrize(
    "text, topic, shown",
    [
        ("about Heron and HERON", "heron", "about [redacted] and [redacted]"),
        ("Straße", "STRASSE", "[redacted]"),
        ("Strassenbahn", "straße", "[redacted]nbahn"),
        (unicodedata.normalize("NFD", "das Café dort"), "café", "das [redacted] dort"),
        ("das CAFÉ dort", unicodedata.normalize("NFD", "café"), "das [redacted] dort"),
        (unicodedata.normalize("NFD", "옛 이름"), "이름", unicodedata.normalize("NFD", "옛 ") + "[redacted]"),
        ("the old name, kept", "  old   name ", "the [redacted], kept"),
        ("路由器和路由", "路由", "[redacted]器和[redacted]"),
        ("aaaa", "aa", "[redacted][redacted]"),
        ("ßs", "ss", "[redacted]s"),
        ("nothing here", "heron", "nothing here"),
        ("a.b axb", "a.b", "[redacted] axb"),
        ("", "x", ""),
        ("blank topics hide nothing", "  ", "blank topics hide nothing"),
    ],
)
def test_every_occurrence_is_replaced_whatever_its_case_and_composition(text: str, topic: str, shown: str) -> None:
    assert redacted(text, topic) == shown


@requirement("CUST-08.1-08")
def test_a_letter_with_another_mark_is_another_letter() -> None:
    assert redacted(unicodedata.normalize("NFD", "Café"), "cafe") == unicodedata.normalize("NFD", "Café")
