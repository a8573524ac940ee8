from __future__ import annotations

import pytest

from csbond.flows.delete_memory import delete_memory
from csbond.flows.index_vectors import catch_up
from csbond.flows.search_memory import MemorySearch, recall_for, search_memory
from csbond.protocol.errors import Unavailable
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.filter import EntryFilter
from csbond.protocol.memory.visibility import Audience
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind, Role
from csbond_tests.memories import remember, tell
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW

EVERYTHING = Audience(everything=True)
ANN = Caller(CallerKind.PRINCIPAL, "ann", Role.VIEWER, frozenset({"home"}))


async def found(world, text, audience=EVERYTHING, **changes):
    answer = await search_memory(world, MemorySearch(text, **changes), audience)
    return [each.entry.content for each in answer.results]


@requirement("MEM-002-2.2-words")
async def test_without_an_embedder_words_answer_and_the_answer_says_so(world):
    await remember(world, "The key is under the mat.")
    answer = await search_memory(world, MemorySearch("where is the key?"), EVERYTHING)
    assert [each.entry.content for each in answer.results] == ["The key is under the mat."]
    assert (answer.semantic, answer.semantic_through, answer.reason) == (False, 0, world.no_embedder)


@requirement("MEM-002-2.2-words")
async def test_when_the_embedder_fails_words_answer_with_its_reason(meaning):
    await remember(meaning, "The kitten is under the mat.")
    await catch_up(meaning)
    meaning.embedder.failing = True
    answer = await search_memory(meaning, MemorySearch("kitten"), EVERYTHING)
    assert len(answer.results) == 1
    assert (answer.semantic, answer.reason) == (False, "the embedder sleeps")
    assert meaning.journal.noted[0][0] == "search_memory"


async def test_a_ledger_that_fails_is_not_taken_for_an_embedder_that_does(meaning):
    async def broken(query):
        raise Unavailable("storage_unavailable", "the disk is gone")

    await remember(meaning, "A kitten sleeps on the sofa.", tags=["pets"])
    await catch_up(meaning)
    meaning.ledger.matching_ids = broken
    with pytest.raises(Unavailable) as info:
        await found(meaning, "kitten", filter=EntryFilter(tag="pets"))
    assert info.value.code.name == "storage_unavailable"


async def test_meaning_and_words_together_find_both_languages(meaning):
    await remember(meaning, "A kitten sleeps on the sofa.")
    await remember(meaning, "猫在沙发上睡觉。")
    await remember(meaning, "Take an umbrella tomorrow.")
    await catch_up(meaning)
    answer = await search_memory(meaning, MemorySearch("猫", limit=2), EVERYTHING)
    assert [each.entry.content for each in answer.results] == ["猫在沙发上睡觉。", "A kitten sleeps on the sofa."]
    assert answer.semantic
    assert answer.semantic_through == 3
    assert answer.reason == ""


async def test_chinese_words_are_found_without_an_embedder(world):
    await remember(world, "钥匙在门口的垫子下面。")
    await remember(world, "明天下雨，带伞。")
    assert await found(world, "钥匙在哪里？") == ["钥匙在门口的垫子下面。"]


@pytest.mark.parametrize(
    "query, wanted, others",
    [
        ("成都展览", "成都的展览五月开，要提前买票。", ("杭州的展览三月开。", "苏州的展览四月开。")),
        ("谈和平的会议", "去年秋天的会议上谈了和平。", ("预算会议在周一。", "会议要带电脑。")),
        ("哪吒电影", "今年看过的电影里最喜欢哪吒。", ("电影看了悟空。", "电影票在抽屉里。")),
        ("小和生日", "小和的生日是六月九日，属羊。", ("小林的生日是六月。", "小明的生日是七月。")),
    ],
)
async def test_a_chinese_word_with_a_function_character_tells_texts_apart(stored, query, wanted, others):
    for text in (*others, wanted):
        await remember(stored, text)
    assert (await found(stored, query))[0] == wanted


@pytest.mark.parametrize("indexed", [True, False])
async def test_a_filter_narrows_both_sides_of_a_search(meaning, indexed):
    await remember(meaning, "kitten one", level="hot", type="lesson", tags=["x"], source="system")
    await remember(meaning, "kitten two", level="cold", type="todo", tags=["y"], source="user")
    if indexed:
        await catch_up(meaning)
    assert await found(meaning, "kitten", filter=EntryFilter(level=Level.HOT)) == ["kitten one"]
    assert await found(meaning, "kitten", filter=EntryFilter(type="todo")) == ["kitten two"]
    assert await found(meaning, "kitten", filter=EntryFilter(tag="x")) == ["kitten one"]
    assert await found(meaning, "kitten", filter=EntryFilter(source="user")) == ["kitten two"]
    assert await found(meaning, "kitten", filter=EntryFilter(tag="z")) == []


async def test_a_memory_deleted_a_moment_ago_is_not_found_though_its_vector_is_still_there(meaning):
    entry = await remember(meaning, "kitten one")
    await remember(meaning, "kitten two")
    await catch_up(meaning)
    await delete_memory(meaning, entry.id, OWNER, INTENT)
    assert await found(meaning, "cat") == ["kitten two"]


