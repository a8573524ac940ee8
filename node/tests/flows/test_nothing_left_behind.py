"""What is in the file of a ledger after memories are forgotten: nothing of them, and everything else as it was."""

from __future__ import annotations

from collections import Counter

import apsw
import pytest

from csbond.flows.edit_memory import edit_memory
from csbond.flows.erase_memory import erase_memory
from csbond.flows.forget_memory import ForgetRequest, forget_memory
from csbond.flows.index_vectors import catch_up, rebuild_index
from csbond.flows.link_memory import LinkChange, link_memory
from csbond.flows.move_memory import raise_memory
from csbond.flows.read_memory import read_memory
from csbond.flows.review_memory import decide_review, list_reviews
from csbond.flows.search_memory import MemorySearch, search_memory
from csbond.flows.set_forgetting import set_forgetting
from csbond.flows.tend_memory import tend_memory
from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.filter import EntryFilter
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.tier_policy import TierPolicy
from csbond.protocol.memory.visibility import Audience
from csbond.protocol.messages.caller import OWNER
from csbond.store.sqlite import open_ledger
from csbond.store.sqlite.checks import file_faults
from csbond.store.sqlite.connection import connect
from csbond.store.sqlite.reader import Reader
from csbond.testing import FixedSigner
from csbond_tests.drills.ledger_rules import faults_in
from csbond_tests.memories import remember, tell
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW, WatchedLedger, meaningful_world

MAY_NAME_IT = {"audit", "archive", "request", "review"}
"""Tables that go on saying that there was a memory of this id."""
OF_ENTRIES = ("entry_version", "entry_tag", "entry_vector", "entry_link")


@pytest.fixture
async def kept(tmp_path):
    """A home on a database that searches by meaning."""
    opened = await open_ledger(tmp_path / "csb.db", FixedSigner(), "Luna")
    world = meaningful_world(WatchedLedger(opened))
    await rebuild_index(world)
    yield world
    await opened.close()


@pytest.fixture
def file(tmp_path):
    connection = connect(tmp_path / "csb.db", writes=False)
    yield connection
    connection.close()


