from __future__ import annotations

import pytest

from csbond.protocol.memory.words import match_any, query_terms
from csbond.store.sqlite import open_ledger
from csbond.testing import FixedSigner
from csbond_tests.ledger_samples import an_entry, everything, put

TEXTS = {
    "coffee": "我们明天去海边喝咖啡，然后讨论计划",
    "river": "The river was cold and the stones were wet",
    "run": "He is running home from the river bank",
    "mixed": "重跑gen-itgc后再看咖啡日志",
    "stone": "stone stone stone",
}


async def _fill(ledger):
    await ledger.commit(put(*(an_entry(id_, text) for id_, text in TEXTS.items())))
    await ledger.commit(put(*(an_entry(f"filler_{n}", f"nothing to see number{n}") for n in range(40))))


@pytest.fixture
async def filled(ledger):
    await _fill(ledger)
    return ledger


async def _search(ledger, text, limit=10):
    query = query_terms(text)
    return await ledger.search_entries(match_any(query), query.terms, everything(), limit)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("咖啡", {"coffee", "mixed"}),
        ("海边的咖啡", {"coffee", "mixed"}),
        ("边", {"coffee"}),
        ("ITGC", {"mixed"}),
        ("cold river", {"river", "run"}),
        ("unheard", set()),
        ("cold 'river\" OR * NEAR(", {"river", "run"}),
    ],
)
async def test_entries_are_found_by_any_of_the_words(filled, text, expected):
    found = await _search(filled, text)
    assert {hit.id for hit in found.hits} == expected
    assert (found.coverage > 0) == bool(expected)


async def test_entries_are_found_by_their_tags(ledger):
    await ledger.commit(put(an_entry("mem_1", "nothing about it", tags=("咖啡", "daily-walk")), an_entry("mem_2")))
    assert [hit.id for hit in (await _search(ledger, "咖啡")).hits] == ["mem_1"]
    assert [hit.id for hit in (await _search(ledger, "walk")).hits] == ["mem_1"]


async def test_the_best_hit_is_first_and_ranks_are_positive(filled):
    found = await _search(filled, "wet stone river")
    ranks = [hit.rank for hit in found.hits]
    assert ranks == sorted(ranks, reverse=True)
    assert ranks[-1] > 0
    assert len((await _search(filled, "wet stone river", limit=1)).hits) == 1


async def test_coverage_falls_with_every_word_that_is_nowhere(filled):
    whole = await _search(filled, "海边喝咖啡")
    half = await _search(filled, "海边喝咖啡 elephant zebra")
    assert 0 < half.coverage < whole.coverage <= 1


RARE = "cold stones wet home bank itgc stone run"


async def test_a_query_of_many_words_finds_the_rare_ones_first(filled):
    found = await _search(filled, f"{RARE} see", limit=100)
    assert {hit.id for hit in found.hits[:4]} == {"river", "run", "mixed", "stone"}


async def test_the_database_does_not_walk_through_common_words_when_there_are_enough_rare_ones(sqlite_ledger):
    await _fill(sqlite_ledger)
    found = await _search(sqlite_ledger, f"{RARE} see", limit=100)
    assert {hit.id for hit in found.hits} == {"river", "run", "mixed", "stone"}
    fewer = await _search(sqlite_ledger, "cold see", limit=100)
    assert len(fewer.hits) == 41


async def test_a_search_for_nothing_finds_nothing(filled):
    assert (await filled.search_entries("", [], everything(), 10)).hits == ()
    assert (await filled.search_entries('"river"', ["river"], everything(), 0)).hits == ()


async def test_the_database_finds_a_word_in_its_other_forms(sqlite_ledger):
    await sqlite_ledger.commit(put(an_entry("run", TEXTS["run"]), an_entry("café", "un café noir")))
    assert [hit.id for hit in (await _search(sqlite_ledger, "runs")).hits] == ["run"]
    assert [hit.id for hit in (await _search(sqlite_ledger, "cafe")).hits] == ["café"]
    assert (await _search(sqlite_ledger, "runs")).coverage > 0


async def test_both_ledgers_rank_alike(filled, tmp_path):
    other = await open_ledger(tmp_path / "other.db", FixedSigner(), "Luna")
    try:
        await _fill(other)
        here, there = await _search(filled, "海边 咖啡 river"), await _search(other, "海边 咖啡 river")
        assert {hit.id: hit.rank for hit in there.hits} == pytest.approx({hit.id: hit.rank for hit in here.hits})
        assert here.coverage == pytest.approx(there.coverage)
    finally:
        await other.close()
