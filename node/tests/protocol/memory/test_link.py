from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csbond.protocol.memory.link import (
    INVERSE,
    LINKS_MAX,
    ORDERED,
    RELATIONS,
    Link,
    checked_links,
    checked_relation,
    forward,
    in_order,
    is_foreign,
)
from csbond_tests.refusals import refused_field
from csbond_tests.requirements import requirement

HERE = "mem_1_here"


@requirement("MEM-001-1.5-relations")
@pytest.mark.parametrize("name", ["causes", "caused_by", "relates_to", "extends", "contradicts", "resolved_by"])
def test_each_relation_of_the_source_is_one(name):
    assert name in RELATIONS
    assert checked_relation(name) == name


@requirement("MEM-001-1.5-relations")
@pytest.mark.parametrize("name", ["triggered_by", "x", "r" * 64, "step_2"])
def test_another_short_name_is_kept(name):
    assert checked_relation(name) == name


@requirement("MEM-001-1.5-relations")
@pytest.mark.parametrize("name", ["", "r" * 65, "Causes", "2nd", "a b", "a-b", "因果", "a\n", None, 7])
def test_what_is_no_short_name_is_no_relation(name):
    assert refused_field(lambda: checked_relation(name)) == "relation"


@requirement("MEM-001-1.5-one-family")
def test_causes_and_caused_by_are_one_relation_from_its_two_ends():
    assert forward("a", Link("b", "causes")) == ("a", "causes", "b")
    assert forward("b", Link("a", "caused_by")) == ("a", "causes", "b")
    assert forward("b", Link("a", "cited_by")) == ("a", "derived_from", "b")


@requirement("MEM-001-1.5-one-family")
@pytest.mark.parametrize("relation", ["relates_to", "contradicts", "extends", "resolved_by", "mentions"])
def test_every_other_relation_is_a_family_of_its_own(relation):
    assert forward("a", Link("b", relation)) == ("a", relation, "b")


def test_a_relation_that_looks_back_is_ordered_by_the_one_it_is_the_other_end_of():
    assert set(INVERSE.values()) <= ORDERED
    assert not ORDERED & set(INVERSE)
    assert ORDERED | set(INVERSE) <= set(RELATIONS)


@requirement("MEM-001-1.5-foreign-target")
@pytest.mark.parametrize("target", ["agent:ruolan", "https://example.org/a b", "did:key:z6Mk", "x:1"])
def test_a_scheme_and_a_name_are_no_memory(target):
    assert is_foreign(target)


@requirement("MEM-001-1.5-foreign-target")
@pytest.mark.parametrize("target", ["mem_1_a", "mem_x:1", "agent", "agent:", "agent: a", ":a", "1a:b", "", "代理:若"])
def test_what_has_no_scheme_or_looks_like_a_memory_is_nothing_foreign(target):
    assert not is_foreign(target)


@requirement("MEM-001-1.5-self")
def test_a_link_of_an_entry_to_itself_is_refused_with_its_place():
    links = (Link("mem_1_a", "causes"), Link(HERE, "relates_to"))
    assert refused_field(lambda: checked_links(HERE, links)) == "links[1].target_id"


@requirement("MEM-001-1.5-count")
def test_an_entry_has_64_links_and_no_65th():
    links = [Link(f"mem_{number}_a", "causes") for number in range(LINKS_MAX + 1)]
    assert len(checked_links(HERE, links[:-1])) == LINKS_MAX == 64
    assert refused_field(lambda: checked_links(HERE, links)) == "links"


@requirement("MEM-001-1.5-count")
def test_a_link_given_twice_counts_once_and_with_its_later_weight():
    links = [Link("mem_1_a", "causes", number / 100) for number in range(LINKS_MAX + 1)]
    assert checked_links(HERE, links) == (Link("mem_1_a", "causes", 0.64),)


def test_two_relations_to_one_target_are_two_links():
    links = (Link("mem_1_a", "extends"), Link("mem_1_a", "causes"))
    assert checked_links(HERE, links) == links


@given(st.permutations([Link(f"mem_{number}_a", relation) for number in (1, 2) for relation in ("causes", "extends")]))
def test_links_stand_in_one_order_however_they_came(links):
    assert in_order(links) == in_order(sorted(links, key=lambda link: link.relation))
