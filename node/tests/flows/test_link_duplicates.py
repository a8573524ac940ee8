"""What says nearly the same is linked once it has its vector, by words and never by likeness alone; both stay."""

from __future__ import annotations

import asyncio

import pytest

from csbond.flows import link_duplicates as story
from csbond.flows.delete_memory import delete_memory
from csbond.flows.edit_memory import edit_memory
from csbond.flows.erase_memory import erase_memory
from csbond.flows.index_vectors import BATCH, catch_up, rebuild_index
from csbond.flows.link_memory import LinkChange, link_memory
from csbond.flows.remake_vectors import remake_vectors
from csbond.flows.search_memory import MemorySearch, search_memory
from csbond.flows.write_memory import commit_memory
from csbond.protocol.errors import Unavailable
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.near_duplicates import MADE_BY, NearPolicy
from csbond.protocol.memory.visibility import Audience
from csbond.protocol.messages.caller import OWNER
from csbond_tests.memories import remember, tell
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, meaningful_world
from csbond_tests.triplets import TRIPLETS

TEXT, TWIN, OPPOSITE = (
    "The price of the cat food at the corner shop is too high.",
    "The price of the cat food at the corner shop is much too high.",
    "The price of the cat food at the corner shop is too low.",
)


async def links(world, entry):
    return (await world.ledger.entry(entry.id)).links


async def settled(world):
    """Let everything have its vector, then be compared, and let what was linked for it be filed."""
    await catch_up(world)
    made = await story.link_duplicates(world)
    await catch_up(world)
    return made


async def twins(world, first=TEXT, second=TWIN, **fields):
    """Two memories after their vectors were made."""
    entries = await remember(world, first, **fields), await remember(world, second, **fields)
    await settled(world)
    return entries


async def edited(world, entry, **fields):
    return await edit_memory(world, entry.id, fields, LevelNames(), caller=OWNER, intent=INTENT)


@requirement("MEM-002-2.2-near-linked")
async def test_a_near_duplicate_is_linked_to_what_was_there_and_both_stay(meaning):
    one, other = await twins(meaning)
    assert await links(meaning, one) == ()
    assert await links(meaning, other) == (Link(one.id, "relates_to", 0.86, MADE_BY),)
    found = await search_memory(meaning, MemorySearch("price of cat food"), Audience(everything=True))
    assert {hit.entry.content for hit in found.results} == {TEXT, TWIN}


@requirement("MEM-002-2.2-near-linked")
async def test_a_link_that_the_node_made_is_a_version_with_a_record_that_says_so(meaning):
    one, other = await twins(meaning)
    after = await meaning.ledger.entry(other.id)
    assert (after.version, after.content, after.level) == (2, TWIN, other.level)
    (record,) = meaning.ledger.changes[-1].audit
    assert (record.type, record.target, record.intent.requested_by) == ("memory_link", other.id, "this node")
    assert record.details == {
        "from_version": 1,
        "to_version": 2,
        "added": [[one.id, "relates_to"]],
        "removed": [],
        "made_by": MADE_BY,
        "words": [0.86],
    }
    await settled(meaning)
    assert meaning.embedder.embedded.count(TWIN) == 1


@requirement("MEM-002-2.2-near-linked")
async def test_memories_of_one_write_are_linked_once_the_later_to_the_earlier(meaning):
    one, other = await remember(meaning, TEXT), await remember(meaning, TWIN)
    await settled(meaning)
    await settled(meaning)
    assert [len(await links(meaning, entry)) for entry in (one, other)] == [0, 1]


@requirement("MEM-002-2.2-never-by-likeness", "MEM-005-report-14-retired-facts")
async def test_an_opposite_is_not_linked_though_its_vector_is_the_same_and_retires_nothing(meaning):
    one, other = await twins(meaning, TEXT, OPPOSITE)
    vectors = await meaning.ledger.vectors_of("home", "concepts-1", [one.id, other.id])
    assert vectors[one.id].vector == vectors[other.id].vector
    for entry in (one, other):
        kept = await meaning.ledger.entry(entry.id)
        assert (kept.version, kept.deleted_at, kept.links) == (1, 0, ())


@requirement("MEM-002-2.2-never-by-likeness")
@pytest.mark.parametrize("text, twin, opposite", TRIPLETS)
async def test_of_three_alike_only_the_twin_is_linked(ledger, text, twin, opposite):
    meaning = meaningful_world(ledger, near=NearPolicy(cosine=0.01))  # whatever is there is near enough
    entries = [await remember(meaning, each) for each in (opposite, text, twin)]
    await settled(meaning)
    _, first, second = entries
    linked = {entry.id: [link.target_id for link in await links(meaning, entry)] for entry in entries}
    assert linked[second.id] == [first.id]
    assert linked[first.id] == linked[entries[0].id] == []


