"""What says nearly the same is linked once it has its vector, by words and never by likeness alone; both stay."""

from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.flows import link_duplicates as story
from csbond.flows.delete_memory import delete_memory
from csbond.flows.edit_memory import edit_memory
from csbond.flows.erase_memory import erase_memory
from csbond.flows.index_vectors import catch_up, rebuild_index
from csbond.flows.link_memory import LinkChange, link_memory
from csbond.flows.remake_vectors import remake_vectors
from csbond.flows.search_memory import MemorySearch, search_memory
from csbond.flows.write_memory import commit_memory
from csbond.protocol.errors import Unavailable
from csbond.protocol.memory.entry import MemoryEntry, Origin
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


async def twins(world, first=TEXT, second=TWIN, **fields):
    """Two memories after their vectors were made."""
    entries = await remember(world, first, **fields), await remember(world, second, **fields)
    await catch_up(world)
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
    await catch_up(meaning)
    assert meaning.embedder.embedded.count(TWIN) == 1


@requirement("MEM-002-2.2-near-linked")
async def test_memories_of_one_write_are_linked_once_the_later_to_the_earlier(meaning):
    one, other = await remember(meaning, TEXT), await remember(meaning, TWIN)
    await catch_up(meaning)
    await catch_up(meaning)
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
    await catch_up(meaning)
    _, first, second = entries
    linked = {entry.id: [link.target_id for link in await links(meaning, entry)] for entry in entries}
    assert linked[second.id] == [first.id]
    assert linked[first.id] == linked[entries[0].id] == []


async def test_a_text_in_other_letters_is_linked_wherever_its_vector_is(meaning):
    one, other = await twins(meaning, "Ann likes tea.", "ANN LIKES TEA!")
    assert await links(meaning, other) == (Link(one.id, "relates_to", 1.0, MADE_BY),)


@requirement("MEM-002-2.2-near-linked")
async def test_the_owner_may_want_no_such_links(ledger):
    world = meaningful_world(ledger, near=NearPolicy(links=False))
    _, other = await twins(world)
    assert await links(world, other) == ()
    await catch_up(replace(world, near=NearPolicy()))
    assert await links(world, other) == (), "what was written meanwhile is not compared afterwards"


@requirement("MEM-002-2.2-near-linked")
@pytest.mark.parametrize("from_end", [0, 1])
async def test_what_the_owner_parted_is_not_linked_again(meaning, from_end):
    one, other = await twins(meaning)
    drop = LinkChange(drop=((one.id, "relates_to"),))
    await link_memory(meaning, other.id, drop, caller=OWNER, intent=INTENT)
    await catch_up(meaning)
    assert await links(meaning, other) == ()
    changed = (one, other)[from_end]
    await edited(meaning, changed, content=changed.content.replace("high", "high again"))
    await catch_up(meaning)
    meaning.signals.indexing.compared_through = 0
    await remake_vectors(meaning)
    await catch_up(meaning)
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
    await catch_up(meaning)
    assert [link.relation for link in await links(meaning, other)] == ["contradicts"]


async def test_an_edit_makes_a_text_new_again(meaning):
    one, other = await twins(meaning, TEXT, "A puppy barks.")
    await edited(meaning, other, content=TWIN)
    await catch_up(meaning)
    assert [link.target_id for link in await links(meaning, other)] == [one.id]


async def test_vectors_that_are_made_anew_compare_nothing_again(meaning, monkeypatch):
    await twins(meaning)
    asked = []
    monkeypatch.setattr(story, "_twins", lambda *args: asked.append(args))
    await remake_vectors(meaning)
    await catch_up(meaning)
    await rebuild_index(meaning)
    await catch_up(meaning)
    assert asked == []


@pytest.mark.parametrize("model_id", ["concepts-1", "concepts-2"])
async def test_the_next_process_compares_what_is_new_and_nothing_else(ledger, monkeypatch, model_id):
    await twins(meaningful_world(ledger), "The dog barks at the postman.", TEXT)
    world, compared = meaningful_world(ledger, model_id), []
    twins_of = story._twins

    async def watched(world, nearest, entry, vector):
        compared.append(entry.content)
        return await twins_of(world, nearest, entry, vector)

    monkeypatch.setattr(story, "_twins", watched)
    other = await remember(world, TWIN)
    await rebuild_index(world)
    await catch_up(world)
    assert set(compared) == {TWIN}
    assert len(await links(world, other)) == 1


