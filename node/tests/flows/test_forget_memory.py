from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.flows import forget_memory as story
from csbond.flows.delete_memory import delete_memory
from csbond.flows.edit_memory import edit_memory
from csbond.flows.forget_memory import ForgetRequest, forget_memory
from csbond.flows.read_memory import list_memory
from csbond.flows.restore_memory import restore_memory
from csbond.flows.write_memory import commit_memory, entry_writes
from csbond.protocol.errors import CsbError
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.filter import EntryFilter
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind, Role
from csbond.protocol.messages.listing import position_of
from csbond_tests.memories import remember, tell
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW

EDITOR = Caller(CallerKind.PRINCIPAL, "ann", Role.EDITOR, frozenset({"home"}))


def looked_at(world, mode="soft", before=None, limit=50, **wanted):
    return forget_memory(world, ForgetRequest(EntryFilter(**wanted), mode), OWNER, INTENT, before, limit)


def forgotten(world, expected, mode="soft", **wanted):
    request = ForgetRequest(EntryFilter(**wanted), mode, dry_run=False, expected=expected)
    return forget_memory(world, request, OWNER, INTENT)


async def living(world):
    return {entry.content for entry in (await list_memory(world, EntryFilter(), OWNER, limit=100)).rows}


async def fault_of(awaitable):
    with pytest.raises(CsbError) as info:
        await awaitable
    return info.value.code.name, info.value.field


@pytest.fixture
async def several(either):
    for number in range(3):
        await remember(
            either, f"lamp {number}", tags=["lamp"], timestamp=NOW - number, metadata={"project": "North House"}
        )
        await remember(either, f"key {number}", tags=["key"], timestamp=NOW - number, level="cold")
    return either


@requirement("MEM-005-5.3-dry-run")
async def test_a_dry_run_lists_what_would_go_and_changes_nothing(several):
    changes = len(several.ledger.changes)
    would = await looked_at(several, tag="key")
    assert (would.dry_run, would.count, would.ids) == (True, 3, ())
    assert [entry.content for entry in would.page.rows] == ["key 0", "key 1", "key 2"]
    assert len(several.ledger.changes) == changes


async def test_a_dry_run_is_read_page_by_page(several):
    first = await looked_at(several, tag="key", limit=2)
    second = await looked_at(several, tag="key", limit=2, before=position_of(first.page.next_cursor))
    assert [entry.content for entry in first.page.rows + second.page.rows] == ["key 0", "key 1", "key 2"]
    assert (first.count, second.count, second.page.next_cursor) == (3, 3, "")


@requirement("MEM-005-report-01-bulk-delete")
@pytest.mark.parametrize("mode", ["soft", "hard"])
async def test_what_the_filter_does_not_admit_stays_as_it_is(several, mode):
    before = {entry.id: entry for entry in (await list_memory(several, EntryFilter(tag="lamp"), OWNER)).rows}
    done = await forgotten(several, 3, mode, tag="key")
    assert (done.dry_run, done.count, len(done.ids), done.left) == (False, 3, 3, 0)
    assert await several.ledger.entries_by_id(list(before)) == before
    assert await living(several) == {"lamp 0", "lamp 1", "lamp 2"}


@requirement("MEM-005-report-01-bulk-delete")
@pytest.mark.parametrize("wanted", [{}, {"deleted": True}, {"since": 0}])
@pytest.mark.parametrize("dry_run", [True, False])
async def test_without_a_filter_nothing_is_forgotten(several, wanted, dry_run):
    request = ForgetRequest(EntryFilter(**wanted), "hard", dry_run, expected=6)
    assert await fault_of(forget_memory(several, request, OWNER, INTENT)) == ("invalid_params", "filter")
    assert len(await living(several)) == 6


@pytest.mark.parametrize(
    "wanted, left",
    [
        ({"level": Level.COLD}, {"lamp 0", "lamp 1", "lamp 2"}),
        ({"project": "north-house", "until": NOW - 1}, {"lamp 0", "key 0", "key 1", "key 2"}),
        ({"text": "key 1"}, {"lamp 0", "lamp 1", "lamp 2", "key 0", "key 2"}),
        ({"tag": "key", "since": NOW}, {"lamp 0", "lamp 1", "lamp 2", "key 1", "key 2"}),
    ],
)
async def test_every_part_of_the_filter_narrows(several, wanted, left):
    would = await looked_at(several, **wanted)
    await forgotten(several, would.count, **wanted)
    assert await living(several) == left


@requirement("MEM-005-5.3-dry-run")
async def test_nothing_is_forgotten_when_more_or_fewer_fit_than_the_dry_run_told(several):
    would = await looked_at(several, tag="key")
    await remember(several, "key 3", tags=["key"])
    assert await fault_of(forgotten(several, would.count, tag="key")) == ("version_conflict", "")
    assert len(await living(several)) == 7


async def test_the_count_of_a_dry_run_is_needed(several):
    assert await fault_of(forgotten(several, None, tag="key")) == ("invalid_params", "expected")


async def test_what_fits_nothing_forgets_nothing(several):
    assert (await forgotten(several, 0, tag="door")).count == 0
    assert len(await living(several)) == 6