async def test_a_text_in_other_letters_is_linked_wherever_its_vector_is(meaning):
    one, other = await twins(meaning, "Ann likes tea.", "ANN LIKES TEA!")
    assert await links(meaning, other) == (Link(one.id, "relates_to", 1.0, MADE_BY),)


@requirement("MEM-002-2.2-near-linked")
async def test_where_the_owner_wants_no_such_links_and_where_nothing_embeds_no_worker_is_at_it(ledger, world):
    await story.link_duplicates_for_ever(meaningful_world(ledger, near=NearPolicy(links=False)))
    await story.link_duplicates_for_ever(world)
    assert ledger.changes == []


@requirement("MEM-002-2.2-near-linked")
@pytest.mark.parametrize("from_end", [0, 1])
async def test_what_the_owner_parted_is_not_linked_again(meaning, from_end):
    one, other = await twins(meaning)
    drop = LinkChange(drop=((one.id, "relates_to"),))
    await link_memory(meaning, other.id, drop, caller=OWNER, intent=INTENT)
    await settled(meaning)
    assert await links(meaning, other) == ()
    changed = (one, other)[from_end]
    await edited(meaning, changed, content=changed.content.replace("high", "high again"))
    await settled(meaning)
    await meaning.ledger.save_vectors("node", story.PROGRESS, (), 0)
    await remake_vectors(meaning)
    await settled(meaning)
    assert [await links(meaning, entry) for entry in (one, other)] == [(), ()]


@requirement("MEM-002-2.2-near-linked")
async def test_what_the_owner_parted_stays_so_after_any_number_of_edits(meaning):
    one, other = await twins(meaning)
    await link_memory(meaning, other.id, LinkChange(drop=((one.id, ""),)), caller=OWNER, intent=INTENT)
    for number in range(104):
        await edited(meaning, other, tags=[f"edit {number}"])
    await edited(meaning, other, content=TWIN.replace("high", "high again"))
    await catch_up(meaning)
    assert await links(meaning, other) == ()


async def test_memories_that_the_owner_related_himself_are_left_alone(meaning):
    one = await remember(meaning, TEXT)
    other = await remember(meaning, TWIN, links=[{"target_id": one.id, "relation": "contradicts"}])
    await settled(meaning)
    assert [link.relation for link in await links(meaning, other)] == ["contradicts"]


async def test_an_edit_makes_a_text_new_again(meaning):
    one, other = await twins(meaning, TEXT, "A puppy barks.")
    await edited(meaning, other, content=TWIN)
    await settled(meaning)
    assert [link.target_id for link in await links(meaning, other)] == [one.id]


class Compared:
    """Which texts are compared."""

    def __init__(self, monkeypatch):
        self.texts: list[str] = []
        self._twins = story._twins
        monkeypatch.setattr(story, "_twins", self)

    async def __call__(self, world, entry):
        self.texts.append(entry.content)
        return await self._twins(world, entry)


async def test_each_text_is_compared_once_whatever_moves_and_whoever_embeds(ledger, monkeypatch):
    world, compared = meaningful_world(ledger), Compared(monkeypatch)
    one, _ = await twins(world, "The dog barks at the postman.", TEXT)
    assert compared.texts == ["The dog barks at the postman.", TEXT]
    await edited(world, one, level="hot")
    await settled(world)
    await remake_vectors(world)
    await settled(world)
    later = meaningful_world(ledger, "concepts-2")
    await rebuild_index(later)
    await settled(later)
    assert len(compared.texts) == 2
    other = await remember(later, TWIN)
    await settled(later)
    assert set(compared.texts[2:]) == {TWIN}
    assert len(await links(later, other)) == 1


async def test_many_are_compared_batch_by_batch(meaning, monkeypatch):
    monkeypatch.setattr("csbond.flows.index_vectors.BATCH", 2)
    entries = [await remember(meaning, TEXT + "!" * number) for number in range(5)]
    assert await settled(meaning) == 9
    assert [len(await links(meaning, entry)) for entry in entries] == [0, 1, 2, 3, 3]
    assert await meaning.ledger.indexed_through("node", story.PROGRESS) >= entries[-1].seq


async def test_what_has_no_vector_yet_waits(meaning):
    await remember(meaning, TEXT)
    other = await remember(meaning, TWIN)
    assert await story.link_duplicates(meaning) == 0
    assert await settled(meaning) == 1
    assert len(await links(meaning, other)) == 1


async def test_what_no_model_could_embed_is_linked_by_its_very_text_alone(meaning):
    one, near, same = await remember(meaning, TEXT), await remember(meaning, TWIN), await remember(meaning, TEXT + "!")
    await catch_up(meaning)
    await meaning.ledger.save_vectors("home", "concepts-1", (), meaning.signals.indexing.through, [one.id, same.id])
    assert await story.link_duplicates(meaning) == 1
    assert await links(meaning, near) == ()
    assert [link.target_id for link in await links(meaning, same)] == [one.id]


