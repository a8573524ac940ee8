"""A ledger of schema 1 held links and projects as fields it did not know; they become what they say."""

from __future__ import annotations

import random

import pytest

from csbond.protocol.memory.entry import Origin
from csbond.protocol.memory.entry_shown import entry_to_json
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.link import Link, forward
from csbond.protocol.memory.link_order import Walk, leads_to, reach_along
from csbond.protocol.memory.text_key import text_key
from csbond_tests.earlier_ledger import WrittenBefore, entries, to
from csbond_tests.ledger_samples import NOW, an_entry, everything, put


@pytest.fixture
def written(tmp_path):
    return WrittenBefore(tmp_path / "csbond.db")


async def test_an_entry_of_before_keeps_all_it_had_and_works_on(written):
    written.entry("mem_1_a", "thread-1", future={"field": [1, "二", True]})
    written.next_version("mem_1_a")
    ledger = await written.opened()
    entry = await ledger.entry("mem_1_a")
    assert entry == an_entry(
        "mem_1_a",
        version=2,
        timestamp=NOW + 1,
        origin=Origin("owner", "thread-1"),
        last_accessed=5,
        access_count=2,
        extra={"future": {"field": [1, "二", True]}},
        seq=1,
        kept_at=NOW + 1,
        project="thread:thread-1",
        text_seq=1,
    )
    assert [version.extra for version in await ledger.versions_before("mem_1_a", 2, 5)] == [entry.extra]
    assert await ledger.entries_of_text("home", text_key("the river WAS cold"), entry.origin) == (entry,)
    await ledger.commit(put(an_entry("mem_1_a", "An edit.", version=3)))
    assert await ledger.entries_of_text("home", text_key("the river was cold"), entry.origin) == ()
    assert await ledger.check() == []
    await ledger.close()


async def test_what_was_deleted_before_was_deleted_by_the_owner(written):
    written.entry("mem_1_a", deleted_at=NOW)
    written.entry("mem_1_b")
    found = await entries(written)
    assert (found["mem_1_a"].deleted_by, found["mem_1_a"].deleter) == ("manual", "owner")
    assert (found["mem_1_b"].deleted_by, found["mem_1_b"].deleter) == ("", "")


async def test_what_was_deleted_before_is_found_by_its_words(written):
    written.entry("mem_1_a", deleted_at=NOW)
    written.entry("mem_1_b")
    written.connection.execute("""UPDATE entry SET tags = '["河流","wet stones"]' WHERE id = 'mem_1_a'""")
    ledger = await written.opened()
    for text in ("rivers", "河流", "wet stones"):
        page = await ledger.entries(everything(deleted=True, text=text))
        assert ([entry.id for entry in page.rows], page.total) == (["mem_1_a"], 1)
    await ledger.close()


async def test_links_an_entry_named_become_links(written):
    told = [
        to("mem_1_b", weight=0.5),
        to("mem_1_b", "Relates To"),
        to("mem_1_later", "extends", weight=1),
        to("mem_1_gone", "contradicts"),
        to("agent:bo", "cited-by", weight=0),
        to("mem_1_b", weight=0.25),
    ]
    written.entry("mem_1_a", links=told, future=1)
    written.entry("mem_1_b", links=[])
    written.entry("mem_1_later")
    written.entry("mem_1_gone", deleted_at=NOW)
    found = await entries(written)
    entry = found["mem_1_a"]
    assert entry.links == (
        Link("agent:bo", "cited_by", 0.0),
        Link("mem_1_b", "causes", 0.25),
        Link("mem_1_b", "relates_to"),
        Link("mem_1_later", "extends"),
    )
    assert (entry.linked, entry.extra) == (True, {"future": 1})
    assert (found["mem_1_b"].linked, found["mem_1_b"].extra) == (False, {})


@pytest.mark.parametrize(
    "told, link",
    [
        ("mem_1_b", Link("mem_1_b", "relates_to")),
        (["mem_1_b"], Link("mem_1_b", "relates_to")),
        ({"target_id": " mem_1_b "}, Link("mem_1_b", "relates_to")),
        ({"target_id": "\t\u3000mem_1_b\r\n"}, Link("mem_1_b", "relates_to")),
        ([to("mem_1_b", None, weight=None)], Link("mem_1_b", "relates_to")),
        ([to("mem_1_b", weight="0.5")], Link("mem_1_b", "causes", 0.5)),
        (None, None),
    ],
    ids=str,
)
async def test_links_are_read_as_loosely_as_those_that_come_today(written, told, link):
    written.entry("mem_1_a", links=told)
    written.entry("mem_1_b")
    entry = (await entries(written))["mem_1_a"]
    assert (entry.links, entry.extra) == ((link,) if link else (), {})