@requirement("MEM-005-5.4-every-eviction")
async def test_each_forgotten_memory_has_a_record_of_its_own(several):
    done = await forgotten(several, 3, tag="key")
    records = several.ledger.changes[-1].audit
    assert {record.target for record in records} == set(done.ids)
    assert {(record.type, record.intent) for record in records} == {("memory_delete", INTENT)}
    assert records[0].details == {
        "action": "delete",
        "memoryId": records[0].target,
        "timestamp": NOW,
        "trigger": "manual",
        "previousLevel": "cold",
        "newLevel": "deleted",
    }


async def test_what_was_softly_forgotten_can_be_restored(several):
    done = await forgotten(several, 3, tag="key")
    gone = await several.ledger.entry(done.ids[0])
    assert (gone.deleted_at, gone.deleted_by, gone.deleter) == (NOW, "manual", "owner")
    await restore_memory(several, done.ids[0], OWNER, INTENT)
    assert (await several.ledger.entry(done.ids[0])).deleted_at == 0


async def test_what_is_erased_leaves_its_record_with_the_reason_and_names_copies(either):
    (said,) = await tell(either, "The key is under the mat.", task="task-1")
    request = ForgetRequest(EntryFilter(text="mat"), "hard", dry_run=False, expected=1, reason="it named a place")
    done = await forget_memory(either, request, OWNER, INTENT)
    assert (done.erased, [copy.task_id for copy in done.copies]) == (True, ["task-1"])
    assert (await either.ledger.archived(said.id)).reason == "it named a place"
    assert await either.ledger.entry(said.id) is None


async def test_what_is_deleted_is_erased_by_asking_for_the_deleted(several):
    await forgotten(several, 3, tag="key")
    assert (await looked_at(several, "hard", tag="key", deleted=True)).count == 3
    done = await forgotten(several, 3, "hard", tag="key", deleted=True)
    assert await several.ledger.entries_by_id(done.ids) == {}


async def test_deleting_what_is_deleted_is_refused(several):
    assert await fault_of(looked_at(several, tag="key", deleted=True)) == ("invalid_params", "filter.deleted")


async def test_a_text_in_pieces_goes_whole_when_one_of_them_fits(either):
    pieces = await tell(either, "A sentence that goes on. " * 250 + "And here the owl ends it.")
    await tell(either, "The owl is another one's.", thread="t-2")
    would = await looked_at(either, text="owl", thread="t-1")
    assert would.count == len(pieces) > 2
    assert {entry.id for entry in would.page.rows} == {piece.id for piece in pieces}
    await forgotten(either, would.count, text="owl", thread="t-1")
    assert await living(either) == {"The owl is another one's."}


async def test_a_piece_that_was_deleted_by_itself_is_not_deleted_again(either):
    pieces = await tell(either, "A sentence that goes on. " * 250)
    gone = replace(pieces[1], deleted_at=NOW - 1, deleted_by="rule", version=2)
    await commit_memory(either, entry_writes((gone,)))
    assert (await looked_at(either, source="session")).count == len(pieces) - 1
    assert (await looked_at(either, "hard", source="session", deleted=True)).count == 1


async def test_a_text_is_never_split_between_two_transactions(world, monkeypatch):
    monkeypatch.setattr(story, "BATCH", 6)
    for number in range(3):
        await tell(world, f"{number} A sentence that goes on. " * 250, said_at=NOW + number)
    before = len(world.ledger.changes)
    would = await looked_at(world, source="session")
    done = await forgotten(world, would.count, "hard", source="session")
    sizes = [len(change.writes) for change in world.ledger.changes[before:]]
    assert (would.count, done.count, sizes) == (12, 12, [4, 4, 4])


async def test_what_somebody_edits_meanwhile_is_left(several, monkeypatch):
    wanted = await looked_at(several, tag="key")
    first = wanted.page.rows[0]
    found = several.ledger.entries_by_id

    async def edited_first(ids):
        monkeypatch.delattr(several.ledger, "entries_by_id")
        edit = {"content": "key of the cellar"}
        await edit_memory(several, first.id, edit, LevelNames(), caller=OWNER, intent=INTENT)
        return await found(ids)

    monkeypatch.setattr(several.ledger, "entries_by_id", edited_first, raising=False)
    done = await forgotten(several, 3, tag="key")
    assert (done.count, done.left) == (2, 1)
    assert "key of the cellar" in await living(several)


async def test_too_many_at_once_are_refused(several, monkeypatch):
    monkeypatch.setattr(story, "AT_MOST", 2)
    assert await fault_of(looked_at(several, tag="key")) == ("invalid_params", "filter")


async def test_many_are_read_and_forgotten_batch_by_batch(several, monkeypatch):
    monkeypatch.setattr(story, "_READ", 2)
    monkeypatch.setattr(story, "BATCH", 2)
    before = len(several.ledger.changes)
    assert (await forgotten(several, 3, tag="key")).count == 3
    assert [len(change.writes) for change in several.ledger.changes[before:]] == [2, 1]


async def test_a_deleted_memory_is_not_counted_again(several):
    entry = (await looked_at(several, tag="key")).page.rows[0]
    await delete_memory(several, entry.id, OWNER, INTENT)
    assert (await looked_at(several, tag="key")).count == 2


@pytest.mark.parametrize("caller", [EDITOR, ANONYMOUS])
async def test_only_the_owner_forgets_by_a_filter(world, caller):
    request = ForgetRequest(EntryFilter(tag="key"))
    assert await fault_of(forget_memory(world, request, caller, INTENT)) == ("forbidden", "")