async def test_the_worker_compares_after_each_batch_and_lets_others_go_first(meaning):
    pauses = []

    async def pause(seconds):
        pauses.append(seconds)
        await asyncio.sleep(0)

    worker = asyncio.create_task(story.link_duplicates_for_ever(meaning, pause))
    one, other = await remember(meaning, TEXT), await remember(meaning, TWIN)
    meaning.signals.indexing.waiting += BATCH  # as if more were written
    await catch_up(meaning)
    await until(lambda: pauses)
    assert await links(meaning, other) == ()
    meaning.signals.indexing.reached(0, BATCH)
    await until(lambda: len(meaning.ledger.changes) == 3)
    assert [link.target_id for link in await links(meaning, other)] == [one.id]
    assert set(pauses) == {story.PAUSE_S}
    worker.cancel()
    await asyncio.gather(worker, return_exceptions=True)


async def test_the_worker_outlives_a_fault_and_notes_it(meaning, monkeypatch):
    pauses = []

    async def pause(seconds):
        pauses.append(seconds)
        await asyncio.sleep(0)

    compared = Compared(monkeypatch)
    compared._twins, twins_of = failing, compared._twins
    await remember(meaning, TEXT)
    await catch_up(meaning)
    worker = asyncio.create_task(story.link_duplicates_for_ever(meaning, pause))
    await until(lambda: story.RETRY_S in pauses)
    compared._twins = twins_of
    other = await remember(meaning, TWIN)
    await catch_up(meaning)
    await until(lambda: len(meaning.ledger.changes) == 3)
    assert len(await links(meaning, other)) == 1
    assert meaning.journal.noted[0][0] == "link_duplicates"
    worker.cancel()
    await asyncio.gather(worker, return_exceptions=True)


async def failing(*_):
    raise Unavailable("storage_unavailable", "the disk is gone")


async def until(holds):
    """Let others go on until something holds."""
    for _ in range(10_000):
        if holds():
            return
        await asyncio.sleep(0)
    raise AssertionError("it never held")


@pytest.mark.parametrize("change", [{"content": "A puppy barks."}, None])
async def test_a_memory_that_changes_meanwhile_is_not_linked_by_what_it_said(meaning, monkeypatch, change):
    await remember(meaning, TEXT)
    other, twins_of = await remember(meaning, TWIN), story._twins
    rounds: list[MemoryEntry] = []

    async def changed_meanwhile(world, entry):
        found = await twins_of(world, entry)
        if entry.id == other.id and not rounds:
            rounds.append(entry)
            await (edited(world, other, **change) if change else delete_memory(world, other.id, OWNER, INTENT))
        return found

    monkeypatch.setattr(story, "_twins", changed_meanwhile)
    await settled(meaning)
    assert rounds
    assert (await meaning.ledger.entry(other.id)).links == ()


async def test_a_twin_that_is_erased_in_the_last_moment_is_not_linked(meaning, monkeypatch):
    one, other = await remember(meaning, TEXT), await remember(meaning, TWIN)

    async def too_late(world, writes, *records):
        await erase_memory(world, one.id, OWNER, INTENT)
        return await commit_memory(world, writes, *records)

    monkeypatch.setattr("csbond.flows.link_duplicates.commit_memory", too_late)
    await settled(meaning)
    assert await links(meaning, other) == ()
    assert meaning.signals.indexing.through == await meaning.ledger.space_seq("home")


async def test_memories_of_two_callers_are_never_linked(meaning):
    await tell(meaning, TEXT, caller="ann", thread="t-1")
    (other,) = await tell(meaning, TWIN, caller="bo", thread="t-2")
    await settled(meaning)
    assert await links(meaning, other) == ()


async def test_what_one_caller_says_in_two_threads_is_linked_and_told_to_no_one_else(meaning):
    (one,) = await tell(meaning, TEXT, caller="ann", thread="t-1")
    (other,) = await tell(meaning, TWIN, caller="ann", thread="t-2")
    await settled(meaning)
    assert [link.target_id for link in await links(meaning, other)] == [one.id]
    heard = Audience(caller_key="ann", thread_id="t-2")
    (hit,) = (await search_memory(meaning, MemorySearch("price"), heard)).results
    assert (hit.entry.id, hit.entry.links) == (other.id, ())


async def test_a_memory_gets_a_few_links_at_most_and_none_beyond_what_it_may_have(meaning, monkeypatch):
    entries = [await remember(meaning, TEXT + "!" * number) for number in range(5)]
    await settled(meaning)
    counts = [len(await links(meaning, entry)) for entry in entries]
    assert counts == [0, 1, 2, 3, 3]
    monkeypatch.setattr(story, "LINKS_MAX", 2)
    targets = [{"target_id": "agent:bo"}, {"target_id": "agent:ann"}]
    full = await remember(meaning, TWIN, links=targets)
    await settled(meaning)
    assert len(await links(meaning, full)) == 2
