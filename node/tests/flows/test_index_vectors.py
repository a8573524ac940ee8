from __future__ import annotations

import asyncio
import threading
from dataclasses import replace

import pytest

from csbond.flows import index_vectors as story
from csbond.flows.delete_memory import delete_memory
from csbond.flows.edit_memory import edit_memory
from csbond.flows.erase_memory import erase_memory
from csbond.flows.index_vectors import catch_up, index_vectors, rebuild_index, wait_until_indexed
from csbond.flows.ports import ModelVectors
from csbond.flows.restore_memory import restore_memory
from csbond.flows.search_memory import MemorySearch, search_memory
from csbond.flows.world import HOME_SPACE
from csbond.flows.write_memory import MemoryRequest, write_memory
from csbond.protocol.errors import Unavailable
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.filter import EntryFilter
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.visibility import Audience
from csbond.protocol.messages.caller import OWNER
from csbond_tests.memories import remember, tell
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW, meaningful_world
from csbond_tests.stories import until

EVERYTHING = Audience(everything=True)


async def by_meaning(world, text):
    answer = await search_memory(world, MemorySearch(text, limit=1), EVERYTHING)
    return answer.results[0].entry.content if answer.results else ""


@requirement("MEM-002-2.2-index")
async def test_what_was_written_is_found_by_its_meaning_once_indexed(meaning):
    await remember(meaning, "A kitten sleeps on the sofa.")
    await remember(meaning, "Take an umbrella tomorrow.")
    assert await by_meaning(meaning, "猫") == ""
    await catch_up(meaning)
    assert await by_meaning(meaning, "猫") == "A kitten sleeps on the sofa."


@requirement("MEM-002-2.2-index")
async def test_an_edit_is_found_by_what_it_says_now(meaning):
    entry = await remember(meaning, "A kitten sleeps on the sofa.")
    await remember(meaning, "Nothing to see here.")
    await catch_up(meaning)
    edit = {"content": "A puppy sleeps on the sofa."}
    await edit_memory(meaning, entry.id, edit, LevelNames(), caller=OWNER, intent=INTENT)
    await catch_up(meaning)
    assert await by_meaning(meaning, "狗") == "A puppy sleeps on the sofa."
    assert meaning.index.count(HOME_SPACE) == 2


async def test_a_deleted_memory_leaves_the_index(meaning):
    entry = await remember(meaning, "A kitten sleeps on the sofa.")
    await catch_up(meaning)
    await delete_memory(meaning, entry.id, OWNER, INTENT)
    await catch_up(meaning)
    assert meaning.index.count(HOME_SPACE) == 0
    assert await meaning.ledger.vectors(HOME_SPACE, "concepts-1", -1, 9) == ()


@pytest.mark.parametrize("remove", [erase_memory, delete_memory])
async def test_what_goes_while_it_is_embedded_does_not_come_into_the_index(meaning, remove):
    entry, other = await remember(meaning, "A kitten sleeps on the sofa."), await remember(meaning, "A puppy barks.")
    save_vectors = meaning.ledger.save_vectors

    async def removed_meanwhile(*args):
        if await meaning.ledger.living_ids((entry.id,), EVERYTHING):
            await remove(meaning, entry.id, OWNER, INTENT)
        await save_vectors(*args)

    meaning.ledger.save_vectors = removed_meanwhile
    await story._index(meaning, meaning.embedder, meaning.index, (entry, other))
    vector = (await meaning.embedder.embed(["kitten"], "query"))[0]
    assert [id_ for id_, _ in meaning.index.search(HOME_SPACE, vector, 9, None)] == [other.id]


async def test_the_indexed_through_number_reaches_the_last_commit_and_nothing_waits(meaning):
    await remember(meaning, "one")
    await tell(meaning, "What is it?")
    progress = meaning.signals.indexing
    assert progress.waiting == 1
    await catch_up(meaning)
    assert progress.through == await meaning.ledger.space_seq(HOME_SPACE) == 2
    assert progress.waiting == 0