async def test_fields_of_a_link_that_are_not_known_stay_with_it(written):
    told = [to("mem_1_b", note="why", on=True), to("mem_1_b", "extends"), to("mem_1_b", "relates_to", more=[1])]
    written.entry("mem_1_a", links=told, future=1)
    written.entry("mem_1_b")
    entry = (await entries(written))["mem_1_a"]
    assert entry.extra["link_fields"] == {
        "mem_1_b": {"causes": {"note": "why", "on": True}, "relates_to": {"more": [1]}}
    }
    shown = entry_to_json(entry, LevelNames())
    assert shown["links"] == [
        to("mem_1_b", weight=1.0, note="why", on=True),
        to("mem_1_b", "extends", weight=1.0),
        to("mem_1_b", "relates_to", weight=1.0, more=[1]),
    ]
    assert shown["future"] == 1


async def test_a_link_to_what_was_softly_deleted_is_shown_again_with_it(written):
    written.entry("mem_1_a", links=[to("mem_1_gone")])
    written.entry("mem_1_gone", deleted_at=NOW)
    ledger = await written.opened()
    assert (await ledger.entry("mem_1_a")).links == ()
    await ledger.commit(put(an_entry("mem_1_gone", version=2)))
    assert (await ledger.entry("mem_1_a")).links == (Link("mem_1_gone", "causes"),)
    await ledger.close()


UNRESOLVED = [
    to("mem_1_nowhere"),
    to("mem_1_a"),
    to("mem_1_b", weight=1.5),
    to("mem_1_b", weight="half"),
    to("mem_1_b", weight="1.5"),
    to("mem_1_b", weight=True),
    to("mem_1_b", "9lives"),
    to("mem_1_b", "因果"),
    to("mem_1_b", "r" * 65),
    to("mem_1_b", relation=7),
    to("no scheme"),
    to("see this:foo"),
    to("see:\u3000"),
    to("1st:foo"),
    to(7),
    to("agent:" + "b" * 256),
    {"target": "mem_1_b"},
    "mem_1_nowhere",
    None,
    True,
    7,
    [to("mem_1_b")],
]


@pytest.mark.parametrize("told", UNRESOLVED, ids=str)
async def test_what_no_link_can_be_made_of_is_kept_as_declared(written, told):
    written.entry("mem_1_a", links=[to("mem_1_b", "extends"), told], link_metadata={"network_id": "net-1"})
    written.entry("mem_1_b")
    entry = (await entries(written))["mem_1_a"]
    assert entry.links == (Link("mem_1_b", "extends"),)
    assert entry.extra == {"link_metadata": {"declared": {"network_id": "net-1", "unresolved": [told]}}}


@pytest.mark.parametrize("told", ["mem_1_nowhere", {"target_id": "mem_1_nowhere"}, 7, False], ids=str)
async def test_links_that_are_no_list_are_kept_as_declared(written, told):
    written.entry("mem_1_a", links=told)
    written.entry("mem_1_b")
    entry = (await entries(written))["mem_1_a"]
    assert (entry.links, entry.extra) == ((), {"link_metadata": {"declared": {"unresolved": [told]}}})


@pytest.mark.parametrize(
    "before, after",
    [
        ({"network_id": "net-1", "on": True}, {"declared": {"network_id": "net-1", "on": True}}),
        ({"declared": {"network_id": "net-1"}}, {"declared": {"network_id": "net-1"}}),
        (
            {"declared": {"a": 1, "n": None}, "a": 2, "by": {"who": None}, "centrality": 3},
            {"declared": {"a": 1, "n": None, "by": {"who": None}}},
        ),
        ({"declared": {"on": True, "x": 1}, "x": 2, "y": 3}, {"declared": {"on": True, "x": 1, "y": 3}}),
        ("net-1", {"declared": {"value": "net-1"}}),
    ],
)
async def test_what_was_said_of_links_is_set_apart_as_declared(written, before, after):
    written.entry("mem_1_a", link_metadata=before)
    assert (await entries(written))["mem_1_a"].extra == {"link_metadata": after}


async def test_the_first_64_links_are_kept_and_the_others_declared(written):
    written.entry("mem_1_a", links=[to(f"agent:{number:02}") for number in range(66)])
    entry = (await entries(written))["mem_1_a"]
    assert [link.target_id for link in entry.links] == [f"agent:{number:02}" for number in range(64)]
    assert entry.extra["link_metadata"]["declared"]["unresolved"] == [to("agent:64"), to("agent:65")]


@pytest.mark.parametrize("relation", ["causes", "derived_from", "supersedes", "extends", "resolved_by"])
async def test_a_link_that_leads_back_in_an_order_is_declared_and_what_leads_there_is_kept(written, relation):
    written.entry("mem_1_first", links=[to("mem_1_a", relation)])
    written.entry("mem_1_a", links=[to("mem_1_b", relation), to("mem_1_last", relation)])
    written.entry("mem_1_b", links=[to("mem_1_a", relation), to("mem_1_a", "relates_to")])
    written.entry("mem_1_last")
    found = await entries(written)
    assert found["mem_1_first"].links == (Link("mem_1_a", relation),)
    assert found["mem_1_a"].links == (Link("mem_1_b", relation), Link("mem_1_last", relation))
    assert found["mem_1_b"].links == (Link("mem_1_a", "relates_to"),)
    assert found["mem_1_b"].extra == {"link_metadata": {"declared": {"unresolved": [to("mem_1_a", relation)]}}}


