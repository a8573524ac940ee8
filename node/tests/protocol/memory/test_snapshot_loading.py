"""What loading a snapshot would do (MEM-006 §6.3)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.link_json import DECLARED_MAX
from csbond.protocol.memory.near_duplicates import MADE_BY
from csbond.protocol.memory.snapshot import SnapshotLimits
from csbond.protocol.memory.snapshot_check import checked_snapshot
from csbond.protocol.memory.snapshot_loading import LinkPlan, is_untouched, plan_load, starting_level
from csbond.protocol.memory.tier_policy import WhitespacePolicy
from csbond.protocol.memory.whitespace import archived
from csbond_tests.ledger_samples import NOW, an_entry
from csbond_tests.requirements import requirement
from csbond_tests.snapshots import file_of, memory, three_memories

IDS = ("mem_1_a", "mem_2_b", "mem_3_c")


def read(*memories):
    return checked_snapshot(file_of(*memories), SnapshotLimits(), NOW).memories


def planned(*memories, here=(), there=None, **wishes):
    known = {each.id: each for each in here}
    found = read(*memories)
    return plan_load(found, known, [each.draft.id for each in found] if there is None else there, NOW, **wishes)


@requirement("MEM-006-6.3-tiers")
@pytest.mark.parametrize("level, starts", [("hot", "warm"), ("warm", "warm"), ("cold", "cold")])
def test_what_is_loaded_starts_in_warm_or_cold(level, starts):
    assert starting_level(Level(level)) == starts
    (entry,) = planned(memory("mem_1_a", level=level)).fresh
    assert (entry.level, entry.used_at, entry.kept_at, entry.recent) == (starts, NOW, NOW, "")


def test_what_has_outlived_its_time_starts_in_cold_and_is_named():
    plan = planned(memory("mem_1_a", level="hot", timestamp=NOW - 10, metadata={"ttl": 10}))
    assert (plan.fresh[0].level, plan.outlived) == ("cold", ("mem_1_a",))


@requirement("MEM-006-6.3-twice")
def test_what_is_here_and_says_the_same_stays_as_it_is_whatever_its_tier_and_uses():
    plan = planned(*three_memories())
    here = [replace(entry, level=Level.HOT, version=4, access_count=3, used_at=1) for entry in plan.fresh]
    again = planned(*three_memories(), here=here)
    assert (again.same, again.fresh, again.conflicts, again.links) == (IDS, (), (), ())


@requirement("MEM-006-6.3-conflict")
@pytest.mark.parametrize(
    "change",
    [{"content": "Another."}, {"tags": ("x",)}, {"timestamp": 5}, {"ttl": 9}, {"extra": {"a": 1}}, {"type": "lesson"}],
)
def test_what_is_here_with_another_content_stays_and_is_named(change):
    (entry,) = planned(memory("mem_1_a")).fresh
    plan = planned(memory("mem_1_a"), here=[replace(entry, **change)])
    assert (plan.conflicts, plan.same, plan.replaced) == (("mem_1_a",), (), ())


@requirement("MEM-006-6.3-conflict")
def test_when_the_owner_says_so_the_file_takes_the_place_of_what_is_here():
    (entry,) = planned(memory("mem_1_a", level="hot")).fresh
    here = replace(entry, content="Another.", version=3, level=Level.HOT, seq=8)
    ((before, after),) = planned(memory("mem_1_a", level="hot"), here=[here], replaces=True).replaced
    assert before is here
    assert (after.content, after.version, after.level, after.moved_at) == ("The river was cold.", 4, "warm", NOW)
    assert after.origin.caller_key == here.origin.caller_key


@requirement("MEM-006-6.1-forgotten", "MEM-005-report-02-deleted-come-back")
def test_what_was_deleted_here_softly_or_for_good_does_not_come_back():
    softly = an_entry("mem_1_a", deleted_at=5)
    cleared = archived(an_entry("mem_2_b"), NOW, "asked", "owner", WhitespacePolicy())
    for replaces in (False, True):
        plan = planned(*three_memories(), here=[softly, cleared], there=["mem_3_c"], replaces=replaces)
        assert plan.deleted_here == ("mem_1_a", "mem_2_b")
        assert [entry.id for entry in plan.fresh] == ["mem_3_c"]
        assert plan.unresolved_links == (("mem_3_c", "mem_1_a"),)


def test_links_to_what_is_neither_here_nor_in_the_file_are_told_as_declared():
    links = [{"target_id": "mem_9_z", "relation": "extends", "weight": 0.5}, {"target_id": "agent:bo"}]
    plan = planned(memory("mem_1_a", links=links))
    (entry,) = plan.fresh
    assert entry.links == (Link("agent:bo", "relates_to"),)
    assert entry.extra["link_metadata"] == {"declared": {"unresolved": [links[0]]}}
    assert plan.unresolved_links == (("mem_1_a", "mem_9_z"),)
    assert planned(memory("mem_1_a", links=links), here=[entry]).same == ("mem_1_a",)
    resolved = planned(memory("mem_1_a", links=links), here=[entry], there=["mem_1_a", "mem_9_z"])
    assert (resolved.same, resolved.links) == (("mem_1_a",), ())


def test_no_more_is_declared_than_there_is_room_for():
    links = [{"target_id": f"mem_{number}_{'z' * 60}", "relation": "x" * 60} for number in range(60)]
    (entry,) = planned(memory("mem_1_a", links=links)).fresh
    told = entry.extra["link_metadata"]["declared"]["unresolved"]
    assert 10 < len(told) < 60
    assert len(str(entry.extra["link_metadata"])) < DECLARED_MAX * 1.2


def test_what_an_interrupted_load_left_without_its_links_gets_them():
    plan = planned(*three_memories())
    here = [replace(entry, links=()) for entry in plan.fresh]
    again = planned(*three_memories(), here=here)
    assert again.same == IDS
    assert again.links == plan.links == (LinkPlan("mem_3_c", (Link("mem_1_a", "extends", 0.5),)),)


def test_a_link_that_was_taken_away_here_is_a_conflict():
    here = [replace(entry, links=(), linked=True) for entry in planned(*three_memories()).fresh]
    assert planned(*three_memories(), here=here).conflicts == ("mem_3_c",)
    (links,) = planned(*three_memories(), here=here, replaces=True).links
    assert (links.links, links.drop) == ((Link("mem_1_a", "extends", 0.5),), ())


def test_replacing_takes_links_away_that_the_file_has_not():
    (entry,) = planned(memory("mem_1_a")).fresh
    here = replace(entry, links=(Link("agent:bo", "peer"),), linked=True)
    (links,) = planned(memory("mem_1_a"), here=[here], replaces=True).links
    assert links == LinkPlan("mem_1_a", (), (("agent:bo", "peer"),))


NEAR = Link("mem_7_y", "relates_to", 0.9, MADE_BY)


@requirement("MEM-006-6.3-twice")
def test_what_this_node_itself_links_as_nearly_the_same_is_neither_a_conflict_nor_taken_away():
    here = [replace(e, links=(*e.links, NEAR), linked=True, version=2) for e in planned(*three_memories()).fresh]
    for replaces in (False, True):
        again = planned(*three_memories(), here=here, replaces=replaces)
        assert (again.same, again.conflicts, again.replaced, again.links) == (IDS, (), (), ())
    (links,) = planned(memory("mem_3_c", "We swam.", level="cold"), here=here, replaces=True).links
    assert links.drop == (("mem_1_a", "extends"),)


@requirement("MEM-006-6.3-twice")
def test_what_this_node_itself_linked_of_an_interrupted_load_gets_the_links_of_the_file():
    *_, first = planned(*three_memories()).fresh
    first = replace(first, links=())
    linked = replace(first, links=(NEAR,), linked=True, version=2)
    assert planned(*three_memories(), here=[linked]).conflicts == ("mem_3_c",)
    assert is_untouched([first], linked)
    again = planned(*three_memories(), here=[linked], untouched=["mem_3_c"])
    assert again.links == (LinkPlan("mem_3_c", (Link("mem_1_a", "extends", 0.5),)),)
    for earlier, known in (
        ([replace(first, links=(Link("agent:bo", "peer"),))], linked),
        ([first], replace(linked, links=(NEAR, Link("agent:bo", "peer")))),
        ([first], replace(linked, version=3)),
        ([], replace(linked, version=1)),
    ):
        assert not is_untouched(earlier, known)


@requirement("MEM-006-6.3-conflict")
def test_for_whom_a_memory_is_stays_as_it_is_here():
    (mine,) = planned(memory("mem_1_a", "Mine.", visibility="private")).fresh
    theirs = memory("mem_1_a", "Theirs.", visibility="public")
    ((_, after),) = planned(theirs, here=[mine], replaces=True).replaced
    assert (after.content, after.visibility) == ("Theirs.", "private")
    assert planned(theirs, here=[after]).same == ("mem_1_a",)
    assert planned(theirs).fresh[0].visibility == "public"


def test_numbers_are_compared_as_a_file_says_them_and_one_that_no_file_has_is_another():
    (entry,) = planned(memory("mem_1_a", n=1)).fresh
    assert planned(memory("mem_1_a", n=1), here=[replace(entry, extra={"n": 1.0})]).same == ("mem_1_a",)
    for other in (2**53, 2**60):
        assert planned(memory("mem_1_a", n=1), here=[replace(entry, extra={"n": other})]).conflicts == ("mem_1_a",)


def pieces(plan):
    return {each.id: (each.extends, each.piece) for each in plan.fresh}


TEXT = [
    memory("mem_1_a", "one"),
    memory("mem_2_b", "two", extends="mem_1_a", piece=1),
    memory("mem_3_c", "three", extends="mem_2_b", piece=2),
]


def test_a_piece_goes_on_from_the_one_before_in_its_file():
    assert pieces(planned(*TEXT)) == {"mem_1_a": ("", 0), "mem_2_b": ("mem_1_a", 1), "mem_3_c": ("mem_2_b", 2)}
    assert pieces(planned(*TEXT[1:])) == {"mem_2_b": ("", 0), "mem_3_c": ("", 0)}


@pytest.mark.parametrize("content", ["one", "My own decision."])
def test_no_piece_goes_on_from_a_memory_that_is_here(content):
    (mine,) = planned(memory("mem_1_a", content)).fresh
    for found in (TEXT, TEXT[1:]):
        plan = planned(*found, here=[mine], there=["mem_1_a"])
        assert pieces(plan) == {"mem_2_b": ("", 0), "mem_3_c": ("", 0)}


@pytest.mark.parametrize(
    "extends, piece",
    [("mem_2_b", 1), ("mem_3_c", 1), ("mem_1_a", 0), ("mem_1_a", 2), ("mem_9_z", 1), ("", 3)],
)
def test_what_leads_back_or_to_no_beginning_is_a_text_of_its_own(extends, piece):
    other = memory("mem_3_c", "three", extends="mem_2_b", piece=2)
    plan = planned(memory("mem_1_a", "one"), memory("mem_2_b", "two", extends=extends, piece=piece), other)
    assert pieces(plan) == dict.fromkeys(IDS, ("", 0))


def test_of_two_pieces_that_go_on_from_the_same_one_is_a_piece():
    plan = planned(memory("mem_1_a", "one"), *(memory(id_, id_, extends="mem_1_a", piece=1) for id_ in IDS[1:]))
    assert pieces(plan) == {"mem_1_a": ("", 0), "mem_2_b": ("mem_1_a", 1), "mem_3_c": ("", 0)}


def test_replacing_leaves_a_memory_the_piece_that_it_is_here():
    here = planned(*TEXT).fresh
    alone = [memory(each.id, f"new {each.content}") for each in here]
    replaced = planned(*alone, here=here, replaces=True).replaced
    assert [(after.extends, after.piece) for _, after in replaced] == [("", 0), ("mem_1_a", 1), ("mem_2_b", 2)]
    texts = planned(
        TEXT[0], memory("mem_2_b", "new", extends="mem_1_a", piece=1), here=planned(*alone).fresh[:2], replaces=True
    )
    assert {(after.extends, after.piece) for _, after in texts.replaced} == {("", 0)}
