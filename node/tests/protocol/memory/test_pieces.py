from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.memory.entry import CONTENT_MAX
from csbond.protocol.memory.pieces import BLANK_MAX, PUBLISHED_CONTENT_MAX, TEXT_MAX, cut_content
from csbond_tests.requirements import requirement


@requirement("MEM-001-1.3-import-4096")
@given(st.text(st.sampled_from("ab 字。\n é😀"), min_size=1, max_size=60), st.integers(40, 120))
def test_the_pieces_of_a_long_text_are_the_text(part, times):
    text = (part.strip() or "x") * times * 5
    if len(text) <= CONTENT_MAX:
        return
    pieces = cut_content(text)
    assert "".join(pieces) == text.strip()
    assert all(0 < len(piece) <= CONTENT_MAX and not piece.isspace() for piece in pieces)


@requirement("MEM-001-1.3-import-4096")
def test_a_text_that_an_entry_holds_stays_as_it_is_and_one_beyond_the_limit_is_refused():
    assert cut_content(" a " * 10) == (" a " * 10,)
    assert cut_content("x" * CONTENT_MAX) == ("x" * CONTENT_MAX,)
    assert [len(piece) for piece in cut_content("x" * (CONTENT_MAX + 1))] == [CONTENT_MAX, 1]
    assert sum(map(len, cut_content("x" * PUBLISHED_CONTENT_MAX, PUBLISHED_CONTENT_MAX))) == PUBLISHED_CONTENT_MAX
    for text, limit in (("x" * (PUBLISHED_CONTENT_MAX + 1), PUBLISHED_CONTENT_MAX), ("x" * (TEXT_MAX + 1), TEXT_MAX)):
        with pytest.raises(RemoteProtocolError) as refused:
            cut_content(text, limit)
        assert (refused.value.field, str(limit) in refused.value.reason) == ("content", True)


def test_what_is_no_text_is_no_content():
    for value in (None, "", "  ", 3, ["x"], "\ud83d", "\ud83d" * 3000, "x\x00" * 2000, " " * 3000):
        with pytest.raises(RemoteProtocolError) as refused:
            cut_content(value)
        assert refused.value.field == "content"


def test_no_piece_is_nothing_but_blank():
    pieces = cut_content("a" + " " * 5000 + "b" * 3000)
    assert "".join(pieces) == "a" + " " * BLANK_MAX + "b" * 3000
    assert not any(piece.isspace() for piece in pieces)
