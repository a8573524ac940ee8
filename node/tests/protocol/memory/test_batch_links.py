from __future__ import annotations

from csbond.protocol.memory.batch_links import in_parts, leading_back, leading_nowhere, targets_first
from csbond.protocol.memory.link import Link
from csbond_tests.requirements import requirement


def to(*targets, relation="causes"):
    return [Link(target, relation) for target in targets]


@requirement("MEM-003-3.1-batch-links")
def test_what_leads_to_what_is_there_to_one_of_them_or_elsewhere_leads_somewhere():
    links = {0: to("mem_1_b", "mem_9_there", "agent:bo"), 1: (), 2: to("mem_1_a")}
    assert leading_nowhere(links, {0: "mem_1_a", 1: "mem_1_b", 2: "mem_1_c"}, {"mem_9_there"}) == {}


@requirement("MEM-003-3.1-batch-links")
def test_what_leads_to_what_leads_nowhere_leads_nowhere_with_the_link_that_does():
    links = {0: to("mem_1_b"), 1: to("agent:bo", "mem_1_c"), 2: to("mem_1_a", "mem_9_nobody"), 3: to("mem_9_there")}
    ids = {place: f"mem_1_{letter}" for place, letter in enumerate("abcd")}
    assert leading_nowhere(links, ids, {"mem_9_there"}) == {0: 0, 1: 1, 2: 1}


@requirement("MEM-001-1.5-cycle")
def test_the_later_link_of_a_circle_is_refused_by_its_place():
    refused = leading_back({0: ("a", to("b")), 1: ("b", to("x", "c")), 2: ("c", to("agent:bo", "a"))})
    assert {place: (fault.code.name, fault.field) for place, fault in refused.items()} == {
        2: ("link_cycle", "links[1]")
    }


@requirement("MEM-001-1.5-cycle")
def test_what_is_refused_makes_no_circle_for_the_others():
    refused = leading_back({0: ("a", to("b")), 1: ("b", to("a", "c")), 2: ("c", to("b"))})
    assert list(refused) == [1]


@requirement("MEM-001-1.5-cycle")
def test_an_order_that_is_said_from_both_ends_is_no_circle_and_two_orders_make_none():
    both = {0: ("a", to("b")), 1: ("b", to("a", relation="caused_by"))}
    assert leading_back(both) == {}
    assert leading_back({0: ("a", to("b")), 1: ("b", to("a", relation="extends"))}) == {}
    assert leading_back({0: ("a", to("b", relation="relates_to")), 1: ("b", to("a", relation="relates_to"))}) == {}


@requirement("MEM-001-1.5-cycle")
def test_an_edge_that_two_say_stays_when_one_of_them_is_refused():
    refused = leading_back(
        {
            0: ("a", to("b")),
            1: ("b", [*to("a", relation="caused_by"), *to("a")]),
            2: ("b", to("a")),
        }
    )
    assert list(refused) == [1, 2]


@requirement("MEM-001-1.5-cycle")
def test_twins_that_become_one_memory_have_one_place_in_an_order():
    refused = leading_back({0: ("a", to("b")), 1: ("b", to("c")), 2: ("c", ()), 3: ("c", to("a"))})
    assert list(refused) == [3]


@requirement("MEM-001-1.5-cycle")
def test_a_circle_is_found_among_many_links_and_nothing_else_is_refused():
    ids = [f"m{number}" for number in range(100)]
    links = {place: (id_, to(*ids[place + 1 : place + 61])) for place, id_ in enumerate(ids)}
    assert leading_back(links) == {}
    links[99] = ids[99], to("m98")
    assert list(leading_back(links)) == [99]
    links[99] = ids[99], [*to("m98"), *to("m97", relation="extends")]
    assert [fault.field for fault in leading_back(links).values()] == ["links[0]"]


def test_what_others_link_to_comes_before_them():
    for relation in ("causes", "caused_by", "relates_to"):
        links = {"a": to("b", "c", relation=relation), "b": to("c", "x", relation=relation), "c": (), "d": to("a")}
        assert targets_first(links) == ["c", "b", "a", "d"]
    assert sorted(targets_first({"a": to("b"), "b": to("a"), "c": to("a"), "d": to("agent:bo")})) == list("abcd")


@requirement("MEM-003-3.1-batch-each")
def test_what_is_written_part_by_part_comes_after_what_it_links_to_and_with_what_leads_back_to_it():
    ids = dict(enumerate("abcdef"))
    links = {0: to("b"), 1: to("c", "agent:bo"), 2: to("b"), 3: (), 4: to("a", "x"), 5: ()}
    assert in_parts(links, ids) == [[3, 5], [1, 2], [0], [4]]
    assert in_parts({0: (), 1: ()}, {0: "a", 1: "b"}) == [[0, 1]]
    assert in_parts({0: to("x")}, {0: "a"}) == [[0]]
