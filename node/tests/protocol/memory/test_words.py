from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csbond.protocol.memory.words import (
    Query,
    folded,
    index_text,
    match_all,
    match_any,
    query_terms,
    rarest,
    token_count,
)
from csbond_tests.requirements import requirement


@pytest.mark.parametrize(
    "text, terms",
    [
        ("数据库", "数据 据库 库"),
        ("库", "库"),
        ("Running late", "running late"),
        ("重跑gen-itgc后", "重跑 跑 gen itgc 后"),
        ("API配置v2", "api 配置 置 v2"),
        ("ＡＰＩ　１２３", "api 123"),
        ("ｶﾀｶﾅ", "カタ タカ カナ ナ"),
        ("東京タワーへ", "東京 京タ タワ ワー ーへ へ"),
        ("한국어 검색", "한국 국어 어 검색 색"),
        ("snake_case_name", "snake case name"),
        ("Straße", "strasse"),
        ("हिन्दी भाषा", "हिन्दी भाषा"),
        ("数据，库存", "数据 据 库存 存"),
        ("…!? 🌱 ，。", ""),
        ("a\0b", "a b"),
        ("a\ud800b", "a b"),
        ("", ""),
    ],
)
def test_a_text_is_indexed_as_words_and_pairs_of_characters(text, terms):
    assert index_text(text) == terms


@requirement("MEM-002-2.2-stop-words")
@pytest.mark.parametrize(
    "text, pieces, terms",
    [
        ("Where is the backup?", ("backup",), ("backup",)),
        ("to be or not to be", ("to", "be", "or", "not"), ("to", "be", "or", "not")),
        ("backup backup BACKUP", ("backup",), ("backup",)),
        ("数据库的迁移", ("数据库的迁移",), ("数据", "据库", "迁移")),
        ("API配置", ("api", "配置"), ("api", "配置")),
        ("库", ("库",), ("库",)),
        ("的", ("的",), ("的",)),
        ("是的", ("是的",), ("是的",)),
        ("的 API", ("的", "api"), ("api",)),
    ],
)
def test_a_query_keeps_every_piece_and_ranks_by_the_telling_terms(text, pieces, terms):
    assert query_terms(text) == Query(pieces, terms)


@pytest.mark.parametrize(
    "text, terms",
    [
        ("成都展览", {"成都", "展览"}),
        ("和平会议", {"和平", "会议"}),
        ("在线课程", {"在线", "课程"}),
        ("就业计划", {"就业", "计划"}),
        ("个人简历", {"个人", "简历"}),
        ("其他办法", {"其他", "办法"}),
        ("哪吒电影", {"哪吒", "电影"}),
        ("小和生日", {"小和", "生日"}),
        ("了解情况", {"了解", "情况"}),
        ("着陆时间", {"着陆", "时间"}),
        ("旅行目的", {"旅行", "目的"}),
        ("与会名单", {"与会", "名单"}),
        ("酒吧地址", {"酒吧", "地址"}),
    ],
)
def test_a_word_with_a_function_character_in_it_counts_beside_others(text, terms):
    assert terms <= set(query_terms(text).terms)


@pytest.mark.parametrize(
    "text, terms",
    [
        ("猫叫什么", ("猫叫",)),
        ("钥匙在哪里", ("钥匙", "匙在")),
        ("我们和他们的计划", ("计划",)),
        ("这是谁的生日", ("生日",)),
        ("那就是了吧", ("那就", "就是", "是了", "了吧")),
    ],
)
def test_pairs_of_function_characters_and_those_with_a_particle_do_not_count(text, terms):
    assert query_terms(text).terms == terms


@pytest.mark.parametrize("text", ["", " ", "?!…，。", "🌱", "\0", "\ud800", '"""', "*", "()"])
def test_a_query_of_punctuation_alone_is_empty(text):
    query = query_terms(text)
    assert not query
    assert match_all(query) == match_any(query) == ""


@requirement("MEM-002-2.2-quoted")
@pytest.mark.parametrize(
    "text, expression",
    [
        ("数据库 backup", '"数据 据库" AND "backup"'),
        ("库", '"库"*'),
        ("AND NEAR(x, 2) y*", '"near" AND "x" AND "2" AND "y"'),
        ('say "hello" -col:', '"say" AND "hello" AND "col"'),
    ],
)
def test_every_piece_must_match_and_is_quoted(text, expression):
    assert match_all(query_terms(text)) == expression


def test_any_term_may_match_and_is_quoted():
    query = query_terms("数据库 backup 库")
    assert match_any(query) == '"数据" OR "据库" OR "backup" OR "库"*'
    assert match_any(query, ["backup", "库"]) == '"backup" OR "库"*'


@requirement("MEM-002-2.2-quoted")
def test_a_quote_inside_a_term_is_doubled():
    assert match_any(Query(), ['a"b']) == '"a""b"'


@requirement("MEM-002-2.2-rarest")
def test_the_rarest_known_terms_come_first_and_unknown_ones_not_at_all():
    frequency = {"often": 90, "rare": 1, "some": 20, "never": 0}
    assert rarest(["often", "unheard", "some", "never", "rare"], frequency) == ("rare", "some", "often")
    assert rarest(["often", "some", "rare"], frequency, limit=2) == ("rare", "some")


@pytest.mark.parametrize(
    "text, count",
    [("", 0), ("，。!", 0), ("hello world", 2), ("你好，world", 3), ("数据库的 3.14", 6), ("don't", 2)],
)
def test_a_chinese_character_or_a_word_is_one_token(text, count):
    assert token_count(text) == count


@settings(deadline=None)
@given(st.text())
def test_the_terms_of_a_text_are_what_its_query_asks_for(text):
    indexed = f" {index_text(text)} "
    for piece in query_terms(text).pieces:
        assert f" {piece} " in indexed or f" {piece[:2]} " in indexed


@settings(deadline=None)
@given(st.text())
def test_folding_twice_is_folding_once(text):
    assert folded(folded(text)) == folded(text)


@settings(deadline=None)
@given(st.text(), st.text())
def test_tokens_of_two_lines_are_the_tokens_of_both(one, other):
    assert token_count(f"{one}\n{other}") == token_count(one) + token_count(other)