async def test_a_relation_and_its_other_end_are_no_circle_unless_they_lead_back(written):
    written.entry("mem_1_a", links=[to("mem_1_b", "causes")])
    written.entry("mem_1_b", links=[to("mem_1_a", "caused_by"), to("mem_1_c", "caused_by")])
    written.entry("mem_1_c", links=[to("mem_1_d", "caused_by")])
    written.entry("mem_1_d", links=[to("mem_1_b", "caused_by")])
    found = await entries(written)
    assert found["mem_1_a"].links == (Link("mem_1_b", "causes"),)
    assert found["mem_1_b"].links == (Link("mem_1_a", "caused_by"),)
    assert found["mem_1_d"].links == (Link("mem_1_b", "caused_by"),)


@pytest.mark.parametrize(
    "now, before", [("causes", "caused_by"), ("caused_by", "causes"), ("cited_by", "derived_from")]
)
async def test_what_an_earlier_version_told_makes_no_circle_for_what_is_told_now(written, now, before):
    written.entry("mem_1_a", links=[to("mem_1_b", before)])
    written.entry("mem_1_b")
    written.next_version("mem_1_a", links=[to("mem_1_b", now)])
    ledger = await written.opened()
    (version,) = await ledger.versions_before("mem_1_a", 2, 5)
    assert version.links == (Link("mem_1_b", before),)
    assert (await ledger.entry("mem_1_a")).links == (Link("mem_1_b", now),)
    await ledger.close()


@pytest.mark.parametrize("seed", range(8))
async def test_no_order_leads_back_whatever_was_told(written, seed):
    dice, ids = random.Random(seed), [f"mem_1_{number}" for number in range(12)]
    relations = ("causes", "caused_by", "extends", "relates_to")
    for id_ in ids:
        written.entry(id_, links=[to(dice.choice(ids), dice.choice(relations)) for _ in range(dice.randint(0, 3))])
    found = (await entries(written)).values()
    told = [forward(entry.id, link) for entry in found for link in entry.links]
    for family in ("causes", "extends"):
        edges = [(start, end) for start, relation, end in told if relation == family]
        assert not [edge for edge in edges if leads_to({edge[1]}, {edge[0]}, reach_along(edges), Walk())]
    assert len(told) > 5


async def test_a_field_of_before_that_has_a_name_of_today_is_kept_as_declared(written):
    for id_, named in (("mem_1_a", "abc"), ("mem_1_b", {"mem_1_a": "why"}), ("mem_1_c", [1])):
        written.entry(id_, links=[to("mem_1_z", note="why")], link_fields=named, future=1)
        written.entry(f"{id_}_without", link_fields=named)
    written.next_version("mem_1_a")
    written.entry("mem_1_z")
    ledger = await written.opened()
    for id_, named in (("mem_1_a", "abc"), ("mem_1_b", {"mem_1_a": "why"}), ("mem_1_c", [1])):
        entry, declared = await ledger.entry(id_), {"link_metadata": {"declared": {"link_fields": named}}}
        assert entry.extra == declared | {"future": 1, "link_fields": {"mem_1_z": {"causes": {"note": "why"}}}}
        assert entry_to_json(entry, LevelNames())["links"] == [to("mem_1_z", weight=1.0, note="why")]
        assert (await ledger.entry(f"{id_}_without")).extra == declared
    (version,) = await ledger.versions_before("mem_1_a", 2, 5)
    assert version.extra == (await ledger.entry("mem_1_a")).extra
    await ledger.close()


async def test_a_version_of_before_has_the_links_it_told_and_keeps_the_rest_as_declared(written):
    told = [to("mem_1_b", note="why"), to("mem_1_nowhere"), to("mem_1_b", weight=0.5), to("agent:bo")]
    written.entry("mem_1_a", links=told, link_metadata={"network_id": "net-1"}, future=1)
    written.entry("mem_1_b", links=[to("mem_1_a")])
    written.next_version("mem_1_a", links=[])
    ledger = await written.opened()
    (version,) = await ledger.versions_before("mem_1_a", 2, 5)
    assert version.links == (Link("agent:bo", "causes"), Link("mem_1_b", "causes", 0.5))
    assert version.extra == {
        "future": 1,
        "link_fields": {"mem_1_b": {"causes": {"note": "why"}}},
        "link_metadata": {"declared": {"network_id": "net-1", "unresolved": [to("mem_1_nowhere")]}},
    }
    assert (await ledger.entry("mem_1_a")).links == ()
    assert (await ledger.entry("mem_1_b")).links == (Link("mem_1_a", "causes"),)
    assert await ledger.check() == []
    await ledger.close()
