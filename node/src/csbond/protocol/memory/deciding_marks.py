"""The numbers, signs and symbols of a text: where two texts differ in them, they say two things (MEM-002 §2.2)."""

from __future__ import annotations

import re
import unicodedata

from csbond.protocol.memory.words import folded

_MARK = re.compile(
    r"""
      [^\W\d_\u3400-\u9fff]{0,16}                          # the letters of B12
      (?: (?<!\w) [.] )?                                   # the mark of .5
      \d+ (?: (?: [.,/'\u2019\u00b7] | [ ]?:[ ]? ) \d+ )*
      (?: [ ]?[^\W\d_\u3400-\u9fff]+ | [\u3400-\u9fff] )?  # its unit, or the word that it counts
    | (?<=\d) ['"\u2018-\u201d\u2032\u2033]                # feet and inches
    | (?<![^\W\d_]) - | - (?![^\W\d_])                     # minus; between letters it is a hyphen
    | (?<!\w) ! (?=\w) | ! (?==)                           # not
    | (?P<other> [^\w\s] | _ )
    """,
    re.VERBOSE,
)
_SPEAKING = frozenset("?\u00bf\u061f%\u2030#@&*/\\_\u00a7\u2020\u2021")
"""Punctuation that says something: a question, a share, a path."""
_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2212"), "-")
_RAISED = ("<super>", "<sub>")


def deciding_marks(text: str) -> tuple[str, ...]:
    """Numbers with their signs and units, question marks, currencies, comparisons and pictures, in their order.

    What parts words, such as commas, full stops, quotation marks and brackets, is none of them.
    """
    raised = (letter for letter in text if unicodedata.decomposition(letter).startswith(_RAISED))
    marks = _MARK.finditer(folded(text).translate(_DASHES))
    return (*raised, *(mark[0] for mark in marks if not mark["other"] or _speaks(mark["other"])))


def _speaks(mark: str) -> bool:
    return mark in _SPEAKING or unicodedata.category(mark).startswith("S")
