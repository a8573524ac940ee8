"""Takes a topic out of everything that is shown of a plan that must not tell it (§8.1)."""

from __future__ import annotations

import unicodedata
from typing import Final

from memory_custodian.rules.protocol import REDACTED
from memory_custodian.rules.topic_match import folded

__all__ = ["redacted"]

_JAMO: Final = ("\u1160", "\u11ff")
"""Korean vowels and final consonants: they join the letter before them though Unicode does not call them marks."""


def redacted(text: str, topic: str) -> str:
    """Return the text with every occurrence of the topic replaced, whatever its case and composed or not.

    The longest form is looked for first: the topic as typed, then without space around it, then with single spaces.
    """
    for form in sorted({topic, topic.strip(), " ".join(topic.split())}, key=len, reverse=True):
        if form.strip():
            text = _without_form(text, folded(form))
    return text


def _without_form(text: str, wanted: str) -> str:
    clusters = _clusters(text)
    searched = ""
    owners: list[int] = []
    for number, cluster in enumerate(clusters):
        part = folded(cluster)
        searched += part
        owners += [number] * len(part)
    kept, at = "", 0
    begun = searched.find(wanted)
    while begun >= 0:
        first, last = owners[begun], owners[begun + len(wanted) - 1]
        kept += "".join(clusters[at:first]) + REDACTED
        at = last + 1
        begun = searched.find(wanted, begun + len(wanted))
        while begun >= 0 and owners[begun] < at:
            begun = searched.find(wanted, begun + 1)
    return kept + "".join(clusters[at:])


def _clusters(text: str) -> list[str]:
    """Split between letters, each with the marks that composition could join to it."""
    clusters: list[str] = []
    for letter in text:
        joins = unicodedata.combining(letter) or _JAMO[0] <= letter <= _JAMO[1]
        if joins and clusters:
            clusters[-1] += letter
        else:
            clusters.append(letter)
    return clusters
