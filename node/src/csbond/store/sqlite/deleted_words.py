"""Softly deleted entries by their words: they are in no index, so one is made of them for the question."""

from __future__ import annotations

import apsw

from csbond.store.sqlite.statements import statements
from csbond.store.writing.indexed_words import indexed_words
from csbond.store.writing.json_columns import from_json
from csbond.store.writing.writing import Row


def rows_with_words(texts: list[Row], match: str) -> list[int]:
    """Those of the rows (row, content, tags as JSON) that fit a MATCH text of `protocol.memory.words`."""
    index, sql = apsw.Connection(":memory:"), statements()
    try:
        index.execute(sql["make_word_index"])
        index.executemany(
            sql["index_text"],
            ({"row": row, "words": indexed_words(content, *from_json(tags))} for row, content, tags in texts),
        )
        return [row for (row,) in index.execute(sql["texts_with_words"], {"match": match})]
    finally:
        index.close()