async def test_a_commit_larger_than_a_batch_is_indexed_whole(meaning, monkeypatch):
    monkeypatch.setattr(story, "BATCH", 4)
    drafts = [draft_from_json({"content": f"kitten {number}"}, NOW, LevelNames()) for number in range(11)]
    await remember(meaning, "before")
    await write_memory(meaning, [MemoryRequest(draft) for draft in drafts], OWNER, INTENT)
    await remember(meaning, "after")
    await catch_up(meaning)
    assert meaning.index.count(HOME_SPACE) == 13


@requirement("MEM-002-2.2-rebuilt")
async def test_a_new_process_rebuilds_the_index_and_embeds_only_what_is_missing(ledger, meaning):
    await remember(meaning, "A kitten sleeps on the sofa.")
    await catch_up(meaning)
    await remember(meaning, "Take an umbrella tomorrow.")
    restarted = meaningful_world(ledger)
    await rebuild_index(restarted)
    assert restarted.signals.indexing.waiting == 1
    assert restarted.index.count(HOME_SPACE) == 1
    await catch_up(restarted)
    assert restarted.embedder.embedded == ["Take an umbrella tomorrow."]
    assert restarted.index.count(HOME_SPACE) == 2


@requirement("MEM-002-2.2-rebuilt")
async def test_another_model_begins_at_the_start_and_sees_no_vector_of_the_first(ledger, meaning):
    await remember(meaning, "A kitten sleeps on the sofa.")
    await catch_up(meaning)
    other = meaningful_world(ledger, "concepts-2")
    await rebuild_index(other)
    assert other.index.count(HOME_SPACE) == 0
    await catch_up(other)
    assert other.embedder.embedded == ["A kitten sleeps on the sofa."]
    assert [model.model_id for model in await ledger.models(HOME_SPACE)] == ["concepts-2"]


async def test_a_backlog_of_a_new_model_does_not_stop_writes(ledger, world):
    for number in range(5):
        await remember(world, f"number {number}")
    changes = {"limits": replace(world.limits, index_lag=1), "identifiers": world.identifiers}
    other = meaningful_world(ledger, **changes)
    await rebuild_index(other)
    await remember(other, "one more")
    assert other.signals.indexing.waiting == 6


@pytest.fixture
async def worker(meaning, monkeypatch):
    monkeypatch.setattr(story, "RETRY_FIRST_S", 0.001)
    running = asyncio.create_task(index_vectors(meaning))
    yield running
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_a_write_can_wait_until_it_is_searchable(meaning, worker):
    entry = await remember(meaning, "A kitten sleeps on the sofa.")
    assert await wait_until_indexed(meaning, entry.seq)
    assert await by_meaning(meaning, "猫") == "A kitten sleeps on the sofa."


async def test_a_write_does_not_wait_for_an_embedder_that_fails(meaning, worker):
    meaning.embedder.failing = True
    entry = await remember(meaning, "A kitten sleeps on the sofa.")
    assert not await wait_until_indexed(meaning, entry.seq)
    assert meaning.signals.indexing.failure == "the embedder sleeps"


async def test_the_worker_goes_on_when_the_embedder_is_back(meaning, worker):
    meaning.embedder.failing = True
    entry = await remember(meaning, "A kitten sleeps on the sofa.")
    assert not await wait_until_indexed(meaning, entry.seq)
    meaning.embedder.failing = False
    meaning.signals.indexing.failure = ""
    assert await wait_until_indexed(meaning, entry.seq)
    assert meaning.signals.indexing.failure == ""


async def test_the_worker_outlives_a_bug_and_notes_it(meaning, worker, monkeypatch):
    def broken(*_):
        raise RuntimeError("a bug of the index")

    monkeypatch.setattr(type(meaning.index), "put", broken)
    entry = await remember(meaning, "A kitten sleeps on the sofa.")
    assert not await wait_until_indexed(meaning, entry.seq)
    monkeypatch.undo()
    meaning.signals.indexing.failure = ""
    await remember(meaning, "Take an umbrella tomorrow.")
    assert meaning.journal.noted[0][0] == "index_vectors"
    assert not worker.done()