async def test_a_process_that_ends_before_it_compared_leaves_that_to_the_next(ledger, monkeypatch):
    world = meaningful_world(ledger)

    async def ended(*args):
        raise Unavailable("storage_unavailable", "the disk is gone")

    with monkeypatch.context() as patched:
        patched.setattr(story, "_twins", ended)
        with pytest.raises(Unavailable):
            await twins(world)
    world = meaningful_world(ledger)
    await rebuild_index(world)
    await catch_up(world)
    assert world.embedder.embedded == [], "they have their vectors"
    entries = (await search_memory(world, MemorySearch("price"), Audience(everything=True))).results
    assert sorted(len(hit.entry.links) for hit in entries) == [0, 1]


@pytest.mark.parametrize("change", [{"content": "A puppy barks."}, None])
async def test_a_memory_that_changes_meanwhile_is_not_linked_by_what_it_said(meaning, monkeypatch, change):
    await remember(meaning, TEXT)
    other, twins_of = await remember(meaning, TWIN), story._twins
    rounds: list[MemoryEntry] = []

    async def changed_meanwhile(world, nearest, entry, vector):
        found = await twins_of(world, nearest, entry, vector)
        if entry.id == other.id and not rounds:
            rounds.append(entry)
            await (edited(world, other, **change) if change else delete_memory(world, other.id, OWNER, INTENT))
        return found

    monkeypatch.setattr(story, "_twins", changed_meanwhile)
    await catch_up(meaning)
    assert rounds
    assert (await meaning.ledger.entry(other.id)).links == ()


async def test_a_twin_that_is_erased_in_the_last_moment_is_not_linked(meaning, monkeypatch):
    one, other = await remember(meaning, TEXT), await remember(meaning, TWIN)

    async def too_late(world, writes, *records):
        await erase_memory(world, one.id, OWNER, INTENT)
        return await commit_memory(world, writes, *records)

    monkeypatch.setattr("csbond.flows.link_duplicates.commit_memory", too_late)
    await catch_up(meaning)
    assert await links(meaning, other) == ()
    assert meaning.signals.indexing.through == await meaning.ledger.space_seq("home")


async def test_memories_of_two_callers_are_never_linked(meaning):
    await tell(meaning, TEXT, caller="ann", thread="t-1")
    (other,) = await tell(meaning, TWIN, caller="bo", thread="t-2")
    await catch_up(meaning)
    assert await links(meaning, other) == ()


async def test_what_one_caller_says_in_two_threads_is_linked_and_told_to_no_one_else(meaning):
    (one,) = await tell(meaning, TEXT, caller="ann", thread="t-1")
    (other,) = await tell(meaning, TWIN, caller="ann", thread="t-2")
    await catch_up(meaning)
    assert [link.target_id for link in await links(meaning, other)] == [one.id]
    heard = Audience(caller_key="ann", thread_id="t-2")
    (hit,) = (await search_memory(meaning, MemorySearch("price"), heard)).results
    assert (hit.entry.id, hit.entry.links) == (other.id, ())


async def test_a_memory_gets_a_few_links_at_most_and_none_beyond_what_it_may_have(meaning, monkeypatch):
    entries = [await remember(meaning, TEXT + "!" * number) for number in range(5)]
    await catch_up(meaning)
    counts = [len(await links(meaning, entry)) for entry in entries]
    assert counts == [0, 1, 2, 3, 3]
    monkeypatch.setattr(story, "LINKS_MAX", 2)
    targets = [{"target_id": "agent:bo"}, {"target_id": "agent:ann"}]
    full = await remember(meaning, TWIN, links=targets)
    await catch_up(meaning)
    assert len(await links(meaning, full)) == 2


async def test_without_an_embedder_nothing_is_compared(world):
    entry = replace(await remember(world, TEXT), origin=Origin("owner"))
    assert await story.link_duplicates(world, [(entry, b"")]) == 0
