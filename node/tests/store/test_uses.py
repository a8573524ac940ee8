"""How uses are counted: the same in every ledger."""

from __future__ import annotations

from dataclasses import replace

from csbond.flows.memory_changes import PutEntry, SetUsedAt, SpareEntry, TouchEntries
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.promotion import token
from csbond.protocol.memory.use import Use
from csbond_tests.ledger_samples import NOW, an_entry, home, put, touched
from csbond_tests.requirements import requirement


@requirement("MEM-004-4.2-uses-kept")
async def test_uses_are_counted_and_make_no_version(ledger):
    await ledger.commit(put(an_entry(used_at=NOW, recent=token(NOW), last_accessed=3, access_count=2)))
    before = await ledger.entry("mem_1")
    await ledger.commit(touched(at=NOW + 7, count=2, tokens=token(NOW + 6) + token(NOW + 7, 0.5)))
    entry = await ledger.entry("mem_1")
    assert entry == replace(
        before,
        used_at=NOW + 7,
        last_accessed=NOW + 7,
        access_count=4,
        recent=token(NOW) + token(NOW + 6) + token(NOW + 7, 0.5),
    )
    assert await ledger.versions_before("mem_1", 9, 9) == ()
    assert await ledger.entries_after("home", before.seq, 9) == ()


async def test_the_latest_use_never_becomes_earlier(ledger):
    await ledger.commit(put(an_entry(used_at=NOW, last_accessed=NOW)))
    await ledger.commit(touched(at=NOW - 9))
    await ledger.commit(home(SetUsedAt("mem_1", NOW - 8)))
    entry = await ledger.entry("mem_1")
    assert (entry.used_at, entry.last_accessed, entry.access_count) == (NOW, NOW, 1)


async def test_the_latest_sixteen_uses_are_kept_singly(ledger):
    await ledger.commit(put(an_entry(recent="".join(token(NOW + number) for number in range(10)))))
    await ledger.commit(touched(tokens="".join(token(NOW + number) for number in range(10, 20))))
    assert (await ledger.entry("mem_1")).recent == "".join(token(NOW + number) for number in range(4, 20))


async def test_uses_of_what_is_gone_are_passed_over_and_of_what_is_deleted_are_there_when_it_comes_back(ledger):
    await ledger.commit(put(an_entry(deleted_at=NOW, used_at=1), an_entry("mem_2", used_at=1)))
    uses = (Use("mem_1", NOW, 1), Use("mem_nowhere", NOW, 1), Use("mem_2", NOW, 1))
    await ledger.commit(home(TouchEntries(uses), SetUsedAt("mem_nowhere", NOW)))
    assert [(await ledger.entry(id_)).used_at for id_ in ("mem_1", "mem_2")] == [NOW, NOW]
    assert await ledger.entry("mem_nowhere") is None


async def test_only_a_cold_memory_notes_that_it_was_found(ledger):
    await ledger.commit(put(an_entry(level=Level.COLD), an_entry("mem_2", level=Level.WARM)))
    await ledger.commit(home(TouchEntries((Use("mem_1", 8, 1, found=True), Use("mem_2", 8, 1, found=True)))))
    await ledger.commit(touched(at=5, found=True))
    await ledger.commit(touched(at=9))
    assert [(await ledger.entry(id_)).found_at for id_ in ("mem_1", "mem_2")] == [8, 0]


@requirement("MEM-004-4.2-cold-warm")
async def test_a_change_of_tier_forgets_that_it_was_found_and_no_other_change_does(ledger):
    await ledger.commit(put(an_entry(level=Level.COLD)))
    await ledger.commit(touched(at=8, found=True))
    await ledger.commit(put(an_entry(content="An edit.", version=2, level=Level.COLD)))
    assert (await ledger.entry("mem_1")).found_at == 8
    await ledger.commit(put(an_entry(version=3, level=Level.WARM, found_at=8, moved_at=NOW)))
    entry = await ledger.entry("mem_1")
    assert (entry.found_at, entry.moved_at) == (0, NOW)


async def test_an_edit_leaves_the_uses_alone_and_a_version_says_nothing_of_them(ledger):
    first = an_entry(used_at=NOW, recent=token(NOW), moved_at=3)
    await ledger.commit(put(first))
    await ledger.commit(touched(at=NOW + 1, tokens=token(NOW + 1)))
    await ledger.commit(put(replace(first, version=2, used_at=1, recent="", content="An edit.", moved_at=4)))
    entry = await ledger.entry("mem_1")
    assert (entry.used_at, entry.recent, entry.moved_at) == (NOW + 1, token(NOW) + token(NOW + 1), 4)
    (version,) = await ledger.versions_before("mem_1", 2, 5)
    assert (version.used_at, version.recent, version.found_at, version.moved_at) == (0, "", 0, 0)


async def test_an_entry_can_count_as_used_without_a_use(ledger):
    await ledger.commit(put(an_entry(used_at=1, recent=token(1), access_count=1)))
    await ledger.commit(home(PutEntry(an_entry(version=2)), SetUsedAt("mem_1", NOW)))
    entry = await ledger.entry("mem_1")
    assert (entry.used_at, entry.recent, entry.access_count) == (NOW, token(1), 1)


async def test_who_gives_an_entry_another_tier_lets_its_uses_begin_anew(ledger):
    await ledger.commit(put(an_entry(used_at=1, recent=token(1), access_count=1, last_accessed=1)))
    await ledger.commit(home(SetUsedAt("mem_1", NOW, anew=True)))
    entry = await ledger.entry("mem_1")
    assert (entry.used_at, entry.recent, entry.access_count, entry.last_accessed) == (NOW, "", 1, 1)


async def test_what_is_spared_stays_so_through_an_edit_and_a_version_says_nothing_of_it(ledger):
    before = await ledger.commit(put(an_entry()))
    await ledger.commit(home(SpareEntry("mem_1", NOW), SpareEntry("mem_nowhere", NOW)))
    entry = await ledger.entry("mem_1")
    assert (entry.spared_until, entry.version, entry.seq) == (NOW, 1, before.space_seq)
    await ledger.commit(put(an_entry(version=2, content="An edit.")))
    assert (await ledger.entry("mem_1")).spared_until == NOW
    assert [version.spared_until for version in await ledger.versions_before("mem_1", 2, 5)] == [0]
    await ledger.commit(home(SpareEntry("mem_1", 7)))
    assert (await ledger.entry("mem_1")).spared_until == 7
