from __future__ import annotations

from collections.abc import Callable, Iterator

import apsw
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from csbond.protocol.memory.words import index_text, match_all, match_any, query_terms

DOCUMENTS = (
    "我们决定把数据库迁移到新的服务器上。",
    "网关的API配置写在config.toml里，改完要重启。",
    "The backups were running slowly because the disk was full.",
    "ＡＰＩ　ｋｅｙｓ are rotated every month",
    "重跑gen-itgc后记得清空缓存",
    "Café Zürich serves naïve painters",
    "資料庫遷移完成",
    "東京タワーに行きました",
    "서울에서 회의를 했다",
    "库存不足",
)

Find = Callable[[str], set[int]]


@pytest.fixture(scope="module")
def database() -> Iterator[apsw.Connection]:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE found USING fts5(words, tokenize='porter unicode61')")
    rows = [(at, index_text(document)) for at, document in enumerate(DOCUMENTS)]
    connection.executemany("INSERT INTO found(rowid, words) VALUES (?, ?)", rows)
    yield connection
    connection.close()


def matching(database: apsw.Connection, expression: str) -> set[int]:
    return {row for (row,) in database.execute("SELECT rowid FROM found WHERE found MATCH ?", (expression,))}


@pytest.fixture
def find(database: apsw.Connection) -> Find:
    return lambda text: matching(database, match_all(query_terms(text)))


@pytest.mark.parametrize(
    "query, documents",
    [
        ("库", {0, 9}),
        ("据", {0}),
        ("上", {0}),
        ("迁移", {0}),
        ("数据库", {0}),
        ("库迁移到", {0}),
        ("数据移", set()),
        ("API配置", {1}),
        ("api", {1, 3}),
        ("ａｐｉ", {1, 3}),
        ("API key", {3}),
        ("run backup", {2}),
        ("full disks", {2}),
        ("itgc", {4}),
        ("cafe zurich", {5}),
        ("NAÏVE", {5}),
        ("遷移", {6}),
        ("タワー", {7}),
        ("ﾀﾜｰ", {7}),
        ("회의", {8}),
        ("backup elephant", set()),
    ],
)
def test_a_text_is_found_by_every_piece_of_the_query(find, query, documents):
    assert find(query) == documents


def test_a_question_finds_texts_that_hold_some_of_its_terms(database):
    expression = match_any(query_terms("数据库的迁移是什么时候完成的？"))
    assert matching(database, expression) == {0, 6}
    assert matching(database, match_any(query_terms("Why were the backups so slow?"))) == {2}


@settings(deadline=None)
@given(st.text(max_size=60))
@example('"')
@example('a" OR words:"b')
@example("NEAR(a b, 2)")
@example("a AND NOT b *")
@example("\0\ud800")
@example("- ^ : + {words} : x")
def test_no_text_is_ever_an_operator(database, text):
    query = query_terms(text)
    assume(query)
    matching(database, match_all(query))
    matching(database, match_any(query))


@pytest.mark.parametrize(
    "text", ["".join(map(chr, range(0x4E00, 0x5600))), " ".join(f"word{n}" for n in range(1000)), "数据库" * 700]
)
def test_a_query_as_long_as_an_entry_is_accepted(database, text):
    assert matching(database, match_all(query_terms(text))) == set()
    matching(database, match_any(query_terms(text)))


CHARACTERS = st.one_of(
    st.sampled_from("数据库迁移的abcXYZ 19,.-_。？éßİカﾀー한글 "), st.characters(categories=["L", "N", "M", "P", "Z"])
)


@settings(deadline=None)
@given(text=st.text(CHARACTERS, min_size=1, max_size=40), data=st.data())
def test_a_text_is_found_by_any_run_of_its_own_characters(text, data):
    """What FTS5 itself takes for no letter is found by neither side, so such a query may stay without a hit."""
    run = data.draw(st.sampled_from(query_terms(text).pieces or ("",)))
    assume(run)
    with apsw.Connection(":memory:") as connection:
        connection.execute("CREATE VIRTUAL TABLE found USING fts5(words, tokenize='porter unicode61')")
        connection.execute("INSERT INTO found(rowid, words) VALUES (1, ?)", (index_text(text),))
        tokenize = connection.fts5_tokenizer("unicode61", [])
        assume(tokenize(run.encode(), apsw.FTS5_TOKENIZE_QUERY, None))
        assert matching(connection, match_all(query_terms(run))) == {1}


@settings(deadline=None)
@given(st.text("数据库迁移服务器", min_size=2, max_size=30), st.data())
def test_any_part_of_a_chinese_text_finds_it_and_nothing_else_does(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    part = text[start : data.draw(st.integers(start + 1, len(text)))]
    other = data.draw(st.text("数据库迁移服务器", min_size=1, max_size=4))
    with apsw.Connection(":memory:") as connection:
        connection.execute("CREATE VIRTUAL TABLE found USING fts5(words, tokenize='porter unicode61')")
        connection.execute("INSERT INTO found(rowid, words) VALUES (1, ?)", (index_text(text),))
        assert matching(connection, match_all(query_terms(part))) == {1}
        assert bool(matching(connection, match_all(query_terms(other)))) == (other in text)