@requirement("MEM-003-3.1-search")
async def test_results_are_best_first_within_the_limit_and_above_the_threshold(world):
    for number in range(4):
        await remember(world, "key " * (number + 1) + "and " * (10 * (4 - number)) + "more")
    answer = await search_memory(world, MemorySearch("key", limit=3), EVERYTHING)
    scores = [each.score for each in answer.results]
    assert len(scores) == 3
    assert scores == sorted(scores, reverse=True)
    assert 0 < scores[2] < scores[1] < scores[0] <= 1
    above = await search_memory(world, MemorySearch("key", threshold=scores[1]), EVERYTHING)
    assert [each.score for each in above.results] == scores[:2]


@pytest.mark.parametrize("text", ["?!", "…", "*", '"', "NEAR(", "kitten AND OR"])
async def test_no_text_is_an_operator_or_an_error(meaning, text):
    await remember(meaning, "kitten")
    await found(meaning, text)


@requirement("MEM-007-7.3-audience")
async def test_a_conversation_is_recalled_in_itself_only(meaning):
    await tell(meaning, "My kitten is called Mimi.", caller="anonymous", thread="t-1")
    await tell(meaning, "My kitten is called Tiger.", caller="anonymous", thread="t-2")
    await tell(meaning, "My kitten is called Luna.", caller="principal:ann", thread="t-1")
    await remember(meaning, "Kittens are welcome here.", visibility="public")
    await catch_up(meaning)

    async def told(caller, thread):
        return {each.entry.content for each in await recall_for(meaning, caller, thread)("kitten", 10)}

    public = "Kittens are welcome here."
    assert await told(ANONYMOUS, "t-1") == {"My kitten is called Mimi.", public}
    assert await told(ANONYMOUS, "t-3") == {public}
    assert await told(ANONYMOUS, "") == {public}
    assert await told(ANN, "t-9") == {"My kitten is called Luna.", public}
    assert len(await told(OWNER, "t-9")) == 4


@requirement("MEM-005-report-empty-search")
async def test_an_empty_memory_answers_nothing(meaning, stored):
    for world in (meaning, stored):
        assert await found(world, "kitten") == []
        assert await found(world, "") == []


@requirement("MEM-005-report-empty-search")
@pytest.mark.parametrize("text", ["", " ", "?!", "…", "。，！", "--- *** ---", '"', "\u200b"])
async def test_a_search_for_nothing_but_punctuation_answers_nothing(meaning, stored, text):
    for world in (meaning, stored):
        await remember(world, "The kitten is under the mat, isn't it?!")
    await catch_up(meaning)
    for world in (meaning, stored):
        assert await found(world, text) == []


async def test_english_words_are_found_in_any_form(stored):
    await remember(stored, "The password policy changed.", timestamp=NOW - 10**10)
    assert await found(stored, "password policies") == ["The password policy changed."]


@requirement("MEM-002-2.2-filter-inside")
async def test_a_filtered_search_is_as_long_as_its_limit_however_many_others_are_better(meaning):
    for number in range(120):
        await remember(meaning, f"kitten kitten {number}", tags=["other"])
    for number in range(5):
        await remember(meaning, f"a kitten among many words that are not about it, number {number}", tags=["mine"])
    await catch_up(meaning)
    assert len(await found(meaning, "kitten", filter=EntryFilter(tag="mine"), limit=5)) == 5


@requirement("MEM-002-2.2-explained")
async def test_an_explained_search_names_its_model_and_both_sides(meaning):
    await remember(meaning, "A kitten sleeps on the sofa.")
    await catch_up(meaning)
    answer = await search_memory(meaning, MemorySearch("kitten", explain=True), EVERYTHING)
    assert answer.model == meaning.embedder.model_id
    why = answer.results[0].why
    assert why is not None
    assert why["words"]["terms"] == [{"term": "kitten", "in": 1}]
    assert why["meaning"]["cosine"] == pytest.approx(answer.results[0].cosine, abs=1e-6)


@requirement("MEM-002-2.2-explained")
async def test_how_many_memories_hold_a_word_is_told_to_the_owner_alone(meaning):
    await remember(meaning, "The secret kitten.")
    await remember(meaning, "A kitten for all.", visibility="public")
    await catch_up(meaning)
    told = await search_memory(meaning, MemorySearch("kitten", explain=True), Audience())
    assert [dict(each.why or {})["words"]["terms"] for each in told.results] == [[{"term": "kitten"}]]


async def test_only_what_is_shown_is_read_and_what_went_away_meanwhile_leaves_its_place_to_the_next(world):
    for number in range(5):
        await remember(world, f"The key number {number} is under the mat.")
    asked: list[int] = []
    ranked, read = await found(world, "key"), world.ledger.entries_by_id

    async def without_the_first(ids):
        asked.append(len(ids))
        return {id_: entry for id_, entry in (await read(ids)).items() if entry.content != ranked[0]}

    world.ledger.entries_by_id = without_the_first
    assert await found(world, "key", limit=2) == ranked[1:3]
    assert asked == [2, 1]
    assert await found(world, "key", limit=9) == ranked[1:]


async def test_a_search_for_no_results_finds_none(world):
    await remember(world, "The key is under the mat.")
    assert await found(world, "key", limit=0) == []