async def test_a_write_waits_only_so_long(meaning, monkeypatch):
    monkeypatch.setattr(story, "WAIT_S", 0.001)
    entry = await remember(meaning, "Nobody embeds this.")
    assert not await wait_until_indexed(meaning, entry.seq)


async def test_without_an_embedder_there_is_nothing_to_do_and_nothing_to_wait_for(world):
    await index_vectors(world)
    await catch_up(world)
    assert not await wait_until_indexed(world, 1)


@requirement("MEM-002-2.2-no-second-embedding")
async def test_an_entry_that_moves_without_a_new_text_is_not_embedded_again_and_is_filed_where_it_is(meaning):
    entry = await remember(meaning, "A kitten sleeps on the sofa.")
    await catch_up(meaning)
    for change in ({"level": "hot"}, {"tags": ["pets"]}, {"visibility": "public"}):
        await edit_memory(meaning, entry.id, change, LevelNames(), caller=OWNER, intent=INTENT)
    await catch_up(meaning)
    assert meaning.embedder.embedded == ["A kitten sleeps on the sofa."]
    hot = MemorySearch("猫", EntryFilter(level=Level.HOT))
    assert len((await search_memory(meaning, hot, EVERYTHING)).results) == 1
    assert len((await search_memory(meaning, MemorySearch("猫"), Audience())).results) == 1
    warm = MemorySearch("猫", EntryFilter(level=Level.WARM))
    assert not (await search_memory(meaning, warm, EVERYTHING)).results


@requirement("MEM-002-2.2-no-second-embedding")
async def test_a_memory_that_comes_back_has_the_vector_it_had(meaning):
    entry = await remember(meaning, "A kitten sleeps on the sofa.")
    await catch_up(meaning)
    await delete_memory(meaning, entry.id, OWNER, INTENT)
    await catch_up(meaning)
    await restore_memory(meaning, entry.id, OWNER, INTENT)
    await catch_up(meaning)
    assert meaning.embedder.embedded == ["A kitten sleeps on the sofa."]
    assert await by_meaning(meaning, "猫") == "A kitten sleeps on the sofa."


async def test_a_text_that_cannot_be_embedded_is_not_found_by_what_it_said_before(meaning, monkeypatch):
    entry = await remember(meaning, "A kitten sleeps on the sofa.")
    await catch_up(meaning)
    embed = meaning.embedder.embed

    async def choosy(texts, role):
        if any("!!" in text for text in texts):
            raise Unavailable("embedder_unavailable", "it cannot bear this")
        return await embed(texts, role)

    monkeypatch.setattr(type(meaning.embedder), "embed", lambda _, texts, role: choosy(texts, role))
    await edit_memory(meaning, entry.id, {"content": "!!"}, LevelNames(), caller=OWNER, intent=INTENT)
    await remember(meaning, "Take an umbrella tomorrow.")
    await catch_up(meaning)
    assert meaning.index.count(HOME_SPACE) == 1
    assert await meaning.ledger.vectors_of(HOME_SPACE, "concepts-1", [entry.id]) == {}
    assert [facts for _, _, facts in meaning.journal.noted] == [{"entry": entry.id}]


async def test_an_embedder_that_fails_among_the_texts_loses_none_of_them(meaning, monkeypatch):
    """One that is busy is not taken for one that cannot bear a text."""
    for number in range(3):
        await remember(meaning, f"kitten {number}")
    answers = iter([False, True, True, False, False])
    embed = meaning.embedder.embed

    async def moody(texts, role):
        if not next(answers, False):
            raise Unavailable("embedder_unavailable", "busy")
        return await embed(texts, role)

    monkeypatch.setattr(type(meaning.embedder), "embed", lambda _, texts, role: moody(texts, role))
    with pytest.raises(Unavailable):
        await catch_up(meaning)
    monkeypatch.undo()
    await catch_up(meaning)
    assert meaning.index.count(HOME_SPACE) == 3


