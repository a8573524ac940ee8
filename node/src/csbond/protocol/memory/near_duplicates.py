"""When two memories say nearly the same: likeness of vectors is needed, and words decide (MEM-002 §2.2).

"Too expensive" lies nearer to "too cheap" than to most of what means the same, for every encoder there is. So a pair
that a model takes for alike has to have its words in common too, in their order, and everything a text can be turned
into its opposite by: numbers, signs, negations, and words that have one. What cannot be told for sure is different.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from csbond.protocol.memory.deciding_marks import deciding_marks
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.opposites import (
    DECIDING_CHARACTERS,
    DECIDING_WORDS,
    OPPOSED_CHARACTERS,
    OPPOSED_WORDS,
    OPPOSING_PREFIXES,
)
from csbond.protocol.memory.stop_words import CHINESE_FUNCTION_CHARACTERS, ENGLISH_STOP_WORDS
from csbond.protocol.memory.text_key import text_key
from csbond.protocol.memory.words import Query, folded, query_terms

MADE_BY = "near_duplicate"
"""How links between such memories name the rule that made them."""
TERMS_SEARCHED = 16
"""Terms that are looked up, of which the rarest find."""
REMEMBERED_TEXTS = 64
"""Texts whose words are kept: a new one is compared with several."""
RELATION = "relates_to"
"""They are alike: neither takes the place of the other."""

Likeness = Literal["same_text", "near", "different"]

_TOKEN = re.compile(r"[^\W\d_\u3400-\u9fff]+|[\u3400-\u9fff]")
_NEGATED = re.compile(r"n['\u2019]t\b")


@dataclass(frozen=True, slots=True)
class NearPolicy:
    """What becomes of memories that say nearly the same."""

    links: bool = True
    """Whether they are linked; nothing else is ever done to them."""
    cosine: float = 0.0
    """The least cosine of two that are looked at; 0: the model's own."""
    words: float = 0.8
    """The least share of their words that they have in common."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How two memories are alike."""

    likeness: Likeness
    words: float = 0.0
    """The share of their words that they have in common, 0…1."""

    @property
    def links(self) -> bool:
        """Whether they may be linked."""
        return self.likeness != "different"


def verdict(one: MemoryEntry, other: MemoryEntry, cosine: float, least: float, words: float = 0.8) -> Verdict:
    """How alike two memories are, whose vectors have a cosine, where `least` is near for the model that made them.

    1. texts with other numbers, signs, symbols, negations or words that have an opposite are of different memories;
    2. those that differ in case, width, white space and the punctuation that parts words only are the same; 3. vectors
    that point elsewhere are of different memories; so are 4. texts with fewer of their words in common than `words`, or
    in another order. Neither ever takes the other's place.
    """
    if _turned(one.content, other.content):
        return Verdict("different")
    if text_key(one.content) == text_key(other.content):
        return Verdict("same_text", 1.0)
    if cosine < least:
        return Verdict("different")
    ours, theirs = _terms(one.content), _terms(other.content)
    common = set(ours) & set(theirs)
    share = len(common) / len({*ours, *theirs}) if common else 0.0
    in_order = [term for term in ours if term in common] == [term for term in theirs if term in common]
    if share < words or not in_order:
        return Verdict("different", share)
    return Verdict("near", share)


def searched_by(content: str) -> Query:
    """The words by which to look for texts that may be near one: all of a short text, some of each part of a long one.

    Those that are near it have most of them.
    """
    asked = query_terms(content)
    step = max(1, len(asked.terms) // TERMS_SEARCHED)
    return Query(asked.pieces, asked.terms[::step][:TERMS_SEARCHED])


def are_comparable(one: MemoryEntry, other: MemoryEntry) -> bool:
    """Whether two memories may be twins: living whole texts of one caller in one Space, not linked by anybody yet."""
    return (
        one.id != other.id
        and (one.space, one.origin.caller_key) == (other.space, other.origin.caller_key)
        and all(not entry.deleted_at and not entry.extends and not entry.piece for entry in (one, other))
        and not _links_to(one, other.id)
        and not _links_to(other, one.id)
    )


def link_between(target: MemoryEntry, found: Verdict) -> Link:
    """The link to a memory that says nearly the same."""
    return Link(target.id, RELATION, round(found.words, 2), MADE_BY)


def _links_to(entry: MemoryEntry, target_id: str) -> bool:
    return any(link.target_id == target_id for link in entry.links)


@lru_cache(REMEMBERED_TEXTS)
def _terms(content: str) -> tuple[str, ...]:
    return query_terms(content).terms


def _turned(one: str, other: str) -> bool:
    """Whether the texts may say something else by what only one of them has.

    A mark or a word that decides is enough, and a word that has an opposite is when it stands where the other text says
    another; what one text has beside all of the other is a detail.
    """
    if deciding_marks(one) != deciding_marks(other):
        return True
    ours, theirs = _tokens(one), _tokens(other)
    left, right = ours - theirs, theirs - ours
    return (
        any(map(_decides, (*left, *right)))
        or _is_replaced(left, right)
        or _is_replaced(right, left)
        or _is_prefixed(left, right)
        or _is_prefixed(right, left)
    )


def _tokens(text: str) -> Counter[str]:
    """Words, and the characters of scripts that are written without spaces."""
    return Counter(_TOKEN.findall(_NEGATED.sub(" not", folded(text))))


def _decides(token: str) -> bool:
    return token in DECIDING_WORDS or token in DECIDING_CHARACTERS


def _is_replaced(tokens: Mapping[str, int], others: Mapping[str, int]) -> bool:
    return any(token in OPPOSED_WORDS or token in OPPOSED_CHARACTERS for token in tokens) and any(map(_says, others))


def _says(token: str) -> bool:
    if token in OPPOSED_WORDS or token in OPPOSED_CHARACTERS:
        return True
    return token not in ENGLISH_STOP_WORDS and token not in CHINESE_FUNCTION_CHARACTERS


def _is_prefixed(tokens: Mapping[str, int], others: Mapping[str, int]) -> bool:
    return any(f"{prefix}{token}" in others for token in tokens for prefix in OPPOSING_PREFIXES)
