from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.protocol.memory.forgetting import ForgettingPolicy, Match, Rule, verdict
from csbond.protocol.memory.whole_text import as_one, judged_alike, judged_apart, strictest_verdict
from csbond_tests.aged_memories import NOW, aged
from csbond_tests.requirements import requirement

ENTRY = aged("warm")


def piece(number, **fields):
    return replace(ENTRY, id=f"mem_1_{number}", piece=number, **fields)


def rule(action, tag, priority="medium"):
    return Rule(f"{action} {tag}", Match(tags=(tag,)), action, priority)


@requirement("MEM-005-5.3-protected-tags")
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_protected_tag_of_any_piece_protects_the_text(place):
    policy = ForgettingPolicy(rules=(rule("soft_delete", "a"),))
    text = [piece(number, tags=("a", "identity") if number == place else ("a",)) for number in range(3)]
    assert strictest_verdict(policy, text, NOW).action == "protect"
    assert (
        strictest_verdict(policy, [each for each in text if "identity" not in each.tags], NOW).rule == "soft_delete a"
    )


def test_what_keeps_more_of_a_later_piece_decides_and_what_keeps_less_does_not():
    policy = ForgettingPolicy(rules=(rule("soft_delete", "a"), rule("archive", "b"), rule("ttl_evict", "c")))
    said = {
        (first, later): strictest_verdict(policy, (piece(0, tags=(first,)), piece(1, tags=(later,))), NOW).action
        for first in "abc"
        for later in "abc"
    }
    assert said[("a", "b")] == said[("b", "a")] == "archive"
    assert said[("a", "c")] == said[("c", "a")] == said[("b", "c")] == "ttl_evict"
    assert said[("a", "a")] == "soft_delete"


@pytest.mark.parametrize("default", ["ttl_evict", "protect"])
def test_the_default_counts_of_the_first_piece_alone(default):
    policy = ForgettingPolicy(rules=(rule("soft_delete", "a"),), default_action=default)
    assert strictest_verdict(policy, (piece(0, tags=("a",)), piece(1)), NOW).action == "soft_delete"
    assert strictest_verdict(policy, (piece(0), piece(1, tags=("a",))), NOW).action == default


def test_a_short_text_is_judged_as_it_is():
    policy = ForgettingPolicy(rules=(rule("archive", "a"),))
    entry = piece(0, tags=("a",))
    assert strictest_verdict(policy, (entry,), NOW) == verdict(policy, entry, NOW)
    assert as_one((entry,)) == entry


def test_as_one_the_tags_of_all_pieces_count():
    one = as_one((piece(0, tags=("a",)), piece(1, tags=("b", "a")), piece(2, tags=("pinned",))))
    assert (one.id, one.tags) == ("mem_1_0", ("a", "b", "pinned"))


def test_of_many_alike_pieces_one_is_judged():
    text = [piece(0), *(piece(number) for number in range(1, 5)), piece(5, tags=("a",)), piece(6, tags=("a",))]
    assert [each.id for each in judged_apart(text)] == ["mem_1_0", "mem_1_5"]
    assert judged_alike(text[0], text[3])
    assert not judged_alike(text[0], text[5])