@requirement("MEM-002-2.2-one-model", "MEM-005-report-07-model-changed")
async def test_another_model_embeds_everything_with_progress_and_the_vectors_of_the_first_go_when_it_is_through(
    ledger, meaning
):
    for number in range(3):
        await remember(meaning, f"kitten {number}")
    await catch_up(meaning)
    other = meaningful_world(ledger, "concepts-2")
    await rebuild_index(other)
    assert (other.signals.indexing.through, other.signals.indexing.waiting) == (0, 3)
    assert len(await ledger.models(HOME_SPACE)) == 1
    answer = await search_memory(other, MemorySearch("猫"), EVERYTHING)
    assert (answer.results, answer.semantic_through) == ((), 0)
    await catch_up(other)
    assert await ledger.models(HOME_SPACE) == (ModelVectors("concepts-2", 4, 3, 3),)
    assert len((await search_memory(other, MemorySearch("猫"), EVERYTHING)).results) == 3


@requirement("MEM-002-2.2-one-model", "MEM-005-report-07-model-changed")
async def test_vectors_of_another_length_under_the_name_of_the_model_are_all_made_anew(ledger, meaning):
    await remember(meaning, "A kitten sleeps on the sofa.")
    await remember(meaning, "Take an umbrella tomorrow.")
    await catch_up(meaning)
    longer = meaningful_world(ledger)
    longer.embedder.concepts = (*longer.embedder.concepts, ("sofa", "沙发"))
    await rebuild_index(longer)
    assert (longer.index.count(HOME_SPACE), longer.signals.indexing.waiting) == (0, 2)
    await catch_up(longer)
    assert [model.dimension for model in await ledger.models(HOME_SPACE)] == [5]
    assert await by_meaning(longer, "沙发") == "A kitten sleeps on the sofa."


@requirement("MEM-002-2.2-one-model")
async def test_vectors_that_were_being_dropped_when_the_process_ended_are_dropped_by_the_next(ledger, meaning):
    for number in range(3):
        await remember(meaning, f"kitten {number}")
    await catch_up(meaning)
    assert await ledger.drop_vectors(HOME_SPACE, "concepts-1", 1)
    restarted = meaningful_world(ledger)
    await rebuild_index(restarted)
    assert restarted.index.count(HOME_SPACE) == 0
    await catch_up(restarted)
    assert len(restarted.embedder.embedded) == 3


async def test_vectors_made_anew_on_request_are_made_once_and_told_as_such(meaning, worker):
    entry = await remember(meaning, "A kitten sleeps on the sofa.")
    assert await wait_until_indexed(meaning, entry.seq)
    progress = meaning.signals.indexing
    assert progress.make_anew()
    assert not progress.make_anew()
    for _ in range(1000):
        await asyncio.sleep(0)
        if not (progress.anew or progress.remaking):
            break
    assert meaning.embedder.embedded == ["A kitten sleeps on the sofa."] * 2
    assert await by_meaning(meaning, "猫") == "A kitten sleeps on the sofa."


async def test_an_index_with_work_left_is_settled_in_another_thread(meaning, worker, monkeypatch):
    settled: list[bool] = []
    monkeypatch.setattr(type(meaning.index), "unsettled", lambda *_: not settled)
    monkeypatch.setattr(
        type(meaning.index),
        "settle",
        lambda *_: settled.append(threading.current_thread() is threading.main_thread()),
    )
    entry = await remember(meaning, "A kitten sleeps on the sofa.")
    assert await wait_until_indexed(meaning, entry.seq)
    assert settled == [False]


async def test_an_embedder_that_does_not_open_is_tried_again(meaning, monkeypatch):
    monkeypatch.setattr(story, "RETRY_FIRST_S", 0)
    tries = []

    async def opened(self):
        tries.append(self)
        if len(tries) < 3:
            raise Unavailable("embedder_unavailable", "not yet")

    monkeypatch.setattr(type(meaning.embedder), "open", opened)
    running = asyncio.create_task(index_vectors(meaning))
    entry = await remember(meaning, "A kitten sleeps on the sofa.")
    try:
        await until(lambda: meaning.signals.indexing.through >= entry.seq)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert len(tries) == 3
