"""Which words a text is found by, for full text search in any language (MEM-002 §2.2).

Chinese, Japanese and Korean are written without (reliable) spaces, so a run of such characters is
indexed as overlapping pairs, and the pairs of a query stand in a phrase: any substring of two or
more characters is found exactly, without a dictionary. The last character of each run is indexed
alone too, so that a query of one character, asked as a prefix, finds every position. Everything
else is indexed as words. Stemming and accents are left to the index (FTS5 `porter unicode61`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain
from operator import add

from csbond.protocol.memory.stop_words import (
    CHINESE_FUNCTION_CHARACTERS,
    CHINESE_PARTICLES,
    CHINESE_WORDS,
    ENGLISH_STOP_WORDS,
)

RAREST_TERMS = 8
"""Terms kept for ranking: fewer lose recall, more cost time without finding more."""

_CJK = (
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c"  # iteration marks, numerals
    "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # kana
    "\U0001aff0-\U0001afff\U0001b000-\U0001b167"  # kana, supplements
    "\u3105-\u312f\u31a0-\u31bf"  # bopomofo
    "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb"  # hangul
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # han
    "\U00020000-\U0002ee5d\U0002f800-\U0002fa1f\U00030000-\U000323af"  # han, extensions
)
_MARK_BLOCKS = (range(0x300, 0x2100), range(0xA660, 0xAC00))  # the other blocks serve historic scripts or CJK


@cache
def _pieces() -> re.Pattern[str]:
    """The pattern of a CJK run (group 1) or of a word of any other script."""
    points = map(chr, chain.from_iterable(_MARK_BLOCKS))
    marks = "".join(point for point in points if unicodedata.category(point).startswith("M"))
    # ASCII has a branch of its own: three times faster on English than the long class alone.
    return re.compile(rf"([{_CJK}]+)|(?:[0-9a-z]+|[^\W_{_CJK}][{marks}]*)+")


def folded(text: str) -> str:
    """The text as it is compared: full width made half, case folded, composed (NFKC)."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def says_something(text: str) -> bool:
    """Whether there is more in a text than punctuation, white space and what cannot be seen."""
    return any(unicodedata.category(letter)[0] not in "PZC" for letter in text)


def _split(text: str) -> Iterable[tuple[str, bool]]:
    """The words and CJK runs of a text in order, each with whether it is a CJK run."""
    for match in _pieces().finditer(folded(text)):
        yield match[0], match[1] is not None


def _pairs(run: str) -> list[str]:
    return list(map(add, run, run[1:]))


def index_text(text: str) -> str:
    """The terms of a text, separated by spaces, ready for FTS5 `porter unicode61`."""
    terms: list[str] = []
    for piece, cjk in _split(text):
        if cjk:
            terms += _pairs(piece)
            terms.append(piece[-1])
        else:
            terms.append(piece)
    return " ".join(terms)


def token_count(text: str) -> int:
    """How many tokens a text has: a CJK character or a word of another script counts one."""
    return sum(len(piece) if cjk else 1 for piece, cjk in _split(text))


@dataclass(frozen=True, slots=True)
class Query:
    """What a search text asks for: its pieces in order, each once; a piece is a word or a CJK run.

    `pieces` all have to be in a text for an exact match; `terms` (words and pairs of characters,
    without those that carry no meaning) are what a text is ranked by. A term of one CJK character
    stands for every word that holds it.
    """

    pieces: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.pieces)


def query_terms(text: str) -> Query:
    """What a search text asks for; empty when it holds nothing but punctuation.

    Stop words are left out unless the text has nothing else.
    """
    split = list(dict.fromkeys(_split(text)))
    telling = [(piece, cjk) for piece, cjk in split if cjk or piece not in ENGLISH_STOP_WORDS]
    pieces = telling or split
    terms = _telling_terms(pieces) or [term for piece, cjk in pieces for term in _terms(piece, cjk)]
    return Query(tuple(piece for piece, _ in pieces), tuple(dict.fromkeys(terms)))


def _terms(piece: str, cjk: bool) -> list[str]:
    return _pairs(piece) or [piece] if cjk else [piece]


def _telling_terms(pieces: Iterable[tuple[str, bool]]) -> list[str]:
    return [term for piece, cjk in pieces for term in _terms(piece, cjk) if not cjk or _tells(term)]


def _tells(term: str) -> bool:
    """Whether a pair of characters, or a single one, may be a word; how rare it is decides what it counts for."""
    if CHINESE_PARTICLES.isdisjoint(term):
        return not CHINESE_FUNCTION_CHARACTERS.issuperset(term)
    return term in CHINESE_WORDS


def rarest(terms: Iterable[str], frequency: Mapping[str, int], limit: int = RAREST_TERMS) -> tuple[str, ...]:
    """At most `limit` of the terms that occur at all, rarest first.

    `frequency` is the number of texts a term occurs in; terms it does not know occur nowhere.
    """
    known = [term for term in terms if frequency.get(term, 0) > 0]
    return tuple(sorted(known, key=lambda term: frequency[term])[:limit])


def match_all(query: Query) -> str:
    """The FTS5 expression of the texts that hold every piece; empty when the query is.

    A CJK run is a phrase of its pairs, so the text holds exactly this run of characters.
    """
    return " AND ".join(_quoted(piece) for piece in query.pieces)


def match_any(query: Query, terms: Iterable[str] | None = None) -> str:
    """The FTS5 expression of the texts that hold any of the terms (all of the query's by default)."""
    return " OR ".join(_quoted(term) for term in (query.terms if terms is None else terms))


def _quoted(piece: str) -> str:
    """A piece as an FTS5 string: quoted, so that no user text is ever an operator."""
    if not _is_cjk(piece):
        return '"' + piece.replace('"', '""') + '"'
    if len(piece) == 1:
        return f'"{piece}"*'
    return '"' + " ".join(_pairs(piece)) + '"'


def _is_cjk(piece: str) -> bool:
    match = _pieces().match(piece)
    return match is not None and match[1] is not None
