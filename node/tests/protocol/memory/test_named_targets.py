"""What an entry keeps of links beside them, and what of it goes with an erased memory."""

from __future__ import annotations

import pytest

from csbond.protocol.memory.named_targets import named_targets, without_target

GONE, OTHER = "mem_1_x", "mem_2_x"


def declaring(declared):
    return {"link_metadata": {"declared": declared}, "mood": "calm"}


@pytest.mark.parametrize(
    "declared, left",
    [
        ({GONE: "quoted", OTHER: "quoted"}, {OTHER: "quoted"}),
        ({"deep": {"er": {GONE: 1, "n": 2}}}, {"deep": {"er": {"n": 2}}}),
        ({"links": [{"target_id": GONE, "quote": "q"}, {"target_id": OTHER}]}, {"links": [{"target_id": OTHER}]}),
        ({"first": {"target_id": GONE, "quote": "q"}, "n": 1}, {"n": 1}),
        ({"clusters": [[GONE, OTHER], [OTHER]]}, {"clusters": [[OTHER], [OTHER]]}),
        ({"center": GONE, "n": None, "none": []}, {"n": None, "none": []}),
        ({"links": [{"target_id": GONE}], "n": 1}, {"n": 1}),
    ],
)
def test_what_is_declared_of_a_memory_goes_wherever_it_is(declared, left):
    assert GONE in named_targets(declaring(declared))
    assert without_target(declaring(declared), GONE) == declaring(left)


def test_the_fields_of_links_to_it_go():
    extra = {"link_fields": {GONE: {"causes": {"q": 1}}, OTHER: {"causes": {"q": GONE, "n": 0}}}}
    assert without_target(extra, GONE) == {"link_fields": {OTHER: {"causes": {"n": 0}}}}


def test_what_is_empty_then_goes_too():
    extra = {"link_fields": {GONE: {"causes": {"q": 1}}}, **declaring({GONE: 1})}
    assert without_target(extra, GONE) == {"mood": "calm"}


@pytest.mark.parametrize("extra", [{}, {"note": GONE}, declaring({"n": [1, None, OTHER]}), {"link_fields": None}])
def test_what_tells_nothing_of_it_stays_the_same(extra):
    assert without_target(extra, GONE) is extra


def test_names_are_the_ids_of_memories_alone():
    extra = {"link_fields": {OTHER: {"causes": {}}, "did:key:z": {"causes": {}}}, "note": "mem_3_x"}
    assert named_targets(extra) == {OTHER}