def tables(file: apsw.Connection) -> dict[str, list[tuple]]:
    """Every row of every table that is not inside a full text index."""
    names = [name for (name,) in file.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    plain = [name for name in names if "_words" not in name and not name.startswith("sqlite_")]
    return {name: file.execute(f'SELECT * FROM "{name}"').fetchall() for name in plain}


def naming(file, *secrets):
    """The tables with a row that holds one of the texts."""
    return {name for name, rows in tables(file).items() if any(secret in str(rows) for secret in secrets)}


def belongings(file, entry_ids):
    """Everything the file holds of entries, row by row."""
    rows = dict(file.execute("SELECT row, id FROM entry"))
    wanted = {row for row, entry_id in rows.items() if entry_id in entry_ids}
    held = Counter(("entry", each) for each in file.execute("SELECT * FROM entry") if each[0] in wanted)
    for name in OF_ENTRIES:
        column = "source_row" if name == "entry_link" else "entry_row"
        for row in file.execute(f"SELECT {column}, * FROM {name}"):
            if row[0] in wanted:
                held[name, row] += 1
    return held


async def furnished(world, project, text):
    """Memories of a project with tags, versions, links and vectors of their own."""
    fields = {"metadata": {"project": project}, "tags": [project, "key"]}
    a, b = [await remember(world, f"{text} {number}", **fields) for number in (1, 2)]
    await edit_memory(world, a.id, {"content": f"{text} 1, edited"}, LevelNames(), caller=OWNER, intent=INTENT)
    await link_memory(world, a.id, LinkChange(add=(Link(b.id, "relates_to"),)), caller=OWNER, intent=INTENT)
    await catch_up(world)
    return [a.id, b.id]


@pytest.fixture
def faults(tmp_path):
    """What does not hold in the file: structure, references, indexes, chain, and records against memories."""
    return lambda: faults_in(tmp_path / "csb.db", FixedSigner().did)


@requirement("MEM-005-report-01-bulk-delete")
@pytest.mark.parametrize("mode", ["soft", "hard"])
async def test_forgetting_one_project_leaves_every_byte_of_another(kept, file, faults, mode):
    here = await furnished(kept, "here", "The cat is under the mat.")
    there = await furnished(kept, "there", "The cat is on the roof.")
    before = belongings(file, there)
    assert {name for name, _ in before} == {"entry", *OF_ENTRIES}
    request = ForgetRequest(EntryFilter(project="here"), mode, dry_run=False, expected=2)
    assert set((await forget_memory(kept, request, OWNER, INTENT)).ids) == set(here)
    assert belongings(file, there) == before
    found = await search_memory(kept, MemorySearch("cat"), Audience(everything=True))
    assert {each.entry.id for each in found.results} == set(there)
    assert faults() == []


@requirement("MEM-005-report-orphans")
@pytest.mark.parametrize("secret", ["Quicksilver marmalade under the lighthouse.", "灯塔下面埋着一罐橘子酱。"])
async def test_nothing_of_an_erased_text_is_in_any_table(kept, file, faults, secret):
    (entry_id, other) = await furnished(kept, "here", secret)
    await furnished(kept, "there", "The cat is on the roof.")
    assert naming(file, secret) >= {"entry", "entry_version"}
    await erase_memory(kept, entry_id, OWNER, INTENT)
    await erase_memory(kept, other, OWNER, INTENT)
    assert naming(file, secret, secret[:10]) == set()
    assert naming(file, entry_id, other) <= MAY_NAME_IT
    assert faults() == []


@requirement("MEM-005-report-orphans")
async def test_of_a_text_told_in_a_conversation_only_its_messages_are_left(kept, file):
    pieces = await tell(kept, "The marmalade is in the lighthouse. " * 200, task="task-1")
    neighbour = await remember(kept, "The cat is on the roof.")
    link = LinkChange(add=(Link(pieces[1].id, "relates_to"),))
    await link_memory(kept, neighbour.id, link, caller=OWNER, intent=INTENT)
    await catch_up(kept)
    outcome = await erase_memory(kept, pieces[2].id, OWNER, INTENT)
    assert len(outcome.ids) == len(pieces) > 2
    assert naming(file, "marmalade") == {"message", "thread"}
    assert {copy.message_id for copy in outcome.copies} == {pieces[0].origin.message_id}
    assert naming(file, *outcome.ids) <= MAY_NAME_IT
    assert file.execute("SELECT count(*) FROM entry_vector").fetchall() == [(1,)]
    assert file_faults(Reader(file)) == []


@requirement("MEM-005-report-orphans", "MEM-005-5.2-cleared")
async def test_what_a_rule_deleted_and_time_cleared_leaves_as_little(kept, file, faults):
    ids = await furnished(kept, "here", "Quicksilver marmalade.")
    rule = {"name": "keys", "match": {"tags": ["here"]}, "action": "soft_delete"}
    await set_forgetting(kept, {"rules": [rule]}, OWNER, INTENT)
    await tend_memory(kept)
    kept.clock.advance(30 * DAY_MS)
    await tend_memory(kept)
    assert naming(file, "marmalade") == set()
    assert naming(file, *ids) <= MAY_NAME_IT
    assert faults() == []


@requirement("MEM-005-report-orphans")
async def test_no_piece_of_a_text_outlives_the_others_in_any_step(kept, file, faults):
    policy = TierPolicy(hot_idle_ms=DAY_MS, warm_idle_ms=2 * DAY_MS, cold_ttl_ms=DAY_MS)
    world = meaningful_world(kept.ledger, clock=kept.clock, identifiers=kept.identifiers, tiers=policy)
    pieces = await tell(world, "The marmalade is in the lighthouse. " * 200, task="task-1")
    await raise_memory(world, pieces[1].id, caller=OWNER, intent=INTENT)
    steps = Counter[str]()
    for _ in range(50):
        world.clock.advance(DAY_MS)
        if world.clock.now() - NOW < 5 * DAY_MS:
            await read_memory(world, pieces[3].id, OWNER)
        steps += Counter((await tend_memory(world)).steps)
        assert len(dict(file.execute("SELECT level, deleted_at FROM entry GROUP BY level, deleted_at"))) <= 1
        assert not [fault for fault in faults() if "goes on from" in fault]
    assert {step: steps[step] for step in ("hot_idle", "warm_ttl", "cold_ttl", "clear")} == {
        "hot_idle": 1,
        "warm_ttl": 1,
        "cold_ttl": 1,
        "clear": 1,
    }
    assert naming(file, "marmalade") == {"message", "thread"}
    assert not [fault for fault in faults() if "the message" not in fault and "task" not in fault]


@requirement("MEM-005-report-orphans", "MEM-005-5.5-human-only")
async def test_what_a_person_let_go_leaves_as_little(kept, file, faults):
    ids = await furnished(kept, "here", "Quicksilver marmalade.")
    rule = {"name": "keys", "match": {"tags": ["here"]}, "action": "soft_delete"}
    await set_forgetting(kept, {"rules": [rule]}, OWNER, INTENT)
    await tend_memory(kept)
    await set_forgetting(kept, {"rules": [rule], "human_only": True}, OWNER, INTENT)
    kept.clock.advance(30 * DAY_MS)
    await tend_memory(kept)
    assert naming(file, "marmalade") > set()
    for row in (await list_reviews(kept, OWNER)).rows:
        await decide_review(kept, row.review.id, "approved", OWNER, INTENT)
    assert naming(file, "marmalade") == set()
    assert naming(file, *ids) <= MAY_NAME_IT
    assert faults() == []
